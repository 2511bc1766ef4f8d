// ConversionTest.cpp - conversions between floating-point types, by value.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ElementJit.h"
#include "llvm/ADT/APFloat.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>

namespace nereid::test {

using llvm::APFloat;

struct FloatKind {
  const char *name;
  const llvm::fltSemantics &semantics;
  unsigned bytes;

  unsigned bits() const { return bytes * 8; }
  bool isFp8() const { return bytes == 1; }
};

static const FloatKind kKinds[] = {
    {"f8E4M3FN", APFloat::Float8E4M3FN(), 1},
    {"f8E5M2", APFloat::Float8E5M2(), 1},
    {"f8E4M3FNUZ", APFloat::Float8E4M3FNUZ(), 1},
    {"f8E5M2FNUZ", APFloat::Float8E5M2FNUZ(), 1},
    {"f16", APFloat::IEEEhalf(), 2},
    {"bf16", APFloat::BFloat(), 2},
    {"f32", APFloat::IEEEsingle(), 4},
    {"f64", APFloat::IEEEdouble(), 8},
};

struct Conversion {
  const FloatKind &from, &to;
  bool towardZero;
};

static std::ostream &operator<<(std::ostream &out, const Conversion &c) {
  return out << c.from.name << " to " << c.to.name
             << (c.towardZero ? " toward zero" : "");
}

// All patterns of up to 16 bits; of more, the exponents and signs with such
// mantissas as lie on, next to and between the numbers of the narrower types.
static std::vector<uint64_t> patterns(const FloatKind &kind) {
  std::vector<uint64_t> result;
  if (kind.bytes <= 2) {
    for (uint64_t pattern = 0; pattern < (1ull << kind.bits()); ++pattern)
      result.push_back(pattern);
    return result;
  }
  unsigned mantissa = kind.bytes == 4 ? 23 : 52;
  uint64_t signBit = 1ull << (kind.bits() - 1);
  uint64_t exponents = signBit >> mantissa;
  for (uint64_t exponent = 0; exponent < exponents; ++exponent) {
    bool isFar = exponents > 256 && (exponent < 860 || exponent > 1160);
    for (uint64_t top = 0; top < (isFar ? 8 : 512); ++top)
      for (int64_t step : {-1, 0, 1, 12345}) {
        uint64_t fraction = (top << (mantissa - 9)) + step;
        uint64_t pattern = (exponent << mantissa) + fraction;
        result.push_back(pattern & (signBit - 1));
        result.push_back(pattern | signBit);
      }
  }
  return result;
}

static APFloat valueOf(const FloatKind &kind, uint64_t pattern) {
  return APFloat(kind.semantics, llvm::APInt(kind.bits(), pattern));
}

// What Triton expects: fp8 saturates, infinities too; NaN stays NaN.
static APFloat expected(const Conversion &conversion, APFloat value) {
  bool losesInfo;
  bool isNan = value.isNaN(), isNegative = value.isNegative();
  bool isInfinite = value.isInfinity();
  auto mode = conversion.towardZero ? APFloat::rmTowardZero
                                    : APFloat::rmNearestTiesToEven;
  const llvm::fltSemantics &to = conversion.to.semantics;
  auto status = value.convert(to, mode, &losesInfo);
  bool isTooLarge = isInfinite || (status & APFloat::opOverflow);
  if (!isNan && conversion.to.isFp8() && (isTooLarge || !value.isFinite()))
    return APFloat::getLargest(to, isNegative);
  return value;
}

class ConversionTest : public testing::TestWithParam<Conversion> {};

static std::string conversionText(const Conversion &c) {
  bool narrows = c.to.bytes < c.from.bytes;
  std::string rounding = c.towardZero ? ", rounding = rtz"
                         : narrows    ? ", rounding = rtne"
                                      : "";
  return functionOf("tt.fp_to_fp %0" + rounding + " : " + c.from.name + " -> " +
                        c.to.name,
                    {c.from.name}, c.to.name);
}

static void expectRoundedValues(const Conversion &c,
                                const JitOptions &options) {
  std::vector<uint64_t> sources = patterns(c.from);
  sources.resize((sources.size() + 15) / 16 * 16);
  std::vector<uint8_t> in(sources.size() * c.from.bytes);
  std::vector<uint8_t> out(sources.size() * c.to.bytes);
  for (size_t i = 0; i < sources.size(); ++i)
    memcpy(&in[i * c.from.bytes], &sources[i], c.from.bytes);
  ElementJit compiled(conversionText(c), options);
  compiled.run(sources.size(), {in.data(), out.data()});
  int failures = 0;
  for (size_t i = 0; i < sources.size() && failures < 5; ++i) {
    uint64_t got = 0;
    memcpy(&got, &out[i * c.to.bytes], c.to.bytes);
    APFloat want = expected(c, valueOf(c.from, sources[i]));
    APFloat result = valueOf(c.to, got);
    bool same = want.isNaN() ? result.isNaN() : result.bitwiseIsEqual(want);
    failures += !same;
    EXPECT_TRUE(same) << c << ": " << std::hex << sources[i] << " became "
                      << got << ", expected "
                      << want.bitcastToAPInt().getZExtValue();
  }
}

TEST_P(ConversionTest, GivesTheRoundedValue) {
  expectRoundedValues(GetParam(), {});
}

TEST_P(ConversionTest, NeedsNoInstructionForF16) {
  JitOptions options;
  options.lanes = 4;
  options.cpu = "x86-64-v2";
  options.expand.hasF16Conversions = false;
  expectRoundedValues(GetParam(), options);
}

static std::vector<Conversion> conversions() {
  std::vector<Conversion> result;
  for (const FloatKind &from : kKinds)
    for (const FloatKind &to : kKinds) {
      if (&from == &to)
        continue;
      result.push_back({from, to, false});
      if (to.bytes < from.bytes)
        result.push_back({from, to, true});
    }
  return result;
}

INSTANTIATE_TEST_SUITE_P(Pairs, ConversionTest,
                         testing::ValuesIn(conversions()),
                         [](const auto &info) {
                           const Conversion &c = info.param;
                           return std::string(c.from.name) + "_" + c.to.name +
                                  (c.towardZero ? "_rtz" : "");
                         });

} // namespace nereid::test
