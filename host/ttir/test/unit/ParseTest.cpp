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
  EXPECT_EQ(error, "k.ttir: nested more than 256 deep");
}

TEST_F(Parse, RefusesDeepAttributesInBytecode) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  Builder builder(&context);
  Attribute nested = builder.getUnitAttr();
  for (int depth = 0; depth < 100000; ++depth)
    nested = builder.getArrayAttr(nested);
  (*module)->setAttr("tt.deep", nested);
  EXPECT_FALSE(parse(writeBytecode(*module)));
  EXPECT_EQ(error, "k.ttir: nested more than 256 deep");
}

TEST_F(Parse, SurvivesEveryTruncationOfBytecode) {
  auto module = parse(kTwoKernels);
  ASSERT_TRUE(module);
  std::string bytes = writeBytecode(*module);
  ASSERT_TRUE(parse(bytes));
  for (size_t size = 4; size < bytes.size(); ++size)
    EXPECT_FALSE(parse(StringRef(bytes).take_front(size))) << size;
}
