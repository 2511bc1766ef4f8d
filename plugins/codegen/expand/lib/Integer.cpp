// Divisions that round otherwise than towards zero, or are written as products
// of floats, and powers of integers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Rewrites.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::codegen {

static Expr quotient(Expr x, Expr y) {
  return x.make<arith::DivSIOp>(x.value.getType(), x, y);
}

/// The signed quotient that is not above the exact one, or not below it.
static Expr divideRounded(Expr x, Expr y, bool up) {
  Expr towardsZero = quotient(x, y);
  Expr rest = x - towardsZero * y;
  Expr sameSign = (rest ^ y) >= 0;
  Expr isOff = (rest != 0) & (up ? sameSign : sameSign ^ 1);
  return select(isOff, up ? towardsZero + 1 : towardsZero - 1, towardsZero);
}

static Expr divideUnsignedUp(Expr x, Expr y) {
  Expr less = x - 1;
  Expr below = less.make<arith::DivUIOp>(less.value.getType(), less, y);
  return select(x == 0, x, below + 1);
}

/// x to the power of the bits of \p exponent, by squaring.
static Expr power(Expr x, Expr exponent) {
  Expr result = x.like(1);
  for (unsigned bit = 0; bit < exponent.width(); ++bit) {
    Expr isSet = ((exponent >> int64_t(bit)) & 1) != 0;
    result = select(isSet, result * x, result);
    x = x * x;
  }
  return result;
}

/// Of the powers with a negative exponent only those of 1 and -1 are integers.
static Expr integerPower(Expr x, Expr exponent) {
  Expr sign = select((exponent & 1) == 0, x.like(1), x);
  Expr isUnit = (x == 1) | (x == -1);
  Expr inverse = select(isUnit, sign, x.like(0));
  return select(exponent < 0, inverse, power(x, exponent));
}

static Expr floatPower(Expr x, Expr exponent) {
  Expr isNegative = exponent < 0;
  Expr magnitude = power(x, select(isNegative, -exponent, exponent));
  return select(isNegative, magnitude.like(1.0) / magnitude, magnitude);
}

/// Is the magnitude of `x` known to be at most `most`?
static bool isAtMost(Value x, uint64_t most) {
  APInt divisor;
  Operation *op = x.getDefiningOp();
  return isa_and_nonnull<arith::RemSIOp, arith::RemUIOp>(op) &&
         matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
         divisor.isStrictlyPositive() && divisor.ule(most);
}

/// Compilers scale indices as floats, even by a half: `int(float(i % n) *
/// 0.5)`, where no step rounds, is a division.
static std::optional<Expr> scaledIndex(Scope &scope, arith::FPToSIOp op) {
  auto product = op.getIn().getDefiningOp<arith::MulFOp>();
  if (!product)
    return std::nullopt;
  auto index = product.getLhs().getDefiningOp<arith::SIToFPOp>();
  APFloat factor(0.0);
  if (!index || index.getIn().getType() != op.getType() ||
      !matchPattern(product.getRhs(), m_ConstantFloat(&factor)))
    return std::nullopt;
  int digits = APFloat::semanticsPrecision(factor.getSemantics());
  int power = factor.isNegative() ? 0 : factor.getExactLog2(); // INT_MIN: none
  if (power >= 0 || power <= -digits ||
      !isAtMost(index.getIn(), uint64_t(1) << digits))
    return std::nullopt;
  Expr x{&scope, index.getIn()};
  return quotient(x, x.like(int64_t(1) << -power));
}

std::optional<Expr> expandInteger(Scope &scope, Operation *op) {
  auto operand = [&](unsigned i) { return Expr{&scope, op->getOperand(i)}; };
  using Result = std::optional<Expr>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::CeilDivSIOp) -> Result {
        return divideRounded(operand(0), operand(1), true);
      })
      .Case([&](arith::FloorDivSIOp) -> Result {
        return divideRounded(operand(0), operand(1), false);
      })
      .Case([&](arith::CeilDivUIOp) -> Result {
        return divideUnsignedUp(operand(0), operand(1));
      })
      .Case([&](math::IPowIOp) -> Result {
        return integerPower(operand(0), operand(1));
      })
      .Case([&](math::FPowIOp) -> Result {
        return floatPower(operand(0), operand(1));
      })
      .Case(
          [&](arith::FPToSIOp convert) { return scaledIndex(scope, convert); })
      .Default([](Operation *) { return Result(); });
}

} // namespace nereid::codegen
