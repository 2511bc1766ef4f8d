// HeldSums.cpp - atomic additions that a call makes once for all programs.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs are not ordered unless they wait for each other. A program that adds
// to integers in memory, and afterwards neither reads nor writes memory, cannot
// tell when the addition is made; nor can another program that reads memory by
// plain loads. So each call adds in scratch, for the addresses that are the
// same in all programs, and its last program adds the sums to memory.

#include "plan/Planner.h"
#include "plan/Streams.h"

using namespace mlir;

namespace nereid::cpu {

/// What the sums of a kernel take at most, in bytes: they compete with the
/// program for the first cache.
static constexpr uint64_t kMostHeld = 16 << 10;

/// Is `value` the same in all programs of a launch, and known without reading
/// memory?
static bool isOfArguments(Value value, const TileProgram &program) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return isa<tt::FuncOp>(value.getParentBlock()->getParentOp());
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<tt::MakeRangeOp>(op))
    return true;
  bool isExpression =
      isTile(value) ? isTileExpression(op) && !isa<tt::LoadOp>(op) : isPure(op);
  return isExpression && op->getNumOperands() && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isOfArguments(operand, program);
         });
}

/// May the additions of `op` be held, as far as that depends on it alone?
static bool maySum(tt::AtomicRMWOp op, const TileProgram &program) {
  auto type = dyn_cast<RankedTensorType>(op.getVal().getType());
  return type && op.getAtomicRmwOp() == tt::RMWOp::ADD &&
         type.getElementType().isIntOrIndex() && op->use_empty() &&
         isOfArguments(op.getPtr(), program);
}

/// Does `function` communicate in another way than by `sums`, read memory
/// through an argument that they are added to, or perhaps wait until memory
/// changes?
static bool hasReaders(tt::FuncOp function,
                       const llvm::SetVector<tt::AtomicRMWOp> &sums,
                       codegen::TileForms &forms) {
  llvm::DenseSet<Value> targets;
  for (tt::AtomicRMWOp op : sums)
    targets.insert(argumentOf(op.getPtr(), forms));
  return targets.contains(Value()) ||
         function
             .walk([&](Operation *op) {
               auto sum = dyn_cast<tt::AtomicRMWOp>(op);
               auto load = dyn_cast<tt::LoadOp>(op);
               bool reads =
                   load && (isVolatileLoad(op) ||
                            targets.contains(argumentOf(load.getPtr(), forms)));
               bool isOther =
                   codegen::infoOf(op).isAtomic && !(sum && sums.contains(sum));
               // It may run until another program has added.
               bool waits = isa<scf::WhileOp>(op);
               return reads || isOther || waits ? WalkResult::interrupt()
                                                : WalkResult::advance();
             })
             .wasInterrupted();
}

void Planner::holdSums() {
  auto function = this->function;
  if (!options.fastPaths.has(FastPath::HeldSums) ||
      !llvm::hasSingleElement(function.getBody()))
    return;
  // Nothing after them accesses memory.
  llvm::SetVector<tt::AtomicRMWOp> sums;
  for (Operation &op : llvm::reverse(function.getBody().front())) {
    auto sum = dyn_cast<tt::AtomicRMWOp>(&op);
    if (sum && maySum(sum, *program))
      sums.insert(sum);
    else if (!isMemoryEffectFree(&op) && !op.hasTrait<OpTrait::IsTerminator>())
      break;
  }
  if (sums.empty() || hasReaders(function, sums, forms))
    return;
  uint64_t bytes = 0;
  for (const Step &step : program->blocks[&function.getBody().front()].steps) {
    if (step.kind != StepKind::Nest || step.nest->lanes == 1)
      continue;
    auto op = dyn_cast_or_null<tt::AtomicRMWOp>(
        step.nest->inners.front().roots.front().op);
    if (!op || !sums.contains(op))
      continue;
    Buffer *buffer = makeBuffer(op.getVal().getType());
    bytes += buffer->bytes();
    if (bytes <= kMostHeld)
      program->heldSums[op] = buffer;
  }
}

} // namespace nereid::cpu
