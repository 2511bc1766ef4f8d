// ExternNarrowTest.cpp - external functions on a target with 32 bits only.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Accuracy.h"
#include "ElementJit.h"
#include "ExternFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "nereid/ttir/Dialect.h"

#include "gtest/gtest.h"

#include <bit>
#include <random>
#include <set>

namespace nereid::test {

using codegen::ExternFunction;
using Words = std::vector<uint32_t>;

static std::vector<std::string> operandsOf(const ExternFunction &function) {
  std::vector<std::string> types;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(function.operands).split(parts, ' ');
  for (llvm::StringRef part : parts)
    types.push_back(part.starts_with("u") ? "i32" : part.str());
  return types;
}

static std::string resultOf(const ExternFunction &function) {
  return function.result.front() == 'f' ? "f32" : "i32";
}

static bool isOf32Bits(const ExternFunction &function) {
  return function.operands.find("64") == std::string_view::npos &&
         function.result.find("64") == std::string_view::npos;
}

static std::string textOf(const ExternFunction &function) {
  std::vector<std::string> types = operandsOf(function);
  std::string values, list;
  for (size_t i = 0; i < types.size(); ++i) {
    values += (i ? ", %" : "%") + std::to_string(i);
    list += (i ? ", " : "") + types[i];
  }
  std::string call = "tt.extern_elementwise " + values +
                     " {libname = \"\", libpath = \"\", pure = true, symbol = \"" +
                     std::string(function.symbol) + "\"} : (" + list + ") -> " +
                     resultOf(function);
  return functionOf(call,
                    llvm::SmallVector<llvm::StringRef>(types.begin(), types.end()),
                    resultOf(function));
}

// Random bits, numbers of middle size, and small integers of both kinds.
static Words pointsOf(const std::string &type, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> middle(-20, 20), small(-1, 1);
  Words words;
  for (int i = 0; i < 40000; ++i) {
    words.push_back(uint32_t(random()));
    bool isFloat = type == "f32";
    float number = i % 2 ? middle(random) : small(random);
    words.push_back(isFloat ? std::bit_cast<uint32_t>(number)
                            : uint32_t(int(random() % 64) - 32));
  }
  return words;
}

static Words run(const ElementJit &compiled, const std::vector<Words> &points) {
  if (points.size() == 1)
    return compiled.operator()<uint32_t>(points[0]);
  if (points.size() == 2)
    return compiled.operator()<uint32_t>(points[0], points[1]);
  if (points.size() == 3)
    return compiled.operator()<uint32_t>(points[0], points[1], points[2]);
  return compiled.operator()<uint32_t>(points[0], points[1], points[2],
                                       points[3]);
}

/// Units of the last place by which the two ways may differ: none where there
/// is one right result.
static double toleranceOf(const ExternFunction &function) {
  if (resultOf(function) == "i32")
    return 0;
  static const std::set<std::string_view> kInexact = {
      "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p",
      "rsqrt", "cbrt", "rcbrt", "pow", "hypot", "norm3d", "norm4d", "rhypot",
      "rnorm3d", "rnorm4d", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
      "cosh", "tanh", "asinh", "acosh", "atanh", "atan2", "sinpi", "cospi",
      "fast_sinf", "fast_cosf", "fast_tanf", "fast_tanhf", "fast_expf",
      "fast_exp10f", "fast_logf", "fast_log2f", "fast_log10f", "fast_powf",
      "erf", "erfc", "erfcx", "erfinv", "erfcinv", "normcdf", "normcdfinv",
      "cyl_bessel_i0", "cyl_bessel_i1", "j0", "j1", "y0", "y1"};
  return kInexact.contains(function.name) ? 6 : 0;
}

static bool isBessel(const ExternFunction &function) {
  return function.name.size() == 2 && std::strchr("jy", function.name[0]);
}

static void compare(const ExternFunction &function,
                    const std::vector<Words> &points, const Words &got,
                    const Words &want) {
  double tolerance = toleranceOf(function), worst = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    auto a = std::bit_cast<float>(got[i]), b = std::bit_cast<float>(want[i]);
    if (got[i] == want[i] || (resultOf(function) == "f32" && a != a && b != b))
      continue;
    // Beyond 8, and beside zeros, waves are right in their absolute size.
    if (isBessel(function) && std::abs(a - b) < 2.2e-6f)
      continue;
    double distance = ulps(a, double(b));
    worst = std::max(worst, distance);
    ASSERT_LE(distance, tolerance)
        << function.symbol << std::hex << " of " << points[0][i] << " "
        << points.back()[i] << " is " << got[i] << " without f64, "
        << want[i] << " with it";
  }
  if (worst > 0)
    std::printf("%-20s %5.2f ulp\n", std::string(function.symbol).c_str(), worst);
}

static std::string firstError(const std::string &text,
                              const codegen::ExpandOptions &options) {
  using namespace mlir;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<tt::TTDialect, arith::ArithDialect, math::MathDialect>();
  std::string error;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    if (error.empty())
      error = diagnostic.str();
  });
  auto module = parseSourceString<ModuleOp>(text, &context);
  bool done = module && succeeded(codegen::expandForBackend(*module, options));
  EXPECT_EQ(done, error.empty()) << text;
  return error;
}

TEST(ExternNarrow, FunctionsOf32BitsAreTheSameWithout64) {
  const std::map<std::string_view, std::string> refused = {
      {"lgamma", "needs f64 for 'lgamma' of the C library, which the target "
                 "does not have"},
      {"tgamma", "needs f64 for 'tgamma' of the C library, which the target "
                 "does not have"},
      {"jn", "needs f64 for 'jn' of the C library, which the target does not "
             "have"},
      {"yn", "needs f64 for 'yn' of the C library, which the target does not "
             "have"}};
  unsigned compared = 0;
  for (const ExternFunction &function : codegen::externFunctions()) {
    if (!isOf32Bits(function))
      continue;
    std::string text = textOf(function);
    JitOptions narrow = narrowTarget(true), plain = narrowTarget(false);
    std::string error = firstError(text, narrow.expand);
    auto known = refused.find(function.name);
    EXPECT_EQ(error, known == refused.end() ? "" : known->second);
    if (!error.empty())
      continue;
    std::vector<Words> points;
    for (const std::string &type : operandsOf(function))
      points.push_back(pointsOf(type, points.size() + 1));
    Words want = run(ElementJit(text), points);
    compare(function, points, run(ElementJit(text, narrow), points), want);
    compare(function, points, run(ElementJit(text, plain), points), want);
    ++compared;
  }
  EXPECT_GT(compared, 100u);
}

TEST(ExternNarrow, NamesWhatTheLibraryLacks) {
  codegen::ExpandOptions options;
  options.hasLibm = false;
  for (const ExternFunction &function : codegen::externFunctions())
    if (function.symbol == "__nv_lgammaf") {
      EXPECT_EQ(firstError(textOf(function), options),
                "needs 'lgamma' of the C library, which the target does not "
                "have");
    }
}

} // namespace nereid::test
