// IntegerTest.cpp - integer operations at their edges, scalar and vector.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ElementJit.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

namespace nereid::test {

static const char *const kDivisions[] = {"divsi", "divui", "remsi", "remui"};

template <typename T> class IntegerTest : public testing::Test {
protected:
  using Unsigned = std::make_unsigned_t<T>;

  static std::string type() { return "i" + std::to_string(sizeof(T) * 8); }

  static std::vector<T> edges() {
    std::vector<T> result;
    for (int bit = 0; bit < int(sizeof(T) * 8); ++bit)
      for (int step : {-1, 0, 1}) {
        T value = T(Unsigned(Unsigned(1) << bit) + step);
        result.push_back(value);
        result.push_back(T(-Unsigned(value)));
      }
    return result;
  }

  // Every edge with every edge, then numbers of all lengths.
  static void operands(std::vector<T> &x, std::vector<T> &y) {
    for (T a : edges())
      for (T b : edges()) {
        x.push_back(a);
        y.push_back(b);
      }
    std::mt19937_64 random(1);
    for (int i = 0; i < 50000; ++i) {
      x.push_back(T(int64_t(random()) >> (random() % 64)));
      y.push_back(T(int64_t(random()) >> (random() % 64)));
    }
  }

  static bool hasQuotient(T x, T y, bool isSigned) {
    bool overflows =
        isSigned && y == T(-1) && x == std::numeric_limits<T>::min();
    return y != 0 && !overflows;
  }

  static T expected(const std::string &operation, T x, T y) {
    if (operation == "divsi")
      return T(x / y);
    if (operation == "remsi")
      return T(x % y);
    return operation == "divui" ? T(Unsigned(x) / Unsigned(y))
                                : T(Unsigned(x) % Unsigned(y));
  }

  static std::string textOf(const std::string &operation) {
    return functionOf("arith." + operation + " %0, %1 : " + type(),
                      {type(), type()}, type());
  }
};

using Types = testing::Types<int8_t, int16_t, int32_t, int64_t>;
TYPED_TEST_SUITE(IntegerTest, Types);

// Zero divisors are among the operands: whatever comes out, nothing traps.
TYPED_TEST(IntegerTest, DividesExactlyAndNeverTraps) {
  std::vector<TypeParam> x, y;
  this->operands(x, y);
  for (std::string operation : kDivisions)
    for (unsigned lanes : {1, 8, 16}) {
      JitOptions options;
      options.lanes = lanes;
      ElementJit compiled(this->textOf(operation), options);
      auto got = compiled.template operator()<TypeParam>(x, y);
      for (size_t i = 0; i < x.size(); ++i)
        if (this->hasQuotient(x[i], y[i], operation.ends_with("si"))) {
          ASSERT_EQ(got[i], this->expected(operation, x[i], y[i]))
              << operation << " of " << int64_t(x[i]) << " and "
              << int64_t(y[i]) << " with " << lanes << " lanes";
        }
    }
}

TYPED_TEST(IntegerTest, DividesByADivisorThatAllLanesShare) {
  std::vector<TypeParam> x, y;
  this->operands(x, y);
  x.resize(x.size() / 16 * 16);
  JitOptions options;
  options.uniformArguments = 2;
  for (std::string operation : kDivisions) {
    ElementJit compiled(this->textOf(operation), options);
    for (TypeParam divisor : this->edges()) {
      std::vector<TypeParam> got(x.size());
      compiled.run(x.size(), {x.data(), &divisor, got.data()});
      for (size_t i = 0; i < x.size(); ++i)
        if (this->hasQuotient(x[i], divisor, operation.ends_with("si"))) {
          ASSERT_EQ(got[i], this->expected(operation, x[i], divisor))
              << operation << " of " << int64_t(x[i]) << " and "
              << int64_t(divisor);
        }
    }
  }
}

// Of 51 bits, they are divided as floats.
TEST(LongIntegerTest, DividesNumbersThatFitADouble) {
  constexpr int64_t kMost = (int64_t(1) << 50) - 1;
  std::mt19937_64 random(1);
  auto any = [&] { return int64_t(random()) >> (13 + random() % 51); };
  for (bool remains : {false, true}) {
    std::string name = remains ? "remsi" : "divsi";
    JitOptions options;
    options.uniformArguments = 2;
    ElementJit compiled("tt.func @f(%0: i64, %1: i64) -> i64 {\n"
                        "  %c = arith.constant 13 : i64\n"
                        "  %x = arith.shrsi %0, %c : i64\n"
                        "  %y = arith.shrsi %1, %c : i64\n"
                        "  %r = arith." +
                            name + " %x, %y : i64\n  tt.return %r : i64\n}\n",
                        options);
    for (int i = 0; i < 2000; ++i) {
      int64_t divisor = i == 0 ? -kMost - 1 : i == 1 ? kMost : any();
      if (divisor == 0)
        continue;
      std::vector<int64_t> x;
      for (int64_t quotient : {any() / divisor, kMost / divisor})
        for (int step : {-1, 0, 1})
          x.push_back(std::clamp(quotient * divisor + step, -kMost - 1, kMost));
      x.push_back(-kMost - 1);
      while (x.size() < 16)
        x.push_back(any());
      std::vector<int64_t> scaled, got(x.size());
      for (int64_t value : x)
        scaled.push_back(value * 0x2000);
      int64_t by = divisor * 0x2000;
      compiled.run(x.size(), {scaled.data(), &by, got.data()});
      for (size_t n = 0; n < x.size(); ++n)
        ASSERT_EQ(got[n], remains ? x[n] % divisor : x[n] / divisor)
            << name << " of " << x[n] << " and " << divisor;
    }
  }
}

TYPED_TEST(IntegerTest, DividesByConstants) {
  std::vector<TypeParam> x, unused;
  this->operands(x, unused);
  for (std::string operation : kDivisions)
    for (int divisor : {0, 1, -1, 2, 3, 7, 16, -5, 100}) {
      ElementJit compiled("tt.func @f(%0: " + this->type() + ") -> " +
                          this->type() + " {\n  %c = arith.constant " +
                          std::to_string(divisor) + " : " + this->type() +
                          "\n  %r = arith." + operation +
                          " %0, %c : " + this->type() +
                          "\n  tt.return %r : " + this->type() + "\n}\n");
      auto got = compiled.template operator()<TypeParam>(x);
      for (size_t i = 0; i < x.size(); ++i)
        if (this->hasQuotient(x[i], divisor, operation.ends_with("si"))) {
          ASSERT_EQ(got[i], this->expected(operation, x[i], divisor))
              << operation << " of " << int64_t(x[i]) << " and " << divisor;
        }
    }
}

TYPED_TEST(IntegerTest, RoundsQuotientsUpOrDown) {
  std::vector<TypeParam> x, y;
  this->operands(x, y);
  using Unsigned = std::make_unsigned_t<TypeParam>;
  auto expected = [](const std::string &operation, TypeParam a, TypeParam b) {
    if (operation == "ceildivui")
      return TypeParam(Unsigned(a) / Unsigned(b) +
                       (Unsigned(a) % Unsigned(b) != 0));
    bool exact = a % b == 0, positive = (a < 0) == (b < 0);
    if (operation == "ceildivsi")
      return TypeParam(a / b + (!exact && positive));
    return TypeParam(a / b - (!exact && !positive));
  };
  for (std::string operation : {"ceildivsi", "ceildivui", "floordivsi"}) {
    ElementJit compiled(this->textOf(operation));
    auto got = compiled.template operator()<TypeParam>(x, y);
    for (size_t i = 0; i < x.size(); ++i)
      if (this->hasQuotient(x[i], y[i], operation.ends_with("si"))) {
        ASSERT_EQ(got[i], expected(operation, x[i], y[i]))
            << operation << " of " << int64_t(x[i]) << " and "
            << int64_t(y[i]);
      }
  }
}

TYPED_TEST(IntegerTest, RaisesToPowers) {
  std::vector<TypeParam> x, y;
  using Unsigned = std::make_unsigned_t<TypeParam>;
  for (int base = -12; base <= 12; ++base)
    for (int exponent = -3; exponent <= 20; ++exponent) {
      x.push_back(TypeParam(base));
      y.push_back(TypeParam(exponent));
    }
  ElementJit compiled(functionOf("math.ipowi %0, %1 : " + this->type(),
                                 {this->type(), this->type()}, this->type()));
  auto got = compiled.template operator()<TypeParam>(x, y);
  for (size_t i = 0; i < x.size(); ++i) {
    Unsigned expected = 1;
    for (int n = 0; n < std::abs(int(y[i])); ++n)
      expected = Unsigned(expected * Unsigned(x[i]));
    if (y[i] < 0 && x[i] != 1 && x[i] != -1)
      expected = 0;
    ASSERT_EQ(Unsigned(got[i]), expected)
        << int(x[i]) << " to the power of " << int(y[i]);
  }
}

TEST(PowerTest, RaisesFloatsToIntegers) {
  ElementJit compiled(functionOf("math.fpowi %0, %1 : f64, i32", {"f64", "i32"},
                                 "f64"));
  std::vector<double> x;
  std::vector<int32_t> y;
  for (double base : {-2.0, 0.5, 1.0, 4.0})
    for (int32_t exponent = -40; exponent <= 40; ++exponent) {
      x.push_back(base);
      y.push_back(exponent);
    }
  auto got = compiled.operator()<double>(x, y);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(got[i], std::pow(x[i], y[i])) << x[i] << " ^ " << y[i];
}

TYPED_TEST(IntegerTest, GivesTheHighHalfOfAProduct) {
  std::vector<TypeParam> x, y;
  this->operands(x, y);
  using Unsigned = std::make_unsigned_t<TypeParam>;
  ElementJit compiled(functionOf("tt.mulhiui %0, %1 : " + this->type(),
                                 {this->type(), this->type()}, this->type()));
  auto got = compiled.template operator()<TypeParam>(x, y);
  for (size_t i = 0; i < x.size(); ++i) {
    unsigned __int128 product =
        (unsigned __int128)Unsigned(x[i]) * Unsigned(y[i]);
    ASSERT_EQ(Unsigned(got[i]), Unsigned(product >> (sizeof(TypeParam) * 8)));
  }
}

// Amounts that are too large give some value; the others the right one.
TYPED_TEST(IntegerTest, ShiftsByAmountsInRange) {
  std::vector<TypeParam> x, y;
  this->operands(x, y);
  for (auto &amount : y)
    amount = TypeParam(amount & 127);
  ElementJit compiled(this->textOf("shrsi"));
  auto got = compiled.template operator()<TypeParam>(x, y);
  for (size_t i = 0; i < x.size(); ++i)
    if (y[i] >= 0 && y[i] < TypeParam(sizeof(TypeParam) * 8)) {
      ASSERT_EQ(got[i], TypeParam(x[i] >> y[i]));
    }
}

} // namespace nereid::test
