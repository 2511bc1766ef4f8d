// Accuracy.h - distances between computed and true values, in units of the
// last place.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_UNIT_CODEGEN_ACCURACY_H
#define NEREID_TESTS_UNIT_CODEGEN_ACCURACY_H

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace nereid::test {

/// How far \p got is from \p exact. Infinite if one is NaN, infinite or a zero
/// of another sign where the other, rounded to the type of \p got, is not.
template <typename T, typename Exact> double ulps(T got, Exact exact) {
  T rounded = static_cast<T>(exact);
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  if (std::isnan(rounded) || std::isnan(got))
    return std::isnan(rounded) && std::isnan(got) ? 0.0 : kWrong;
  if (std::isinf(rounded) || std::isinf(got) || exact == 0)
    return got == rounded && std::signbit(got) == std::signbit(rounded)
               ? 0.0
               : kWrong;
  T magnitude = std::max(std::abs(rounded), std::numeric_limits<T>::min());
  int exponent;
  std::frexp(magnitude, &exponent);
  Exact unit = std::ldexp(Exact(1), exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::abs(Exact(got) - exact) / unit);
}

/// The largest distance of a sweep and where it was.
template <typename T> struct Worst {
  double distance = 0.0;
  T at = 0, got = 0;
  long double exact = 0;

  template <typename Exact> void add(T x, T result, Exact reference) {
    double d = ulps(result, reference);
    if (d > distance)
      *this = {d, x, result, static_cast<long double>(reference)};
  }

  void print(const char *name) const {
    std::printf("%-10s %8.3f ulp at %a: %a for %La\n", name, distance,
                double(at), double(got), exact);
  }
};

} // namespace nereid::test

#endif // NEREID_TESTS_UNIT_CODEGEN_ACCURACY_H
