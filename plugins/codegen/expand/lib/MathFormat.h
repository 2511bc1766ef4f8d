// Constants of f32 and f64, and helpers shared by the expansions.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_EXPAND_MATHFORMAT_H
#define NEREID_CODEGEN_EXPAND_MATHFORMAT_H

#include "Expr.h"

#include <limits>

namespace nereid::codegen {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A number that one float cannot represent, as the sum of two.
struct Pair {
  double high, low;
};

constexpr Pair kLn2F32 = {0x1.62e43p-1, -0x1.05c61p-29};
constexpr Pair kLn2F64 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr double kLog2E = 0x1.71547652b82fep+0;

inline bool isF32(Expr x) { return x.width() == 32; }
inline int mantissaBits(Expr x) { return isF32(x) ? 23 : 52; }
inline int exponentBias(Expr x) { return isF32(x) ? 127 : 1023; }
/// Adding a number to this rounds it to an integer, in the low bits of the sum.
inline double roundingShift(Expr x) { return isF32(x) ? 0x1.8p23 : 0x1.8p52; }

/// x * y exactly, as a sum of two: the product and its rounding error.
struct ExactProduct {
  explicit ExactProduct(Expr x, Expr y)
      : high(x * y), low(productError(x, y, high)) {}
  Expr high, low;
};

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_EXPAND_MATHFORMAT_H
