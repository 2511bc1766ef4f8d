// Microscaled products: operands are decoded and scaled, then multiplied.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Values are scaled in f32, which represents every code exactly. The dot is in
// the type that the backend selects; bf16, or f16 where an operand is one, is
// the one in which Triton computes it on GPUs without microscaled products.

#include "Expr.h"
#include "Rewrites.h"
#include "SmallFloat.h"
#include "Structured.h"

#include "nereid/ttir/Dialect.h"

#include <limits>
#include <numeric>

using namespace mlir;

namespace nereid::codegen {

using tt::ScaleDotElemType;

namespace {
/// One operand of a microscaled product.
struct Operand {
  Value codes, scale;
  ScaleDotElemType format;
  int64_t packedAxis; // the two e2m1 codes of a byte are along this dimension
  bool isLeft;
};
} // namespace

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static Expr reshape(Expr x, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, x.elementType());
  return {x.scope, x.scope->builder.create<tt::ReshapeOp>(
                       x.scope->loc, type, x.value, false, false)};
}

static Expr transpose(Expr x, ArrayRef<int32_t> order) {
  return {x.scope,
          x.scope->builder.create<tt::TransOp>(x.scope->loc, x.value, order)};
}

/// The f32 of a sign and three bits in the low half of \p code, an i32.
static Expr decodeE2M1(Expr code) {
  Expr number = magnitudeToF32(code & 7, 1, 1);
  return asFloat(bits(number) | ((code & 8) << 28));
}

/// The values of both codes of every byte, next to each other along \p axis.
static Expr unpackE2M1(Expr bytes, int64_t axis) {
  SmallVector<int64_t> shape(shapeOf(bytes.value));
  Expr high = bytes >> 4;
  Expr pairs{bytes.scope, bytes.scope->builder.create<tt::JoinOp>(
                              bytes.scope->loc, bytes.value, high.value)};
  SmallVector<int32_t> order(shape.size() + 1);
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + axis + 1, order.end() - 1, order.end());
  shape[axis] *= 2;
  Expr codes = reshape(transpose(pairs, order), shape);
  return decodeE2M1(extendUnsigned(codes, 32));
}

/// Any float as f32.
static Expr toF32(Expr x) {
  return convertFloat(x, x.scope->builder.getF32Type());
}

/// 2^(code - 127), and NaN for the last code unless \p fastMath.
static Expr decodeE8M0(Expr code, bool fastMath) {
  Expr exponent = extendUnsigned(code, 32);
  Expr pattern = exponent << 23;
  pattern = select(exponent == 0, pattern.like(0x400000), pattern);
  Expr number = asFloat(pattern);
  if (fastMath)
    return number;
  return select(exponent == 255, std::numeric_limits<double>::quiet_NaN(),
                number);
}

/// The scales of \p operand, broadcast to the shape of its values. They are
/// stored as [.., rows, groups of K], for the right operand too.
static Expr spreadScale(Expr scale, const Operand &operand,
                        ArrayRef<int64_t> values) {
  SmallVector<int64_t> shape(shapeOf(scale.value));
  size_t rank = shape.size();
  int64_t depth = operand.isLeft ? values[rank - 1] : values[rank - 2];
  int64_t group = depth / shape.back();
  SmallVector<int64_t> groups(shape);
  groups.push_back(1);
  Expr each = reshape(scale, groups);
  groups.back() = group;
  Scope &scope = *scale.scope;
  each.value = scope.builder.create<tt::BroadcastOp>(
      scope.loc, RankedTensorType::get(groups, each.elementType()), each.value);
  shape.back() = depth;
  each = reshape(each, shape);
  if (operand.isLeft)
    return each;
  SmallVector<int32_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[rank - 2], order[rank - 1]);
  return transpose(each, order);
}

/// The values of \p operand as a plain matrix of \p type.
static Value decode(Scope &scope, const Operand &operand, FloatType type,
                    bool fastMath) {
  Expr codes{&scope, operand.codes};
  Expr values = codes;
  if (operand.format == ScaleDotElemType::E2M1)
    values = unpackE2M1(codes, operand.packedAxis);
  else if (!operand.scale)
    return convertFloat(codes, type).value;
  else
    values = toF32(codes);
  if (operand.scale) {
    Expr scale{&scope, operand.scale};
    Expr factors = scale.isFloat() ? toF32(scale) : decodeE8M0(scale, fastMath);
    values = values * spreadScale(factors, operand, shapeOf(values.value));
  }
  return convertFloat(values, type).value;
}

/// An fp8 format may be stored as i8.
static LogicalResult giveType(Scope &scope, tt::DotScaledOp op,
                              Operand &operand) {
  Builder &b = scope.builder;
  Type element = getElementTypeOrSelf(operand.codes);
  FloatType wanted;
  switch (operand.format) {
  case ScaleDotElemType::E2M1:
    if (element.isInteger(8))
      return success();
    break;
  case ScaleDotElemType::E4M3:
    wanted = b.getFloat8E4M3FNType();
    break;
  case ScaleDotElemType::E5M2:
    wanted = b.getFloat8E5M2Type();
    break;
  case ScaleDotElemType::BF16:
    wanted = b.getBF16Type();
    break;
  case ScaleDotElemType::FP16:
    wanted = b.getF16Type();
    break;
  case ScaleDotElemType::E2M3:
  case ScaleDotElemType::E3M2:
    break;
  }
  if (element == wanted)
    return success();
  if (wanted && wanted.getWidth() == 8 && element.isInteger(8)) {
    operand.codes = asFloat({&scope, operand.codes}, wanted).value;
    return success();
  }
  return op.emitOpError() << "multiplies "
                          << tt::stringifyScaleDotElemType(operand.format)
                          << " held in " << element
                          << ", which has no conversion";
}

namespace {
/// All values of an operand are multiples of 2^least, below 2^most, with so
/// many bits from the first to the last that is set.
struct ValueRange {
  int bits, least, most;
};
} // namespace

static ValueRange rangeOf(ScaleDotElemType format) {
  switch (format) {
  case ScaleDotElemType::E2M1:
    return {2, -1, 3};
  case ScaleDotElemType::E4M3:
    return {4, -9, 9};
  case ScaleDotElemType::E5M2:
    return {3, -16, 16};
  case ScaleDotElemType::FP16:
    return {11, -24, 16};
  case ScaleDotElemType::BF16:
    return {8, -133, 128};
  case ScaleDotElemType::E2M3:
  case ScaleDotElemType::E3M2:
    break;
  }
  llvm_unreachable("giveType() refuses this format");
}

/// Does \p type have all values of \p operand, scaled? In bf16 those that leave
/// the range of f32 become infinite, as in f32, and subnormal ones are rounded.
static bool hasAllValues(FloatType type, const Operand &operand) {
  ValueRange range = rangeOf(operand.format);
  if (operand.scale) {
    Type scale = getElementTypeOrSelf(operand.scale);
    if (isa<IntegerType>(scale)) // a power of two
      return type.isBF16() && range.bits <= 8;
    if (!isa<Float8E4M3FNType>(scale))
      return false;
    ValueRange factor = rangeOf(ScaleDotElemType::E4M3);
    range = {range.bits + factor.bits, range.least + factor.least,
             range.most + factor.most};
  }
  if (type.isBF16())
    return range.bits <= 8;
  return range.bits <= 11 && range.least >= -24 && range.most <= 16;
}

static FloatType productType(Scope &scope, tt::DotScaledOp op,
                             const Operand &left, const Operand &right) {
  Builder &b = scope.builder;
  bool hasF16 = left.format == ScaleDotElemType::FP16 ||
                right.format == ScaleDotElemType::FP16;
  switch (scope.options.scaledDotType) {
  case ScaledDotType::Narrow:
    return hasF16 ? FloatType(b.getF16Type()) : FloatType(b.getBF16Type());
  case ScaledDotType::F16:
    return b.getF16Type();
  case ScaledDotType::F32:
    break;
  }
  if (!scope.options.multiplies)
    return b.getF32Type();
  ArrayRef<int64_t> codes = shapeOf(left.codes);
  int64_t depth = codes.back();
  if (left.format == ScaleDotElemType::E2M1 &&
      left.packedAxis == int64_t(codes.size()) - 1)
    depth *= 2;
  for (FloatType type : {FloatType(b.getF16Type()), FloatType(b.getBF16Type())})
    if (hasAllValues(type, left) && hasAllValues(type, right) &&
        scope.options.multiplies(type, op.getType(), depth))
      return type;
  return b.getF32Type();
}

LogicalResult expandDotScaled(Scope &scope, tt::DotScaledOp op) {
  scope.moveTo(op);
  int64_t rank = op.getC().getType().getRank();
  Operand left{op.getA(), op.getAScale(), op.getAElemType(),
               op.getLhsKPack() ? rank - 1 : rank - 2, true};
  Operand right{op.getB(), op.getBScale(), op.getBElemType(),
                op.getRhsKPack() ? rank - 2 : rank - 1, false};
  if (failed(giveType(scope, op, left)) || failed(giveType(scope, op, right)))
    return failure();
  FloatType type = productType(scope, op, left, right);
  Value a = decode(scope, left, type, op.getFastMath());
  Value b = decode(scope, right, type, op.getFastMath());
  Value product = scope.builder.create<tt::DotOp>(
      op.getLoc(), op.getType(), a, b, op.getC(), tt::InputPrecision::IEEE, 0);
  op.getResult().replaceAllUsesWith(product);
  op.erase();
  return success();
}

} // namespace nereid::codegen
