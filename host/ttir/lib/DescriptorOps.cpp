// DescriptorOps.cpp: checks of tensor descriptor operations.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "OpSupport.h"
#include "mlir/IR/Builders.h"
#include "nereid/ttir/Dialect.h"

using namespace mlir;
using namespace nereid::tt;

/// \p tensor is the block, or the block without leading dimensions of size 1.
static bool isBlockOf(TensorDescType desc, RankedTensorType tensor) {
  RankedTensorType block = desc.getSignlessBlockType();
  if (tensor.getElementType() != block.getElementType() ||
      tensor.getRank() > block.getRank())
    return false;
  int64_t dropped = block.getRank() - tensor.getRank();
  return tensor.getShape() == block.getShape().drop_front(dropped) &&
         llvm::all_of(block.getShape().take_front(dropped),
                      [](int64_t size) { return size == 1; });
}

static LogicalResult verifyBlockAccess(Operation *op, TensorDescType desc,
                                       RankedTensorType tensor,
                                       size_t indices) {
  if (!isBlockOf(desc, tensor))
    return op->emitOpError("moves ")
           << tensor << ", but the block is " << desc.getSignlessBlockType();
  if (indices != desc.getShape().size())
    return op->emitOpError("needs ")
           << desc.getShape().size() << " indices, found " << indices;
  return success();
}

LogicalResult MakeTensorDescOp::verify() {
  size_t rank = getType().getShape().size();
  if (getNumOperands() != 1 + 2 * rank)
    return emitOpError("needs ")
           << rank << " sizes and strides each for a block of rank " << rank
           << ", found " << getNumOperands() - 1 << " values";
  Type element = getType().getSignlessBlockType().getElementType();
  if (getBase().getType().getPointeeType() != element)
    return emitOpError("needs a base that points to ")
           << element << ", found " << getBase().getType();
  if (getPadding() == PaddingOption::PAD_NAN && !isa<FloatType>(element))
    return emitOpError("pads with NaN, but its elements are ") << element;
  return success();
}

LogicalResult DescriptorLoadOp::verify() {
  if (failed(verifyHints(*this)))
    return failure();
  return verifyBlockAccess(*this, getDesc().getType(), getType(),
                           getIndices().size());
}

LogicalResult DescriptorStoreOp::verify() {
  return verifyBlockAccess(*this, getDesc().getType(), getSrc().getType(),
                           getIndices().size());
}

LogicalResult DescriptorReduceOp::verify() {
  return verifyBlockAccess(*this, getDesc().getType(), getSrc().getType(),
                           getIndices().size());
}

/// Rows of the tensor behind \p desc, one for each of \p rows.
static LogicalResult verifyRows(Operation *op, TensorDescType desc,
                                RankedTensorType rows,
                                RankedTensorType tensor) {
  ArrayRef<int64_t> block = desc.getShape();
  if (block.size() != 2 || block[0] != 1)
    return op->emitOpError("needs a descriptor whose block is one row, found ")
           << desc;
  if (rows.getRank() != 1)
    return op->emitOpError("needs row numbers of rank 1, found ") << rows;
  auto wanted =
      RankedTensorType::get({rows.getDimSize(0), block[1]},
                            desc.getSignlessBlockType().getElementType());
  if (tensor != wanted)
    return op->emitOpError("moves ") << tensor << ", expected " << wanted;

  int64_t bits = getElementBitWidth(tensor);
  if (bits > 32)
    return op->emitOpError("needs elements of at most 32 bits, found ")
           << tensor.getElementType();
  if (rows.getDimSize(0) < 8)
    return op->emitOpError("needs at least 8 rows, found ")
           << rows.getDimSize(0);
  if (block[1] * bits < 256)
    return op->emitOpError("needs rows of at least ")
           << 256 / bits << " elements, found " << block[1];
  return success();
}

LogicalResult DescriptorGatherOp::verify() {
  return verifyRows(*this, getDesc().getType(),
                    cast<RankedTensorType>(getXOffsets().getType()), getType());
}

LogicalResult DescriptorScatterOp::verify() {
  return verifyRows(*this, getDesc().getType(),
                    cast<RankedTensorType>(getXOffsets().getType()),
                    getSrc().getType());
}
