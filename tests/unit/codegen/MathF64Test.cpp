// MathF64Test.cpp - the functions of f64 against the C library's long double.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Accuracy.h"
#include "ElementJit.h"

#include "gtest/gtest.h"

#include <bit>

namespace nereid::test {

using Long = long double;

struct FunctionF64 {
  const char *name;
  Long (*reference)(Long);
  double bound;
};

static std::ostream &operator<<(std::ostream &out, const FunctionF64 &f) {
  return out << f.name;
}

static Long rsqrtReference(Long x) { return 1.0L / std::sqrt(x); }

// All exponents and signs, two thousand numbers in each binade near 1, and
// every border's neighbours.
static std::vector<double> points() {
  std::vector<double> result;
  for (uint64_t i = 0; i < 200000; ++i)
    result.push_back(std::bit_cast<double>(i * 0x53e2d6238da3 * 0x101));
  for (double scale = 0x1p-12; scale < 0x1p12; scale *= 2)
    for (int i = 0; i < 4000; ++i) {
      double x = scale * (1.0 + i / 2000.0 * 0.5 + i * 1.1e-9);
      result.push_back(i % 2 ? x : -x);
    }
  for (double centre : {0.0,
                        -0.0,
                        1.0,
                        -1.0,
                        0.5,
                        0.921875,
                        6.0,
                        709.78,
                        710.47,
                        -708.4,
                        -745.1,
                        -1074.0,
                        1024.0,
                        3.14159265358979,
                        20.0,
                        0.7071067811865476,
                        0.4142135623730951,
                        0x1p28,
                        0x1p-1022,
                        std::numeric_limits<double>::infinity()})
    for (int64_t step = -300; step <= 300; ++step)
      result.push_back(
          std::bit_cast<double>(std::bit_cast<int64_t>(centre) + step));
  return result;
}

class MathF64Test : public testing::TestWithParam<FunctionF64> {
protected:
  Worst<double> sweep(const JitOptions &options) {
    const FunctionF64 &function = GetParam();
    ElementJit compiled(
        functionOf(std::string("math.") + function.name + " %0 : f64", {"f64"},
                   "f64"),
        options);
    std::vector<double> arguments = points();
    std::vector<double> results = compiled.operator()<double>(arguments);
    Worst<double> worst;
    for (size_t i = 0; i < arguments.size(); ++i)
      worst.add(arguments[i], results[i], function.reference(arguments[i]));
    worst.print(function.name);
    return worst;
  }
};

TEST_P(MathF64Test, IsWithinItsBound) {
  JitOptions options;
  options.lanes = 8;
  EXPECT_LE(sweep(options).distance, GetParam().bound);
}

TEST_P(MathF64Test, NeedsNoFusedMultiplyAdd) {
  JitOptions options;
  options.lanes = 2;
  options.cpu = "x86-64-v2";
  options.expand.hasFma = false;
  EXPECT_LE(sweep(options).distance, GetParam().bound + 1.0);
}

static const FunctionF64 kFunctions[] = {
    {"exp", std::exp, 1.0},         {"exp2", std::exp2, 1.0},
    {"expm1", std::expm1, 1.5},     {"log", std::log, 1.0},
    {"log2", std::log2, 1.0},       {"log10", std::log10, 1.0},
    {"log1p", std::log1p, 1.0},     {"erf", std::erf, 1.5},
    {"sin", std::sin, 1.0},         {"cos", std::cos, 1.0},
    {"tan", std::tan, 1.25},        {"asin", std::asin, 1.25},
    {"acos", std::acos, 1.5},       {"atan", std::atan, 1.5},
    {"sinh", std::sinh, 1.25},      {"cosh", std::cosh, 1.25},
    {"tanh", std::tanh, 1.5},       {"asinh", std::asinh, 1.25},
    {"acosh", std::acosh, 1.25},    {"atanh", std::atanh, 1.25},
    {"rsqrt", rsqrtReference, 1.5}, {"cbrt", std::cbrt, 1.0},
};

INSTANTIATE_TEST_SUITE_P(Functions, MathF64Test, testing::ValuesIn(kFunctions),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace nereid::test
