// Reductions.cpp - where reductions start, and which elements they leave out.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Planner.h"

#include "analysis/MaskIntervals.h"
#include "tile/Combine.h"
#include "tile/ConstantWhere.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::cpu {

/// The constant that the operand of a reduction is where some mask of a load
/// under it is false, if it can be left out; null if several masks lead to
/// different ones.
static Attribute leftOutOf(const Root &root, codegen::Combine combine,
                           const TileProgram &program,
                           codegen::TileForms &forms) {
  Attribute leftOut;
  for (const TileRead &read : readsOf(root, program).loads) {
    Value mask = read.value.getDefiningOp<tt::LoadOp>().getMask();
    if (!mask)
      continue;
    for (const codegen::MaskConjunct &conjunct :
         codegen::conjunctsOf(mask, forms)) {
      Attribute value = codegen::constantWhere(root.op->getOperand(0),
                                               conjunct.in(read.map), forms);
      if (!combine.isIdempotent(value) || value == leftOut)
        continue;
      if (leftOut)
        return {};
      leftOut = value;
    }
  }
  return leftOut;
}

/// Is each element of the integers `tile` above those before it along `axis`?
static bool ascends(Value tile, unsigned axis, codegen::TileForms &forms) {
  auto type = cast<RankedTensorType>(tile.getType());
  const codegen::TileForm *form = forms.of(tile);
  if (!form || form->pointer || !form->isAffine() || form->mayWrap)
    return false;
  std::optional<int64_t> stride = form->strides[axis].constant();
  auto range = form->range(type.getShape());
  unsigned bits = type.getElementTypeBitWidth();
  return stride && *stride > 0 && range && bits > 1 &&
         llvm::isIntN(bits, range->first) && llvm::isIntN(bits, range->second);
}

/// What a comparison of an index with a higher one yields.
static bool holdsForLower(arith::CmpIPredicate predicate) {
  return predicate == arith::CmpIPredicate::slt ||
         predicate == arith::CmpIPredicate::sle ||
         predicate == arith::CmpIPredicate::ne;
}

/// The comparisons of indices in the region of `reduce`, as in tl.argmax, which
/// prefers the lower index of equal values.
static SmallVector<std::pair<Value, bool>, 1>
comparisonsInOrder(tt::ReduceOp reduce, codegen::TileForms &forms) {
  SmallVector<std::pair<Value, bool>, 1> known;
  unsigned count = reduce->getNumOperands(), axis = reduce.getAxis();
  if (count == 1 || !isStraightLine(reduce->getRegion(0)))
    return known;
  Block &body = reduce->getRegion(0).front();
  for (unsigned number = 0; number < count; ++number) {
    Value left = body.getArgument(number);
    Value right = body.getArgument(number + count);
    if (!isa<IntegerType>(left.getType()) ||
        !ascends(reduce->getOperand(number), axis, forms))
      continue;
    for (Operation *user : left.getUsers()) {
      auto compare = dyn_cast<arith::CmpIOp>(user);
      // An unsigned comparison would need indices that are not negative.
      if (!compare || compare.getPredicate() >= arith::CmpIPredicate::ult)
        continue;
      if (compare.getLhs() == left && compare.getRhs() == right)
        known.push_back({compare, holdsForLower(compare.getPredicate())});
    }
  }
  return known;
}

void planReductions(Nest &nest, const TileProgram &program,
                    codegen::TileForms &forms, const GenerateOptions &options) {
  for (Inner &inner : nest.inners)
    for (Root &root : inner.roots) {
      if (root.kind != RootKind::Reduce)
        continue;
      codegen::Combine combine = codegen::combineOf(root.op->getRegion(0));
      root.identity = combine.identity(
          getElementTypeOrSelf(root.op->getOperand(0).getType()));
      root.leftOut = leftOutOf(root, combine, program, forms);
      if (options.fastPaths.has(FastPath::AscendingIndex))
        root.inOrder = comparisonsInOrder(cast<tt::ReduceOp>(root.op), forms);
    }
}

} // namespace nereid::cpu
