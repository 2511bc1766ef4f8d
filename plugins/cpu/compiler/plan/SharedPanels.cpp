// SharedPanels.cpp - right operands of deferred dots that one program packs for
// those after it.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs that follow one another often multiply with the same columns: the
// usual order of programs is made for that. Without atomic operations programs
// are not ordered: none sees, or may rely on not seeing, what another writes.
// So the operand of a program may be read when an earlier one of the call runs,
// unless the program itself might write it first.

#include "plan/KeyReader.h"
#include "plan/Planner.h"

using namespace mlir;

namespace nereid::cpu {

/// Do all branches of `function` lead to blocks after them, as those to an
/// early return do? Then operations run in the order of the text.
static bool branchesForward(tt::FuncOp function) {
  llvm::DenseSet<Block *> seen;
  for (Block &block : function.getBody()) {
    seen.insert(&block);
    if (llvm::any_of(block.getSuccessors(),
                     [&](Block *next) { return seen.contains(next); }))
      return false;
  }
  return true;
}

/// Might a program write memory before `loop` ends, or communicate?
bool Planner::hasWritesBefore(scf::ForOp loop) const {
  for (Operation *parent = loop->getParentOp(); parent != function;
       parent = parent->getParentOp())
    if (!isa<scf::IfOp>(parent))
      return true;
  auto isInOrder = [&](Operation *op) {
    codegen::TileOpInfo info = codegen::infoOf(op);
    bool isLater =
        order.lookup(op) > order.lookup(loop) && !loop->isAncestor(op);
    return !info.isAtomic && !isVolatileLoad(op) && (!info.writes || isLater);
  };
  auto function = this->function;
  return !branchesForward(function) ||
         function
             ->walk([&](Operation *op) {
               return isInOrder(op) ? WalkResult::advance()
                                    : WalkResult::interrupt();
             })
             .wasInterrupted();
}

/// `iterations` of them are deferred at once.
std::optional<SharedOperand> Planner::planShared(tt::DotOp dot, scf::ForOp loop,
                                                 int64_t iterations) {
  const DotPlan &plan = program->dots.at(dot);
  SharedOperand shared;
  shared.value = plan.right.value;
  shared.rows = rowLimits.lookup(dot).end;
  Operation *producer = shared.value.getDefiningOp();
  if (!options.fastPaths.has(FastPath::DotShared) || !producer ||
      producer->getParentOp() != loop || !computesDotOperand(producer) ||
      hasWritesBefore(loop))
    return std::nullopt;
  KeyReader reader(loop, shared.key);
  constexpr size_t kLongestKey = 8;
  if (!reader.visit(shared.value) || !reader.visit(loop.getUpperBound()) ||
      shared.key.size() > kLongestKey)
    return std::nullopt;

  Buffer *buffer = plan.right.packed
                       ? plan.right.packed
                       : program->materialized.lookup(shared.value);
  int64_t groups =
      options.cpu.sharedBytes / (int64_t(buffer->bytes()) * iterations);
  auto type = dyn_cast<IntegerType>(loop.getUpperBound().getType());
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  int64_t extent;
  if (!groups || !type || !lower || !step || *step <= 0 ||
      llvm::MulOverflow(groups * iterations, *step, extent) ||
      llvm::AddOverflow(*lower, extent, shared.highestBound) ||
      !llvm::isIntN(type.getWidth(), shared.highestBound))
    return std::nullopt;
  buffer->groups = groups;
  shared.buffer = buffer;
  return shared;
}

} // namespace nereid::cpu
