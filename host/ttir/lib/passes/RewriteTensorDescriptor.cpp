// RewriteTensorDescriptor.cpp: descriptors become tensors of pointers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "BlockAccess.h"
#include "HandleExpansion.h"
#include "nereid/ttir/Passes.h"

namespace nereid::tt {
#define GEN_PASS_DEF_TRITONREWRITETENSORDESCRIPTORTOPOINTER
#include "nereid/ttir/Passes.h.inc"
} // namespace nereid::tt

using namespace mlir;
using namespace nereid::tt;

namespace {

/// Views the components of a descriptor: base, sizes, strides, padding flag.
/// What may follow, the flag for tf32 rounding, has no meaning here.
struct Descriptor {
  Descriptor(ArrayRef<Value> components, size_t rank)
      : base(components[0]), sizes(components.slice(1, rank)),
        strides(components.slice(1 + rank, rank)),
        padsWithNaN(components[1 + 2 * rank]) {}

  Value base;
  ArrayRef<Value> sizes, strides;
  Value padsWithNaN;
};

/// Pointers and mask of a block, in the shape of the block.
struct Address {
  Value pointers, mask;
};

class DescriptorExpander : public HandleExpander {
public:
  explicit DescriptorExpander(bool roundFlag) : roundFlag(roundFlag) {}

  SmallVector<Type> getComponentTypes(Type type) const override {
    auto desc = dyn_cast<TensorDescType>(type);
    if (!desc)
      return {};
    RankedTensorType block = desc.getSignlessBlockType();
    MLIRContext *context = type.getContext();
    SmallVector<Type> types{PointerType::get(block.getElementType())};
    types.append(2 * block.getRank(), IntegerType::get(context, 64));
    types.append(roundFlag ? 2 : 1, IntegerType::get(context, 1));
    return types;
  }

  LogicalResult rewrite(Operation *op, HandleMap &handles,
                        OpBuilder &builder) override;

private:
  LogicalResult make(MakeTensorDescOp op, HandleMap &handles,
                     OpBuilder &builder) const;

  bool roundFlag;
};

} // namespace

LogicalResult DescriptorExpander::make(MakeTensorDescOp op, HandleMap &handles,
                                       OpBuilder &builder) const {
  Location loc = op.getLoc();
  auto flag = [&](bool value) {
    return builder.create<arith::ConstantOp>(loc, builder.getBoolAttr(value));
  };
  SmallVector<Value> components{op.getBase()};
  for (Value size : op.getShape())
    components.push_back(toI64(builder, loc, size));
  llvm::append_range(components, op.getStrides());
  components.push_back(flag(op.getPadding() == PaddingOption::PAD_NAN));
  if (roundFlag)
    components.push_back(flag(false));
  handles[op.getResult()] = components;
  return success();
}

//===----------------------------------------------------------------------===//
// Addresses and values
//===----------------------------------------------------------------------===//

static SmallVector<int32_t> allDims(int64_t rank) {
  return llvm::to_vector(llvm::seq<int32_t>(0, rank));
}

static Address finish(BlockAccess &access, const Descriptor &desc) {
  return {access.pointers(desc.base, desc.strides),
          access.mask(desc.sizes, allDims(desc.sizes.size()))};
}

/// The block of \p block elements that starts at \p indices.
static Address blockAddress(Location loc, RankedTensorType block,
                            const Descriptor &desc, ValueRange indices,
                            OpBuilder &builder) {
  BlockAccess access(builder, loc, block);
  for (auto [dim, index] : llvm::enumerate(indices))
    access.setOffset(dim, toI64(builder, loc, index));
  return finish(access, desc);
}

/// The rows \p rows from column \p column on.
static Address rowAddress(Location loc, RankedTensorType tensor,
                          const Descriptor &desc, Value rows, Value column,
                          OpBuilder &builder) {
  BlockAccess access(builder, loc, tensor);
  access.setNumbers(0, rows);
  access.setOffset(1, toI64(builder, loc, column));
  return finish(access, desc);
}

/// What lies outside: zero, or for floats what the descriptor asks for.
static Value padding(Location loc, RankedTensorType type,
                     const Descriptor &desc, OpBuilder &builder) {
  Value zero = builder.create<arith::ConstantOp>(
      loc, cast<TypedAttr>(builder.getZeroAttr(type)));
  auto element = dyn_cast<FloatType>(type.getElementType());
  if (!element)
    return zero;
  auto nan =
      FloatAttr::get(element, APFloat::getNaN(element.getFloatSemantics()));
  Value nans = builder.create<arith::ConstantOp>(
      loc, SplatElementsAttr::get(type, ArrayRef<Attribute>(nan)));
  return builder.create<arith::SelectOp>(loc, desc.padsWithNaN, nans, zero);
}

/// \p value in another shape of as many elements.
static Value reshape(Location loc, Value value, Type type, OpBuilder &builder) {
  if (value.getType() == type)
    return value;
  return builder.create<ReshapeOp>(loc, type, value, /*allow_reorder=*/false,
                                   /*efficient_layout=*/false);
}

/// The atomic operation that combines as \p op asks, or none.
static std::optional<RMWOp> getCombine(DescriptorReduceOp op) {
  Type element = op.getDesc().getType().getElementType();
  bool isFloat = isa<FloatType>(element);
  bool isUnsigned = element.isUnsignedInteger();
  switch (op.getKind()) {
  case DescriptorReduceKind::ADD:
    return isFloat ? RMWOp::FADD : RMWOp::ADD;
  case DescriptorReduceKind::MIN:
    return isUnsigned ? RMWOp::UMIN : RMWOp::MIN;
  case DescriptorReduceKind::MAX:
    return isUnsigned ? RMWOp::UMAX : RMWOp::MAX;
  case DescriptorReduceKind::AND:
    return RMWOp::AND;
  case DescriptorReduceKind::OR:
    return RMWOp::OR;
  case DescriptorReduceKind::XOR:
    return RMWOp::XOR;
  case DescriptorReduceKind::INC:
  case DescriptorReduceKind::DEC:
    return std::nullopt;
  }
  llvm_unreachable("all kinds are listed");
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static void rewriteLoad(DescriptorLoadOp op, const Descriptor &desc,
                        OpBuilder &builder) {
  RankedTensorType block = op.getDesc().getType().getSignlessBlockType();
  Address address =
      blockAddress(op.getLoc(), block, desc, op.getIndices(), builder);
  Value loaded = builder.create<LoadOp>(
      op.getLoc(), block, address.pointers, address.mask,
      padding(op.getLoc(), block, desc, builder), ArrayRef<int32_t>(),
      PaddingOptionAttr(), op.getCache(), op.getEvict(), /*isVolatile=*/false,
      op.getCachePolicyAttr());
  op.getResult().replaceAllUsesWith(
      reshape(op.getLoc(), loaded, op.getType(), builder));
}

static void rewriteStore(DescriptorStoreOp op, const Descriptor &desc,
                         OpBuilder &builder) {
  RankedTensorType block = op.getDesc().getType().getSignlessBlockType();
  Address address =
      blockAddress(op.getLoc(), block, desc, op.getIndices(), builder);
  builder.create<StoreOp>(op.getLoc(), address.pointers,
                          reshape(op.getLoc(), op.getSrc(), block, builder),
                          address.mask);
}

/// The larger, or smaller, of floats by their bits: those without a sign are
/// ordered as signed integers, the others against the order of unsigned ones.
/// A NaN changes nothing.
static void rewriteFloatExtreme(DescriptorReduceOp op, Address address,
                                Value value, OpBuilder &builder) {
  Location loc = op.getLoc();
  bool isMax = op.getKind() == DescriptorReduceKind::MAX;
  auto block = cast<RankedTensorType>(value.getType());
  Type integer = builder.getIntegerType(getElementBitWidth(block));
  Type bits = block.clone(integer);
  Value pattern = builder.create<arith::BitcastOp>(loc, bits, value);
  Value pointers = builder.create<BitcastOp>(
      loc, block.clone(PointerType::get(integer)), address.pointers);
  Value zero = builder.create<arith::ConstantOp>(
      loc, cast<TypedAttr>(builder.getZeroAttr(bits)));
  Value isNumber = builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::ORD,
                                                 value, value);
  Value wanted = builder.create<arith::AndIOp>(loc, address.mask, isNumber);
  auto combine = [&](arith::CmpIPredicate sign, RMWOp kind) {
    Value hasSign = builder.create<arith::CmpIOp>(loc, sign, pattern, zero);
    Value mask = builder.create<arith::AndIOp>(loc, wanted, hasSign);
    builder.create<AtomicRMWOp>(loc, bits, kind, pointers, pattern, mask,
                                MemSemantic::RELEASE, MemSyncScope::GPU);
  };
  combine(arith::CmpIPredicate::sge, isMax ? RMWOp::MAX : RMWOp::MIN);
  combine(arith::CmpIPredicate::slt, isMax ? RMWOp::UMIN : RMWOp::UMAX);
}

static LogicalResult rewriteReduce(DescriptorReduceOp op,
                                   const Descriptor &desc, OpBuilder &builder) {
  RankedTensorType block = op.getDesc().getType().getSignlessBlockType();
  Address address =
      blockAddress(op.getLoc(), block, desc, op.getIndices(), builder);
  Value value = reshape(op.getLoc(), op.getSrc(), block, builder);
  if (isa<FloatType>(block.getElementType()) &&
      (op.getKind() == DescriptorReduceKind::MIN ||
       op.getKind() == DescriptorReduceKind::MAX)) {
    rewriteFloatExtreme(op, address, value, builder);
    return success();
  }
  std::optional<RMWOp> combine = getCombine(op);
  if (!combine)
    return op.emitOpError() << stringifyDescriptorReduceKind(op.getKind())
                            << " of " << op.getDesc().getType().getElementType()
                            << " has no atomic operation";
  builder.create<AtomicRMWOp>(op.getLoc(), block, *combine, address.pointers,
                              value, address.mask, MemSemantic::RELEASE,
                              MemSyncScope::GPU);
  return success();
}

static void rewriteGather(DescriptorGatherOp op, const Descriptor &desc,
                          OpBuilder &builder) {
  Address address = rowAddress(op.getLoc(), op.getType(), desc,
                               op.getXOffsets(), op.getYOffset(), builder);
  Value loaded =
      builder.create<LoadOp>(op.getLoc(), address.pointers, address.mask,
                             padding(op.getLoc(), op.getType(), desc, builder));
  op.getResult().replaceAllUsesWith(loaded);
}

static void rewriteScatter(DescriptorScatterOp op, const Descriptor &desc,
                           OpBuilder &builder) {
  Address address = rowAddress(op.getLoc(), op.getSrc().getType(), desc,
                               op.getXOffsets(), op.getYOffset(), builder);
  builder.create<StoreOp>(op.getLoc(), address.pointers, op.getSrc(),
                          address.mask);
}

LogicalResult DescriptorExpander::rewrite(Operation *op, HandleMap &handles,
                                          OpBuilder &builder) {
  if (auto makeOp = dyn_cast<MakeTensorDescOp>(op))
    return make(makeOp, handles, builder);
  if (!isa<DescriptorLoadOp, DescriptorStoreOp, DescriptorReduceOp,
           DescriptorGatherOp, DescriptorScatterOp>(op))
    return op->emitOpError("uses a tensor descriptor in a way that has no form "
                           "with plain pointers");

  // The descriptor is the first operand of all five.
  Value handle = op->getOperand(0);
  size_t rank = cast<TensorDescType>(handle.getType()).getShape().size();
  SmallVector<Value> components = handles.lookup(handle);
  Descriptor desc(components, rank);
  if (auto load = dyn_cast<DescriptorLoadOp>(op))
    rewriteLoad(load, desc, builder);
  else if (auto store = dyn_cast<DescriptorStoreOp>(op))
    rewriteStore(store, desc, builder);
  else if (auto reduce = dyn_cast<DescriptorReduceOp>(op))
    return rewriteReduce(reduce, desc, builder);
  else if (auto gather = dyn_cast<DescriptorGatherOp>(op))
    rewriteGather(gather, desc, builder);
  else
    rewriteScatter(cast<DescriptorScatterOp>(op), desc, builder);
  return success();
}

namespace {

struct RewriteTensorDescriptorPass
    : public nereid::tt::impl::TritonRewriteTensorDescriptorToPointerBase<
          RewriteTensorDescriptorPass> {
  using TritonRewriteTensorDescriptorToPointerBase::
      TritonRewriteTensorDescriptorToPointerBase;

  void runOnOperation() override {
    DescriptorExpander expander(roundFlag);
    if (!hasHandles(getOperation(), expander))
      return markAllAnalysesPreserved();
    if (failed(expandHandles(getOperation(), expander)))
      signalPassFailure();
  }
};

} // namespace
