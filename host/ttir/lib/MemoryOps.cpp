// MemoryOps.cpp: loads, stores and block pointers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "OpSupport.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "nereid/ttir/Dialect.h"

using namespace mlir;
using namespace nereid::tt;

//===----------------------------------------------------------------------===//
// Checks shared by loads and stores
//===----------------------------------------------------------------------===//

/// \p dims name dimensions of the block behind \p ptr, each once.
static LogicalResult verifyBoundaryCheck(Operation *op, Type ptr,
                                         ArrayRef<int32_t> dims) {
  if (dims.empty())
    return success();
  if (!isBlockPointer(ptr))
    return op->emitOpError("has boundaryCheck, which only block pointers have");
  int64_t rank = cast<RankedTensorType>(getPointeeType(ptr)).getRank();
  llvm::SmallBitVector seen(rank);
  for (int32_t dim : dims) {
    if (dim < 0 || dim >= rank)
      return op->emitOpError("boundaryCheck names dimension ")
             << dim << " of a block of rank " << rank;
    if (seen.test(dim))
      return op->emitOpError("boundaryCheck names dimension ")
             << dim << " twice";
    seen.set(dim);
  }
  return success();
}

template <typename OpTy> static LogicalResult verifyAccess(OpTy op) {
  Type ptr = op.getPtr().getType();
  if (isBlockPointer(ptr) && op.getMask())
    return op.emitOpError("a block pointer takes boundaryCheck, not a mask");
  if (failed(verifyHints(op)))
    return failure();
  return verifyBoundaryCheck(op, ptr, op.getBoundaryCheck());
}

//===----------------------------------------------------------------------===//
// LoadOp
//===----------------------------------------------------------------------===//

void LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr,
                   bool isVolatile) {
  build(builder, state, ptr, Value(), Value(), isVolatile);
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr,
                   Value mask, bool isVolatile) {
  build(builder, state, ptr, mask, Value(), isVolatile);
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr,
                   Value mask, Value other, bool isVolatile) {
  build(builder, state, getPointeeType(ptr.getType()), ptr, mask, other,
        /*boundaryCheck=*/{}, /*padding=*/PaddingOptionAttr(),
        CacheModifier::NONE, EvictionPolicy::NORMAL, isVolatile,
        /*cachePolicy=*/CachePolicyAttr());
}

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(),
                       GlobalMemory::get());
  // A volatile load happens even when its value is unused, as often as written.
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), &getPtrMutable(),
                         GlobalMemory::get());
}

LogicalResult LoadOp::verify() {
  Type ptr = getPtr().getType();
  if (getOther() && !getMask())
    return emitOpError("has other, but no mask that would select it");
  if (getPadding() && !isBlockPointer(ptr))
    return emitOpError("has padding, which only block pointers have");
  if (getPadding() == PaddingOption::PAD_NAN &&
      !isa<FloatType>(getElementTypeOrSelf(getType())))
    return emitOpError("pads with NaN, but its elements are ")
           << getElementTypeOrSelf(getType());
  return verifyAccess(*this);
}

/// The value of \p mask when it is one constant for all lanes.
static std::optional<bool> getConstantMask(Value mask) {
  Attribute value;
  if (!mask || !matchPattern(mask, m_Constant(&value)))
    return std::nullopt;
  if (auto elements = dyn_cast<SplatElementsAttr>(value))
    return elements.getSplatValue<bool>();
  if (auto scalar = dyn_cast<IntegerAttr>(value))
    return !scalar.getValue().isZero();
  return std::nullopt;
}

/// Constant mask: all true needs none; all false is `other`. All false without
/// `other` stays, because it keeps the memory untouched.
static LogicalResult foldLoadMask(LoadOp op, PatternRewriter &rewriter) {
  std::optional<bool> mask = getConstantMask(op.getMask());
  if (!mask)
    return failure();
  if (*mask) {
    rewriter.modifyOpInPlace(op, [&] {
      op.getOtherMutable().clear();
      op.getMaskMutable().clear();
    });
    return success();
  }
  if (!op.getOther() || op.getIsVolatile())
    return failure();
  rewriter.replaceOp(op, op.getOther());
  return success();
}

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *) {
  patterns.add(foldLoadMask);
}

//===----------------------------------------------------------------------===//
// StoreOp and AtomicStoreOp
//===----------------------------------------------------------------------===//

void StoreOp::build(OpBuilder &builder, OperationState &state, Value ptr,
                    Value value) {
  build(builder, state, ptr, value, Value());
}

void StoreOp::build(OpBuilder &builder, OperationState &state, Value ptr,
                    Value value, Value mask) {
  build(builder, state, ptr, value, mask, /*boundaryCheck=*/{},
        CacheModifier::NONE, EvictionPolicy::NORMAL,
        /*cachePolicy=*/CachePolicyAttr(), /*ignore_cta=*/false);
}

LogicalResult StoreOp::verify() { return verifyAccess(*this); }

template <typename OpTy>
static LogicalResult foldStoreMask(OpTy op, PatternRewriter &rewriter) {
  std::optional<bool> mask = getConstantMask(op.getMask());
  if (!mask)
    return failure();
  if (*mask)
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
  else
    rewriter.eraseOp(op);
  return success();
}

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *) {
  patterns.add(foldStoreMask<StoreOp>);
}

void AtomicStoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                MLIRContext *) {
  patterns.add(foldStoreMask<AtomicStoreOp>);
}

//===----------------------------------------------------------------------===//
// Block pointers
//===----------------------------------------------------------------------===//

static int64_t getBlockRank(Type blockPointer) {
  return cast<RankedTensorType>(getPointeeType(blockPointer)).getRank();
}

LogicalResult MakeTensorPtrOp::verify() {
  int64_t rank = getBlockRank(getType());
  if (static_cast<int64_t>(getNumOperands()) != 1 + 3 * rank)
    return emitOpError("needs ")
           << rank << " sizes, strides and offsets each for a block of rank "
           << rank << ", found " << getNumOperands() - 1 << " values";
  return verifyPermutation(*this, getOrder(), rank);
}

LogicalResult AdvanceOp::verify() {
  int64_t rank = getBlockRank(getType());
  if (static_cast<int64_t>(getOffsets().size()) != rank)
    return emitOpError("needs ") << rank << " offsets for a block of rank "
                                 << rank << ", found " << getOffsets().size();
  return success();
}

OpFoldResult AdvanceOp::fold(FoldAdaptor adaptor) {
  bool moves = llvm::any_of(adaptor.getOffsets(), [](Attribute offset) {
    auto value = dyn_cast_or_null<IntegerAttr>(offset);
    return !value || !value.getValue().isZero();
  });
  return moves ? OpFoldResult() : OpFoldResult(getPtr());
}
