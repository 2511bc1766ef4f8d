// fp8 and f16 from and to f32 by operations on bits.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "SmallFloat.h"

#include <limits>

using namespace mlir;

namespace nereid::codegen {

namespace {

/// The bit layout of a type.
struct Layout {
  int width;
  int mantissaBits;
  int bias;
  /// The pattern of the largest number, without sign; infinity is the next.
  int largest;
  /// The pattern of a NaN, without sign; for the types without -0 that is
  /// -0's, and their only one.
  int nan;
  bool hasInfinity;

  int signBit() const { return 1 << (width - 1); }
  bool hasNegativeZero() const { return nan != signBit(); }
  /// The result of overflow: fp8 saturates.
  int overflow() const { return width == 8 ? largest : largest + 1; }
};

} // namespace

static Layout layoutOf(FloatType type) {
  if (type.isF16())
    return {16, 10, 15, 0x7bff, 0x7e00, true};
  if (type.isFloat8E5M2())
    return {8, 2, 15, 0x7b, 0x7f, true};
  if (type.isFloat8E4M3FN())
    return {8, 3, 7, 0x7e, 0x7f, false};
  if (type.isFloat8E5M2FNUZ())
    return {8, 2, 16, 0x7f, 0x80, false};
  return {8, 3, 8, 0x7f, 0x80, false}; // f8E4M3FNUZ
}

// Rebiases the exponent. A denormal has no implicit leading 1: use the next
// exponent and subtract the leading 1. (One multiplication would do both, but
// multiplying a denormal f32 takes Intel's processors some 150 cycles.)
Expr magnitudeToF32(Expr magnitude, int mantissaBits, int bias) {
  Expr normal = (magnitude << (23 - mantissaBits)) + ((127 - bias) << 23);
  Expr denormal = asFloat(normal + (1 << 23)) - std::ldexp(1.0, 1 - bias);
  return select(magnitude < (1 << mantissaBits), denormal, asFloat(normal));
}

Expr smallFloatToF32(Expr x) {
  Layout layout = layoutOf(cast<FloatType>(x.elementType()));
  Expr pattern = extendUnsigned(bits(x), 32);
  Expr magnitude = pattern & (layout.signBit() - 1);
  Expr number = magnitudeToF32(magnitude, layout.mantissaBits, layout.bias);
  if (layout.hasInfinity) {
    Expr special = bits(number) | 0x7f800000;
    number = select(magnitude > layout.largest, asFloat(special), number);
  }
  Expr sign = (pattern & layout.signBit()) << (32 - layout.width);
  number = asFloat(bits(number) | sign);
  if (layout.hasInfinity)
    return number;
  Expr isNan = layout.hasNegativeZero() ? magnitude == layout.nan
                                        : pattern == layout.nan;
  return select(isNan, std::numeric_limits<double>::quiet_NaN(), number);
}

// Normal numbers: rebias the exponent, and round by adding half a unit less
// one, and one more if the last remaining bit is odd.
static Expr normalPattern(Expr magnitude, const Layout &layout,
                          Rounding rounding) {
  int dropped = 23 - layout.mantissaBits;
  Expr pattern = magnitude - ((127 - layout.bias) << 23);
  if (rounding == Rounding::ToNearestEven) {
    Expr odd = (magnitude >> dropped) & 1;
    pattern = pattern + odd + ((1 << (dropped - 1)) - 1);
  }
  return shiftSigned(pattern, pattern.like(dropped));
}

// Denormals: adding a number with the same unit in the last place rounds to
// nearest and leaves the digits in the low bits.
static Expr denormalPattern(Expr x, const Layout &layout, Rounding rounding) {
  double unit = std::ldexp(1.0, 1 - layout.bias - layout.mantissaBits);
  double shifter = unit * 0x1p23;
  Expr sum = x + shifter;
  Expr pattern = bits(sum) - bits(sum.like(shifter));
  if (rounding == Rounding::ToNearestEven)
    return pattern;
  return select(sum - shifter > x, pattern - 1, pattern);
}

// Handles overflow, by the rounded pattern. When rounding towards zero, only
// infinity does not become the largest number.
static Expr limit(Expr pattern, Expr magnitude, const Layout &layout,
                  Rounding rounding) {
  Expr isLarge = pattern > layout.largest;
  Expr end = pattern.like(layout.overflow());
  if (rounding == Rounding::TowardZero)
    end = select(magnitude == 0x7f800000, end, pattern.like(layout.largest));
  return select(isLarge, end, pattern);
}

Expr f32ToSmallFloat(Expr x, FloatType type, Rounding rounding) {
  Layout layout = layoutOf(type);
  Expr magnitude = bits(x) & 0x7fffffff;
  Expr isDenormal = magnitude < ((128 - layout.bias) << 23);
  Expr pattern =
      select(isDenormal, denormalPattern(asFloat(magnitude), layout, rounding),
             normalPattern(magnitude, layout, rounding));
  pattern = limit(pattern, magnitude, layout, rounding);
  Expr sign = (bits(x) >> (32 - layout.width)) & layout.signBit();
  if (!layout.hasNegativeZero())
    sign = select(pattern == 0, sign.like(0), sign);
  pattern = pattern | sign;
  Expr nan =
      layout.hasNegativeZero() ? sign | layout.nan : pattern.like(layout.nan);
  pattern = select(isNan(x), nan, pattern);
  return asFloat(truncate(pattern, layout.width), type);
}

} // namespace nereid::codegen
