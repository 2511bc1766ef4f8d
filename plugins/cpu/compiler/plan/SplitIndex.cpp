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
// addresses apply.
//
// A division rounds to zero, so this is not true for negative indices, which
// only a grid can have that is so large that its indices overflow.

#include "plan/SplitIndex.h"

#include "plan/IndexParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::cpu {

/// The `first` of the part that `op` is, a quotient or remainder.
static Value firstAfter(OpBuilder &builder, const IndexParts &index,
                        Operation *op) {
  const auto &parts = index.parts;
  const IndexPart &part = parts.find(op)->second;
  Value first = part.first;
  APInt divisor;
  matchPattern(op->getOperand(1), m_ConstantInt(&divisor));
  auto source = parts.find(op->getOperand(0).getDefiningOp());
  if (source != parts.end())
    first = source->second.first;
  bool isQuotient = isa<arith::DivSIOp, arith::DivUIOp>(op);
  // What it is a multiple of is a multiple of the divisor.
  if (!first || (!isQuotient && part.width == divisor.logBase2()))
    return nullptr;
  Value number = builder.create<arith::ConstantOp>(
      op->getLoc(), builder.getIntegerAttr(first.getType(), divisor));
  return isQuotient
             ? builder.create<arith::DivUIOp>(op->getLoc(), first, number)
                   .getResult()
             : builder.create<arith::RemUIOp>(op->getLoc(), first, number)
                   .getResult();
}

/// The tile of the elements of `part`.
static Value build(OpBuilder &builder, Location location,
                   const IndexParts &index, const IndexPart &part,
                   Type element) {
  SmallVector<int64_t> sizes = index.shape();
  auto type = RankedTensorType::get(sizes, element);
  Value first = part.first;
  if (!first)
    first = builder.create<arith::ConstantOp>(
        location, builder.getIntegerAttr(element, 0));
  Value sum = builder.create<tt::SplatOp>(location, type, first);
  Type i32 = builder.getI32Type();
  unsigned low = index.bits;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    low -= llvm::Log2_64(size);
    if (low < part.low || low >= part.low + part.width)
      continue;
    Value own = builder.create<tt::MakeRangeOp>(
        location, RankedTensorType::get({size}, i32), 0, size);
    for (unsigned other = 0; other < sizes.size(); ++other)
      if (other != dim)
        own = builder.create<tt::ExpandDimsOp>(location, own, other);
    auto ownType = cast<RankedTensorType>(own.getType()).clone(element);
    unsigned width = element.getIntOrFloatBitWidth();
    if (width > 32)
      own = builder.create<arith::ExtUIOp>(location, ownType, own);
    else if (width < 32)
      own = builder.create<arith::TruncIOp>(location, ownType, own);
    Value factor = builder.create<arith::ConstantOp>(
        location, DenseElementsAttr::get(
                      ownType, builder.getIntegerAttr(
                                   element, int64_t(1) << (low - part.low))));
    own = builder.create<arith::MulIOp>(location, own, factor);
    own = builder.create<tt::BroadcastOp>(location, type, own);
    sum = builder.create<arith::AddIOp>(location, sum, own);
  }
  return sum;
}

static void rewrite(tt::FuncOp kernel, IndexParts &index) {
  OpBuilder builder(kernel);
  // In the order of the kernel, so that operands are rewritten first.
  for (auto &[op, part] : index.parts) {
    builder.setInsertionPoint(op);
    part.first = firstAfter(builder, index, op);
  }
  SmallVector<std::pair<Operation *, IndexPart>> built(index.parts.begin(),
                                                       index.parts.end());
  auto reshape = [&](Value value) {
    if (auto type = dyn_cast<RankedTensorType>(value.getType());
        type && type.getRank() == 1)
      value.setType(
          RankedTensorType::get(index.shape(), type.getElementType()));
  };
  kernel.walk([&](Operation *op) {
    if (isa<tt::MakeRangeOp>(op))
      built.push_back({op, IndexPart{nullptr, 0, index.bits}});
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
  for (auto &[op, part] : built) {
    builder.setInsertionPoint(op);
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    op->getResult(0).replaceAllUsesWith(
        build(builder, op->getLoc(), index, part, element));
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
  return {copy, index.mostPrograms};
}

} // namespace nereid::cpu
