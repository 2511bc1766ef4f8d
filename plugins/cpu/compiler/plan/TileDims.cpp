// TileDims.cpp - which dimensions of a kernel's tiles have the same index.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/TileDims.h"

#include "analysis/TileForm.h"
#include "plan/TileProgram.h"
#include "tile/Ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::rankOf;
using codegen::tileType;

void TileDims::number(Value value) {
  if (unsigned rank = rankOf(value)) {
    first[value] = count;
    count += rank;
  }
}

void TileDims::join(Value a, unsigned dimOfA, Value b, unsigned dimOfB) {
  // A dimension of size 1 has the same element for each index of the other.
  if (tileType(a).getDimSize(dimOfA) == tileType(b).getDimSize(dimOfB))
    sets.join(first.lookup(a) + dimOfA, first.lookup(b) + dimOfB);
}

/// Joins all dimensions of tiles with one shape.
void TileDims::joinAll(ValueRange values) {
  Value one;
  for (Value value : values) {
    if (!tileType(value))
      continue;
    for (unsigned dim = 0; one && dim < rankOf(one); ++dim)
      join(one, dim, value, dim);
    one = value;
  }
}

void TileDims::keepWhole(Value value, unsigned dim) {
  wholeDims.push_back(first.lookup(value) + dim);
}

void TileDims::keepWhole(Operation *op) {
  for (ValueRange values :
       {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values)
      for (unsigned dim = 0; dim < rankOf(value); ++dim)
        keepWhole(value, dim);
}

void TileDims::visitLoop(scf::ForOp loop) {
  auto yielded = loop.getYieldedValues();
  for (auto [number, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    joinAll({loop.getInitArgs()[number], argument, yielded[number],
             loop.getResult(number)});
}

void TileDims::visit(Operation *op) {
  auto joinOperand = [&](unsigned dimOfOperand, unsigned dimOfResult) {
    join(op->getOperand(0), dimOfOperand, op->getResult(0), dimOfResult);
  };
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, op->getResults());
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    visitLoop(loop);
  } else if (auto expand = dyn_cast<tt::ExpandDimsOp>(op)) {
    unsigned axis = expand.getAxis();
    for (unsigned dim = 0; dim < rankOf(op->getOperand(0)); ++dim)
      joinOperand(dim, dim + (dim >= axis));
  } else if (isa<tt::BroadcastOp>(op)) {
    for (unsigned dim = 0; dim < rankOf(op->getOperand(0)); ++dim)
      joinOperand(dim, dim);
  } else if (auto transpose = dyn_cast<tt::TransOp>(op)) {
    for (auto [dim, source] : llvm::enumerate(transpose.getOrder()))
      joinOperand(source, dim);
  } else if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
    unsigned axis = reduce.getAxis();
    joinAll(op->getOperands());
    joinAll(op->getResults());
    reductions.push_back({first.lookup(op->getOperand(0)) + axis, reduce});
    for (unsigned dim = 0; dim < rankOf(op->getResult(0)); ++dim)
      joinOperand(dim + (dim >= axis), dim);
  } else if (auto scan = dyn_cast<tt::ScanOp>(op)) {
    joinAll(values);
    keepWhole(op->getOperand(0), scan.getAxis());
  } else if (isa<tt::LoadOp, tt::StoreOp>(op) || codegen::isElementOp(op)) {
    joinAll(values);
    DenseElementsAttr dense;
    if (matchPattern(op, m_Constant(&dense)) && !dense.isSplat())
      keepWhole(op);
  } else if (!isa<tt::SplatOp, tt::MakeRangeOp>(op)) {
    keepWhole(op);
  }
}

TileDims::TileDims(tt::FuncOp kernel) {
  kernel.walk([&](Operation *op) {
    for (Value result : op->getResults())
      number(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          number(argument);
  });
  sets.grow(count);
  kernel.getBody().walk([&](Operation *op) {
    // What a loop yields is joined with its arguments.
    if (!isa<scf::YieldOp>(op) || !isa<scf::ForOp>(op->getParentOp()))
      visit(op);
  });
  sets.compress();
  whole.resize(sets.getNumClasses());
  for (unsigned dim : wholeDims)
    whole.set(sets[dim]);
  for (auto [value, number] : first)
    for (unsigned a = 0; a < rankOf(value); ++a)
      for (unsigned b = 0; b < a; ++b)
        if (sets[number + a] == sets[number + b])
          whole.set(sets[number + a]);
}

std::optional<unsigned> TileDims::dimIn(unsigned set, Value value) const {
  for (unsigned dim = 0; dim < rankOf(value); ++dim)
    if (setOf(value, dim) == set)
      return dim;
  return std::nullopt;
}

SmallVector<tt::ReduceOp, 2> TileDims::reductionsOf(unsigned set) const {
  SmallVector<tt::ReduceOp, 2> found;
  for (auto [dim, reduce] : reductions)
    if (sets[dim] == set)
      found.push_back(reduce);
  return found;
}

/// The numbers of `range` from `first` on.
static void shortenRange(tt::MakeRangeOp range, int64_t size, Value first) {
  OpBuilder builder(range);
  Location location = range.getLoc();
  int64_t start = range.getStartAttr().getInt();
  auto type = RankedTensorType::get({size}, builder.getI32Type());
  Value numbers =
      builder.create<tt::MakeRangeOp>(location, type, start, start + size);
  Value before = builder.create<tt::SplatOp>(location, type, first);
  range.getResult().replaceAllUsesWith(
      builder.create<arith::AddIOp>(location, before, numbers));
  range.erase();
}

void TileDims::shorten(Block &block, unsigned set, int64_t size,
                       Value from) const {
  SmallVector<tt::MakeRangeOp> ranges;
  auto shortenTile = [&](Value value) {
    std::optional<unsigned> dim = dimIn(set, value);
    if (!dim)
      return;
    auto type = tileType(value);
    SmallVector<int64_t> shape(type.getShape());
    shape[*dim] = size;
    value.setType(RankedTensorType::get(shape, type.getElementType()));
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      constant.setValueAttr(
          cast<SplatElementsAttr>(constant.getValue())
              .resizeSplat(cast<ShapedType>(value.getType())));
    if (auto range = value.getDefiningOp<tt::MakeRangeOp>())
      ranges.push_back(range);
  };
  block.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), shortenTile);
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        llvm::for_each(inner.getArguments(), shortenTile);
  });
  for (tt::MakeRangeOp range : ranges)
    shortenRange(range, size, from);
}

void separateSources(tt::FuncOp kernel) {
  SmallVector<Operation *> sources;
  kernel.getBody().walk([&](Operation *op) {
    if (isa<tt::MakeRangeOp, tt::SplatOp, arith::ConstantOp>(op) &&
        isTile(op->getResult(0)) && !op->use_empty())
      sources.push_back(op);
  });
  for (Operation *op : sources) {
    OpBuilder builder(op);
    for (OpOperand &use :
         llvm::make_early_inc_range(llvm::drop_begin(op->getUses())))
      use.set(builder.clone(*op)->getResult(0));
  }
}

} // namespace nereid::cpu
