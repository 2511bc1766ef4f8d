// References.h - what the functions are compared with.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_UNIT_LIBDEVICE_REFERENCES_H
#define NEREID_TESTS_UNIT_LIBDEVICE_REFERENCES_H

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace nereid::test {

/// A function with one right result, as bits.
struct ExactReference {
  std::string result;
  std::vector<std::string> operands;
  std::function<void(const char *const *operands, char *result)> apply;
};

/// By symbol.
std::map<std::string, ExactReference> exactReferences();

/// A function of numbers, integers among them as such.
struct RealReference {
  std::function<long double(const long double *)> apply;
  /// The errors that CUDA documents, in units of the last place.
  double boundF32, boundF64;
  /// Beyond 8, where it is not 0, only an absolute error is asked for.
  bool isAbsoluteBeyond8 = false;
  /// Where nothing is promised.
  std::function<bool(const long double *)> isLeftOut = nullptr;
};

/// By name: the functions of f32 and f64 alike.
std::map<std::string, RealReference> realReferences();

// Functions that C has not, and some that it has only nearly.
long double erfcx(long double x);
long double erfInverse(long double x);
long double erfcInverse(long double y);
long double normalCdf(long double x);
long double normalCdfInverse(long double p);
long double besselI(int order, long double x);
/// J and Y, right beside their zeros too.
long double besselJ(int order, long double x);
long double besselY(int order, long double x);

} // namespace nereid::test

#endif // NEREID_TESTS_UNIT_LIBDEVICE_REFERENCES_H
