// Turns.cpp - loops in which programs take turns to share operands of dots.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The programs of one head of attention read the same keys and values, a block
// in each iteration. If each runs one iteration in turn, a block is copied, and
// packed for the product, once for all of them. Programs that do not wait for
// each other may run at the same time; so neither an iteration nor what is
// before the loop may have an effect.

#include "plan/Interleave.h"
#include "plan/KeyReader.h"
#include "plan/Planner.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace nereid::cpu {

static constexpr int64_t kMostPrograms = 8;
static constexpr size_t kLongestKey = 8;

/// The first loop of a function, if nothing before it has an effect; or null.
static scf::ForOp findLoop(const TileProgram &program) {
  auto function = const_cast<tt::FuncOp &>(program.function);
  if (!llvm::hasSingleElement(function.getBody()))
    return {};
  for (Operation &op : function.getBody().front()) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return loop;
    codegen::TileOpKind kind = codegen::infoOf(&op).kind;
    bool isPlain = isMemoryEffectFree(&op) || isa<LLVM::AssumeOp>(op) ||
                   (isa<tt::LoadOp>(op) && !isVolatileLoad(&op));
    // Scalars are computed again in each turn, but for those of nests.
    bool isRepeated = kind == codegen::TileOpKind::Scalar ||
                      llvm::all_of(op.getResults(), isTile);
    if (kind == codegen::TileOpKind::Region || !isPlain || !isRepeated)
      return {};
  }
  return {};
}

/// Does `value` differ between programs that follow one another?
static bool differsInNext(Value value) {
  auto isId = [](Value factor) {
    auto id = factor.getDefiningOp<tt::GetProgramIdOp>();
    return id && id.getAxisAsInt() == 0;
  };
  codegen::Polynomial polynomial = codegen::Polynomial::of(value);
  return llvm::any_of(polynomial.terms(), [&](const codegen::Monomial &term) {
    return llvm::any_of(term.factors, isId);
  });
}

/// Adds `buffer`, to which `value` is written, if `value` is the same in all
/// programs with some key.
void Planner::addShared(TurnLoop &turns, Value value, const Buffer *buffer) {
  llvm::SetVector<Value> key;
  if (!buffer || isPassedOn(buffer) ||
      !KeyReader(turns.loop, key).visit(value) ||
      llvm::any_of(key, differsInNext))
    return;
  turns.shared.insert(buffer);
  turns.key.insert(key.begin(), key.end());
}

void Planner::planTurns() {
  scf::ForOp loop = findLoop(*program);
  if (!options.fastPaths.has(FastPath::DotTurns) || !loop || program->joint ||
      program->deferredDots.contains(loop) || !program->heldSums.empty() ||
      !onlyReads(loop))
    return;
  TurnLoop turns{loop};
  KeyReader bounds(loop, turns.key);
  if (!bounds.visit(loop.getLowerBound()) || !bounds.visit(loop.getStep()))
    return;
  // A buffer that several nests write is filled again in each turn.
  llvm::DenseMap<const Buffer *, unsigned> writers;
  loop->walk([&](Block *block) {
    for (const Step &step : program->blocks[block].steps)
      if (step.kind == StepKind::Nest)
        for (const Inner &inner : step.nest->inners)
          for (const Root &root : inner.roots)
            ++writers[root.target];
  });
  bool hasOperand = false;
  for (const Step &step : program->blocks[loop.getBody()].steps) {
    if (step.kind == StepKind::Nest && step.nest->inners.size() == 1 &&
        step.nest->inners.front().roots.size() == 1) {
      const Root &root = step.nest->inners.front().roots.front();
      if (root.kind == RootKind::Materialize && writers[root.target] == 1)
        addShared(turns, root.value, root.target);
    } else if (step.kind == StepKind::Dot) {
      const DotPlan &plan = program->dots.at(step.op);
      for (const DotOperand &operand : {plan.left, plan.right}) {
        addShared(turns, operand.value, operand.packed);
        hasOperand |= turns.shared.contains(program->bufferOf(operand));
      }
    }
  }
  if (!hasOperand || turns.key.size() > kLongestKey)
    return;
  turns.own = buffersBetweenIterations(*program, loop);
  int64_t bytes = 0;
  for (Buffer *buffer : turns.own) {
    if (buffer->isInRegisters || buffer->groups > 1 || buffer->tiles > 1)
      return;
    bytes += llvm::alignTo(buffer->bytes(), kScratchAlign);
  }
  turns.programs = std::min<int64_t>(
      kMostPrograms, options.cpu.sharedBytes / std::max<int64_t>(bytes, 1));
  if (turns.programs < 2)
    return;
  for (Buffer *buffer : turns.own) {
    buffer->groups = turns.programs;
    buffer->padding =
        llvm::alignTo(buffer->bytes(), kScratchAlign) - buffer->bytes();
  }
  program->turns = std::move(turns);
}

} // namespace nereid::cpu
