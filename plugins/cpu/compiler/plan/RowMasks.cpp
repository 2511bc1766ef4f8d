// RowMasks.cpp - masks of loads and assertions that are the same for a whole
// row.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A kernel of one dimension has one mask, `index < size`, for all that it
// loads, also for what is the same in all of a row, such as its number in
// another tensor. Only the mask makes such a value differ between the elements
// of a row, and then the addresses that it leads to are unknown. If nothing
// uses the value where the mask is false, it may be loaded for the whole row if
// that has an element where the mask is true. What is asserted where the mask
// is true holds for the whole row, too, or for no such element of it.

#include "plan/RowMasks.h"

#include "analysis/TileForm.h"
#include "tile/Ops.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;

namespace nereid::cpu {

static bool isNotOf(Value value, Value mask) {
  auto inverse = value.getDefiningOp<arith::XOrIOp>();
  return inverse && inverse.getLhs() == mask &&
         matchPattern(inverse.getRhs(), m_One());
}

/// Does `user` only use the elements of `value` where `mask` is true?
static bool masks(Operation *user, Value value, Value mask) {
  if (auto load = dyn_cast<tt::LoadOp>(user))
    return load.getMask() == mask && load.getOther() != value;
  if (auto store = dyn_cast<tt::StoreOp>(user))
    return store.getMask() == mask;
  if (auto atomic = dyn_cast<tt::AtomicRMWOp>(user))
    return atomic.getMask() == mask;
  if (auto select = dyn_cast<arith::SelectOp>(user))
    return select.getCondition() == mask && select.getFalseValue() != value;
  if (auto either = dyn_cast<arith::OrIOp>(user))
    return isNotOf(either.getLhs(), mask) || isNotOf(either.getRhs(), mask);
  return false;
}

/// Does nothing depend on the elements of `loaded` where `mask` is false?
static bool isUnusedElsewhere(Value loaded, Value mask) {
  llvm::SetVector<Value> values;
  values.insert(loaded);
  for (unsigned next = 0; next < values.size(); ++next)
    for (Operation *user : values[next].getUsers()) {
      if (masks(user, values[next], mask))
        continue;
      if (!codegen::isElementOp(user))
        return false;
      values.insert(user->result_begin(), user->result_end());
    }
  return true;
}

/// The lowest bit of the index that `dims` depend on.
static unsigned lowestBitOf(codegen::DimSet dims, ArrayRef<int64_t> shape) {
  unsigned bit = 0;
  for (unsigned dim = shape.size(); dim-- > 0 && !(dims >> dim & 1);)
    bit += llvm::Log2_64(shape[dim]);
  return bit;
}

/// `comparison` of the first index of each row of 2^bit elements.
static Value compareRows(OpBuilder &builder, arith::CmpIOp comparison,
                         Value first, unsigned bit, const IndexParts &index) {
  Location location = comparison.getLoc();
  Type element = getElementTypeOrSelf(comparison.getLhs().getType());
  if (first)
    first = builder.create<arith::ShRUIOp>(
        location, first,
        builder.create<arith::ConstantOp>(
            location, builder.getIntegerAttr(first.getType(), bit)));
  Value rows =
      index.tileOf(builder, location, {first, bit, index.bits - bit}, element);
  auto type = cast<RankedTensorType>(rows.getType());
  rows = builder.create<arith::MulIOp>(
      location, rows,
      constantTile(builder, location, uint64_t(1) << bit, type));
  return builder.create<arith::CmpIOp>(
      location, comparison.getPredicate(),
      broadcastTo(builder, location, rows, index.shape()), comparison.getRhs());
}

/// The lowest bit of the index that the addresses of a load with `mask` depend
/// on; 0 if its other elements matter.
static unsigned lowestBitOfLoad(Operation *user, Value mask,
                                codegen::TileForms &forms,
                                ArrayRef<int64_t> shape) {
  auto load = dyn_cast<tt::LoadOp>(user);
  return load && load.getMask() == mask &&
                 isUnusedElsewhere(load.getResult(), mask)
             ? lowestBitOf(forms.dependsOn(load.getPtr()), shape)
             : 0;
}

/// That of what is only asserted where `mask` is true, by `not mask or it`.
static unsigned lowestBitOfAssert(Operation *user, Value mask,
                                  codegen::TileForms &forms,
                                  ArrayRef<int64_t> shape) {
  if (!isa<arith::XOrIOp>(user) || !isNotOf(user->getResult(0), mask) ||
      user->use_empty())
    return 0;
  constexpr unsigned kNoBit = std::numeric_limits<unsigned>::max();
  unsigned bit = kNoBit;
  for (Operation *either : user->getUsers()) {
    if (!isa<arith::OrIOp>(either) ||
        !llvm::all_of(either->getUsers(), llvm::IsaPred<tt::AssertOp>))
      return 0;
    for (Value operand : either->getOperands())
      if (operand != user->getResult(0))
        bit = std::min(bit, lowestBitOf(forms.dependsOn(operand), shape));
  }
  return bit == kNoBit ? 0 : bit;
}

void widenRowMasks(const IndexParts &index) {
  struct Widened {
    OpOperand *mask;
    arith::CmpIOp comparison;
    Value first;
    unsigned bit;
  };
  // What is asserted of loaded values may depend on rows after the loads do.
  for (auto *bitOf : {lowestBitOfLoad, lowestBitOfAssert}) {
    SmallVector<Widened> found;
    codegen::TileForms forms;
    for (auto [comparison, first] : index.comparisons) {
      if ((comparison.getPredicate() != arith::CmpIPredicate::slt &&
           comparison.getPredicate() != arith::CmpIPredicate::ult) ||
          forms.dependsOn(comparison.getRhs()))
        continue;
      for (OpOperand &use : comparison->getUses())
        if (unsigned bit =
                bitOf(use.getOwner(), use.get(), forms, index.shape()))
          found.push_back({&use, comparison, first, bit});
    }
    for (auto [mask, comparison, first, bit] : found) {
      OpBuilder builder(mask->getOwner());
      mask->set(compareRows(builder, comparison, first, bit, index));
    }
  }
}

} // namespace nereid::cpu
