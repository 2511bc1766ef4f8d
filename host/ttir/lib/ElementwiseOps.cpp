// ElementwiseOps.cpp: operations on each element by itself.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "mlir/Dialect/CommonFolders.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "nereid/ttir/Dialect.h"

using namespace mlir;
using namespace nereid::tt;

//===----------------------------------------------------------------------===//
// Casts and pointers
//===----------------------------------------------------------------------===//

/// cast(inverse(x)) -> x when that has the right type.
template <typename InverseOp, typename OpTy>
static OpFoldResult foldRoundTrip(OpTy op) {
  auto inverse = op.getSrc().template getDefiningOp<InverseOp>();
  if (inverse && inverse.getSrc().getType() == op.getType())
    return inverse.getSrc();
  return {};
}

OpFoldResult IntToPtrOp::fold(FoldAdaptor) {
  return foldRoundTrip<PtrToIntOp>(*this);
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor) {
  return foldRoundTrip<IntToPtrOp>(*this);
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (getType() == getSrc().getType())
    return getSrc();
  return foldRoundTrip<BitcastOp>(*this);
}

LogicalResult BitcastOp::verify() {
  Type from = getElementTypeOrSelf(getSrc().getType());
  Type to = getElementTypeOrSelf(getType());
  auto fromPointer = dyn_cast<PointerType>(from);
  auto toPointer = dyn_cast<PointerType>(to);
  if (!fromPointer != !toPointer)
    return emitOpError("cannot turn ")
           << from << " into " << to << ": use tt.ptr_to_int or tt.int_to_ptr";
  if (fromPointer) {
    if (fromPointer.getAddressSpace() != toPointer.getAddressSpace())
      return emitOpError("cannot change the address space of ")
             << from << " to that of " << to;
    return success();
  }
  if (getElementBitWidth(from) != getElementBitWidth(to))
    return emitOpError("needs types of equal width, found ")
           << from << " and " << to;
  return success();
}

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  if (adaptor.getOffset() && matchPattern(adaptor.getOffset(), m_Zero()))
    return getPtr();
  return {};
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static bool isNanConstant(Attribute value) {
  return matchPattern(value, mlir::detail::constant_float_predicate_matcher{
                                 [](const APFloat &x) { return x.isNaN(); }});
}

/// A commutative operation in which NaN loses, so that constants are on the
/// right; `pick` is the operation on two constants.
template <typename OpTy, typename Pick>
static OpFoldResult foldNumbers(OpTy op, ArrayRef<Attribute> operands,
                                Pick pick) {
  if (op.getX() == op.getY() || isNanConstant(operands[1]))
    return op.getX();
  return constFoldBinaryOp<FloatAttr>(operands, pick);
}

OpFoldResult MaxNumberOp::fold(FoldAdaptor adaptor) {
  return foldNumbers(*this, adaptor.getOperands(), llvm::maxnum);
}

OpFoldResult MinNumberOp::fold(FoldAdaptor adaptor) {
  return foldNumbers(*this, adaptor.getOperands(), llvm::minnum);
}

LogicalResult FpToFpOp::verify() {
  unsigned from = getElementBitWidth(getSrc().getType());
  unsigned to = getElementBitWidth(getType());
  if (to < from && !getRounding())
    return emitOpError("needs a rounding to narrow ")
           << getSrc().getType() << " to " << getType();
  return success();
}

/// Zero converts exactly and keeps its sign; any other constant is left, since
/// its value depends on the target's saturation.
OpFoldResult FpToFpOp::fold(FoldAdaptor adaptor) {
  if (getType() == getSrc().getType())
    return getSrc();
  Attribute constant = adaptor.getSrc();
  if (!constant || !matchPattern(constant, m_AnyZeroFloat()))
    return {};
  auto splat = dyn_cast<SplatElementsAttr>(constant);
  APFloat value = splat ? splat.getSplatValue<APFloat>()
                        : cast<FloatAttr>(constant).getValue();
  Type element = getElementTypeOrSelf(getType());
  const auto &semantics = cast<FloatType>(element).getFloatSemantics();
  auto zero =
      FloatAttr::get(element, APFloat::getZero(semantics, value.isNegative()));
  if (auto tensor = dyn_cast<RankedTensorType>(getType()))
    return SplatElementsAttr::get(tensor, ArrayRef<Attribute>(zero));
  return zero;
}

//===----------------------------------------------------------------------===//
// Foreign code
//===----------------------------------------------------------------------===//

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static void addEffectsUnlessPure(bool pure, Effects &effects) {
  if (pure)
    return;
  effects.emplace_back(MemoryEffects::Write::get(), GlobalMemory::get());
  effects.emplace_back(MemoryEffects::Read::get(), GlobalMemory::get());
}

static Speculation::Speculatability speculatableIf(bool pure) {
  return pure ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

void ExternElementwiseOp::getEffects(Effects &effects) {
  addEffectsUnlessPure(getPure(), effects);
}

Speculation::Speculatability ExternElementwiseOp::getSpeculatability() {
  return speculatableIf(getPure());
}

void ElementwiseInlineAsmOp::getEffects(Effects &effects) {
  addEffectsUnlessPure(getPure(), effects);
}

Speculation::Speculatability ElementwiseInlineAsmOp::getSpeculatability() {
  return speculatableIf(getPure());
}

LogicalResult ElementwiseInlineAsmOp::verify() {
  int64_t pack = getPackedElementAttr().getInt();
  if (pack < 1)
    return emitOpError("packed_element must be positive, found ") << pack;
  if (getArgs().empty())
    return success();
  auto tensor = dyn_cast<RankedTensorType>(getArgs().front().getType());
  if (tensor && tensor.getNumElements() % pack != 0)
    return emitOpError("cannot pack ")
           << tensor.getNumElements() << " elements in groups of " << pack;
  return success();
}

//===----------------------------------------------------------------------===//
// MapElementwiseOp
//===----------------------------------------------------------------------===//

LogicalResult MapElementwiseOp::verify() {
  int64_t pack = getPackAttr().getInt();
  if (getSrcs().empty())
    return emitOpError("needs at least one operand");
  if (pack < 1 || !llvm::isPowerOf2_64(pack))
    return emitOpError("pack must be a power of two, found ") << pack;
  int64_t elements =
      cast<RankedTensorType>(getSrcs().front().getType()).getNumElements();
  if (pack > elements)
    return emitOpError("packs ") << pack << " elements, expected at most the "
                                 << elements << " of an operand";
  return success();
}

/// \p found must be the element types of \p tensors, each \p pack times.
static LogicalResult verifyPacked(Operation *op, StringRef what,
                                  TypeRange found, TypeRange tensors,
                                  size_t pack) {
  if (found.size() != tensors.size() * pack)
    return op->emitOpError() << what << " needs " << tensors.size() * pack
                             << " values, found " << found.size();
  for (auto [number, type] : llvm::enumerate(found)) {
    Type wanted = getElementTypeOrSelf(tensors[number / pack]);
    if (type != wanted)
      return op->emitOpError() << what << " needs " << wanted << " as value "
                               << number << ", found " << type;
  }
  return success();
}

LogicalResult MapElementwiseOp::verifyRegions() {
  if (getScalarOp().empty())
    return emitOpError("needs a region with a block");
  size_t pack = getPackAttr().getInt();
  if (failed(verifyPacked(*this, "region",
                          getScalarOp().front().getArgumentTypes(),
                          getOperandTypes(), pack)))
    return failure();
  for (Block &block : getScalarOp())
    if (auto ret = dyn_cast<MapElementwiseReturnOp>(block.getTerminator()))
      if (failed(verifyPacked(ret, "return", ret.getOperandTypes(),
                              getResultTypes(), pack)))
        return failure();

  // Elements are computed in no order, so none may write what another reads.
  WalkResult result = getScalarOp().walk([&](MemoryEffectOpInterface op) {
    if (!op.hasEffect<MemoryEffects::Write>())
      return WalkResult::advance();
    op->emitOpError("writes memory inside tt.map_elementwise");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
