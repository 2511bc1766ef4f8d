// Lengths of vectors.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Of f32 in f64, where no square is too large or too small. Of f64, and where
// there is none, scaled by the largest, and the sum of the squares as a sum of
// two floats.

#include "Extern.h"
#include "Math.h"
#include "MathFormat.h"

using namespace mlir;

namespace nereid::codegen {

using Vector = llvm::ArrayRef<Expr>;

static Expr lengthOfF32(Vector v) {
  FloatType f64 = v[0].scope->builder.getF64Type();
  Expr sum = v[0].like(0.0);
  for (auto [i, x] : llvm::enumerate(v)) {
    Expr wide = extend(x, f64);
    sum = i == 0 ? wide * wide : fma(wide, wide, sum);
  }
  return sqrt(sum);
}

static Expr lengthOfScaled(Vector v, Expr scale) {
  Expr first = v[0] * scale;
  ExactProduct sum(first, first);
  for (Expr x : v.drop_front()) {
    Expr scaled = x * scale;
    ExactProduct square(scaled, scaled);
    Expr next = sum.high + square.high;
    sum.low = sum.low + square.low + sumError(sum.high, square.high, next);
    sum.high = next;
  }
  Expr root = sqrt(sum.high);
  Expr rest = fma(-root, root, sum.high) + sum.low;
  return select(sum.high == 0.0, 0.0, root + 0.5 * (rest / root));
}

// The length, or one divided by it. An infinite vector is infinitely long,
// NaN or not.
static Expr length(Vector v, bool isReciprocal) {
  Expr largest = abs(v[0]);
  for (Expr x : v.drop_front())
    largest = select(abs(x) > largest, abs(x), largest);
  Expr isLong = isInfinite(v[0]);
  for (Expr x : v.drop_front())
    isLong = isLong | isInfinite(x);
  auto finish = [&](Expr result) {
    return select(isLong, isReciprocal ? 0.0 : kInfinity, result);
  };
  if (isF32(v[0]) && v[0].scope->options.hasF64) {
    Expr wide = lengthOfF32(v);
    wide = isReciprocal ? 1.0 / wide : wide;
    return finish(truncate(wide, v[0].scope->builder.getF32Type()));
  }
  Expr power = Normalized(largest).exponent;
  int64_t end = isF32(v[0]) ? 120 : 1000;
  power = select(power > end, power.like(end), power);
  power = select(power < -end, power.like(-end), power);
  Expr scale = powerOfTwo(0 - power);
  Expr scaled = lengthOfScaled(v, scale);
  return finish(isReciprocal ? (1.0 / scaled) * scale
                             : scaled * powerOfTwo(power));
}

Expr expandNorm2(Expr x, Expr y) { return length({x, y}, false); }
Expr expandNorm3(Expr x, Expr y, Expr z) { return length({x, y, z}, false); }
Expr expandNorm4(Expr x, Expr y, Expr z, Expr w) {
  return length({x, y, z, w}, false);
}
Expr expandReciprocalNorm2(Expr x, Expr y) { return length({x, y}, true); }
Expr expandReciprocalNorm3(Expr x, Expr y, Expr z) {
  return length({x, y, z}, true);
}
Expr expandReciprocalNorm4(Expr x, Expr y, Expr z, Expr w) {
  return length({x, y, z, w}, true);
}

} // namespace nereid::codegen
