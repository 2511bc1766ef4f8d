// DivisionTest.cpp - quotients and square roots of f32 that are written out.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ElementJit.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <random>

namespace nereid::test {

static JitOptions withoutExactDivision() {
  JitOptions options = narrowTarget(false);
  options.expand.hasExactDivision = false;
  return options;
}

static const float kSpecial[] = {0.0f,
                                 -0.0f,
                                 1.0f,
                                 -1.0f,
                                 1.5f,
                                 INFINITY,
                                 -INFINITY,
                                 NAN,
                                 0x1p-149f,
                                 -0x1p-149f,
                                 0x1.fffffcp-127f,
                                 0x1p-126f,
                                 0x1.fffffep127f,
                                 -0x1.fffffep127f};

static bool isSame(float found, float expected) {
  return std::isnan(expected) ? std::isnan(found)
                              : std::bit_cast<uint32_t>(found) ==
                                    std::bit_cast<uint32_t>(expected);
}

TEST(Division, RoundsQuotientsCorrectly) {
  std::vector<float> x, y;
  auto add = [&](float a, float b) {
    x.push_back(a);
    y.push_back(b);
  };
  for (float a : kSpecial)
    for (float b : kSpecial)
      add(a, b);
  std::mt19937 random(1);
  auto any = [&] { return std::bit_cast<float>(uint32_t(random())); };
  auto digits = [&] { return 1 + float(random() >> 9) * 0x1p-23f; };
  for (int i = 0; i < 300000; ++i) {
    add(any(), any());
    float a = digits(), b = digits();
    add(a, b);
    // Results that are subnormal, at their border, ties and too large.
    add(std::ldexp(a, -100), std::ldexp(b, 20 + int(random() % 32)));
    add(std::ldexp(1 + float(random() % 64), -140),
        std::ldexp(1.0f, int(random() % 12)));
    add(std::ldexp(a, 100), std::ldexp(b, -27));
    // Just beside a float or the middle of two.
    add(a * b, b);
    add(std::nextafter(a * b, 9.0f), b);
  }
  std::vector<float> found =
      ElementJit(
          functionOf("tt.precise_divf %0, %1 : f32", {"f32", "f32"}, "f32"),
          withoutExactDivision())
          .operator()<float>(x, y);
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_TRUE(isSame(found[i], x[i] / y[i]))
        << x[i] << " / " << y[i] << " is " << found[i];
}

TEST(Division, RoundsSquareRootsCorrectly) {
  std::vector<float> x(std::begin(kSpecial), std::end(kSpecial));
  std::mt19937 random(1);
  for (int i = 0; i < 1000000; ++i) {
    x.push_back(std::bit_cast<float>(uint32_t(random())));
    float root = 1 + float(random() >> 9) * 0x1p-23f;
    x.push_back(root * root);
    x.push_back(std::nextafter(root * root, 0.0f));
  }
  std::vector<float> found =
      ElementJit(functionOf("tt.precise_sqrt %0 : f32", {"f32"}, "f32"),
                 withoutExactDivision())
          .operator()<float>(x);
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_TRUE(isSame(found[i], std::sqrt(x[i])))
        << "the root of " << x[i] << " is " << found[i];
}

} // namespace nereid::test
