// SplitIndex.cpp - tiles of one dimension whose index is divided.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Compilers that generate kernels, and people who see a tensor as one row, find
// rows and columns by `i // 64` and `i % 64`. On a GPU each thread does so for
// itself. Here such quotients are no affine functions of the index, and pieces
// in which they are the same are found at run time. If the program's first
// index is a multiple of the tile's size, and both that and the divisor are
// powers of two, then the parts of the index are known: the tile is one of
// several dimensions, of which they are the indices, and all analyses of
// addresses apply. If the divisor is odd * 2^n, a row of 2^n elements has one
// quotient, and remainders that are neighbours: only rows are divided. Short
// rows, such as the pairs of `i // 2`, are parts of a longer one: then lanes
// repeat what they load.
//
// A division rounds to zero, so this is not true for negative indices, which
// only a grid can have that is so large that its indices overflow.

#include "plan/SplitIndex.h"

#include "plan/IndexParts.h"
#include "plan/RowMasks.h"
#include "plan/RowValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::cpu {

/// The `first` after the quotient or remainder `op`.
static Value firstAfter(OpBuilder &builder, const IndexParts &index,
                        Operation *op) {
  const DividedIndex &divided = index.divisions.find(op)->second;
  Value first = divided.part.first;
  APInt divisor;
  matchPattern(op->getOperand(1), m_ConstantInt(&divisor));
  auto source = index.divisions.find(op->getOperand(0).getDefiningOp());
  if (source != index.divisions.end())
    first = source->second.part.first;
  if (divided.cut)
    return first; // as of the remainder that is cut
  bool isQuotient = isa<arith::DivSIOp, arith::DivUIOp>(op);
  if (divided.odd > 1) {
    divisor = APInt(divisor.getBitWidth(), 1).shl(divided.shift);
    isQuotient = true;
  }
  // What it is a multiple of is a multiple of the divisor.
  bool isMultiple = divisor.isPowerOf2() && !isQuotient &&
                    divided.part.width == divisor.logBase2();
  if (!first || isMultiple)
    return nullptr;
  Value number = builder.create<arith::ConstantOp>(
      op->getLoc(), builder.getIntegerAttr(first.getType(), divisor));
  return isQuotient
             ? builder.create<arith::DivUIOp>(op->getLoc(), first, number)
                   .getResult()
             : builder.create<arith::RemUIOp>(op->getLoc(), first, number)
                   .getResult();
}

/// The tile that replaces the result of `op`. What is divided does not depend
/// on the lower dimensions, so that their nests divide once for each row.
static Value build(OpBuilder &builder, Operation *op, const IndexParts &index,
                   const DividedIndex &divided) {
  Location location = op->getLoc();
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  SmallVector<int64_t> shape = index.shape();
  const IndexPart &part = divided.part;
  unsigned shift = divided.shift, cut = divided.cut;
  auto partOf = [&](const IndexPart &some) {
    return index.tileOf(builder, location, some, element);
  };
  if (divided.odd == 1)
    return broadcastTo(builder, location, partOf(part), shape);
  Value high = partOf({part.first, part.low + shift, part.width - shift});
  auto type = cast<RankedTensorType>(high.getType());
  Value divisor = constantTile(builder, location, divided.odd, type);
  if (!divided.isRemainder) {
    high = builder.create<arith::DivUIOp>(location, high, divisor);
    return broadcastTo(builder, location, high, shape);
  }
  high = builder.create<arith::RemUIOp>(location, high, divisor);
  high = builder.create<arith::MulIOp>(
      location, high,
      constantTile(builder, location, uint64_t(1) << (shift - cut), type));
  Value low = partOf({nullptr, part.low + cut, shift - cut});
  return builder.create<arith::AddIOp>(
      location, broadcastTo(builder, location, high, shape),
      broadcastTo(builder, location, low, shape));
}

static void rewrite(tt::FuncOp kernel, IndexParts &index) {
  OpBuilder builder(kernel);
  // In the order of the kernel, so that operands are rewritten first.
  for (auto &[op, divided] : index.divisions) {
    builder.setInsertionPoint(op);
    divided.part.first = firstAfter(builder, index, op);
  }
  SmallVector<std::pair<Operation *, DividedIndex>> built(
      index.divisions.begin(), index.divisions.end());
  auto reshape = [&](Value value) {
    if (auto type = dyn_cast<RankedTensorType>(value.getType());
        type && type.getRank() == 1)
      value.setType(
          RankedTensorType::get(index.shape(), type.getElementType()));
  };
  kernel.walk([&](Operation *op) {
    if (isa<tt::MakeRangeOp>(op))
      built.push_back({op, {{nullptr, 0, index.bits}}});
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue())) {
        reshape(constant.getResult());
        constant.setValueAttr(splat.resizeSplat(
            cast<ShapedType>(constant.getResult().getType())));
        return;
      }
    for (Value result : op->getResults())
      reshape(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          reshape(argument);
  });
  for (auto &[op, divided] : built) {
    builder.setInsertionPoint(op);
    op->getResult(0).replaceAllUsesWith(build(builder, op, index, divided));
    op->erase();
  }
}

SplitKernel copyWithSplitIndex(tt::FuncOp kernel) {
  if (!IndexParts().survey(kernel))
    return {};
  OpBuilder builder(kernel);
  auto copy = cast<tt::FuncOp>(builder.clone(*kernel));
  IndexParts index;
  index.survey(copy);
  rewrite(copy, index);
  widenRowMasks(index);
  narrowRowValues(copy);
  return {copy, index.mostPrograms};
}

} // namespace nereid::cpu
