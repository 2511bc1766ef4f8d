// The four fp8 types from and to f32.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fp8.h"

#include <limits>

using namespace mlir;

namespace nereid::codegen {

/// How a type lays out its byte.
struct Fp8Layout {
  int mantissaBits;
  int bias;
  /// The pattern of the largest number, without sign.
  int largest;
  /// The pattern of a NaN, without sign; for the types without -0 that is
  /// 0x80, their only one.
  int nan;
  bool hasInfinity;

  bool hasNegativeZero() const { return nan != 0x80; }
};

static Fp8Layout layoutOf(FloatType type) {
  if (type.isFloat8E5M2())
    return {2, 15, 0x7b, 0x7f, true};
  if (type.isFloat8E4M3FN())
    return {3, 7, 0x7e, 0x7f, false};
  if (type.isFloat8E5M2FNUZ())
    return {2, 16, 0x7f, 0x80, false};
  return {3, 8, 0x7f, 0x80, false}; // f8E4M3FNUZ
}

// E5M2 is the upper half of an f16. The others become an f32 with the right
// mantissa and too small an exponent, which a multiplication sets right, for
// denormals too.
Expr fp8ToF32(Expr x) {
  auto type = cast<FloatType>(x.elementType());
  Builder &b = x.scope->builder;
  Fp8Layout layout = layoutOf(type);
  Expr pattern = bits(x);
  if (layout.hasInfinity) {
    Expr half = asFloat(extendUnsigned(pattern, 16) << 8, b.getF16Type());
    return extend(half, b.getF32Type());
  }
  Expr wide = extendUnsigned(pattern, 32);
  Expr magnitude = asFloat((wide & 0x7f) << (23 - layout.mantissaBits));
  Expr number = magnitude * std::ldexp(1.0, 127 - layout.bias);
  number = asFloat(bits(number) | ((wide & 0x80) << 24));
  Expr isNan = layout.hasNegativeZero() ? (wide & 0x7f) == layout.nan
                                        : wide == layout.nan;
  return select(isNan, std::numeric_limits<double>::quiet_NaN(), number);
}

// The normal numbers: the exponent gets its new bias, half a unit less one is
// added, and one more if the last bit kept is odd.
static Expr normalPattern(Expr magnitude, const Fp8Layout &layout,
                          Rounding rounding) {
  int dropped = 23 - layout.mantissaBits;
  Expr pattern = magnitude - ((127 - layout.bias) << 23);
  if (rounding == Rounding::ToNearestEven) {
    Expr odd = (magnitude >> dropped) & 1;
    pattern = pattern + odd + ((1 << (dropped - 1)) - 1);
  }
  return shiftSigned(pattern, pattern.like(dropped));
}

// The denormal ones: beside a number whose unit is theirs, the addition itself
// rounds to nearest and leaves the digits at the bottom.
static Expr denormalPattern(Expr x, const Fp8Layout &layout,
                            Rounding rounding) {
  double unit = std::ldexp(1.0, 1 - layout.bias - layout.mantissaBits);
  double shifter = unit * 0x1p23;
  Expr sum = x + shifter;
  Expr pattern = bits(sum) - bits(sum.like(shifter));
  if (rounding == Rounding::ToNearestEven)
    return pattern;
  return select(sum - shifter > x, pattern - 1, pattern);
}

Expr f32ToFp8(Expr x, FloatType type, Rounding rounding) {
  Fp8Layout layout = layoutOf(type);
  Expr magnitude = bits(x) & 0x7fffffff;
  Expr isDenormal = magnitude < ((128 - layout.bias) << 23);
  Expr pattern =
      select(isDenormal, denormalPattern(asFloat(magnitude), layout, rounding),
             normalPattern(magnitude, layout, rounding));
  Expr isLarge = pattern > layout.largest;
  pattern = select(isLarge, pattern.like(layout.largest), pattern);
  Expr sign = (bits(x) >> 24) & 0x80;
  if (!layout.hasNegativeZero())
    sign = select(pattern == 0, sign.like(0), sign);
  pattern = pattern | sign;
  Expr nan =
      layout.hasNegativeZero() ? sign | layout.nan : pattern.like(layout.nan);
  return asFloat(truncate(select(isNan(x), nan, pattern), 8), type);
}

} // namespace nereid::codegen
