// Body.cpp - the blocks of a function or of a region of scalars, and branches.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/BodyEmitter.h"
#include "emit/dot/Deferred.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;

namespace nereid::cpu {

void BodyEmitter::run(Region &body) {
  llvm::BasicBlock *entry = b.GetInsertBlock();
  // Blocks and their scalar arguments exist before any branch to them.
  for (Block &block : body) {
    blocks[&block] = block.isEntryBlock() ? entry : makeBlock("block");
    if (!block.isEntryBlock())
      makeArguments(block);
  }
  for (Block &block : body) {
    b.SetInsertPoint(blocks[&block]);
    emitSteps(block);
    emitTerminator(block.getTerminator());
  }
}

SmallVector<llvm::Value *>
BodyEmitter::results(ArrayRef<llvm::Type *> types) {
  SmallVector<llvm::Value *> values;
  for (auto [number, type] : llvm::enumerate(types)) {
    llvm::PHINode *phi = b.CreatePHI(type, returns.size());
    for (auto &[from, returned] : returns)
      phi->addIncoming(returned[number], from);
    values.push_back(phi);
  }
  return values;
}

void BodyEmitter::makeArguments(Block &block) {
  llvm::IRBuilder<>::InsertPointGuard guard(b);
  b.SetInsertPoint(blocks[&block]);
  for (BlockArgument argument : block.getArguments())
    if (!isTile(argument))
      emitter.scalars[argument] = b.CreatePHI(emitter.typeOf(argument), 2);
}

/// A block without a plan is in a region of scalars.
void BodyEmitter::emitScalars(Block &block) {
  for (Operation &op : block.without_terminator())
    if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
      emitRegionOp(&op);
    else
      emitScalarOp(emitter, &op);
}

void BodyEmitter::emitSteps(Block &block) {
  auto plan = emitter.program.blocks.find(&block);
  if (plan == emitter.program.blocks.end())
    return emitScalars(block);
  emitSteps(block, plan->second.steps);
}

/// An i1: must `nest` run, in the body of a loop with dots that are `deferred`,
/// which may be null? Null: always.
llvm::Value *BodyEmitter::isNeeded(const Nest &nest,
                                   DeferredDotsEmitter *deferred) {
  if (llvm::Value *isStored = emitter.storedSums.lookup(&nest))
    return b.CreateNot(isStored);
  if (scf::ForOp loop = nest.unlessRun)
    return b.CreateICmpSGE(emitter.scalar(loop.getLowerBound()),
                           emitter.scalar(loop.getUpperBound()));
  llvm::Value *needed = deferred ? deferred->isNeeded(nest) : nullptr;
  const auto &roots = nest.inners.front().roots;
  return roots.empty() ? needed
                       : emitter.unlessFilled(roots.front().target, needed);
}

void BodyEmitter::emitSteps(Block &block, ArrayRef<Step> steps) {
  DeferredDotsEmitter *deferred =
      emitter.deferredLoops.lookup(block.getParentOp());
  for (const Step &step : steps) {
    std::optional<AtLine> line;
    if (step.op)
      line.emplace(b, emitter.lines.get(), step.op->getLoc());
    switch (step.kind) {
    case StepKind::Op:
      emitScalarOp(emitter, step.op);
      break;
    case StepKind::Nest:
      emitIf(emitter, isNeeded(*step.nest, deferred),
             [&] { emitNest(emitter, *step.nest); });
      break;
    case StepKind::Dot:
      emitDot(emitter, cast<tt::DotOp>(step.op));
      break;
    case StepKind::Region:
      emitRegionOp(step.op);
      break;
    }
  }
}

void BodyEmitter::branchTo(Block *target, OperandRange operands) {
  for (auto [operand, argument] : llvm::zip(operands, target->getArguments()))
    if (!isTile(argument))
      cast<llvm::PHINode>(emitter.scalars[argument])
          ->addIncoming(emitter.scalar(operand), b.GetInsertBlock());
}

void BodyEmitter::emitTerminator(Operation *op) {
  if (isa<tt::ReturnOp, tt::ReduceReturnOp, tt::ScanReturnOp,
          tt::MapElementwiseReturnOp>(op)) {
    auto &[from, values] = returns.emplace_back();
    for (Value operand : op->getOperands())
      values.push_back(emitter.scalar(operand));
    from = b.GetInsertBlock();
    b.CreateBr(next);
    return;
  }
  if (auto branch = dyn_cast<cf::BranchOp>(op)) {
    branchTo(branch.getDest(), branch.getDestOperands());
    b.CreateBr(blocks[branch.getDest()]);
    return;
  }
  if (auto branch = dyn_cast<cf::CondBranchOp>(op)) {
    llvm::Value *condition = emitter.scalar(branch.getCondition());
    branchTo(branch.getTrueDest(), branch.getTrueDestOperands());
    // Both ways to one block would need two entries of one predecessor.
    llvm::BasicBlock *other = makeBlock("else");
    b.CreateCondBr(condition, blocks[branch.getTrueDest()], other);
    b.SetInsertPoint(other);
    branchTo(branch.getFalseDest(), branch.getFalseDestOperands());
    b.CreateBr(blocks[branch.getFalseDest()]);
    return;
  }
  emitter.refuse(op, "'" + op->getName().getStringRef().str() + "'");
  b.CreateUnreachable();
}

void BodyEmitter::emitRegionOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    emitFor(loop);
  else if (auto branch = dyn_cast<scf::IfOp>(op))
    emitIfOp(branch);
  else
    emitWhile(cast<scf::WhileOp>(op));
}

void BodyEmitter::emitIfOp(scf::IfOp op) {
  llvm::Value *condition = emitter.scalar(op.getCondition());
  llvm::BasicBlock *then = makeBlock("then"), *end = makeBlock("if.end");
  llvm::BasicBlock *other = op.elseBlock() ? makeBlock("else") : end;
  b.CreateCondBr(condition, then, other);
  SmallVector<EndOfRegion, 2> ends;
  for (auto [place, block] :
       {std::pair(then, op.thenBlock()), std::pair(other, op.elseBlock())}) {
    if (!block)
      continue;
    b.SetInsertPoint(place);
    emitSteps(*block);
    auto &[from, yielded] = ends.emplace_back();
    for (Value operand : block->getTerminator()->getOperands())
      if (!isTile(operand))
        yielded.push_back(emitter.scalar(operand));
    from = b.GetInsertBlock();
    b.CreateBr(end);
  }
  b.SetInsertPoint(end);
  unsigned number = 0;
  for (Value result : op.getResults()) {
    if (isTile(result))
      continue;
    llvm::PHINode *phi = b.CreatePHI(emitter.typeOf(result), 2);
    for (auto &[from, yielded] : ends)
      phi->addIncoming(yielded[number], from);
    emitter.scalars[result] = phi;
    ++number;
  }
}

void emitBody(Emitter &emitter, llvm::BasicBlock *next) {
  auto function = const_cast<tt::FuncOp &>(emitter.program.function);
  BodyEmitter(emitter, next).run(function.getBody());
}

SmallVector<llvm::Value *> emitScalarRegion(Emitter &emitter, Region &region,
                                            ArrayRef<llvm::Value *> in) {
  for (auto [argument, value] : llvm::zip(region.getArguments(), in))
    emitter.scalars[argument] = value;
  auto *next = llvm::BasicBlock::Create(emitter.context(), "returned",
                                        emitter.function);
  BodyEmitter body(emitter, next);
  body.run(region);
  emitter.builder.SetInsertPoint(next);
  Operation *parent = region.getParentOp();
  SmallVector<llvm::Type *> types;
  for (Value result : parent->getResults())
    types.push_back(emitter.typeOf(result));
  return body.results(types);
}

} // namespace nereid::cpu
