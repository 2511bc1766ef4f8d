// ScalarStores.cpp - scalars that are stored while tiles are still to be read.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A kernel that normalizes a row stores its mean before the row: in
//
//   x = tl.load(x_ptrs); mean = tl.sum(x) / n; tl.store(mean_ptr, mean)
//   tl.store(y_ptrs, x - mean)
//
// `x` may not be read again after the store of the mean, which may be anywhere.
// As a store of a tile with one element, its address is compared with those of
// the row, as are the addresses of `y_ptrs` (MovedLoads.cpp).

#include "plan/Planner.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::infoOf;
using codegen::TileOpKind;

/// Does an operation of its block after `store` use a tile that is computed, on
/// demand, from loads before it? Comparing addresses takes as long as copying
/// some elements.
static bool isPassed(tt::StoreOp store) {
  constexpr int64_t kFewestElements = 64;
  Block *block = store->getBlock();
  DenseSet<Operation *> loaded;
  for (Operation &op : llvm::make_range(block->begin(), store->getIterator())) {
    TileOpKind kind = infoOf(&op).kind;
    bool reads = kind == TileOpKind::Load ||
                 (kind == TileOpKind::Expression &&
                  llvm::any_of(op.getOperands(), [&](Value operand) {
                    return loaded.contains(operand.getDefiningOp());
                  }));
    if (!reads)
      continue;
    loaded.insert(&op);
    if (codegen::tileType(op.getResult(0)).getNumElements() < kFewestElements)
      continue;
    for (Operation *user : op.getUsers()) {
      Operation *here = block->findAncestorOpInBlock(*user);
      if (here && store->isBeforeInBlock(here))
        return true;
    }
  }
  return false;
}

/// Moves scalars after `store` that do not depend on what follows it to before
/// it: among them are the addresses that its own is compared with.
static void hoistScalars(tt::StoreOp store) {
  Block *block = store->getBlock();
  DenseSet<Operation *> left;
  for (Operation &op : llvm::make_early_inc_range(
           llvm::make_range(std::next(store->getIterator()), block->end()))) {
    bool isFree = infoOf(&op).kind == TileOpKind::Scalar && isPure(&op) &&
                  llvm::none_of(op.getOperands(), [&](Value operand) {
                    return left.contains(operand.getDefiningOp());
                  });
    if (isFree)
      op.moveBefore(store);
    else
      left.insert(&op);
  }
}

void widenScalarStores(tt::FuncOp function) {
  SmallVector<tt::StoreOp, 4> stores;
  function.walk([&](tt::StoreOp store) {
    if (!isTile(store.getValue()) && isPassed(store))
      stores.push_back(store);
  });
  for (tt::StoreOp store : stores) {
    hoistScalars(store);
    OpBuilder builder(store);
    for (OpOperand &operand : store->getOpOperands()) {
      Value scalar = operand.get();
      auto type = RankedTensorType::get({1}, scalar.getType());
      operand.set(builder.create<tt::SplatOp>(store.getLoc(), type, scalar));
    }
  }
}

} // namespace nereid::cpu
