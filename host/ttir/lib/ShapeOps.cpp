// ShapeOps.cpp: result types and checks of operations that move elements.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "OpSupport.h"
#include "mlir/IR/Builders.h"
#include "nereid/ttir/Dialect.h"

using namespace mlir;
using namespace nereid::tt;

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Ranges, splat
//===----------------------------------------------------------------------===//

LogicalResult MakeRangeOp::verify() {
  int64_t start = getStartAttr().getInt();
  int64_t end = getEndAttr().getInt();
  if (start >= end)
    return emitOpError("starts at ")
           << start << ", which is not below its end " << end;
  auto type = tensorType(getResult());
  if (type.getRank() != 1)
    return emitOpError("needs a result of rank 1, found ") << type;
  if (!type.getElementType().isInteger(32))
    return emitOpError("needs i32 elements, found ") << type;
  if (type.getNumElements() != end - start)
    return emitOpError("counts ") << end - start << " values for a result of "
                                  << type.getNumElements() << " elements";
  return success();
}

LogicalResult UnsplatOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location>,
                                          ValueRange operands, DictionaryAttr,
                                          OpaqueProperties, RegionRange,
                                          SmallVectorImpl<Type> &types) {
  if (operands.empty())
    return failure();
  types.push_back(getElementTypeOrSelf(operands.front().getType()));
  return success();
}

LogicalResult UnsplatOp::verify() {
  if (tensorType(getSrc()).getNumElements() == 1)
    return success();
  return emitOpError("needs a tensor of one element, found ")
         << getSrc().getType();
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

LogicalResult ExpandDimsOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  auto type = tensorType(adaptor.getSrc());
  int64_t axis = adaptor.getAxisAttr().getInt();
  if (axis < 0 || axis > type.getRank())
    return emitOptionalError(loc, "'tt.expand_dims' op axis ", axis,
                             " is outside 0 to ", type.getRank());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + axis, 1);
  types.push_back(type.clone(shape));
  return success();
}

LogicalResult BroadcastOp::verify() {
  auto src = tensorType(getSrc());
  auto dst = tensorType(getResult());
  if (src.getRank() != dst.getRank())
    return emitOpError("needs equal ranks, found ") << src << " and " << dst;
  for (auto [dim, sizes] :
       llvm::enumerate(llvm::zip(src.getShape(), dst.getShape()))) {
    auto [from, to] = sizes;
    if (from != to && from != 1)
      return emitOpError("cannot repeat dimension ")
             << dim << " of size " << from << " to size " << to;
  }
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto src = tensorType(getSrc());
  auto dst = tensorType(getResult());
  if (src.getNumElements() == dst.getNumElements())
    return success();
  return emitOpError("needs as many elements in as out, found ")
         << src << " and " << dst;
}

LogicalResult TransOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto type = tensorType(adaptor.getSrc());
  SmallVector<int64_t> shape;
  for (int32_t dim : adaptor.getOrder()) {
    if (dim < 0 || dim >= type.getRank())
      return emitOptionalError(loc, "'tt.trans' op order names dimension ", dim,
                               " of a tensor of rank ", type.getRank());
    shape.push_back(type.getDimSize(dim));
  }
  types.push_back(type.clone(shape));
  return success();
}

LogicalResult TransOp::verify() {
  return verifyPermutation(*this, getOrder(), tensorType(getSrc()).getRank());
}

//===----------------------------------------------------------------------===//
// Several tensors
//===----------------------------------------------------------------------===//

LogicalResult CatOp::verify() {
  auto lhs = tensorType(getLhs());
  auto dst = tensorType(getResult());
  if (lhs.getRank() != dst.getRank() ||
      2 * lhs.getNumElements() != dst.getNumElements())
    return emitOpError("needs a result of the operands' rank and of ")
           << 2 * lhs.getNumElements() << " elements, found " << dst;
  return success();
}

LogicalResult JoinOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto type = tensorType(adaptor.getLhs());
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(2);
  types.push_back(type.clone(shape));
  return success();
}

LogicalResult SplitOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto type = tensorType(adaptor.getSrc());
  if (type.getRank() == 0 || type.getShape().back() != 2)
    return emitOptionalError(
        loc, "'tt.split' op needs a last dimension of size 2, found ", type);
  types.assign(2, type.clone(type.getShape().drop_back()));
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  types.push_back(tensorType(adaptor.getIndices())
                      .clone(tensorType(adaptor.getSrc()).getElementType()));
  return success();
}

LogicalResult GatherOp::verify() {
  auto src = tensorType(getSrc());
  auto indices = tensorType(getIndices());
  int64_t axis = getAxisAttr().getInt();
  if (src.getRank() != indices.getRank())
    return emitOpError("needs indices of the rank of src, found ")
           << indices << " for " << src;
  if (axis < 0 || axis >= src.getRank())
    return emitOpError("axis ") << axis << " is not a dimension of " << src;
  for (int64_t dim = 0; dim < src.getRank(); ++dim)
    if (dim != axis && src.getDimSize(dim) != indices.getDimSize(dim))
      return emitOpError("needs indices of the size of src in dimension ")
             << dim << ", found " << indices << " for " << src;
  return success();
}

LogicalResult HistogramOp::verify() {
  if (tensorType(getSrc()).getRank() == 1 &&
      tensorType(getResult()).getRank() == 1)
    return success();
  return emitOpError("needs tensors of rank 1, found ")
         << getSrc().getType() << " and " << getType();
}
