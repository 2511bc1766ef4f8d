// Arithmetic on MLIR values in the notation of formulas.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Expr.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace nereid::codegen {

void Scope::moveTo(Operation *op) {
  builder.setInsertionPoint(op);
  loc = op->getLoc();
}

Value Scope::constant(Type type, TypedAttr element) {
  TypedAttr attribute = element;
  if (auto shaped = dyn_cast<ShapedType>(type))
    attribute = DenseElementsAttr::get(shaped, Attribute(element));
  Block *block = builder.getInsertionBlock();
  Value &value = constants[{block, attribute}];
  if (!value) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(block);
    value = builder.create<arith::ConstantOp>(loc, attribute);
  }
  return value;
}

Type Expr::shapedAs(Type type) const {
  if (auto shaped = dyn_cast<ShapedType>(value.getType()))
    return shaped.clone(type);
  return type;
}

Expr Expr::like(double number) const {
  auto attribute = scope->builder.getFloatAttr(elementType(), number);
  return {scope, scope->constant(value.getType(), attribute)};
}

Expr Expr::like(int64_t number) const {
  if (isFloat())
    return like(double(number));
  auto attribute = scope->builder.getIntegerAttr(
      elementType(), APInt(width(), number, /*isSigned=*/true));
  return {scope, scope->constant(value.getType(), attribute)};
}

template <typename FloatOp, typename IntegerOp>
static Expr arithmetic(Expr x, Expr y) {
  if (x.isFloat())
    return x.make<FloatOp>(x.value.getType(), x, y);
  return x.make<IntegerOp>(x.value.getType(), x, y);
}

Expr operator+(Expr x, Expr y) {
  return arithmetic<arith::AddFOp, arith::AddIOp>(x, y);
}
Expr operator-(Expr x, Expr y) {
  return arithmetic<arith::SubFOp, arith::SubIOp>(x, y);
}
Expr operator*(Expr x, Expr y) {
  return arithmetic<arith::MulFOp, arith::MulIOp>(x, y);
}
Expr operator/(Expr x, Expr y) {
  return x.make<arith::DivFOp>(x.value.getType(), x, y);
}
Expr operator-(Expr x) {
  if (!x.isFloat())
    return 0 - x;
  return x.make<arith::NegFOp>(x.value.getType(), x);
}
Expr operator&(Expr x, Expr y) {
  return x.make<arith::AndIOp>(x.value.getType(), x, y);
}
Expr operator|(Expr x, Expr y) {
  return x.make<arith::OrIOp>(x.value.getType(), x, y);
}
Expr operator^(Expr x, Expr y) {
  return x.make<arith::XOrIOp>(x.value.getType(), x, y);
}
Expr operator<<(Expr x, Expr y) {
  return x.make<arith::ShLIOp>(x.value.getType(), x, y);
}
Expr operator>>(Expr x, Expr y) {
  return x.make<arith::ShRUIOp>(x.value.getType(), x, y);
}
Expr shiftSigned(Expr x, Expr y) {
  return x.make<arith::ShRSIOp>(x.value.getType(), x, y);
}

// By half words: vectors have no wider product.
Expr highProduct(Expr x, Expr y) {
  constexpr int64_t kLow = 0xffffffff;
  Expr xLow = x & kLow, xHigh = x >> 32;
  Expr yLow = y & kLow, yHigh = y >> 32;
  Expr cross = xHigh * yLow + ((xLow * yLow) >> 32);
  Expr middle = xLow * yHigh + (cross & kLow);
  return xHigh * yHigh + (cross >> 32) + (middle >> 32);
}

static Expr compare(Expr x, Expr y, arith::CmpFPredicate floats,
                    arith::CmpIPredicate integers) {
  OpBuilder &b = x.scope->builder;
  if (x.isFloat())
    return {x.scope,
            b.create<arith::CmpFOp>(x.scope->loc, floats, x.value, y.value)};
  return {x.scope,
          b.create<arith::CmpIOp>(x.scope->loc, integers, x.value, y.value)};
}

Expr operator<(Expr x, Expr y) {
  return compare(x, y, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt);
}
Expr operator<=(Expr x, Expr y) {
  return compare(x, y, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle);
}
Expr operator>(Expr x, Expr y) {
  return compare(x, y, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt);
}
Expr operator>=(Expr x, Expr y) {
  return compare(x, y, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge);
}
Expr operator==(Expr x, Expr y) {
  return compare(x, y, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
}
Expr operator!=(Expr x, Expr y) {
  return compare(x, y, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne);
}
Expr lessUnsigned(Expr x, Expr y) {
  return compare(x, y, arith::CmpFPredicate::OLT, arith::CmpIPredicate::ult);
}
Expr isNan(Expr x) {
  return compare(x, x, arith::CmpFPredicate::UNO, arith::CmpIPredicate::ne);
}

Expr select(Expr condition, Expr yes, Expr no) {
  return yes.make<arith::SelectOp>(yes.value.getType(), condition, yes, no);
}

// x * y as a sum of two (Dekker), z added to both. Of 53 digits, the halves of x
// have 26, its lower one being signed, and those of y 26 and 27.
static Expr fmaOfHalves(Expr x, Expr y, Expr z) {
  constexpr int64_t kUpper = ~((int64_t(1) << 27) - 1);
  Expr product = x * y;
  Expr xHigh = asFloat((bits(x) + (int64_t(1) << 26)) & kUpper);
  Expr yHigh = asFloat(bits(y) & kUpper);
  Expr xLow = x - xHigh, yLow = y - yHigh;
  Expr error =
      xLow * yLow - (((product - xHigh * yHigh) - xLow * yHigh) - xHigh * yLow);
  Expr sum = product + z;
  Expr back = sum - product;
  Expr sumError = (product - (sum - back)) + (z - back);
  // Not where it is 0, whose sign it might change, or where infinities met.
  Expr correction = sumError + error;
  Expr size = abs(correction);
  Expr counts = (size > 0.0) & (size < std::numeric_limits<double>::infinity());
  return select(counts, sum + correction, sum);
}

Expr fma(Expr x, Expr y, Expr z) {
  if (x.scope->options.hasFma)
    return x.make<math::FmaOp>(x.value.getType(), x, y, z);
  if (x.width() == 64)
    return fmaOfHalves(x, y, z);
  FloatType f64 = x.scope->builder.getF64Type();
  Expr sum = extend(x, f64) * extend(y, f64) + extend(z, f64);
  return truncate(sum, x.scope->builder.getF32Type());
}

Expr sqrt(Expr x) { return x.make<math::SqrtOp>(x.value.getType(), x); }
Expr abs(Expr x) { return x.make<math::AbsFOp>(x.value.getType(), x); }
Expr roundEven(Expr x) {
  return x.make<math::RoundEvenOp>(x.value.getType(), x);
}
Expr copySign(Expr magnitude, Expr sign) {
  return magnitude.make<math::CopySignOp>(magnitude.value.getType(), magnitude,
                                          sign);
}

Expr bits(Expr x) {
  Type type = x.scope->builder.getIntegerType(x.width());
  return x.make<arith::BitcastOp>(x.shapedAs(type), x);
}
Expr asFloat(Expr x, FloatType type) {
  return x.make<arith::BitcastOp>(x.shapedAs(type), x);
}
Expr asFloat(Expr x) {
  Builder &b = x.scope->builder;
  return asFloat(x, x.width() == 32 ? b.getF32Type() : b.getF64Type());
}

Expr extendSigned(Expr x, unsigned width) {
  Type type = x.scope->builder.getIntegerType(width);
  return x.make<arith::ExtSIOp>(x.shapedAs(type), x);
}
Expr extendUnsigned(Expr x, unsigned width) {
  Type type = x.scope->builder.getIntegerType(width);
  return x.make<arith::ExtUIOp>(x.shapedAs(type), x);
}
Expr truncate(Expr x, unsigned width) {
  Type type = x.scope->builder.getIntegerType(width);
  return x.make<arith::TruncIOp>(x.shapedAs(type), x);
}
Expr extend(Expr x, FloatType type) {
  return x.make<arith::ExtFOp>(x.shapedAs(type), x);
}
Expr truncate(Expr x, FloatType type) {
  return x.make<arith::TruncFOp>(x.shapedAs(type), x);
}
Expr toFloat(Expr x) {
  Builder &b = x.scope->builder;
  Type type = x.width() == 32 ? Type(b.getF32Type()) : Type(b.getF64Type());
  return x.make<arith::SIToFPOp>(x.shapedAs(type), x);
}
Expr toInteger(Expr x) {
  Type type = x.scope->builder.getIntegerType(x.width());
  return x.make<arith::FPToSIOp>(x.shapedAs(type), x);
}

Expr horner(Expr x, ArrayRef<double> coefficients, double scale) {
  Expr sum = x.like(coefficients.back() * scale);
  bool hasFma = x.scope->options.hasFma;
  for (double coefficient : llvm::reverse(coefficients.drop_back())) {
    Expr next = x.like(coefficient * scale);
    sum = hasFma ? fma(sum, x, next) : sum * x + next;
  }
  return sum;
}

} // namespace nereid::codegen
