// Expansions of the external functions of kernels; more are in Math.h.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// ExternFunctions.def maps symbols to these. Numbers are f32 or
// f64, integers i32 or i64. Special values are those of CUDA.

#ifndef NEREID_CODEGEN_EXPAND_EXTERN_H
#define NEREID_CODEGEN_EXPAND_EXTERN_H

#include "Expr.h"

namespace nereid::codegen {

// Integers (ExternInteger.cpp).
Expr leadingZeros(Expr x);
Expr populationCount(Expr x);
/// The position of the lowest set bit, counted from 1; 0 if there is none.
Expr firstSet(Expr x);
Expr reverseBits(Expr x);
/// Four bytes of the eight of \p y and \p x, chosen by the four lower hex
/// digits of \p selector; a digit's upper bit selects copies of the sign.
Expr permuteBytes(Expr x, Expr y, Expr selector);
Expr highSigned(Expr x, Expr y);
Expr highUnsigned(Expr x, Expr y);
Expr product24Signed(Expr x, Expr y);
Expr product24Unsigned(Expr x, Expr y);
/// |x - y| + z.
Expr addDistanceSigned(Expr x, Expr y, Expr z);
Expr addDistanceUnsigned(Expr x, Expr y, Expr z);
/// (x + y) / 2 without overflow, rounded down, (x + y + 1) / 2.
Expr averageDownSigned(Expr x, Expr y);
Expr averageDownUnsigned(Expr x, Expr y);
Expr averageUpSigned(Expr x, Expr y);
Expr averageUpUnsigned(Expr x, Expr y);
Expr absolute(Expr x);

// Bits of numbers (ExternBits.cpp).
Expr asNumber(Expr x);
Expr numberOfHalves(Expr high, Expr low);
Expr lowHalf(Expr x);
Expr highHalf(Expr x);
Expr isInfinite(Expr x);
Expr isFinite(Expr x);
Expr isNegative(Expr x);
Expr nextAfter(Expr x, Expr y);
/// x 2^n with one rounding.
Expr scaleByPower(Expr x, Expr n);
Expr exponentNumber(Expr x);
Expr exponentInteger(Expr x);
Expr floorOf(Expr x);
Expr ceilOf(Expr x);
Expr truncOf(Expr x);
Expr roundAway(Expr x);
Expr roundAwayToInteger(Expr x);
Expr quotient(Expr x, Expr y);
Expr reciprocalHighHalf(Expr x);
Expr saturate(Expr x);
Expr nearestRemainder(Expr x, Expr y);
Expr positiveDifference(Expr x, Expr y);
Expr largerNumber(Expr x, Expr y);
Expr smallerNumber(Expr x, Expr y);

/// A number in [1, 2) or (-2, -1], and the power of two that makes it x again,
/// an integer as wide as x. Undefined for 0, infinities and NaN.
struct Normalized {
  explicit Normalized(Expr x);
  Expr significand;
  Expr exponent;
};
/// 2^n for an integer n, if that is a normal number.
Expr powerOfTwo(Expr n);

enum class Direction { Nearest, Zero, Down, Up };

// Arithmetic rounded in a direction, exactly (ExternRounding.cpp).
Expr addToward(Direction direction, Expr x, Expr y);
Expr subtractToward(Direction direction, Expr x, Expr y);
Expr multiplyToward(Direction direction, Expr x, Expr y);
Expr divideToward(Direction direction, Expr x, Expr y);
Expr reciprocalToward(Direction direction, Expr x);
Expr rootToward(Direction direction, Expr x);
Expr multiplyAddToward(Direction direction, Expr x, Expr y, Expr z);
Expr reciprocalRootNearest(Expr x);
/// Directed rounding: returns \p nearest, the float nearest to an exact number,
/// or the next float in \p direction. \p side has the sign of the exact number
/// minus \p nearest; NaN means equal.
Expr settle(Direction direction, Expr nearest, Expr side);
/// The rounding error of x + y, rounded to \p sum.
Expr sumError(Expr x, Expr y, Expr sum);

/// \p x as a \p to, where types are those of ExternFunction
/// (ExternConvert.cpp). Conversions to an integer saturate.
Expr convertToward(Direction direction, Expr x, llvm::StringRef from,
                   llvm::StringRef to);

// Functions that call the C library, in f64 (ExternLibrary.cpp).
Expr logGamma(Expr x);
Expr gammaFunction(Expr x);
Expr besselJn(Expr n, Expr x);
Expr besselYn(Expr n, Expr x);
/// A call of \p symbol, which remains a tt.extern_elementwise.
Expr callLibrary(llvm::StringRef symbol, llvm::ArrayRef<Expr> operands);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_EXPAND_EXTERN_H
