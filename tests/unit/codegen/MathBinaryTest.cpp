// MathBinaryTest.cpp - functions of two numbers against the C library.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Accuracy.h"
#include "ElementJit.h"

#include "gtest/gtest.h"

#include <bit>
#include <random>

namespace nereid::test {

template <typename T> struct TypeName;
template <> struct TypeName<float> {
  static constexpr const char *value = "f32";
  using Bits = uint32_t;
  using Exact = double;
};
template <> struct TypeName<double> {
  static constexpr const char *value = "f64";
  using Bits = uint64_t;
  using Exact = long double;
};

template <typename T> class MathBinaryTest : public testing::Test {
protected:
  using Exact = typename TypeName<T>::Exact;

  // All pairs of special numbers, random bits, and numbers of middle size.
  void SetUp() override {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    const T special[] = {0,
                         1,
                         -1,
                         T(0.5),
                         2,
                         3,
                         -3,
                         T(-2.5),
                         kInfinity,
                         -kInfinity,
                         T(-0.0),
                         T(1e-30),
                         T(1e30),
                         4,
                         T(-0.5),
                         T(NAN),
                         T(16777217),
                         std::numeric_limits<T>::max(),
                         std::numeric_limits<T>::denorm_min()};
    for (T a : special)
      for (T b : special)
        add(a, b);
    std::mt19937_64 random(1);
    for (int i = 0; i < 100000; ++i)
      add(std::bit_cast<T>(typename TypeName<T>::Bits(random())),
          std::bit_cast<T>(typename TypeName<T>::Bits(random())));
    std::uniform_real_distribution<T> middle(-30, 30);
    for (int i = 0; i < 200000; ++i)
      add(middle(random), middle(random));
    for (int i = 0; i < 100000; ++i)
      add(std::abs(middle(random)), i % 40 - T(20));
  }

  void add(T a, T b) {
    x.push_back(a);
    y.push_back(b);
  }

  double worst(const std::string &operation, Exact (*reference)(Exact, Exact),
               const JitOptions &options = {.lanes = 8}) {
    const char *type = TypeName<T>::value;
    ElementJit compiled(
        functionOf(operation + " %0, %1 : " + type, {type, type}, type),
        options);
    std::vector<T> got = compiled.template operator()<T>(x, y);
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      Exact want = reference(x[i], y[i]);
      double distance = ulps(got[i], want);
      if (distance > worst) {
        worst = distance;
        std::printf("%s(%a, %a) = %a for %La: %.3f ulp\n", operation.c_str(),
                    double(x[i]), double(y[i]), double(got[i]),
                    (long double)want, distance);
      }
    }
    return worst;
  }

  std::vector<T> x, y;
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(MathBinaryTest, Types);

TYPED_TEST(MathBinaryTest, RaisesToPowers) {
  EXPECT_LE(this->worst("math.powf", std::pow), 2.0);
}

// Squares and cubes are products.
TYPED_TEST(MathBinaryTest, RaisesToConstantPowers) {
  std::string type = TypeName<TypeParam>::value;
  for (int exponent : {-2, 0, 1, 2, 3, 4}) {
    std::string text = "tt.func @f(%0: " + type + ") -> " + type +
                       " {\n  %c = arith.constant " + std::to_string(exponent) +
                       ".0 : " + type + "\n  %r = math.powf %0, %c : " + type +
                       "\n  tt.return %r : " + type + "\n}\n";
    ElementJit compiled(text);
    this->x.resize(this->x.size() / 16 * 16);
    auto got = compiled.template operator()<TypeParam>(this->x);
    for (size_t i = 0; i < this->x.size(); ++i)
      ASSERT_LE(
          ulps(got[i], std::pow(typename TypeName<TypeParam>::Exact(this->x[i]),
                                exponent)),
          exponent == 2   ? 0.501
          : exponent == 3 ? 1.5
                          : 2.0)
          << this->x[i] << " to the power " << exponent;
  }
}

TYPED_TEST(MathBinaryTest, FindsTheAngleOfAPoint) {
  EXPECT_LE(this->worst("math.atan2", std::atan2), 1.75);
}

TYPED_TEST(MathBinaryTest, TakesTheRemainderExactly) {
  EXPECT_EQ(this->worst("arith.remf", std::fmod), 0.0);
}

TYPED_TEST(MathBinaryTest, DividesWithOneRounding) {
  EXPECT_LE(
      this->worst("tt.precise_divf", [](auto x, auto y) { return x / y; }),
      0.501);
}

using MathBinaryF32Test = MathBinaryTest<float>;

TEST_F(MathBinaryF32Test, NeedsNeitherWideTypesNorALibrary) {
  for (bool hasFma : {true, false}) {
    JitOptions options = narrowTarget(hasFma);
    double more = hasFma ? 0.0 : 1.0;
    EXPECT_LE(worst("math.powf", std::pow, options), 2.0 + more);
    EXPECT_LE(worst("math.atan2", std::atan2, options), 1.75 + more);
    EXPECT_EQ(worst("arith.remf", std::fmod, options), 0.0);
  }
}

// A NaN is the lower bound, or stays if told so.
TEST(ClampTest, TreatsNanAsAsked) {
  std::vector<float> x = {NAN, -3, 0.5f, 3}, low(4, -1.0f), high(4, 1.0f);
  for (bool keeps : {false, true}) {
    std::string mode = keeps ? "all" : "none";
    ElementJit compiled(
        functionOf("tt.clampf %0, %1, %2, propagateNan = " + mode + " : f32",
                   {"f32", "f32", "f32"}, "f32"));
    auto got = compiled.operator()<float>(x, low, high);
    EXPECT_EQ(std::isnan(got[0]), keeps);
    EXPECT_TRUE(keeps || got[0] == -1.0f);
    EXPECT_EQ(got[1], -1.0f);
    EXPECT_EQ(got[2], 0.5f);
    EXPECT_EQ(got[3], 1.0f);
  }
}

} // namespace nereid::test
