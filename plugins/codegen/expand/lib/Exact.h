// Floats taken apart, so that products and remainders are exact.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// What two f32 make, f64 holds exactly. Of f64, and of f32 where the target has
// no f64, products and remainders are exact as sums of two as long as no
// exponent comes near an end: so they are made of significands, beside which
// exponents are kept apart.

#ifndef NEREID_CODEGEN_EXPAND_EXACT_H
#define NEREID_CODEGEN_EXPAND_EXACT_H

#include "Extern.h"
#include "MathFormat.h"

namespace nereid::codegen {

inline bool isExactAsF64(Expr x) {
  return isF32(x) && x.scope->options.hasWideTypes();
}

inline Expr f64Of(Expr x) { return extend(x, x.scope->builder.getF64Type()); }

/// A difference of exponents beyond which the smaller number only decides ties.
inline int64_t exponentRange(Expr x) { return isF32(x) ? 60 : 300; }

/// A finite number as a significand and an exponent; 0 has the significand 0.
struct Scaled : Normalized {
  explicit Scaled(Expr x) : Normalized(x) {
    significand = select(x == 0.0, 0.0, significand);
  }
  /// The number divided by 2^n, unless it is out of exponentRange(): there it
  /// is some number as large or small.
  Expr over(Expr n) const {
    int64_t range = exponentRange(significand);
    Expr difference = exponent - n;
    difference = select(difference > range, difference.like(range), difference);
    difference =
        select(difference < -range, difference.like(-range), difference);
    return significand * powerOfTwo(difference);
  }
};

inline Expr isOrdinary(Expr x) { return isFinite(x) & (x != 0.0); }

/// The side of a result whose own exact difference is \p difference: infinite
/// results of finite operands are too large, all others of such are exact.
inline Expr sideOf(Expr result, Expr difference, Expr isOrdinary) {
  Expr side = select(isInfinite(result), -result, difference);
  return select(isOrdinary, side, 0.0);
}

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_EXPAND_EXACT_H
