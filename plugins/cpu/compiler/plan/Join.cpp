// Join.cpp - which roots share a nest.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Planner.h"

using namespace mlir;

namespace nereid::cpu {

ArrayRef<int64_t> Planner::shapeOf(const Root &root) {
  Value value = root.value;
  if (root.kind != RootKind::Materialize)
    for (Value operand : root.op->getOperands())
      if (isTile(operand)) {
        value = operand;
        break;
      }
  return cast<RankedTensorType>(value.getType()).getShape();
}

static int reduceAxisOf(const Root &root) {
  if (root.kind == RootKind::Reduce)
    return cast<tt::ReduceOp>(root.op).getAxis();
  return -1;
}

/// Must `root` begin a nest?
static bool begins(const Root &root) {
  return root.kind == RootKind::Serial || root.kind == RootKind::Scan;
}

/// May `store` follow `root`, which begins the nest, at each index? Scans along
/// the last dimension run in row-major order, or in rows from the last element
/// to the first.
bool Planner::canFollowScan(tt::StoreOp store, const Root &root) {
  auto scan = dyn_cast_or_null<tt::ScanOp>(root.op);
  if (!scan || scan.getAxis() + 1 != codegen::rankOf(scan->getOperand(0)))
    return false;
  return !scan.getReverse() ||
         (pending->inners.front().roots.size() == 1 && canReorder(store));
}

/// Is a tile checked at each index of `nest`?
static bool hasChecks(const Nest &nest) {
  return llvm::any_of(nest.inners, [](const Inner &inner) {
    return llvm::any_of(inner.roots, [](const Root &root) {
      return root.kind == RootKind::Check;
    });
  });
}

/// Does a root that reads `reads` use what the pending nest has computed at the
/// same index only?
bool Planner::readsAtIndex(const RootReads &reads) const {
  return llvm::all_of(reads.materialized, [&](const TileRead &read) {
    return !pendingInnerOf(read.value) ||
           codegen::isIdentity(read.map, pending->shape.size());
  });
}

/// How a root may join the pending nest.
Planner::Join Planner::joinOf(const Root &root, const RootReads &reads) {
  if (!pending || pending->shape != shapeOf(root) || begins(root))
    return Join::None;
  const Root &first = pending->inners.front().roots.front();
  bool followsScan = begins(first);
  if (followsScan && !(root.kind == RootKind::Store && readsAtIndex(reads) &&
                       canFollowScan(cast<tt::StoreOp>(root.op), first)))
    return Join::None;
  int axis = reduceAxisOf(root);
  int pendingAxis = pending->reduceAxis;
  if (axis >= 0 && pendingAxis >= 0 && axis != pendingAxis)
    return Join::None;
  // Reductions may leave elements out, which are checked as well.
  bool checks = root.kind == RootKind::Check || hasChecks(*pending);
  if (checks && (axis >= 0 || pendingAxis >= 0))
    return Join::None;
  if (dependsOnPending(reads.scalars))
    return Join::None;
  // A reduction along an outer axis runs through columns.
  auto reorders = [&](int reduced) {
    return reduced >= 0 && !isInnermost(reduced, pending->shape);
  };
  // A load that follows a store of the nest in program order stays after it.
  for (const TileRead &read : reads.loads)
    for (const Inner &inner : pending->inners)
      for (const Root &other : inner.roots)
        if (other.kind == RootKind::Store &&
            order.lookup(other.op) < order.lookup(read.value.getDefiningOp()))
          return Join::None;

  for (const Inner &inner : pending->inners)
    for (const Root &other : inner.roots)
      if (root.kind == RootKind::Store &&
          !canFollow(cast<tt::StoreOp>(root.op), other))
        return Join::None;
  if (followsScan)
    return Join::SameRow;
  if (reorders(axis) || reorders(pendingAxis)) {
    if (root.kind == RootKind::Store &&
        !canReorder(cast<tt::StoreOp>(root.op)))
      return Join::None;
    for (const Inner &inner : pending->inners)
      for (const Root &other : inner.roots)
        if (other.kind == RootKind::Store &&
            !canReorder(cast<tt::StoreOp>(other.op)))
          return Join::None;
  }

  if (int64_t group = checks ? 0 : groupWith(root, reads)) {
    pending->group = group;
    return Join::NewRow;
  }
  if (pending->group && root.kind != RootKind::Materialize)
    return Join::None;

  unsigned rank = pending->shape.size();
  bool newRow = false;
  for (const TileRead &read : reads.materialized) {
    std::optional<unsigned> inner = pendingInnerOf(read.value);
    if (!inner)
      continue;
    bool isReduced = isa<tt::ReduceOp>(read.value.getDefiningOp());
    if (!isReduced && *inner + 1 == pending->inners.size() &&
        codegen::isIdentity(read.map, rank))
      continue;
    if (rank < 2 || !codegen::isIdentity(read.map, rank - 1))
      return Join::None;
    newRow = true;
  }
  if (newRow && checks)
    return Join::None;
  if (!newRow)
    return pending->inners.size() > 1 && axis >= 0 && axis != int(rank) - 1
               ? Join::None
               : Join::SameRow;
  bool rowsFlow = (axis < 0 || axis == int(rank) - 1) &&
                  (pendingAxis < 0 || pendingAxis == int(rank) - 1);
  return rowsFlow && options.fastPaths.has(FastPath::RowFusion) ? Join::NewRow
                                                         : Join::None;
}

/// The inner part of the pending nest that computes `value`.
std::optional<unsigned> Planner::pendingInnerOf(Value value) const {
  for (auto [index, inner] : llvm::enumerate(pending->inners))
    for (const Root &root : inner.roots) {
      if (root.kind == RootKind::Materialize
              ? root.value == value &&
                    program->materialized.lookup(value) == root.target
              : llvm::is_contained(root.op->getResults(), value))
        return index;
    }
  return std::nullopt;
}

void Planner::addRoot(Root root) {
  RootReads reads = readsOf(root, *program);
  Join join = options.fastPaths.has(FastPath::Fuse) ? joinOf(root, reads) : Join::None;
  if (join == Join::None) {
    flush();
    pending = std::make_unique<Nest>();
    pending->shape.assign(shapeOf(root).begin(), shapeOf(root).end());
  }
  if (join != Join::SameRow)
    pending->inners.emplace_back();
  if (int axis = reduceAxisOf(root); axis >= 0)
    pending->reduceAxis = axis;

  Place place{block, 0, unsigned(pending->inners.size() - 1), true};
  auto note = [&](auto &list, Value value, ArrayRef<IndexSource> map) {
    place.identity = codegen::isIdentity(map, pending->shape.size());
    pendingPlaces.push_back({&list, value, place});
  };
  for (const TileRead &read : reads.materialized)
    note(readers, read.value, read.map);
  for (Value value : reads.streamed)
    note(streams, value, {});
  // A load that has to follow a check is as one that has to follow a store.
  pendingWrites |= root.kind == RootKind::Store ||
                   root.kind == RootKind::Check ||
                   root.kind == RootKind::Serial;
  if (root.op)
    pendingOps.insert(root.op);
  pending->inners.back().roots.push_back(root);
  for (const TileRead &read : reads.loads) {
    note(loads, read.value, read.map);
    // What is not in ascending order is not in step.
    pendingPlaces.back().place.identity &= !descends(*pending);
  }
}

} // namespace nereid::cpu
