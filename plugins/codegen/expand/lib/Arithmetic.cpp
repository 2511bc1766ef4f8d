// Operations that are expanded to simpler ones.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Math.h"
#include "Rewrites.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "nereid/ttir/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace nereid::codegen {

// min(max(x, low), high). Unless NaN must be preserved, it becomes the lower
// bound, since its comparisons are false.
static Expr clamp(Expr x, Expr low, Expr high, bool keepsNan) {
  if (keepsNan) {
    Expr atLeast = select(x < low, low, x);
    return select(atLeast > high, high, atLeast);
  }
  Expr atLeast = select(x > low, x, low);
  return select(atLeast < high, atLeast, high);
}

// rest - quotient * divisor. An expanded fma must not be used on products near
// the largest number.
static Expr restOf(Expr rest, Expr quotient, Expr divisor) {
  const ExpandOptions &options = rest.scope->options;
  bool isF32 = rest.width() == 32;
  if (options.hasFma || (isF32 && options.hasWideTypes()))
    return fma(-quotient, divisor, rest);
  Expr isHuge = rest > (isF32 ? 0x1p120 : 0x1p1000);
  Expr less = select(isHuge, rest.like(0.25), rest.like(1.0));
  Expr more = select(isHuge, rest.like(4.0), rest.like(1.0));
  return fma(-quotient, divisor * less, rest * less) * more;
}

// x - trunc(x / y) * y without rounding, by long division: a digit has as many
// bits as a quotient can have with an error of at most one, which the sign of
// the exact remainder corrects.
Expr expandRemainder(Expr dividend, Expr divisor) {
  bool isF32 = dividend.width() == 32;
  const int digit = isF32 ? 22 : 51;
  const int exponentRange = isF32 ? 277 : 2098;
  Expr rest = abs(dividend);
  Expr y = abs(divisor);
  for (int shift = (exponentRange / digit) * digit; shift >= 0;
       shift -= digit) {
    // In two factors: 2^shift alone may overflow.
    Expr scaled = y;
    for (int left = shift; left > 0; left -= 120)
      scaled = scaled * std::ldexp(1.0, std::min(left, 120));
    Expr quotient = rest / scaled;
    quotient = quotient.make<math::TruncOp>(quotient.value.getType(), quotient);
    Expr next = restOf(rest, quotient, scaled);
    next = select(next < 0.0, next + scaled, next);
    next = select(next >= scaled, next - scaled, next);
    rest = select(rest < scaled, rest, next);
  }
  // A divisor of 0 or an infinite dividend yields NaN; with an infinite divisor
  // the loop changes nothing.
  return copySign(rest, dividend);
}

/// Whether division and square root of numbers like x round correctly.
static bool isExact(Expr x) {
  return x.scope->options.hasExactDivision || !x.elementType().isF32();
}

std::optional<Expr> expandArithmetic(Scope &scope, Operation *op) {
  auto operand = [&](unsigned i) { return Expr{&scope, op->getOperand(i)}; };
  using Result = std::optional<Expr>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](tt::MulhiUIOp) -> Result {
        return highProduct(operand(0), operand(1));
      })
      .Case([&](tt::ClampFOp clampOp) -> Result {
        bool keepsNan = clampOp.getPropagateNan() == tt::PropagateNan::ALL;
        return clamp(operand(0), operand(1), operand(2), keepsNan);
      })
      .Case([&](tt::PreciseSqrtOp) -> Result {
        return isExact(operand(0)) ? sqrt(operand(0)) : sqrtRounded(operand(0));
      })
      .Case([&](tt::PreciseDivFOp) -> Result {
        return isExact(operand(0)) ? operand(0) / operand(1)
                                   : divideRounded(operand(0), operand(1));
      })
      .Case([&](tt::ApproxDivFOp) -> Result { return operand(0) / operand(1); })
      .Case([&](arith::RemFOp) -> Result {
        return expandRemainder(operand(0), operand(1));
      })
      .Default([](Operation *) { return Result(); });
}

} // namespace nereid::codegen
