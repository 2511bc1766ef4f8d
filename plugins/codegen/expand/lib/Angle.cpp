// Angles reduced to an eighth of a turn.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Up to some size, n = x / (pi/2) is computed in floating point and n pi/2 is
// subtracted in three parts (Cody and Waite). Above it, x is an integer times a
// power of two, which is multiplied as an integer by those digits of 2/pi that
// affect the fraction of a turn (Payne and Hanek). They are selected without a
// table, by shifting all digits by one bit of the distance at a time.

#include "Angle.h"
#include "MathFormat.h"

using namespace mlir;

namespace nereid::codegen {

// The fractional binary digits of 2/pi, after one word of zeros.
static constexpr uint64_t kTwoOverPi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
    0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

// As many words of the width of x as the largest x needs.
static SmallVector<Expr> digitsFor(Expr x) {
  SmallVector<Expr> words;
  Expr zero = bits(x);
  if (!isF32(x)) {
    for (uint64_t word : kTwoOverPi)
      words.push_back(zero.like(int64_t(word)));
    return words;
  }
  words.push_back(zero.like(0));
  for (unsigned i = 0; i < 7; ++i) {
    uint64_t word = kTwoOverPi[1 + i / 2];
    words.push_back(zero.like(int64_t(int32_t(word >> (i % 2 ? 0 : 32)))));
  }
  return words;
}

// Words [offset, offset + 3 words) of a string of digits, to the bit.
static SmallVector<Expr> window(SmallVector<Expr> words, Expr offset) {
  int64_t width = offset.width();
  int64_t shift = width == 32 ? 5 : 6;
  for (int64_t stage = width == 32 ? 4 : 16; stage > 0; stage /= 2) {
    Expr moves = (offset & (stage << shift)) != 0;
    size_t needed = 3 + stage;
    for (size_t i = 0; i < needed && i < words.size(); ++i)
      if (i + stage < words.size())
        words[i] = select(moves, words[i + stage], words[i]);
    words.truncate(std::min(words.size(), needed));
  }
  Expr left = offset & (width - 1);
  Expr right = left ^ (width - 1);
  SmallVector<Expr> result;
  for (int i = 0; i < 3; ++i)
    result.push_back((words[i] << left) | ((words[i + 1] >> 1) >> right));
  return result;
}

/// The upper two words of the three-word product, modulo a whole turn.
struct Turn {
  Expr high, low;
};

// An f32 has few enough digits for products in i64.
static Turn multiplyWide(Expr m, ArrayRef<Expr> digits) {
  Expr wide = extendUnsigned(m, 64);
  auto product = [&](int i) { return wide * extendUnsigned(digits[i], 64); };
  Expr first = extendUnsigned(m * digits[0], 64) << 32;
  Expr sum = first + product(1) + (product(2) >> 32);
  return {truncate(sum >> 32, 32), truncate(sum, 32)};
}

static Turn multiplyWords(Expr m, ArrayRef<Expr> digits) {
  Expr carried = highProduct(m, digits[2]);
  Expr low = m * digits[1] + carried;
  Expr carry = extendUnsigned(lessUnsigned(low, carried), m.width());
  return {m * digits[0] + highProduct(m, digits[1]) + carry, low};
}

static constexpr Pair kHalfPiF32 = {0x1.921fb6p+0, -0x1.777a5cp-25};
static constexpr Pair kHalfPiF64 = {0x1.921fb54442d18p+0,
                                    0x1.1a62633145c07p-54};

/// An angle in radians and the rounding error of it.
struct Radians {
  Expr r, low;
};

// A fraction of a quarter turn, in units of 2^-62 or 2^-30 of the upper word.
// The errors of the conversion and the product are added.
static Radians radiansOf(Expr fraction, Expr low) {
  int width = fraction.width();
  double unit = std::ldexp(1.0, 2 - width);
  Pair halfPi = width == 32 ? kHalfPiF32 : kHalfPiF64;
  Expr nearest = toFloat(fraction);
  Expr lost = toFloat(fraction - toInteger(nearest));
  lost = fma(toFloat(low >> 1), std::ldexp(1.0, 1 - width), lost);
  ExactProduct r(nearest, nearest.like(halfPi.high * unit));
  Expr rest = fma(nearest, halfPi.low * unit, r.low);
  rest = fma(lost, halfPi.high * unit, rest);
  Expr sum = r.high + rest;
  return {sum, (r.high - sum) + rest};
}

static Angle reduceByDigits(Expr x) {
  int64_t mantissa = mantissaBits(x);
  int64_t implicit = int64_t(1) << mantissa;
  Expr pattern = bits(x);
  Expr m = (pattern & (implicit - 1)) | implicit;
  Expr exponent = (pattern >> mantissa) & (2 * exponentBias(x) + 1);
  // Two digits before the point of x / (pi/2) remain: the quadrant.
  int64_t distance = x.width() - 2 - exponentBias(x) - mantissa;
  auto digits = window(digitsFor(x), exponent + distance);
  bool isWide = isF32(x) && x.scope->options.hasWideTypes();
  Turn turn = isWide ? multiplyWide(m, digits) : multiplyWords(m, digits);
  int64_t quarter = turn.high.width() - 2;
  Expr quadrant = (turn.high + (int64_t(1) << (quarter - 1))) >> quarter;
  Expr fraction = turn.high - (quadrant << quarter);
  auto [r, low] = radiansOf(fraction, turn.low);
  Expr isNegative = pattern < 0;
  return {select(isNegative, 0 - quadrant, quadrant), select(isNegative, -r, r),
          select(isNegative, low, -low)};
}

static Angle reduceByParts(Expr x) {
  constexpr double kInverse = 0x1.45f306dc9c883p-1; // 2/pi
  Expr rounded = fma(x, kInverse, x.like(roundingShift(x)));
  Expr n = rounded - roundingShift(x);
  static constexpr double kPartsF32[] = {0x1.921fb4p+0, 0x1.4442dp-24,
                                         0x1.846988p-48};
  static constexpr double kPartsF64[] = {
      0x1.921fb54442d18p+0, 0x1.1a62633145c06p-54, 0x1.c1cd129024e08p-107};
  const double *parts = isF32(x) ? kPartsF32 : kPartsF64;
  Expr first = fma(n, -parts[0], x); // exact
  ExactProduct second(n, x.like(parts[1]));
  Expr difference = first - second.high;
  Expr excess = (second.high - (first - difference)) + second.low;
  return {bits(rounded), difference, fma(n, parts[2], excess)};
}

Angle reduceAngle(Expr x) {
  Angle small = reduceByParts(x);
  Angle large = reduceByDigits(x);
  Expr isLarge = abs(x) > (isF32(x) ? 0x1p16 : 0x1p28);
  large.r = select(abs(x) == kInfinity, kNan, large.r);
  return {selectRarely(isLarge, large.quadrant, small.quadrant),
          selectRarely(isLarge, large.r, small.r),
          selectRarely(isLarge, large.excess, small.excess)};
}

} // namespace nereid::codegen
