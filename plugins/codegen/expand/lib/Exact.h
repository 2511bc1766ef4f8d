// Floats as significand and exponent, for exact products and remainders.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The product of two f32 is exact in f64. For f64, and for f32 if the target
// has no f64, products and remainders are exact as sums of two floats unless an
// exponent is near the end of its range: so they are computed from
// significands, with separate exponents.

#ifndef NEREID_CODEGEN_EXPAND_EXACT_H
#define NEREID_CODEGEN_EXPAND_EXACT_H

#include "Extern.h"
#include "MathFormat.h"

namespace nereid::codegen {

inline bool isExactAsF64(Expr x) {
  return isF32(x) && x.scope->options.hasWideTypes();
}

inline Expr f64Of(Expr x) { return extend(x, x.scope->builder.getF64Type()); }

/// A difference of exponents beyond which the smaller number only breaks ties.
inline int64_t exponentRange(Expr x) { return isF32(x) ? 60 : 300; }

/// A finite number as a significand and an exponent; 0 has the significand 0.
struct Scaled : Normalized {
  explicit Scaled(Expr x) : Normalized(x) {
    significand = select(x == 0.0, 0.0, significand);
  }
  /// The number divided by 2^n. Outside exponentRange() it is some number of
  /// similar magnitude.
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

/// The side of a result whose exact difference is \p difference: infinite
/// results of finite operands are too large, other special results are exact.
inline Expr sideOf(Expr result, Expr difference, Expr isOrdinary) {
  Expr side = select(isInfinite(result), -result, difference);
  return select(isOrdinary, side, 0.0);
}

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_EXPAND_EXACT_H
