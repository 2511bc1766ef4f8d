// ReductionOps.cpp: reductions and scans.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "mlir/IR/Builders.h"
#include "nereid/ttir/Dialect.h"

using namespace mlir;
using namespace nereid::tt;

/// \p axis must be a dimension of every tensor of \p types, and there is one.
static LogicalResult verifyAxis(std::optional<Location> loc, StringRef name,
                                TypeRange types, int64_t axis) {
  if (types.empty())
    return emitOptionalError(loc, "'", name, "' op needs at least one operand");
  for (Type type : types) {
    int64_t rank = cast<RankedTensorType>(type).getRank();
    if (axis < 0 || axis >= rank)
      return emitOptionalError(loc, "'", name, "' op axis ", axis,
                               " is not a dimension of ", type);
  }
  return success();
}

/// The region takes an accumulated and a current element of each operand and
/// gives one combined element of each, through a \p ReturnOp.
template <typename ReturnOp, typename OpTy>
static LogicalResult verifyCombine(OpTy op) {
  Block &block = op.getCombineOp().front();
  SmallVector<Type> elements = op.getElementTypes();
  SmallVector<Type> arguments(elements);
  arguments.append(elements);
  if (TypeRange(arguments) != TypeRange(block.getArgumentTypes()))
    return op.emitOpError("region takes (")
           << block.getArgumentTypes() << "), expected (" << arguments << ")";
  auto ret = block.empty() ? ReturnOp() : dyn_cast<ReturnOp>(block.back());
  if (!ret)
    return op.emitOpError("region must end with '")
           << ReturnOp::getOperationName() << "'";
  if (TypeRange(elements) != ret.getOperandTypes())
    return ret.emitOpError("returns (")
           << ret.getOperandTypes() << "), expected (" << elements << ")";
  return success();
}

template <typename OpTy>
static SmallVector<RankedTensorType> inputTypes(OpTy op) {
  SmallVector<RankedTensorType> types;
  for (Type type : op.getSrcs().getTypes())
    types.push_back(cast<RankedTensorType>(type));
  return types;
}

template <typename OpTy> static SmallVector<Type> elementTypes(OpTy op) {
  SmallVector<Type> types;
  for (Type type : op.getSrcs().getTypes())
    types.push_back(getElementTypeOrSelf(type));
  return types;
}

template <typename OpTy> static Operation *singleCombiner(OpTy op) {
  if (op.getSrcs().size() != 1)
    return nullptr;
  Block &block = op.getCombineOp().front();
  Operation *combiner = block.getTerminator()->getOperand(0).getDefiningOp();
  if (!combiner || combiner->getBlock() != &block ||
      combiner->getNumOperands() != 2 || combiner->getNumResults() != 1 ||
      combiner->getOperand(0) != block.getArgument(0) ||
      combiner->getOperand(1) != block.getArgument(1))
    return nullptr;
  return combiner;
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

static Type getReducedType(Type type, int64_t axis) {
  auto tensor = cast<RankedTensorType>(type);
  if (tensor.getRank() == 1)
    return tensor.getElementType();
  SmallVector<int64_t> shape(tensor.getShape());
  shape.erase(shape.begin() + axis);
  return tensor.clone(shape);
}

void ReduceOp::build(OpBuilder &builder, OperationState &state, ValueRange srcs,
                     int axis) {
  SmallVector<Type> types;
  for (Type type : srcs.getTypes())
    types.push_back(getReducedType(type, axis));
  build(builder, state, types, srcs, axis);
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  int64_t axis = adaptor.getAxisAttr().getInt();
  TypeRange srcs = adaptor.getSrcs().getTypes();
  if (failed(verifyAxis(loc, getOperationName(), srcs, axis)))
    return failure();
  for (Type type : srcs)
    types.push_back(getReducedType(type, axis));
  return success();
}

LogicalResult ReduceOp::verify() {
  return verifyAxis(getLoc(), getOperationName(), getOperandTypes(),
                    getAxisAttr().getInt());
}

LogicalResult ReduceOp::verifyRegions() {
  return verifyCombine<ReduceReturnOp>(*this);
}

SmallVector<RankedTensorType> ReduceOp::getInputTypes() {
  return inputTypes(*this);
}

SmallVector<Type> ReduceOp::getElementTypes() { return elementTypes(*this); }

Operation *ReduceOp::getSingleCombiner() { return singleCombiner(*this); }

//===----------------------------------------------------------------------===//
// ScanOp
//===----------------------------------------------------------------------===//

void ScanOp::build(OpBuilder &builder, OperationState &state, ValueRange srcs,
                   int axis, bool reverse) {
  build(builder, state, srcs.getTypes(), srcs, axis, reverse);
}

LogicalResult ScanOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getSrcs().getTypes());
  return success();
}

LogicalResult ScanOp::verify() {
  return verifyAxis(getLoc(), getOperationName(), getOperandTypes(),
                    getAxisAttr().getInt());
}

LogicalResult ScanOp::verifyRegions() {
  return verifyCombine<ScanReturnOp>(*this);
}

SmallVector<RankedTensorType> ScanOp::getInputTypes() {
  return inputTypes(*this);
}

SmallVector<Type> ScanOp::getElementTypes() { return elementTypes(*this); }

Operation *ScanOp::getSingleCombiner() { return singleCombiner(*this); }
