// FusedMultiplyAddTest.cpp - x * y + z is rounded once without an instruction.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ElementJit.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <random>

namespace nereid::test {

template <typename T> struct Triples {
  std::vector<T> x, y, z;

  void add(T a, T b, T c) {
    x.push_back(a);
    y.push_back(b);
    z.push_back(c);
  }
};

// Special numbers with each other; random bits; sums that cancel; results that
// are subnormal; and results beside the middle of two floats, where the last
// digits of the product or of the addend decide.
template <typename T> static Triples<T> makeTriples() {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr int kDigits = std::numeric_limits<T>::digits;
  constexpr int kLeast = std::numeric_limits<T>::min_exponent - kDigits;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  constexpr T kLargest = std::numeric_limits<T>::max();
  constexpr T kSmallest = std::numeric_limits<T>::denorm_min();
  Triples<T> t;
  const T special[] = {0,        T(-0.0),   1,         -1,
                       kLargest, -kLargest, kInfinity, -kInfinity,
                       T(NAN),   kSmallest, -kSmallest, T(1.5)};
  for (T a : special)
    for (T b : special)
      for (T c : special)
        t.add(a, b, c);
  std::mt19937_64 random(1);
  auto any = [&] { return std::bit_cast<T>(Bits(random())); };
  auto significand = [&] {
    T value = 1 + T(random() >> 11) * T(0x1p-53);
    return random() & 1 ? -value : value;
  };
  auto below = [&](int n) { return int(random() % unsigned(n)); };
  for (int i = 0; i < 200000; ++i) {
    t.add(any(), any(), any());
    // All of middle size.
    T a = std::ldexp(significand(), below(60) - 30);
    T b = std::ldexp(significand(), below(60) - 30);
    t.add(a, b, std::ldexp(significand(), below(120) - 60));
    t.add(a, b, -a * b);
    t.add(a, b, -std::nextafter(a * b, T(below(3) - 1)));
    // Subnormal, or at the border.
    int low = below(kDigits + 6) + kLeast - 3, part = below(40) - 20;
    T c = std::ldexp(significand(), low / 2 + part);
    T d = std::ldexp(significand(), low - low / 2 - part);
    t.add(c, d, 0);
    t.add(c, d, std::ldexp(significand(), kLeast + below(kDigits + 4)));
    t.add(c, d, below(2) ? kSmallest : -kSmallest);
    // Few digits, so that ties are likely; and a crumb.
    T e = std::ldexp(T(1 + 2 * below(64)), low / 2 + part);
    T f = std::ldexp(T(1 + 2 * below(64)), low - low / 2 - part);
    t.add(e, f, 0);
    t.add(e, f, std::ldexp(T(1 + 2 * below(8)), kLeast + below(8)));
    T odd = std::ldexp(T(1 + 2 * below(1 << 20)), below(20) - 40);
    t.add(odd, std::ldexp(T(1), below(20)), std::ldexp(significand(), -90));
    t.add(1 + std::ldexp(T(1), -below(kDigits)),
          1 + std::ldexp(T(1), -below(kDigits)),
          std::ldexp(T(below(3) - 1), -below(3 * kDigits)));
    // Too large.
    T g = std::ldexp(significand(), std::numeric_limits<T>::max_exponent / 2);
    t.add(g, std::ldexp(significand(), std::numeric_limits<T>::max_exponent / 2 -
                                           1 - below(3)),
          below(2) ? -kLargest : kLargest);
  }
  return t;
}

template <typename T> static bool isSame(T got, T want) {
  if (std::isnan(want))
    return std::isnan(got);
  return got == want && std::signbit(got) == std::signbit(want);
}

template <typename T>
static void expectOneRounding(const char *type, const JitOptions &options) {
  Triples<T> t = makeTriples<T>();
  ElementJit compiled(
      functionOf(std::string("math.fma %0, %1, %2 : ") + type,
                 {type, type, type}, type),
      options);
  std::vector<T> got = compiled.template operator()<T>(t.x, t.y, t.z);
  for (size_t i = 0; i < got.size(); ++i) {
    T want = std::fma(t.x[i], t.y[i], t.z[i]);
    if (!isSame(got[i], want)) {
      char text[160];
      std::snprintf(text, sizeof text, "%a * %a + %a is %a, expected %a",
                    double(t.x[i]), double(t.y[i]), double(t.z[i]),
                    double(got[i]), double(want));
      FAIL() << text;
    }
  }
}

TEST(FusedMultiplyAdd, OfF32IsRoundedOnceInF64) {
  JitOptions options = narrowTarget(false);
  options.expand.hasF64 = options.expand.hasI64 = true;
  expectOneRounding<float>("f32", options);
}

TEST(FusedMultiplyAdd, OfF32IsRoundedOnceInF32) {
  expectOneRounding<float>("f32", narrowTarget(false));
}

TEST(FusedMultiplyAdd, OfF64IsRoundedOnceWithoutALibrary) {
  JitOptions options = narrowTarget(false);
  options.expand.hasF64 = options.expand.hasI64 = true;
  options.lanes = 2;
  expectOneRounding<double>("f64", options);
}

} // namespace nereid::test
