// Groups.cpp - sorting networks in registers: values whose elements are
// exchanged only within groups of a few vectors.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Planner.h"

using namespace mlir;

namespace nereid::cpu {

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

/// The size of the groups if `root` reads what the pending nest writes, in the
/// same group only, so that both can run one group after the other; else 0.
int64_t Planner::groupWith(const Root &root, const RootReads &reads) {
  auto isOwn = [&](const Root &other) {
    return other.kind == RootKind::Materialize && other.op &&
           program->materialized.lookup(other.value) == other.target;
  };
  if (pending->shape.size() != 1 || !isOwn(root) || !options.reassociate ||
      !options.fastPaths.has(FastPath::Vectorize) ||
      !options.fastPaths.has(FastPath::Exchange) ||
      !options.fastPaths.has(FastPath::ExchangeGroups))
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
  // Each vector of a group has its mask; other loops have none for most.
  bool isMasked = llvm::any_of(pendingPlaces, [&](const PendingPlace &read) {
    return read.list == &loads &&
           read.value.getDefiningOp<tt::LoadOp>().getMask();
  });
  if (isMasked && !options.cpu.hasCheapMasks)
    return 0;
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
  bool fits = !pending->group || pending->group == group;
  return flows && stays && fits ? group : 0;
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
