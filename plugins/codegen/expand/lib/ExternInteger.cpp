// External functions of integers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Extern.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace nereid::codegen {

// A count fits 32 bits, whatever it counts.
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

// Halves change places, then the halves of these, down to single bits.
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
  Expr bytes = (extendUnsigned(y, 64) << 32) | extendUnsigned(x, 64);
  Expr result = x.like(0);
  for (int64_t digit = 0; digit < 4; ++digit) {
    Expr choice = selector >> (4 * digit);
    Expr place = extendUnsigned((choice & 7) << 3, 64);
    Expr byte = truncate(bytes >> place, 32);
    Expr sign = shiftSigned(byte << 24, byte.like(31));
    byte = select((choice & 8) == 0, byte, sign) & 0xff;
    result = result | (byte << (8 * digit));
  }
  return result;
}

Expr highUnsigned(Expr x, Expr y) {
  if (x.width() == 64)
    return highProduct(x, y);
  Expr product = extendUnsigned(x, 64) * extendUnsigned(y, 64);
  return truncate(product >> 32, 32);
}

Expr highSigned(Expr x, Expr y) {
  if (x.width() == 64) {
    Expr high = highProduct(x, y);
    Expr ofX = y & shiftSigned(x, x.like(63));
    Expr ofY = x & shiftSigned(y, y.like(63));
    return high - ofX - ofY;
  }
  Expr product = extendSigned(x, 64) * extendSigned(y, 64);
  return truncate(product >> 32, 32);
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
