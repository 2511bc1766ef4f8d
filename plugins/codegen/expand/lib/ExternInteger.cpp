// External functions of integers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Extern.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace nereid::codegen {

// A bit count fits 32 bits for any width.
static Expr asCount(Expr x) { return x.width() == 32 ? x : truncate(x, 32); }

Expr leadingZeros(Expr x) {
  return asCount(x.make<math::CountLeadingZerosOp>(x.value.getType(), x));
}

Expr populationCount(Expr x) {
  return asCount(x.make<math::CtPopOp>(x.value.getType(), x));
}

Expr firstSet(Expr x) {
  Expr zeros = x.make<math::CountTrailingZerosOp>(x.value.getType(), x);
  return asCount(select(x == 0, x, zeros + 1));
}

// Exchanges halves, then the halves of these, down to single bits.
Expr reverseBits(Expr x) {
  static constexpr int64_t kLowHalves[] = {
      0x00000000ffffffff, 0x0000ffff0000ffff, 0x00ff00ff00ff00ff,
      0x0f0f0f0f0f0f0f0f, 0x3333333333333333, 0x5555555555555555};
  int64_t distance = 32;
  for (int64_t mask : kLowHalves) {
    if (distance < x.width())
      x = ((x >> distance) & mask) | ((x & mask) << distance);
    distance /= 2;
  }
  return x;
}

Expr permuteBytes(Expr x, Expr y, Expr selector) {
  Expr result = x.like(0);
  for (int64_t digit = 0; digit < 4; ++digit) {
    Expr choice = selector >> (4 * digit);
    Expr word = select((choice & 4) == 0, x, y);
    Expr byte = word >> ((choice & 3) << 3);
    Expr sign = shiftSigned(byte << 24, byte.like(31));
    byte = select((choice & 8) == 0, byte, sign) & 0xff;
    result = result | (byte << (8 * digit));
  }
  return result;
}

Expr highUnsigned(Expr x, Expr y) { return highProduct(x, y); }

Expr highSigned(Expr x, Expr y) {
  int64_t sign = x.width() - 1;
  Expr ofX = y & shiftSigned(x, x.like(sign));
  Expr ofY = x & shiftSigned(y, y.like(sign));
  return highProduct(x, y) - ofX - ofY;
}

Expr product24Signed(Expr x, Expr y) {
  auto lower24 = [](Expr v) { return shiftSigned(v << 8, v.like(8)); };
  return lower24(x) * lower24(y);
}

Expr product24Unsigned(Expr x, Expr y) {
  return (x & 0xffffff) * (y & 0xffffff);
}

Expr addDistanceSigned(Expr x, Expr y, Expr z) {
  return select(x < y, y - x, x - y) + z;
}

Expr addDistanceUnsigned(Expr x, Expr y, Expr z) {
  return select(lessUnsigned(x, y), y - x, x - y) + z;
}

Expr averageDownSigned(Expr x, Expr y) {
  return (x & y) + shiftSigned(x ^ y, x.like(1));
}

Expr averageDownUnsigned(Expr x, Expr y) { return (x & y) + ((x ^ y) >> 1); }

Expr averageUpSigned(Expr x, Expr y) {
  return (x | y) - shiftSigned(x ^ y, x.like(1));
}

Expr averageUpUnsigned(Expr x, Expr y) { return (x | y) - ((x ^ y) >> 1); }

Expr absolute(Expr x) { return select(x < 0, -x, x); }

} // namespace nereid::codegen
