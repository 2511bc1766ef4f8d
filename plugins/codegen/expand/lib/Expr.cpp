// Arithmetic on MLIR values in the notation of formulas.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Expr.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "nereid/ttir/Dialect.h"

using namespace mlir;

namespace nereid::codegen {

void Scope::moveTo(Operation *op) {
  builder.setInsertionPoint(op);
  loc = op->getLoc();
}

void Scope::refuse(const Twine &what) {
  refused = true;
  emitError(loc) << "needs " << what << ", which the target does not have";
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

// By half words if no integer type holds the whole product.
Expr highProduct(Expr x, Expr y) {
  unsigned width = x.width();
  if (width < 32 || (width == 32 && x.scope->options.hasI64)) {
    Expr product = extendUnsigned(x, 2 * width) * extendUnsigned(y, 2 * width);
    return truncate(product >> int64_t(width), width);
  }
  int64_t half = width / 2;
  int64_t low = (int64_t(1) << half) - 1;
  Expr xLow = x & low, xHigh = x >> half;
  Expr yLow = y & low, yHigh = y >> half;
  Expr cross = xHigh * yLow + ((xLow * yLow) >> half);
  Expr middle = xLow * yHigh + (cross & low);
  return xHigh * yHigh + (cross >> half) + (middle >> half);
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
Expr notLess(Expr x, double y) {
  return compare(x, x.like(y), arith::CmpFPredicate::UGE,
                 arith::CmpIPredicate::sge);
}

Expr select(Expr condition, Expr yes, Expr no) {
  return yes.make<arith::SelectOp>(yes.value.getType(), condition, yes, no);
}

Expr selectRarely(Expr condition, Expr yes, Expr no) {
  Expr result = select(condition, yes, no);
  if (Operation *op = result.value.getDefiningOp())
    op->setAttr(kRareAttribute, UnitAttr::get(op->getContext()));
  return result;
}

// Dekker's algorithm, with halves that are short enough for exact products. Of
// 53 (24) bits, the halves of x have 26 (12), the lower one being signed, and
// those of y 26 and 27 (12 and 12).
static Expr errorOfHalves(Expr x, Expr y, Expr product) {
  int dropped = x.width() == 64 ? 27 : 12;
  int64_t upper = ~((int64_t(1) << dropped) - 1);
  Expr xHigh = asFloat((bits(x) + (int64_t(1) << (dropped - 1))) & upper);
  Expr yHigh = asFloat(bits(y) & upper);
  Expr xLow = x - xHigh, yLow = y - yHigh;
  return xLow * yLow -
         (((product - xHigh * yHigh) - xLow * yHigh) - xHigh * yLow);
}

// The product as a sum of two, z added to both.
static Expr fmaOfHalves(Expr x, Expr y, Expr z) {
  Expr product = x * y;
  Expr error = errorOfHalves(x, y, product);
  Expr sum = product + z;
  Expr back = sum - product;
  Expr sumError = (product - (sum - back)) + (z - back);
  // Not where the result is 0, whose sign it might change, or with infinities.
  Expr correction = sumError + error;
  Expr size = abs(correction);
  Expr counts = (size > 0.0) & (size < std::numeric_limits<double>::infinity());
  return select(counts, sum + correction, sum);
}

static bool isByHalves(Expr x) {
  return x.width() == 64 || !x.scope->options.hasWideTypes();
}

Expr fma(Expr x, Expr y, Expr z) {
  if (x.scope->options.hasFma)
    return x.make<math::FmaOp>(x.value.getType(), x, y, z);
  if (isByHalves(x))
    return fmaOfHalves(x, y, z);
  FloatType f64 = x.scope->builder.getF64Type();
  Expr sum = extend(x, f64) * extend(y, f64) + extend(z, f64);
  return truncate(sum, x.scope->builder.getF32Type());
}

Expr multiplyAdd(Expr x, Expr y, Expr z) {
  return x.scope->options.hasFma ? fma(x, y, z) : x * y + z;
}

Expr productError(Expr x, Expr y, Expr product) {
  if (x.scope->options.hasFma || !isByHalves(x))
    return fma(x, y, -product);
  return errorOfHalves(x, y, product);
}

Expr sqrt(Expr x) { return x.make<math::SqrtOp>(x.value.getType(), x); }
Expr exp2(Expr x) { return x.make<math::Exp2Op>(x.value.getType(), x); }
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
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = multiplyAdd(sum, x, x.like(coefficient * scale));
  return sum;
}

} // namespace nereid::codegen
