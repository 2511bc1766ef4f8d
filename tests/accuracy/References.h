// References.h - functions of one f32, and the errors that they may have.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_ACCURACY_REFERENCES_H
#define NEREID_TESTS_ACCURACY_REFERENCES_H

#include <span>

namespace nereid::test {

/// The largest error of a function that needs no reason.
constexpr double kUsualBound = 1.5;

struct AccurateFunction {
  /// In Triton's libdevice, or an operation of the math dialect.
  const char *name;
  /// The function in f64, with an error far below the last place of an f32. An
  /// inverse function starts from \p got, the result to be checked.
  double (*exact)(double x, float got);
  /// In units of the last place.
  double bound;
  /// Why the bound is above kUsualBound.
  const char *reason = "";
  /// Beyond 8, results this close to the function are not compared further.
  double absoluteBeyond8 = 0;
};

std::span<const AccurateFunction> accurateFunctions();

// Bessel functions of order 0 and 1, accurate beside their zeros up to 8.
double besselJInF64(int order, double x);
double besselYInF64(int order, double x);
double besselIInF64(int order, double x);

} // namespace nereid::test

#endif // NEREID_TESTS_ACCURACY_REFERENCES_H
