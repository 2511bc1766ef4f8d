// BlockAccess.cpp: addresses and masks of a block of a tensor in memory.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "BlockAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "nereid/ttir/Dialect.h"

using namespace mlir;
using namespace nereid::tt;

Value nereid::tt::toI64(OpBuilder &builder, Location loc, Value value) {
  Type wide = getTypeWithElement(value.getType(), builder.getI64Type());
  if (value.getType() == wide)
    return value;
  return builder.create<arith::ExtSIOp>(loc, wide, value);
}

void BlockAccess::setOffset(int64_t dim, Value offset) {
  int64_t size = block.getDimSize(dim);
  auto narrow = RankedTensorType::get({size}, builder.getI32Type());
  auto wide = RankedTensorType::get({size}, builder.getI64Type());
  Value range = builder.create<MakeRangeOp>(loc, narrow, 0, size);
  Value start = builder.create<SplatOp>(loc, wide, offset);
  setNumbers(dim, builder.create<arith::AddIOp>(loc, start,
                                                toI64(builder, loc, range)));
}

void BlockAccess::setNumbers(int64_t dim, Value numbers) {
  Value index = toI64(builder, loc, numbers);
  for (int64_t axis = 0; axis < block.getRank(); ++axis)
    if (axis != dim)
      index = builder.create<ExpandDimsOp>(loc, index, axis);
  indices[dim] = index;
}

Value BlockAccess::toFullShape(Value value) {
  Type full = block.clone(getElementTypeOrSelf(value.getType()));
  if (value.getType() == full)
    return value;
  return builder.create<BroadcastOp>(loc, full, value);
}

Value BlockAccess::pointers(Value base, ValueRange strides) {
  Value result =
      builder.create<SplatOp>(loc, block.clone(base.getType()), base);
  for (auto [index, stride] : llvm::zip(indices, strides)) {
    Value step = builder.create<SplatOp>(loc, index.getType(), stride);
    Value offset = builder.create<arith::MulIOp>(loc, index, step);
    result = builder.create<AddPtrOp>(loc, result.getType(), result,
                                      toFullShape(offset));
  }
  return result;
}

Value BlockAccess::mask(ValueRange sizes, ArrayRef<int32_t> dims) {
  Value result;
  for (int32_t dim : dims) {
    Value index = indices[dim];
    Value zero = builder.create<arith::ConstantOp>(
        loc, cast<TypedAttr>(builder.getZeroAttr(index.getType())));
    Value size = builder.create<SplatOp>(loc, index.getType(), sizes[dim]);
    Value notBelow = builder.create<arith::CmpIOp>(
        loc, arith::CmpIPredicate::sge, index, zero);
    Value notAbove = builder.create<arith::CmpIOp>(
        loc, arith::CmpIPredicate::slt, index, size);
    Value inside =
        toFullShape(builder.create<arith::AndIOp>(loc, notBelow, notAbove));
    result =
        result ? builder.create<arith::AndIOp>(loc, result, inside) : inside;
  }
  return result;
}
