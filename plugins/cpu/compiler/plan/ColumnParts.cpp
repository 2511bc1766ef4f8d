// ColumnParts.cpp - divided indices along the last dimension of tiles.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Weights of four bits are packed along their rows: a kernel loads the word
// `n // 8` and shifts it by `n % 8 * 4`, where n begins at a multiple of the
// tile's size. These are the upper and the lower bits of the index in the tile,
// so lanes repeat what they load, instead of gathering it. Of kernels whose
// tiles all have one dimension, SplitIndex.cpp does more.

#include "plan/ColumnParts.h"

#include "plan/IndexParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
/// A quotient or remainder of `first`, a multiple of 2^bits, plus an index of
/// so many bits, by 2^shift.
struct ColumnPart {
  Operation *op;
  Value first; // null: 0
  unsigned bits, shift;
  bool isQuotient;
  GridLimits grids; // in which it is one
};
} // namespace

/// The exponent of the power of two that `op` divides by, or keeps the
/// remainder of.
static std::optional<unsigned> shiftOf(Operation *op) {
  APInt number;
  if (!matchPattern(op->getOperand(1), m_ConstantInt(&number)))
    return std::nullopt;
  if (isa<arith::ShRSIOp, arith::ShRUIOp>(op))
    return number.getLimitedValue(64);
  if (isa<arith::AndIOp>(op))
    ++number;
  if (!number.isPowerOf2() || number.isNegative())
    return std::nullopt;
  return number.logBase2();
}

/// Do the elements of `tile` differ along its last dimension only, which is not
/// made one of rows by all its users?
static bool isAlongColumns(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getShape().back() != type.getNumElements())
    return false;
  return !llvm::all_of(tile.getUsers(), [](Operation *user) {
    auto expand = dyn_cast<tt::ExpandDimsOp>(user);
    return expand &&
           int64_t(expand.getAxis()) == expand.getType().getRank() - 1;
  });
}

/// Is `scalar` the index of a loop, or a multiple of it, and in each iteration
/// a multiple of 2^bits that is not negative?
static bool isIndexOfLoop(Value scalar, unsigned bits) {
  APInt number;
  int64_t factor = 1;
  if (auto product = scalar.getDefiningOp<arith::MulIOp>();
      product && matchPattern(product.getRhs(), m_ConstantInt(&number))) {
    factor = number.getSExtValue();
    scalar = product.getLhs();
  }
  auto index = dyn_cast<BlockArgument>(scalar);
  auto loop = index ? dyn_cast<scf::ForOp>(index.getOwner()->getParentOp())
                    : scf::ForOp();
  if (!loop || index != loop.getInductionVar() || factor < 1)
    return false;
  auto isMultiple = [&](Value value) {
    return matchPattern(value, m_ConstantInt(&number)) &&
           !number.isNegative() &&
           number.countr_zero() + llvm::countr_zero<uint64_t>(factor) >= bits;
  };
  if (!isMultiple(loop.getLowerBound()) || !isMultiple(loop.getStep()))
    return false;
  // Below the end, which is a quotient by at least as much, none overflows.
  auto end = loop.getUpperBound().getDefiningOp<arith::DivSIOp>();
  return factor == 1 ||
         (end && matchPattern(end.getRhs(), m_ConstantInt(&number)) &&
          number.sge(factor));
}

/// What the result of `op` is, if it is a part of an index of columns.
static std::optional<ColumnPart> partOf(Operation *op) {
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op);
  bool isQuotient =
      isa<arith::DivSIOp, arith::DivUIOp, arith::ShRSIOp, arith::ShRUIOp>(op);
  if ((!isSigned && !isQuotient && !isa<arith::RemUIOp, arith::AndIOp>(op)) ||
      !isa<RankedTensorType>(op->getResult(0).getType()) ||
      !isAlongColumns(op->getResult(0)))
    return std::nullopt;
  std::optional<unsigned> shift = shiftOf(op);
  Value source = op->getOperand(0);
  while (auto expand = source.getDefiningOp<tt::ExpandDimsOp>())
    source = expand.getSrc();
  auto type = cast<RankedTensorType>(source.getType());
  int64_t size = type.getNumElements();
  if (!shift || type.getRank() != 1 || !llvm::isPowerOf2_64(size))
    return std::nullopt;
  unsigned bits = llvm::Log2_64(size);
  if (*shift == 0 || *shift >= bits)
    return std::nullopt;
  auto isIndex = [](Value value) {
    Operation *index = value.getDefiningOp();
    if (isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(index))
      index = index->getOperand(0).getDefiningOp();
    auto range = dyn_cast_or_null<tt::MakeRangeOp>(index);
    return range && range.getStartAttr().getInt() == 0;
  };
  ColumnPart part{op, nullptr, bits, *shift, isQuotient, kAnyGrid};
  if (isIndex(source))
    return part;
  auto sum = source.getDefiningOp<arith::AddIOp>();
  for (unsigned number : {0, 1}) {
    if (!sum || !isIndex(sum->getOperand(1 - number)))
      continue;
    auto splat = sum->getOperand(number).getDefiningOp<tt::SplatOp>();
    if (!splat)
      return std::nullopt;
    part.first = splat.getSrc();
    if (isIndexOfLoop(part.first, bits))
      return part;
    auto first = firstIndexOf(part.first, bits);
    if (!first)
      return std::nullopt;
    // Below zero, a division rounds up.
    if (isSigned)
      part.grids[first->axis] = first->mostPrograms;
    return part;
  }
  return std::nullopt;
}

static SmallVector<ColumnPart> partsOf(tt::FuncOp kernel) {
  SmallVector<ColumnPart> parts;
  kernel.walk([&](Operation *op) {
    if (op->getNumOperands() == 2 && op->getNumResults() == 1)
      if (auto part = partOf(op))
        parts.push_back(*part);
  });
  return parts;
}

/// The tile that the result of `part` is.
static Value build(const ColumnPart &part) {
  OpBuilder builder(part.op);
  Location location = part.op->getLoc();
  auto result = cast<RankedTensorType>(part.op->getResult(0).getType());
  unsigned high = part.bits - part.shift;
  Value tile = part.isQuotient
                   ? bitsOfIndex(builder, location, 0, high, part.shift)
                   : bitsOfIndex(builder, location, high, part.shift, 0);
  auto type =
      cast<RankedTensorType>(tile.getType()).clone(result.getElementType());
  unsigned width = result.getElementTypeBitWidth();
  if (width > 32)
    tile = builder.create<arith::ExtSIOp>(location, type, tile);
  else if (width < 32)
    tile = builder.create<arith::TruncIOp>(location, type, tile);
  if (part.first && part.isQuotient) {
    Value by = builder.create<arith::ConstantOp>(
        location, builder.getIntegerAttr(type.getElementType(), part.shift));
    bool isUnsigned = isa<arith::DivUIOp, arith::ShRUIOp>(part.op);
    Value first =
        isUnsigned ? builder.create<arith::ShRUIOp>(location, part.first, by)
                         .getResult()
                   : builder.create<arith::ShRSIOp>(location, part.first, by);
    Value firsts = builder.create<tt::SplatOp>(location, type, first);
    tile = builder.create<arith::AddIOp>(location, firsts, tile);
  }
  for (int64_t rank = 1; rank < result.getRank(); ++rank)
    tile = builder.create<tt::ExpandDimsOp>(location, tile, 0);
  return tile;
}

static void replace(const ColumnPart &part) {
  part.op->getResult(0).replaceAllUsesWith(build(part));
  part.op->erase();
}

void splitColumns(tt::FuncOp kernel) {
  for (const ColumnPart &part : partsOf(kernel))
    if (part.grids == kAnyGrid)
      replace(part);
}

GridLimits gridsOfSplitColumns(tt::FuncOp kernel) {
  GridLimits grids = kAnyGrid;
  for (const ColumnPart &part : partsOf(kernel))
    for (auto [limit, own] : llvm::zip_equal(grids, part.grids))
      limit = std::min(limit, own);
  return grids;
}

void splitColumnsOfGrid(tt::FuncOp kernel) {
  for (const ColumnPart &part : partsOf(kernel))
    replace(part);
}

} // namespace nereid::cpu
