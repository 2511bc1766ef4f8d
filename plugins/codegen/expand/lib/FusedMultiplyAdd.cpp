// x * y + z with one rounding, and on which side the exact result lies.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Exact.h"
#include "Rewrites.h"

using namespace mlir;

namespace nereid::codegen {

static Rounded inF64(Expr x, Expr y, Expr z) {
  Expr product = f64Of(x) * f64Of(y), addend = f64Of(z);
  Expr sum = product + addend;
  Expr error = sumError(product, addend, sum);
  FloatType f32 = x.scope->builder.getF32Type();
  Expr nearest = x.scope->options.hasFma
                     ? fma(x, y, z)
                     : truncate(roundToOdd(sum, error), f32);
  Expr difference = sum - f64Of(nearest);
  return {nearest, select(difference == 0.0, error, difference)};
}

// The sign of the error of a fused multiply-add (Boldo, Muller).
static Rounded withInstruction(Expr x, Expr y, Expr z) {
  Expr nearest = fma(x, y, z);
  Scaled a(x), b(y), c(z), d(nearest);
  Expr exponent = a.exponent + b.exponent;
  ExactProduct product(a.significand, b.significand);
  Expr addend = c.over(exponent);
  Expr low = addend + product.low;
  Expr sum = product.high + low;
  Expr rest = (sum - d.over(exponent)) + sumError(product.high, low, sum);
  Expr side = rest + sumError(addend, product.low, low);
  Expr isOrdinarySum = isOrdinary(x) & isOrdinary(y) & isFinite(z);
  return {nearest, sideOf(nearest, side, isOrdinarySum)};
}

/// x + y and what rounding took from it.
struct ExactSum {
  ExactSum(Expr x, Expr y) : high(x + y), low(sumError(x, y, high)) {}
  Expr high, low;
};

// significand * 2^exponent + error * 2^exponent with one rounding, where the
// error is beyond the last place of the significand. Where the result is
// subnormal, the significand alone may be a tie that the error decides.
static Rounded roundAtExponent(Expr sum, Expr error, Expr exponent) {
  Normalized parts(sum);
  int64_t end = exponentBias(sum) + mantissaBits(sum) + 4;
  Expr power = parts.exponent + exponent;
  power = select(power > end, power.like(end), power);
  power = select(power < -end, power.like(-end), power);
  Expr half = shiftSigned(power, power.like(1)), rest = power - half;
  Expr result = parts.significand * powerOfTwo(half) * powerOfTwo(rest);

  // All in units of the significand, where they are exact.
  Expr back = result * powerOfTwo(0 - half) * powerOfTwo(0 - rest);
  Expr difference = parts.significand - back;
  double leastNormal = isF32(sum) ? 0x1p-126 : 0x1p-1022;
  double least = isF32(sum) ? 0x1p-149 : 0x1p-1074;
  int64_t leastExponent = 1 - exponentBias(sum) - mantissaBits(sum);
  Expr halfUnit = powerOfTwo((leastExponent - 1) - power);
  Expr isTie = (abs(result) <= leastNormal) & (abs(difference) == halfUnit);
  Expr isWrong = isTie & (((difference > 0.0) & (error > 0.0)) |
                          ((difference < 0.0) & (error < 0.0)));
  result = select(isWrong, result + copySign(result.like(least), error), result);
  Expr side = select(difference == 0.0, error, difference);
  side = select(isWrong, -difference, side);
  Expr isZero = sum == 0.0;
  return {select(isZero, sum, result), select(isZero, 0.0, side)};
}

// The exact product and the addend, both with the larger exponent of theirs
// taken off, are added as Boldo and Melquiond do: a sum of three floats is
// rounded once if the smaller two were rounded to odd.
static Rounded inSoftware(Expr x, Expr y, Expr z) {
  Scaled a(x), b(y), c(z);
  Expr ofProduct = a.exponent + b.exponent;
  Expr larger = select(ofProduct > c.exponent, ofProduct, c.exponent);
  auto powerOver = [&](Expr exponent) {
    Expr power = exponent - larger;
    int64_t least = -exponentRange(x);
    return powerOfTwo(select(power < least, power.like(least), power));
  };
  ExactProduct product(a.significand * powerOver(ofProduct), b.significand);
  ExactSum low(c.significand * powerOver(c.exponent), product.low);
  ExactSum high(product.high, low.high);
  ExactSum rest(low.low, high.low);
  Expr odd = roundToOdd(rest.high, rest.low);
  ExactSum sum(high.high, odd);
  Expr error =
      select(sum.low == 0.0, (rest.high - odd) + rest.low, sum.low);
  auto [nearest, side] = roundAtExponent(sum.high, error, larger);

  Expr isProductFinite = isFinite(x) & isFinite(y);
  Expr special = select(isProductFinite & (isFinite(z) == 0), z, x * y + z);
  Expr isOrdinarySum = isOrdinary(x) & isOrdinary(y) & isFinite(z);
  return {select(isOrdinarySum, nearest, special),
          select(isOrdinarySum, side, 0.0)};
}

Rounded roundedMultiplyAdd(Expr x, Expr y, Expr z) {
  if (isExactAsF64(x))
    return inF64(x, y, z);
  return x.scope->options.hasFma ? withInstruction(x, y, z)
                                 : inSoftware(x, y, z);
}

} // namespace nereid::codegen
