// MathF32Test.cpp - the functions of f32 against the C library in f64.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Accuracy.h"
#include "ElementJit.h"

#include "gtest/gtest.h"

#include <bit>

namespace nereid::test {

struct FunctionF32 {
  const char *name;
  double (*reference)(double);
  double bound;
};

static std::ostream &operator<<(std::ostream &out, const FunctionF32 &f) {
  return out << f.name;
}

static double rsqrtReference(double x) { return 1.0 / std::sqrt(x); }

static std::string textOf(const FunctionF32 &function) {
  return functionOf(std::string("math.") + function.name + " %0 : f32", {"f32"},
                    "f32");
}

static Worst<float> sweep(const FunctionF32 &function,
                          const JitOptions &options,
                          const std::vector<float> &points) {
  ElementJit compiled(textOf(function), options);
  std::vector<float> results = compiled.operator()<float>(points);
  Worst<float> worst;
  for (size_t i = 0; i < points.size(); ++i)
    worst.add(points[i], results[i], function.reference(points[i]));
  worst.print(function.name);
  return worst;
}

// A stride that shares no factor with powers of two: all exponents and signs,
// NaN among them.
static std::vector<float> allMagnitudes(uint64_t stride) {
  std::vector<float> points;
  for (uint64_t pattern = 0; pattern < (uint64_t(1) << 32); pattern += stride)
    points.push_back(std::bit_cast<float>(uint32_t(pattern)));
  return points;
}

static std::vector<float> borders() {
  std::vector<float> points;
  for (float centre : {0.0f,
                       -0.0f,
                       1.0f,
                       -1.0f,
                       0.5f,
                       2.0f,
                       0.921875f,
                       3.95f,
                       88.72f,
                       89.42f,
                       -87.33f,
                       -103.97f,
                       -149.0f,
                       128.0f,
                       3.14159265f,
                       10.0f,
                       1.5707964f,
                       0.70710678f,
                       0.41421356f,
                       2.4142136f,
                       65536.0f,
                       1.17549435e-38f,
                       std::numeric_limits<float>::max()}) {
    auto middle = std::bit_cast<int32_t>(centre);
    for (int32_t step = -10000; step <= 10000; ++step)
      points.push_back(std::bit_cast<float>(middle + step));
  }
  return points;
}

class MathF32Test : public testing::TestWithParam<FunctionF32> {};

TEST_P(MathF32Test, IsWithinItsBoundOnAllMagnitudes) {
  EXPECT_LE(sweep(GetParam(), {}, allMagnitudes(1021)).distance,
            GetParam().bound);
}

TEST_P(MathF32Test, IsWithinItsBoundAtBorders) {
  EXPECT_LE(sweep(GetParam(), {}, borders()).distance, GetParam().bound);
}

// Without an fma instruction the polynomials round more often.
TEST_P(MathF32Test, NeedsNoFusedMultiplyAdd) {
  JitOptions options;
  options.lanes = 4;
  options.cpu = "x86-64-v2";
  options.expand.hasFma = false;
  EXPECT_LE(sweep(GetParam(), options, allMagnitudes(20011)).distance,
            GetParam().bound + 1.0);
}

TEST_P(MathF32Test, NeedsNeitherWideTypesNorALibrary) {
  JitOptions withFma = narrowTarget(true), withoutFma = narrowTarget(false);
  EXPECT_LE(sweep(GetParam(), withFma, allMagnitudes(10007)).distance,
            GetParam().bound);
  EXPECT_LE(sweep(GetParam(), withFma, borders()).distance, GetParam().bound);
  EXPECT_LE(sweep(GetParam(), withoutFma, allMagnitudes(20011)).distance,
            GetParam().bound + 1.0);
  EXPECT_LE(sweep(GetParam(), withoutFma, borders()).distance,
            GetParam().bound + 1.0);
}

// Those that take coefficients from tables: a polynomial for each quarter.
TEST(MathF32, IsWithinItsBoundWithTables) {
  if (!__builtin_cpu_supports("avx512f"))
    GTEST_SKIP() << "the processor has no AVX-512";
  std::vector<float> points = allMagnitudes(1021);
  for (float number : borders())
    points.push_back(number);
  for (int eighth = -40; eighth <= 40; ++eighth)
    for (int32_t step = -1000; step <= 1000; ++step)
      points.push_back(std::bit_cast<float>(
          std::bit_cast<int32_t>(float(eighth) / 8) + step));
  for (unsigned lanes : {1, 4, 16, 32}) {
    JitOptions options;
    options.lanes = lanes;
    options.expand.hasTables = true;
    EXPECT_LE(sweep({"erf", std::erf, 1.5}, options, points).distance, 1.3);
  }
}

static const FunctionF32 kFunctions[] = {
    {"exp", std::exp, 1.0},         {"exp2", std::exp2, 1.0},
    {"expm1", std::expm1, 1.5},     {"log", std::log, 1.0},
    {"log2", std::log2, 1.0},       {"log10", std::log10, 1.0},
    {"log1p", std::log1p, 1.25},    {"erf", std::erf, 1.5},
    {"sin", std::sin, 1.25},        {"cos", std::cos, 1.25},
    {"tan", std::tan, 1.25},        {"asin", std::asin, 1.25},
    {"acos", std::acos, 1.5},       {"atan", std::atan, 1.5},
    {"sinh", std::sinh, 1.25},      {"cosh", std::cosh, 1.25},
    {"tanh", std::tanh, 1.5},       {"asinh", std::asinh, 1.25},
    {"acosh", std::acosh, 1.25},    {"atanh", std::atanh, 1.25},
    {"rsqrt", rsqrtReference, 1.5}, {"cbrt", std::cbrt, 1.0},
};

INSTANTIATE_TEST_SUITE_P(Functions, MathF32Test, testing::ValuesIn(kFunctions),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace nereid::test
