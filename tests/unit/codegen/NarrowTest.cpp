// NarrowTest.cpp - arithmetic on f16, bf16 and fp8 is rounded once.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ElementJit.h"
#include "llvm/ADT/APFloat.h"

#include "gtest/gtest.h"

#include <random>

namespace nereid::test {

using llvm::APFloat;
using llvm::APInt;

struct NarrowKind {
  const char *name;
  const llvm::fltSemantics &semantics;
};

static std::ostream &operator<<(std::ostream &out, const NarrowKind &kind) {
  return out << kind.name;
}

static APFloat value(const NarrowKind &kind, uint16_t pattern) {
  return APFloat(kind.semantics, APInt(16, pattern));
}

static bool isSame(const APFloat &x, const APFloat &y) {
  return (x.isNaN() && y.isNaN()) || x.bitwiseIsEqual(y);
}

// Random patterns: every exponent meets every other, NaN and infinities too.
static std::vector<uint16_t> randomPatterns(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint16_t> patterns(200000);
  for (uint16_t &pattern : patterns)
    pattern = uint16_t(random());
  return patterns;
}

class NarrowTest : public testing::TestWithParam<NarrowKind> {
protected:
  std::string name() const { return GetParam().name; }

  ElementJit compile(const std::string &operation, unsigned operands,
                     const char *result = nullptr,
                     const JitOptions &options = {}) const {
    std::vector<llvm::StringRef> types(operands, GetParam().name);
    return ElementJit(functionOf(operation, types, result ? result : types[0]),
                      options);
  }

  using Reference =
      llvm::function_ref<APFloat(const APFloat &, const APFloat &)>;

  void expectBinary(const std::string &operation, Reference reference) {
    auto x = randomPatterns(1), y = randomPatterns(2);
    ElementJit compiled = compile(operation + " %0, %1 : " + name(), 2);
    auto got = compiled.operator()<uint16_t>(x, y);
    for (size_t i = 0; i < x.size(); ++i) {
      APFloat want =
          reference(value(GetParam(), x[i]), value(GetParam(), y[i]));
      ASSERT_TRUE(isSame(value(GetParam(), got[i]), want))
          << operation << std::hex << " of " << x[i] << " and " << y[i]
          << " is " << got[i];
    }
  }
};

constexpr auto kNearest = APFloat::rmNearestTiesToEven;

TEST_P(NarrowTest, RoundsArithmeticOnce) {
  expectBinary("arith.addf", [](const APFloat &x, const APFloat &y) {
    return x + y;
  });
  expectBinary("arith.subf", [](const APFloat &x, const APFloat &y) {
    return x - y;
  });
  expectBinary("arith.mulf", [](const APFloat &x, const APFloat &y) {
    return x * y;
  });
  expectBinary("arith.divf", [](const APFloat &x, const APFloat &y) {
    return x / y;
  });
}

TEST_P(NarrowTest, TakesTheRemainderExactly) {
  expectBinary("arith.remf", [](APFloat x, const APFloat &y) {
    x.mod(y);
    return x;
  });
}

/// Adds patterns whose product and addend are of similar size, as those of
/// random exponents rarely are: their sums have ties, and errors that break
/// them, at the ends of the range too.
static void addSums(const NarrowKind &kind, std::vector<uint16_t> &x,
                    std::vector<uint16_t> &y, std::vector<uint16_t> &z) {
  std::mt19937 random(9);
  for (size_t count = x.size(); count; --count) {
    uint16_t first = uint16_t(random()), second = uint16_t(random());
    APFloat addend = value(kind, first);
    addend.multiply(value(kind, second), kNearest);
    int exponent = std::uniform_int_distribution(-18, 18)(random);
    addend = scalbn(addend, exponent, kNearest);
    uint16_t pattern = uint16_t(addend.bitcastToAPInt().getZExtValue());
    uint16_t few = uint16_t(0xffff << random() % 8);
    x.push_back(first & few);
    y.push_back(second & few);
    z.push_back(pattern ^ uint16_t(random() % 2 << 15 | random() % 4));
  }
}

static void expectFusedOnce(const NarrowKind &kind, const ElementJit &compiled) {
  auto x = randomPatterns(3), y = randomPatterns(4), z = randomPatterns(5);
  addSums(kind, x, y, z);
  auto got = compiled.operator()<uint16_t>(x, y, z);
  for (size_t i = 0; i < x.size(); ++i) {
    APFloat want = value(kind, x[i]);
    want.fusedMultiplyAdd(value(kind, y[i]), value(kind, z[i]),
                          kNearest);
    ASSERT_TRUE(isSame(value(kind, got[i]), want))
        << std::hex << x[i] << " * " << y[i] << " + " << z[i] << " is "
        << got[i];
  }
}

TEST_P(NarrowTest, RoundsAFusedMultiplyAddOnce) {
  std::string operation = "math.fma %0, %1, %2 : " + name();
  expectFusedOnce(GetParam(), compile(operation, 3));
  for (bool hasFma : {true, false})
    expectFusedOnce(GetParam(),
                    compile(operation, 3, nullptr, narrowTarget(hasFma)));
}

TEST_P(NarrowTest, ChangesOnlyTheSignBit) {
  auto x = randomPatterns(6);
  ElementJit negate = compile("arith.negf %0 : " + name(), 1);
  ElementJit absolute = compile("math.absf %0 : " + name(), 1);
  auto negated = negate.operator()<uint16_t>(x);
  auto magnitudes = absolute.operator()<uint16_t>(x);
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(negated[i], x[i] ^ 0x8000);
    ASSERT_EQ(magnitudes[i], x[i] & 0x7fff);
  }
}

TEST_P(NarrowTest, TakesTheNumberOfAMinimumOrMaximum) {
  auto asIs = [](const APFloat &best, const APFloat &x, const APFloat &y) {
    if (x.isNaN() || y.isNaN())
      return x.isNaN() ? y : x;
    return best;
  };
  auto x = randomPatterns(7), y = randomPatterns(8);
  ElementJit compiled = compile("arith.maxnumf %0, %1 : " + name(), 2);
  auto got = compiled.operator()<uint16_t>(x, y);
  for (size_t i = 0; i < x.size(); ++i) {
    APFloat a = value(GetParam(), x[i]), b = value(GetParam(), y[i]);
    APFloat want = asIs(a < b ? b : a, a, b);
    APFloat result = value(GetParam(), got[i]);
    ASSERT_TRUE(isSame(result, want) || (result.isZero() && want.isZero()));
  }
  expectBinary("arith.maximumf", [](const APFloat &x, const APFloat &y) {
    return llvm::maximum(x, y);
  });
  expectBinary("arith.minimumf", [](const APFloat &x, const APFloat &y) {
    return llvm::minimum(x, y);
  });
}

template <typename T>
static void expectIntegersOnce(const NarrowKind &kind,
                               const JitOptions &options = {}) {
  constexpr unsigned kWidth = sizeof(T) * 8;
  std::mt19937_64 random(9);
  for (bool isSigned : {true, false}) {
    std::vector<T> integers;
    for (int i = 0; i < 200000; ++i)
      integers.push_back(T(int64_t(random()) >> (random() % 64)));
    for (unsigned bit = 0; bit < kWidth; ++bit)
      for (unsigned tie = 0; tie < bit; ++tie)
        for (int step : {-1, 0, 1})
          integers.push_back(T((T(1) << bit) + (T(1) << tie) + step));
    std::string type = "i" + std::to_string(kWidth);
    std::string operation = isSigned ? "arith.sitofp" : "arith.uitofp";
    ElementJit compiled(functionOf(operation + " %0 : " + type + " to " +
                                       kind.name,
                                   {type}, kind.name),
                        options);
    auto got = compiled.template operator()<uint16_t>(integers);
    for (size_t i = 0; i < integers.size(); ++i) {
      APFloat want(kind.semantics);
      want.convertFromAPInt(APInt(kWidth, uint64_t(integers[i])), isSigned,
                            kNearest);
      ASSERT_TRUE(isSame(value(kind, got[i]), want))
          << integers[i] << " is " << std::hex << got[i];
    }
  }
}

TEST_P(NarrowTest, RoundsIntegersOnce) {
  expectIntegersOnce<uint64_t>(GetParam());
  expectIntegersOnce<uint32_t>(GetParam());
  expectIntegersOnce<uint32_t>(GetParam(), narrowTarget(true));
  expectIntegersOnce<uint16_t>(GetParam());
  expectIntegersOnce<uint8_t>(GetParam());
}

TEST_P(NarrowTest, ComparesAsNumbers) {
  auto x = randomPatterns(10), y = randomPatterns(11);
  std::copy_n(x.begin(), 1000, y.begin());
  ElementJit compiled = compile("arith.cmpf ole, %0, %1 : " + name(), 2, "i1");
  auto got = compiled.operator()<uint8_t>(x, y);
  for (size_t i = 0; i < x.size(); ++i) {
    auto order = value(GetParam(), x[i]).compare(value(GetParam(), y[i]));
    bool want = order == APFloat::cmpLessThan || order == APFloat::cmpEqual;
    ASSERT_EQ(got[i], want);
  }
}

static const NarrowKind kKinds[] = {{"f16", APFloat::IEEEhalf()},
                                    {"bf16", APFloat::BFloat()}};

INSTANTIATE_TEST_SUITE_P(Kinds, NarrowTest, testing::ValuesIn(kKinds),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

struct Fp8Kind {
  const char *name;
  const llvm::fltSemantics &semantics;
};

static std::ostream &operator<<(std::ostream &out, const Fp8Kind &kind) {
  return out << kind.name;
}

class Fp8Test : public testing::TestWithParam<Fp8Kind> {
protected:
  APFloat value(uint8_t pattern) const {
    return APFloat(GetParam().semantics, APInt(8, pattern));
  }
  ElementJit compile(const std::string &operation, unsigned operands) const {
    std::vector<llvm::StringRef> types(operands, GetParam().name);
    return ElementJit(
        functionOf(operation + " : " + GetParam().name, types, types[0]));
  }
};

TEST_P(Fp8Test, AddsWithOneRoundingAndSaturates) {
  std::vector<uint8_t> x, y;
  for (int i = 0; i < 65536; ++i) {
    x.push_back(i & 255);
    y.push_back(i >> 8);
  }
  ElementJit compiled = compile("arith.addf %0, %1", 2);
  auto got = compiled.operator()<uint8_t>(x, y);
  for (size_t i = 0; i < x.size(); ++i) {
    // In f64, where the sum is exact.
    double sum = value(x[i]).convertToFloat() + value(y[i]).convertToFloat();
    APFloat want(sum);
    bool losesInfo;
    bool isNan = want.isNaN(), isNegative = want.isNegative();
    auto status = want.convert(GetParam().semantics, kNearest, &losesInfo);
    if (!isNan && ((status & APFloat::opOverflow) || !want.isFinite()))
      want = APFloat::getLargest(GetParam().semantics, isNegative);
    ASSERT_TRUE(isSame(value(got[i]), want))
        << std::hex << int(x[i]) << " + " << int(y[i]) << " is " << int(got[i]);
  }
}

TEST_P(Fp8Test, KeepsNanUnderAbsoluteValueAndNegation) {
  std::vector<uint8_t> x;
  for (int i = 0; i < 256; ++i)
    x.push_back(i);
  auto absolute = compile("math.absf %0", 1).operator()<uint8_t>(x);
  auto negated = compile("arith.negf %0", 1).operator()<uint8_t>(x);
  for (int i = 0; i < 256; ++i) {
    APFloat before = value(i);
    ASSERT_EQ(value(absolute[i]).isNaN(), before.isNaN()) << i;
    ASSERT_EQ(value(negated[i]).isNaN(), before.isNaN()) << i;
    if (before.isNaN())
      continue;
    ASSERT_TRUE(isSame(value(absolute[i]), abs(before))) << i;
    ASSERT_EQ(value(negated[i]).convertToFloat(), -before.convertToFloat());
  }
}

static const Fp8Kind kFp8Kinds[] = {{"f8E4M3FN", APFloat::Float8E4M3FN()},
                                    {"f8E5M2", APFloat::Float8E5M2()},
                                    {"f8E4M3FNUZ", APFloat::Float8E4M3FNUZ()},
                                    {"f8E5M2FNUZ", APFloat::Float8E5M2FNUZ()}};

INSTANTIATE_TEST_SUITE_P(Kinds, Fp8Test, testing::ValuesIn(kFp8Kinds),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace nereid::test
