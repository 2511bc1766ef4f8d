// TileProgram.cpp - queries on a tile program.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/TileProgram.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace nereid::cpu {

TileLayout TileLayout::rowMajor(ArrayRef<int64_t> shape) {
  TileLayout layout;
  layout.strides.resize(shape.size());
  int64_t unit = 1;
  for (size_t dim = shape.size(); dim-- > 0; unit *= shape[dim])
    layout.strides[dim] = unit;
  return layout;
}

TileLayout TileLayout::along(unsigned innermost, ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 4> others(shape);
  others[innermost] = 1;
  TileLayout layout = rowMajor(others);
  for (int64_t &stride : layout.strides)
    stride *= shape[innermost];
  layout.strides[innermost] = 1;
  return layout;
}

TileLayout Buffer::layout() const {
  if (innermost)
    return TileLayout::along(*innermost, shape);
  SmallVector<int64_t, 4> joined = shape;
  joined[joinedDim] *= tiles;
  TileLayout layout = TileLayout::rowMajor(joined);
  if (panel) {
    layout.panel = panel;
    layout.panelStride = joined[joined.size() - 2] * panel;
    layout.strides[joined.size() - 2] = panel;
  }
  return layout;
}

int64_t Buffer::tileStride() const {
  return shape[joinedDim] * layout().strides[joinedDim];
}

int64_t Buffer::elements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

uint64_t Buffer::bytes() const {
  return elements() * (std::max(8u, tt::getElementBitWidth(element)) / 8);
}

const DeferredDots *TileProgram::deferredDotsOf(tt::DotOp dot) const {
  auto deferred = deferredDots.find(dot->getParentOp());
  return deferred != deferredDots.end() &&
                 llvm::is_contained(deferred->second.dots, dot)
             ? &deferred->second
             : nullptr;
}

bool TileProgram::isPrefetchedByDot(tt::LoadOp load) const {
  auto deferred = deferredDots.find(load->getParentOp());
  return deferred != deferredDots.end() &&
         llvm::any_of(deferred->second.prefetches, [&](const Prefetch &p) {
           return p.tile == load.getResult();
         });
}

bool TileProgram::isInElementLoop(Block *block) const {
  return elementLoops.contains(block->getParentOp());
}

/// Does `block` do nothing but return?
static bool onlyReturns(Block *block) {
  return block->getNumArguments() == 0 &&
         isa<tt::ReturnOp>(block->front());
}

SmallVector<Block *, 2> blocksInOrder(tt::FuncOp function) {
  SmallVector<Block *, 2> blocks{&function.getBody().front()};
  while (!isa<tt::ReturnOp>(blocks.back()->getTerminator())) {
    auto branch = dyn_cast<cf::CondBranchOp>(blocks.back()->getTerminator());
    if (!branch)
      return {};
    Block *next = branch.getTrueDest();
    if (onlyReturns(next))
      next = branch.getFalseDest();
    else if (!onlyReturns(branch.getFalseDest()))
      return {};
    // A block with one predecessor is in no cycle.
    if (next->getNumArguments() || next->getSinglePredecessor() != blocks.back())
      return {};
    blocks.push_back(next);
  }
  return blocks;
}

bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

bool isTileExpression(Operation *op) {
  switch (codegen::infoOf(op).kind) {
  case codegen::TileOpKind::Expression:
    return true;
  case codegen::TileOpKind::Load:
    return !isVolatileLoad(op);
  default:
    return false;
  }
}

bool isVolatileLoad(Operation *op) {
  auto load = dyn_cast<tt::LoadOp>(op);
  return load && load.getIsVolatile();
}

bool descends(const Nest &nest) {
  auto scan =
      dyn_cast_or_null<tt::ScanOp>(nest.inners.front().roots.front().op);
  return scan && scan.getReverse();
}

std::optional<unsigned> rowDimOf(const Nest &nest) {
  for (unsigned dim = nest.shape.size(); dim-- > 0;)
    if (dim != nest.vectorAxis && nest.shape[dim] > 1)
      return dim;
  return std::nullopt;
}

bool isInnermost(unsigned dim, ArrayRef<int64_t> shape) {
  return llvm::all_of(shape.drop_front(dim + 1),
                      [](int64_t size) { return size == 1; });
}

} // namespace nereid::cpu
