// Groups.cpp - sorting networks in registers: values whose elements are
// exchanged only within groups of a few vectors.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Planner.h"

using namespace mlir;

namespace nereid::cpu {

/// Code is emitted for each vector of a group: a root with more operations is
/// better in a loop.
static constexpr unsigned kMostOperations = 32;

/// Are the elements of an expression, `value`, computed from elements of the
/// same group?
bool Planner::staysInGroup(Value value, int64_t group) {
  Operation *op = value.getDefiningOp();
  if (!op || isIndexFunction(value))
    return op;
  if (std::optional<int64_t> distance = codegen::exchangeDistanceOf(op))
    return *distance < group;
  return isa<tt::LoadOp>(op) || op->hasTrait<OpTrait::Elementwise>();
}

/// Are there few enough operations in `values`, the expressions of a root?
bool Planner::isShort(ArrayRef<Value> values) {
  return llvm::count_if(values, [&](Value value) {
           Operation *op = value.getDefiningOp();
           return op && op->hasTrait<OpTrait::Elementwise>() &&
                  !isIndexFunction(value);
         }) <= kMostOperations;
}

/// Can the pending nest, which is not grouped yet, run in groups?
bool Planner::canGroupPending() {
  SmallVector<Value> values;
  bool isMasked = false;
  for (const PendingPlace &read : pendingPlaces) {
    if (read.list == &streams)
      values.push_back(read.value);
    auto load = read.value.getDefiningOp<tt::LoadOp>();
    isMasked |= read.list == &loads && load.getMask();
  }
  // Each vector of a group has its mask; other loops have none for most.
  return isShort(values) && (!isMasked || options.cpu.hasCheapMasks);
}

/// The size of the groups if `root` reads what the pending nest writes, in the
/// same group only, so that both can run one group after the other; else 0.
int64_t Planner::groupWith(const Root &root, const RootReads &reads) {
  bool isEnabled = options.reassociate;
  for (FastPath path :
       {FastPath::Vectorize, FastPath::Exchange, FastPath::ExchangeGroups})
    isEnabled &= options.fastPaths.has(path);
  auto isOwn = [&](const Root &other) {
    return other.kind == RootKind::Materialize && other.op &&
           program->materialized.lookup(other.value) == other.target;
  };
  if (!isEnabled || pending->shape.size() != 1 || !isOwn(root))
    return 0;
  unsigned bits = 8;
  auto widen = [&](Value value) {
    bits = std::max(
        bits, tt::getElementBitWidth(getElementTypeOrSelf(value.getType())));
  };
  widen(root.value);
  for (const Inner &inner : pending->inners)
    for (const Root &other : inner.roots) {
      if (!isOwn(other))
        return 0;
      widen(other.value);
    }
  // Half of the registers hold a group; the others, what it becomes.
  int64_t lanes = std::max(1u, options.cpu.vectorBits / bits);
  int64_t group = std::min<int64_t>(pending->shape.front(),
                                    lanes * options.cpu.vectorRegisters / 2);
  bool flows = llvm::any_of(reads.materialized, [&](const TileRead &read) {
    return (pending->group || !codegen::isIdentity(read.map, 1)) &&
           pendingInnerOf(read.value);
  });
  bool stays = llvm::all_of(
      reads.streamed, [&](Value value) { return staysInGroup(value, group); });
  if (!flows || !stays || !isShort(reads.streamed.getArrayRef()))
    return 0;
  bool fits = pending->group ? pending->group == group : canGroupPending();
  return fits ? group : 0;
}

/// Values that only the nest that computes them reads, in groups, need no
/// scratch.
void Planner::keepGroupsInRegisters() {
  for (auto &[block, plan] : program->blocks)
    for (auto [number, step] : llvm::enumerate(plan.steps)) {
      if (step.kind != StepKind::Nest || !step.nest->group)
        continue;
      auto isHere = [&, block = block, step = number](const Place &place) {
        return place.block == block && place.step == step;
      };
      for (const Inner &inner : step.nest->inners)
        for (const Root &root : inner.roots)
          root.target->isInRegisters =
              !program->carried.contains(root.value) &&
              !program->passed.contains(root.value) &&
              llvm::all_of(root.value.getUsers(), isTileExpression) &&
              llvm::all_of(readers[root.value], isHere);
    }
}

} // namespace nereid::cpu
