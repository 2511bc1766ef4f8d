// ElementOpsTest.cpp - the cpu's emission of one element-wise operation.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ElementJit.h"

#include "nereid/ttir/Dialect.h"
#include "gtest/gtest.h"

#include <cmath>

namespace nereid::test {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// All pairs of numbers, infinities, zeros of both signs and NaN.
static void specialPairs(std::vector<float> &x, std::vector<float> &y) {
  const float special[] = {0.0f, -0.0f,     1.0f,       -2.5f,
                           NAN,  kInfinity, -kInfinity, 1e-42f};
  for (float a : special)
    for (float b : special) {
      x.push_back(a);
      y.push_back(b);
    }
}

TEST(ElementOpsTest, ComparesFloatsByEveryPredicate) {
  struct Predicate {
    const char *name;
    bool less, equal, greater, unordered;
  };
  const Predicate predicates[] = {
      {"false", 0, 0, 0, 0}, {"oeq", 0, 1, 0, 0}, {"ogt", 0, 0, 1, 0},
      {"oge", 0, 1, 1, 0},   {"olt", 1, 0, 0, 0}, {"ole", 1, 1, 0, 0},
      {"one", 1, 0, 1, 0},   {"ord", 1, 1, 1, 0}, {"ueq", 0, 1, 0, 1},
      {"ugt", 0, 0, 1, 1},   {"uge", 0, 1, 1, 1}, {"ult", 1, 0, 0, 1},
      {"ule", 1, 1, 0, 1},   {"une", 1, 0, 1, 1}, {"uno", 0, 0, 0, 1},
      {"true", 1, 1, 1, 1}};
  std::vector<float> x, y;
  specialPairs(x, y);
  for (const Predicate &p : predicates) {
    ElementJit compiled(
        functionOf(std::string("arith.cmpf ") + p.name + ", %0, %1 : f32",
                   {"f32", "f32"}, "i1"));
    auto got = compiled.operator()<uint8_t>(x, y);
    for (size_t i = 0; i < x.size(); ++i) {
      bool want = std::isunordered(x[i], y[i]) ? p.unordered
                  : x[i] < y[i]                ? p.less
                  : x[i] == y[i]               ? p.equal
                                               : p.greater;
      EXPECT_EQ(got[i], want) << p.name << " " << x[i] << " " << y[i];
    }
  }
}

static bool isSame(float x, float y) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y);
  return x == y && std::signbit(x) == std::signbit(y);
}

// On each level of x86 the lowering is another one.
TEST(ElementOpsTest, KeepsNanAndSignsInMinimumAndMaximum) {
  std::vector<float> x, y;
  specialPairs(x, y);
  for (const char *cpu : {"", "x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    if (std::string_view(cpu) == "x86-64-v4" &&
        !__builtin_cpu_supports("x86-64-v4"))
      continue; // this machine could not run it
    JitOptions options;
    options.cpu = cpu;
    options.lanes = 8;
    auto apply = [&](const char *operation) {
      ElementJit compiled(functionOf(std::string(operation) + " %0, %1 : f32",
                                     {"f32", "f32"}, "f32"),
                          options);
      return compiled.operator()<float>(x, y);
    };
    auto maximum = apply("arith.maximumf"), minimum = apply("arith.minimumf");
    auto maxnum = apply("arith.maxnumf"), minnum = apply("arith.minnumf");
    for (size_t i = 0; i < x.size(); ++i) {
      bool hasNan = std::isunordered(x[i], y[i]);
      bool takesX = x[i] > y[i] || (x[i] == y[i] && !std::signbit(x[i]));
      EXPECT_TRUE(isSame(maximum[i], hasNan   ? NAN
                                     : takesX ? x[i]
                                              : y[i]))
          << x[i] << " " << y[i] << " on " << cpu;
      takesX = x[i] < y[i] || (x[i] == y[i] && std::signbit(x[i]));
      EXPECT_TRUE(isSame(minimum[i], hasNan   ? NAN
                                     : takesX ? x[i]
                                              : y[i]))
          << x[i] << " " << y[i] << " on " << cpu;
      EXPECT_TRUE(isSame(maxnum[i] + 0.0f, std::fmax(x[i], y[i]) + 0.0f));
      EXPECT_TRUE(isSame(minnum[i] + 0.0f, std::fmin(x[i], y[i]) + 0.0f));
    }
  }
}

TEST(ElementOpsTest, MovesPointersBySignedElements) {
  struct Pointee {
    const char *name;
    int64_t bytes;
  };
  for (Pointee pointee : {Pointee{"i1", 1},
                          {"i8", 1},
                          {"f8E5M2", 1},
                          {"bf16", 2},
                          {"f32", 4},
                          {"f64", 8},
                          {"!tt.ptr<f32>", 8}}) {
    std::string pointer = std::string("!tt.ptr<") + pointee.name + ">";
    JitOptions options;
    options.uniformArguments = 1;
    ElementJit compiled(
        "tt.func @f(%p: " + pointer +
            ", %o: i32) -> i64 {\n  %q = tt.addptr %p, %o : " + pointer +
            ", i32\n  %r = tt.ptr_to_int %q : " + pointer +
            " -> i64\n  tt.return %r : i64\n}\n",
        options);
    int64_t base = int64_t(1) << 40;
    std::vector<int32_t> offsets = {0, 1, -1, 1 << 30, -(1 << 30), INT32_MIN};
    offsets.resize(16);
    std::vector<int64_t> got(16);
    compiled.run(16, {&base, offsets.data(), got.data()});
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(got[i], base + offsets[i] * pointee.bytes) << pointee.name;
  }
}

TEST(ElementOpsTest, SelectsByOneConditionForAllLanes) {
  JitOptions options;
  options.uniformArguments = 1;
  ElementJit compiled("tt.func @f(%b: i8, %x: i32, %y: i32) -> i32 {\n"
                      "  %z = arith.constant 0 : i8\n"
                      "  %c = arith.cmpi ne, %b, %z : i8\n"
                      "  %r = arith.select %c, %x, %y : i32\n"
                      "  tt.return %r : i32\n}\n",
                      options);
  for (uint8_t condition : {0, 1}) {
    std::vector<int32_t> x(16, 5), y(16, 7), got(16);
    compiled.run(16, {&condition, x.data(), y.data(), got.data()});
    EXPECT_EQ(got, std::vector<int32_t>(16, condition ? 5 : 7));
  }
}

TEST(ElementOpsTest, FusesOnlyWhatMayBeContracted) {
  // x * x - 1 with a square that rounds to 1.
  std::vector<float> x(16, 1.0f + 0x1p-13f), z(16, -(1.0f + 0x1p-12f));
  std::string text = "tt.func @f(%x: f32, %z: f32) -> f32 {\n"
                     "  %s = arith.mulf %x, %x : f32\n"
                     "  %r = arith.addf %s, %z : f32\n"
                     "  tt.return %r : f32\n}\n";
  JitOptions fused, separate;
  separate.expand.fpFusion = false;
  EXPECT_EQ(ElementJit(text, fused).operator()<float>(x, z)[0], 0x1p-26f);
  EXPECT_EQ(ElementJit(text, separate).operator()<float>(x, z)[0], 0.0f);
}

TEST(ElementOpsTest, RefusesWhatIsNotElementWise) {
  mlir::MLIRContext context;
  context.loadDialect<tt::TTDialect>();
  context.printOpOnDiagnostic(false);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    message = d.str();
    return mlir::success();
  });
  mlir::OpBuilder builder(&context);
  auto type = mlir::RankedTensorType::get({16}, builder.getI32Type());
  mlir::Operation *range =
      builder.create<tt::MakeRangeOp>(builder.getUnknownLoc(), type, 0, 16);
  llvm::LLVMContext llvmContext;
  llvm::IRBuilder<> irBuilder(llvmContext);
  EXPECT_FALSE(codegen::isElementOp(range));
  EXPECT_TRUE(failed(codegen::emitElementOp(irBuilder, range, {}, 16, {})));
  EXPECT_EQ(message, "'tt.make_range' op is not supported as an element-wise "
                     "operation");
  range->erase();
}

} // namespace nereid::test
