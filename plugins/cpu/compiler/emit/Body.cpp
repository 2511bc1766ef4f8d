// Body.cpp - control flow: blocks of a function or of a region of scalars,
// loops and branches with scalars in registers and tiles in buffers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/dot/Dot.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::cpu {

/// Passes on that nothing is to be moved out of `loop`, on the branch back.
static void annotate(llvm::BranchInst *back, Operation *loop) {
  auto annotation =
      loop->getAttrOfType<LLVM::LoopAnnotationAttr>("llvm.loop_annotation");
  LLVM::LoopLICMAttr licm = annotation ? annotation.getLicm() : nullptr;
  if (!licm)
    return;
  llvm::LLVMContext &context = back->getContext();
  auto option = [&](BoolAttr set, const char *name) -> llvm::MDNode * {
    if (!set || !set.getValue())
      return nullptr;
    return llvm::MDNode::get(context, llvm::MDString::get(context, name));
  };
  SmallVector<llvm::Metadata *> operands = {nullptr}; // the node itself
  for (llvm::MDNode *node :
       {option(licm.getDisable(), "llvm.licm.disable"),
        option(licm.getVersioningDisable(),
               "llvm.loop.licm_versioning.disable")})
    if (node)
      operands.push_back(node);
  llvm::MDNode *node = llvm::MDNode::getDistinct(context, operands);
  node->replaceOperandWith(0, node);
  back->setMetadata(llvm::LLVMContext::MD_loop, node);
}

namespace {
class BodyEmitter {
public:
  BodyEmitter(Emitter &emitter, llvm::BasicBlock *next)
      : emitter(emitter), b(emitter.builder), next(next) {}

  void run(Region &body) {
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

  /// What the region returned, where `next` is the insertion point; one value
  /// for each of `types`.
  SmallVector<llvm::Value *> results(ArrayRef<llvm::Type *> types) {
    SmallVector<llvm::Value *> values;
    for (auto [number, type] : llvm::enumerate(types)) {
      llvm::PHINode *phi = b.CreatePHI(type, returns.size());
      for (auto &[from, returned] : returns)
        phi->addIncoming(returned[number], from);
      values.push_back(phi);
    }
    return values;
  }

private:
  llvm::BasicBlock *makeBlock(const char *name) {
    return llvm::BasicBlock::Create(emitter.context(), name, emitter.function);
  }

  void makeArguments(Block &block) {
    llvm::IRBuilder<>::InsertPointGuard guard(b);
    b.SetInsertPoint(blocks[&block]);
    for (BlockArgument argument : block.getArguments())
      if (!isTile(argument))
        emitter.scalars[argument] = b.CreatePHI(emitter.typeOf(argument), 2);
  }

  /// A block without a plan is in a region of scalars.
  void emitScalars(Block &block) {
    for (Operation &op : block.without_terminator())
      if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
        emitRegionOp(&op);
      else
        emitScalarOp(emitter, &op);
  }

  void emitSteps(Block &block) {
    auto plan = emitter.program.blocks.find(&block);
    if (plan == emitter.program.blocks.end())
      return emitScalars(block);
    for (const Step &step : plan->second.steps) {
      std::optional<AtLine> line;
      if (step.op)
        line.emplace(b, emitter.lines.get(), step.op->getLoc());
      switch (step.kind) {
      case StepKind::Op:
        emitScalarOp(emitter, step.op);
        break;
      case StepKind::Nest:
        emitNest(emitter, *step.nest);
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

  // ---------------------------------------------------------- function level
  void branchTo(Block *target, OperandRange operands) {
    for (auto [operand, argument] : llvm::zip(operands, target->getArguments()))
      if (!isTile(argument))
        cast<llvm::PHINode>(emitter.scalars[argument])
            ->addIncoming(emitter.scalar(operand), b.GetInsertBlock());
  }

  void emitTerminator(Operation *op) {
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

  // ---------------------------------------------------------- structured
  void emitRegionOp(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      emitFor(loop);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      emitIfOp(branch);
    else
      emitWhile(cast<scf::WhileOp>(op));
  }

  /// A pair of buffers that a loop swaps.
  struct Swap {
    Value argument;
    CarriedTile tile;
    llvm::Value *current, *next; // before the loop
    llvm::PHINode *currentPhi, *nextPhi;
  };

  void emitFor(scf::ForOp loop) {
    llvm::Value *lower = emitter.scalar(loop.getLowerBound());
    llvm::Value *upper = emitter.scalar(loop.getUpperBound());
    llvm::Value *step = emitter.scalar(loop.getStep());
    llvm::BasicBlock *entry = b.GetInsertBlock();
    llvm::BasicBlock *header = makeBlock("for"), *body = makeBlock("body"),
                     *exit = makeBlock("for.end");
    b.CreateBr(header);
    b.SetInsertPoint(header);
    llvm::PHINode *index = b.CreatePHI(lower->getType(), 2);
    index->addIncoming(lower, entry);
    SmallVector<llvm::PHINode *> phis;
    SmallVector<Swap> swaps;
    for (auto [init, argument] :
         llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs())) {
      if (!isTile(argument)) {
        llvm::PHINode *phi = b.CreatePHI(emitter.typeOf(argument), 2);
        phi->addIncoming(emitter.scalar(init), entry);
        emitter.scalars[argument] = phi;
        phis.push_back(phi);
        continue;
      }
      CarriedTile tile = emitter.program.carried.lookup(argument);
      if (tile.current == tile.next)
        continue;
      Swap swap{argument, tile, emitter.buffers.lookup(tile.current),
                emitter.buffers.lookup(tile.next), nullptr, nullptr};
      swap.currentPhi = b.CreatePHI(b.getPtrTy(), 2);
      swap.nextPhi = b.CreatePHI(b.getPtrTy(), 2);
      swap.currentPhi->addIncoming(swap.current, entry);
      swap.nextPhi->addIncoming(swap.next, entry);
      emitter.buffers[tile.current] = swap.currentPhi;
      emitter.buffers[tile.next] = swap.nextPhi;
      swaps.push_back(swap);
    }
    DeferredDotsEmitter deferred(emitter, loop);
    deferred.begin(entry);
    emitter.scalars[loop.getInductionVar()] = index;
    b.CreateCondBr(b.CreateICmpSLT(index, upper), body, exit);

    b.SetInsertPoint(body);
    deferred.enterIteration();
    emitSteps(*loop.getBody());
    deferred.leaveIteration();
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    unsigned number = 0;
    for (Value operand : yield.getOperands())
      if (!isTile(operand)) {
        llvm::Value *value = emitter.scalar(operand);
        phis[number++]->addIncoming(value, b.GetInsertBlock());
      }
    index->addIncoming(b.CreateAdd(index, step), b.GetInsertBlock());
    for (Swap &swap : swaps) {
      swap.currentPhi->addIncoming(swap.nextPhi, b.GetInsertBlock());
      swap.nextPhi->addIncoming(swap.currentPhi, b.GetInsertBlock());
    }
    annotate(b.CreateBr(header), loop);

    b.SetInsertPoint(exit);
    number = 0;
    for (auto [argument, result] :
         llvm::zip(loop.getRegionIterArgs(), loop.getResults())) {
      if (!isTile(argument))
        emitter.scalars[result] = phis[number++];
      else
        emitter.carriedResults[result] = emitter.bufferPointer(argument);
    }
    for (Swap &swap : swaps) {
      emitter.buffers[swap.tile.current] = swap.current;
      emitter.buffers[swap.tile.next] = swap.next;
    }
    deferred.end();
  }

  void emitIfOp(scf::IfOp op) {
    llvm::Value *condition = emitter.scalar(op.getCondition());
    llvm::BasicBlock *then = makeBlock("then"), *end = makeBlock("if.end");
    llvm::BasicBlock *other = op.elseBlock() ? makeBlock("else") : end;
    b.CreateCondBr(condition, then, other);
    SmallVector<std::pair<llvm::BasicBlock *, Block *>> ends;
    for (auto [place, block] :
         {std::pair(then, op.thenBlock()), std::pair(other, op.elseBlock())}) {
      if (!block)
        continue;
      b.SetInsertPoint(place);
      emitSteps(*block);
      for (Value operand : block->getTerminator()->getOperands())
        if (!isTile(operand))
          yielded[block].push_back(emitter.scalar(operand));
      ends.push_back({b.GetInsertBlock(), block});
      b.CreateBr(end);
    }
    b.SetInsertPoint(end);
    unsigned number = 0;
    for (Value result : op.getResults()) {
      if (isTile(result))
        continue;
      llvm::PHINode *phi = b.CreatePHI(emitter.typeOf(result), 2);
      for (auto [from, block] : ends)
        phi->addIncoming(yielded[block][number], from);
      emitter.scalars[result] = phi;
      ++number;
    }
  }

  void emitWhile(scf::WhileOp op) {
    llvm::BasicBlock *entry = b.GetInsertBlock();
    llvm::BasicBlock *before = makeBlock("while"), *after = makeBlock("do"),
                     *exit = makeBlock("while.end");
    b.CreateBr(before);
    b.SetInsertPoint(before);
    SmallVector<llvm::PHINode *> phis;
    for (auto [init, argument] :
         llvm::zip(op.getInits(), op.getBeforeArguments()))
      if (!isTile(argument)) {
        phis.push_back(b.CreatePHI(emitter.typeOf(argument), 2));
        phis.back()->addIncoming(emitter.scalar(init), entry);
        emitter.scalars[argument] = phis.back();
      }
    emitSteps(*op.getBeforeBody());
    auto condition = op.getConditionOp();
    for (auto [operand, argument, result] :
         llvm::zip(condition.getArgs(), op.getAfterArguments(),
                   op.getResults()))
      if (!isTile(operand))
        emitter.scalars[argument] = emitter.scalars[result] =
            emitter.scalar(operand);
    b.CreateCondBr(emitter.scalar(condition.getCondition()), after, exit);
    b.SetInsertPoint(after);
    emitSteps(*op.getAfterBody());
    unsigned number = 0;
    for (Value operand : op.getYieldOp().getOperands())
      if (!isTile(operand))
        phis[number++]->addIncoming(emitter.scalar(operand),
                                    b.GetInsertBlock());
    annotate(b.CreateBr(before), op);
    b.SetInsertPoint(exit);
  }

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  llvm::BasicBlock *next;
  llvm::DenseMap<Block *, llvm::BasicBlock *> blocks;
  llvm::DenseMap<Block *, SmallVector<llvm::Value *, 4>> yielded;
  SmallVector<std::pair<llvm::BasicBlock *, SmallVector<llvm::Value *>>, 1>
      returns;
};
} // namespace

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
