// ParseTest.cpp: bytecode, kernels and the limits of the parser.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/ttir/Parse.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>
#include <pthread.h>

using namespace mlir;
using namespace nereid::tt;

namespace {

constexpr StringRef kTwoKernels = R"(
  tt.func public @a() { tt.return }
  tt.func public @b() { tt.return }
  tt.func private @helper() { tt.return }
)";

class Parse : public ::testing::Test {
protected:
  Parse() : context(dialects(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
  }

  static DialectRegistry dialects() {
    DialectRegistry registry;
    registerTTIRDialects(registry);
    return registry;
  }

  OwningOpRef<ModuleOp> parse(StringRef bytes) {
    auto module = parseTTIR(context, bytes, "k.ttir", [&](StringRef line) {
      lines.push_back(line.str());
    });
    if (module)
      return std::move(*module);
    error = llvm::toString(module.takeError());
    return {};
  }

  /// Writing recurses as deep as the attributes nest, so it needs the stack.
  static std::string writeBytecode(ModuleOp module) {
    struct Job {
      ModuleOp module;
      std::string bytes;
    } job{module, {}};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, size_t(1) << 30);
    pthread_t thread;
    auto run = [](void *argument) -> void * {
      auto *job = static_cast<Job *>(argument);
      llvm::raw_string_ostream stream(job->bytes);
      (void)writeBytecodeToFile(job->module, stream);
      return nullptr;
    };
    EXPECT_EQ(pthread_create(&thread, &attributes, run, &job), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    return job.bytes;
  }

  MLIRContext context;
  std::vector<std::string> lines;
  std::string error;
};

} // namespace

TEST_F(Parse, FindsTheOneKernel) {
  auto module = parse("tt.func public @k() { tt.return }\n"
                      "tt.func private @helper() { tt.return }");
  ASSERT_TRUE(module);
  auto kernel = findKernel(*module);
  ASSERT_TRUE(static_cast<bool>(kernel));
  EXPECT_EQ(kernel->getName(), "k");
}

TEST_F(Parse, NamesSeveralKernels) {
  auto module = parse(kTwoKernels);
  ASSERT_TRUE(module);
  auto kernel = findKernel(*module);
  ASSERT_FALSE(static_cast<bool>(kernel));
  EXPECT_EQ(llvm::toString(kernel.takeError()),
            "expected one public function, the kernel; found @a, @b");
}

TEST_F(Parse, SaysThatThereIsNoKernel) {
  auto module = parse("tt.func private @helper() { tt.return }");
  ASSERT_TRUE(module);
  auto kernel = findKernel(*module);
  ASSERT_FALSE(static_cast<bool>(kernel));
  EXPECT_EQ(llvm::toString(kernel.takeError()),
            "expected one public function, the kernel; found none");
}

TEST_F(Parse, ReportsTheFirstErrorAndCallsBackForAll) {
  EXPECT_FALSE(parse("tt.func @k() {\n  tt.load\n}"));
  EXPECT_EQ(error.rfind("k.ttir:2:", 0), 0u) << error;
  ASSERT_FALSE(lines.empty());
  EXPECT_NE(lines.front().find(": error: "), std::string::npos);
}

TEST_F(Parse, ReportsVerifierErrorsAtTheirSource) {
  EXPECT_FALSE(parse("tt.func @k(%p: tensor<3x!tt.ptr<f32>>) {\n"
                     "  %0 = tt.load %p : tensor<3x!tt.ptr<f32>> "
                     "loc(\"k.py\":7:5)\n  tt.return\n}"));
  EXPECT_EQ(error.rfind("k.py:7:5: ", 0), 0u) << error;
}

TEST_F(Parse, RefusesAValueOfALaterRegion) {
  const std::pair<StringRef, StringRef> cases[] = {
      // The region of the user itself.
      {"scf.if %c {\n %c = arith.cmpi slt, %n, %n : i32\n}",
       "k.ttir:2:8: '%c' is used here, outside of the region that defines it "
       "at 3:2"},
      {"scf.for %i = %n to %n step %s : i32 {\n"
       " %s = arith.addi %n, %n : i32\n}",
       "k.ttir:2:28: '%s' "},
      {"scf.for %i = %i to %n step %n : i32 {\n}", "k.ttir:2:14: '%i' "},
      {"%r = scf.for %i = %n to %n step %n iter_args(%a = %s) -> (i32) : i32 "
       "{\n %s = arith.addi %n, %n : i32\n scf.yield %s : i32\n}",
       "k.ttir:2:51: '%s' "},
      {"%r = scf.while (%a = %b) : (i32) -> i32 {\n"
       " %b = arith.addi %n, %n : i32\n"
       " %c = arith.cmpi slt, %a, %n : i32\n"
       " scf.condition(%c) %a : i32\n"
       "} do {\n^bb0(%d: i32):\n scf.yield %d : i32\n}",
       "k.ttir:2:22: '%b' "},
      {"\"scf.if\"(%c) ({\n %x:2, %c = \"test.op\"() : () -> (i1, i1, i1)\n"
       "}, {}) : (i1) -> ()",
       "k.ttir:2:10: '%c' "},
      // A region that another error drops.
      {"%u = arith.addi %a, %n : i32\n"
       "scf.for %i = %n to %n step %n : i32 {\n"
       " %a = arith.addi %n, %n : i32\n %b = foo\n}",
       "k.ttir:2:17: '%a' "},
      {"%u = arith.addi %i, %n : i32\n"
       "scf.for %i = %n to %n step %n : i32 {\n %b = foo\n}",
       "k.ttir:2:17: '%i' "},
      {"scf.if %t {\n %u = arith.addi %a, %n : i32\n} else {\n"
       " %a = arith.addi %n, %n : i32\n foo\n}",
       "k.ttir:3:18: '%a' "},
      {"%u = arith.addf %a, %a : f32\n%r = \"tt.reduce\"(%x) <{axis = 0 : "
       "i32}> ({\n^bb0(%a: f32, %b: f32):\n foo\n})",
       "k.ttir:2:17: '%a' "},
      {"%u = arith.addi %m, %n : i32\ntt.return }\n"
       "tt.func private @g(%m: i32 {tt.divisibility = 16 : i32}) {\n foo",
       "k.ttir:2:17: '%m' "},
  };
  for (auto [body, message] : cases) {
    std::string text =
        ("tt.func public @k(%n: i32, %t: i1) {\n" + body + "\ntt.return\n}\n")
            .str();
    EXPECT_FALSE(parse(text));
    EXPECT_EQ(error.rfind(message.str(), 0), 0u) << text << error;
  }
}

TEST_F(Parse, TakesNamesInEveryValidOrder) {
  EXPECT_TRUE(parse(R"(
  tt.func public @k(%n: i32 {tt.divisibility = 16 : i32}, %t: i1)
      attributes {noinline = false} {
    cf.br ^first(%n : i32)
  ^later:
    %twice = arith.addi %sum, %early : i32
    scf.if %t {
      %nested = arith.addi %sum, %high : i32
    }
    tt.return
  ^first(%early: i32):
    %sum, %high = arith.mulsi_extended %early, %n : i32
    cf.cond_br %t, ^later, ^first(%sum : i32)
  }
  tt.func public @reused(%n: i32, %t: i1, %x: tensor<4xf32>) {
    %r:2 = scf.for %i = %n to %n step %n iter_args(%a = %n, %r = %n)
        -> (i32, i32) : i32 {
      scf.yield %r, %a : i32, i32
    }
    scf.for %i = %r#0 to %r#1 step %n : i32 {
      %a = arith.addi %i, %n : i32
    }
    %w = scf.while (%a = %n) : (i32) -> i32 {
      scf.condition(%t) %a : i32
    } do {
    ^bb0(%i: i32):
      scf.yield %i : i32
    }
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %i = arith.addf %a, %b : f32
      tt.reduce.return %i : f32
    }) : (tensor<4xf32>) -> f32
    tt.return
  })"))
      << error;
}

TEST_F(Parse, RefusesTextAboveTheLimit) {
  ParseLimits limits;
  limits.maxTextBytes = 8;
  auto module = parseTTIR(context, "module {}\n", "k.ttir", nullptr, limits);
  ASSERT_FALSE(static_cast<bool>(module));
  EXPECT_EQ(llvm::toString(module.takeError()),
            "k.ttir: 10 bytes of text, at most 8 are accepted");
}

TEST_F(Parse, RefusesDeepRegionsInBytecode) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder builder(module->getBodyRegion());
  for (int depth = 0; depth < 2000; ++depth) {
    auto inner = builder.create<ModuleOp>(builder.getUnknownLoc());
    builder.setInsertionPointToStart(inner.getBody());
  }
  EXPECT_FALSE(parse(writeBytecode(*module)));
  EXPECT_TRUE(StringRef(error).ends_with("nested more than 256 deep")) << error;
}

TEST_F(Parse, RefusesDeepAttributesInBytecode) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  Builder builder(&context);
  Attribute nested = builder.getUnitAttr();
  for (int depth = 0; depth < 100000; ++depth)
    nested = builder.getArrayAttr(nested);
  (*module)->setAttr("tt.deep", nested);
  EXPECT_FALSE(parse(writeBytecode(*module)));
  EXPECT_TRUE(StringRef(error).ends_with("nested more than 256 deep")) << error;
}

TEST_F(Parse, SurvivesEveryTruncationOfBytecode) {
  auto module = parse(kTwoKernels);
  ASSERT_TRUE(module);
  std::string bytes = writeBytecode(*module);
  ASSERT_TRUE(parse(bytes));
  for (size_t size = 4; size < bytes.size(); ++size)
    EXPECT_FALSE(parse(StringRef(bytes).take_front(size))) << size;
}

namespace {

/// Bytecode with a loop, constants, orders of uses and locations.
class DamagedBytecode : public Parse {
protected:
  void SetUp() override {
    auto module = parse(R"(
      #loc = loc("k.py":3:0)
      tt.func public @k(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
        %c0 = arith.constant 0 : i32
        %zeros = arith.constant dense<0.000000e+00> : tensor<8xf32>
        %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32> loc(#loc)
        %q = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
        %a = tt.addptr %q, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
        %x = tt.load %a : tensor<8x!tt.ptr<f32>> loc(callsite(#loc at #loc))
        %s = scf.for %i = %c0 to %n step %n iter_args(%sum = %zeros) -> (tensor<8xf32>) : i32 {
          %t = arith.addf %sum, %x : tensor<8xf32>
          scf.yield %t : tensor<8xf32>
        }
        tt.store %a, %s : tensor<8x!tt.ptr<f32>>
        tt.return
      })");
    ASSERT_TRUE(module) << error;
    bytes = writeBytecode(*module);
  }

  /// Reads as a program would: in a context of its own.
  static bool isModule(StringRef bytes) {
    DialectRegistry registry = dialects();
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    auto module = parseTTIR(context, bytes, "k.bc");
    if (module)
      return true;
    EXPECT_NE(llvm::toString(module.takeError()), "");
    return false;
  }

  std::string bytes;
};

} // namespace

TEST_F(DamagedBytecode, WholeItIsAModule) { EXPECT_TRUE(isModule(bytes)); }

TEST_F(DamagedBytecode, EveryBitMayBeAnother) {
  unsigned refused = 0;
  for (size_t at = 0; at < bytes.size(); ++at)
    for (unsigned bit = 0; bit < 8; ++bit) {
      // Without its magic it is text.
      if (at < 4)
        continue;
      std::string damaged = bytes;
      damaged[at] ^= 1 << bit;
      refused += !isModule(damaged);
    }
  EXPECT_GT(refused, bytes.size());
}

TEST_F(DamagedBytecode, EveryLengthShortOfItsOwnIsRefused) {
  for (size_t size = 4; size < bytes.size(); ++size)
    EXPECT_FALSE(isModule(StringRef(bytes).take_front(size))) << size;
}

TEST_F(DamagedBytecode, EveryByteMayBeTheGreatest) {
  for (size_t at = 4; at < bytes.size(); ++at)
    for (char value : {'\0', '\xff', '\x01'}) {
      std::string damaged = bytes;
      damaged[at] = value;
      isModule(damaged);
    }
}
