// RewriteTensorPointer.cpp: block pointers become tensors of pointers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "BlockAccess.h"
#include "HandleExpansion.h"
#include "nereid/ttir/Passes.h"

namespace nereid::tt {
#define GEN_PASS_DEF_TRITONREWRITETENSORPOINTER
#include "nereid/ttir/Passes.h.inc"
} // namespace nereid::tt

using namespace mlir;
using namespace nereid::tt;

namespace {

/// Views the components of a block pointer: base, sizes, strides, offsets.
struct BlockPointer {
  BlockPointer(ArrayRef<Value> components, size_t rank)
      : base(components[0]), sizes(components.slice(1, rank)),
        strides(components.slice(1 + rank, rank)),
        offsets(components.slice(1 + 2 * rank, rank)) {}

  Value base;
  ArrayRef<Value> sizes, strides, offsets;
};

class BlockPointerExpander : public HandleExpander {
public:
  SmallVector<Type> getComponentTypes(Type type) const override {
    if (!isBlockPointer(type))
      return {};
    size_t rank = cast<RankedTensorType>(getPointeeType(type)).getRank();
    SmallVector<Type> types{getBlockElementPointerType(type)};
    types.append(3 * rank, IntegerType::get(type.getContext(), 64));
    return types;
  }

  LogicalResult rewrite(Operation *op, HandleMap &handles,
                        OpBuilder &builder) override {
    if (auto make = dyn_cast<MakeTensorPtrOp>(op))
      return rewriteMake(make, handles, builder);
    if (auto advance = dyn_cast<AdvanceOp>(op))
      return rewriteAdvance(advance, handles, builder);
    if (auto load = dyn_cast<LoadOp>(op))
      return rewriteLoad(load, handles, builder);
    if (auto store = dyn_cast<StoreOp>(op))
      return rewriteStore(store, handles, builder);
    return op->emitOpError("uses a block pointer in a way that has no form "
                           "with plain pointers");
  }

private:
  static LogicalResult rewriteMake(MakeTensorPtrOp op, HandleMap &handles,
                                   OpBuilder &builder) {
    SmallVector<Value> components{op.getBase()};
    llvm::append_range(components, op.getShape());
    llvm::append_range(components, op.getStrides());
    for (Value offset : op.getOffsets())
      components.push_back(toI64(builder, op.getLoc(), offset));
    handles[op.getResult()] = components;
    return success();
  }

  static LogicalResult rewriteAdvance(AdvanceOp op, HandleMap &handles,
                                      OpBuilder &builder) {
    SmallVector<Value> components = handles.lookup(op.getPtr());
    size_t first = components.size() - op.getOffsets().size();
    for (auto [dim, step] : llvm::enumerate(op.getOffsets())) {
      Value &offset = components[first + dim];
      offset = builder.create<arith::AddIOp>(op.getLoc(), offset,
                                             toI64(builder, op.getLoc(), step));
    }
    handles[op.getResult()] = components;
    return success();
  }

  /// Pointers and mask of what \p op loads or stores.
  template <typename OpTy>
  static std::pair<Value, Value> address(OpTy op, HandleMap &handles,
                                         OpBuilder &builder) {
    auto block = cast<RankedTensorType>(getPointeeType(op.getPtr().getType()));
    SmallVector<Value> components = handles.lookup(op.getPtr());
    BlockPointer pointer(components, block.getRank());
    BlockAccess access(builder, op.getLoc(), block);
    for (auto [dim, offset] : llvm::enumerate(pointer.offsets))
      access.setOffset(dim, offset);
    Value mask = access.mask(pointer.sizes, op.getBoundaryCheck());
    return {access.pointers(pointer.base, pointer.strides), mask};
  }

  /// What lies outside, or null when it is undefined.
  static Value padding(LoadOp op, OpBuilder &builder) {
    if (!op.getPadding())
      return {};
    auto type = cast<RankedTensorType>(op.getType());
    TypedAttr scalar = builder.getZeroAttr(type.getElementType());
    if (*op.getPadding() == PaddingOption::PAD_NAN) {
      auto element = cast<FloatType>(type.getElementType());
      scalar =
          FloatAttr::get(element, APFloat::getNaN(element.getFloatSemantics()));
    }
    return builder.create<arith::ConstantOp>(
        op.getLoc(), SplatElementsAttr::get(type, ArrayRef<Attribute>(scalar)));
  }

  static LogicalResult rewriteLoad(LoadOp op, HandleMap &handles,
                                   OpBuilder &builder) {
    auto [pointers, mask] = address(op, handles, builder);
    auto load = builder.create<LoadOp>(
        op.getLoc(), op.getType(), pointers, mask,
        mask ? padding(op, builder) : Value(), ArrayRef<int32_t>(),
        PaddingOptionAttr(), op.getCache(), op.getEvict(), op.getIsVolatile(),
        op.getCachePolicyAttr());
    load->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    op.getResult().replaceAllUsesWith(load);
    return success();
  }

  static LogicalResult rewriteStore(StoreOp op, HandleMap &handles,
                                    OpBuilder &builder) {
    auto [pointers, mask] = address(op, handles, builder);
    builder.create<StoreOp>(op.getLoc(), pointers, op.getValue(), mask,
                            ArrayRef<int32_t>(), op.getCache(), op.getEvict(),
                            op.getCachePolicyAttr(), op.getIgnoreCta());
    return success();
  }
};

struct RewriteTensorPointerPass
    : public nereid::tt::impl::TritonRewriteTensorPointerBase<
          RewriteTensorPointerPass> {
  void runOnOperation() override {
    BlockPointerExpander expander;
    if (!hasHandles(getOperation(), expander))
      return markAllAnalysesPreserved();
    if (failed(expandHandles(getOperation(), expander)))
      signalPassFailure();
  }
};

} // namespace
