// Loops.cpp - scf.for and scf.while: what they carry from one iteration to the
// next is in phis.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/BodyEmitter.h"
#include "emit/dot/Deferred.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

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
/// The values that a loop carries: scalars, and pairs of buffers that it swaps
/// after each iteration, because the next tile must not overwrite the current
/// one before that has been read. Other tiles are updated where they are.
class CarriedValues {
public:
  CarriedValues(Emitter &emitter, scf::ForOp loop)
      : emitter(emitter), b(emitter.builder), loop(loop) {}

  /// At the start of the loop's header, which is entered from `entry`.
  void begin(llvm::BasicBlock *entry, const LoopPart *part) {
    for (auto [init, argument] :
         llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs())) {
      if (!isTile(argument)) {
        llvm::PHINode *phi = b.CreatePHI(emitter.typeOf(argument), 2);
        phi->addIncoming(
            part ? part->carried[phis.size()] : emitter.scalar(init), entry);
        emitter.scalars[argument] = phi;
        phis.push_back(phi);
        continue;
      }
      CarriedTile tile = emitter.program.carried.lookup(argument);
      if (tile.current != tile.next)
        beginSwap(tile, entry);
    }
  }

  /// At the end of an iteration.
  void passOn() {
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    unsigned number = 0;
    for (Value operand : yield.getOperands())
      if (!isTile(operand)) {
        llvm::Value *value = emitter.scalar(operand);
        phis[number++]->addIncoming(value, b.GetInsertBlock());
      }
  }

  /// Before the branch back to the header.
  void swapBuffers() {
    for (Swap &swap : swaps) {
      swap.currentPhi->addIncoming(swap.nextPhi, b.GetInsertBlock());
      swap.nextPhi->addIncoming(swap.currentPhi, b.GetInsertBlock());
    }
  }

  /// After the loop.
  void end() {
    unsigned number = 0;
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
  }

private:
  struct Swap {
    CarriedTile tile;
    llvm::Value *current, *next; // before the loop
    llvm::PHINode *currentPhi, *nextPhi;
  };

  void beginSwap(CarriedTile tile, llvm::BasicBlock *entry) {
    Swap swap{tile, emitter.buffers.lookup(tile.current),
              emitter.buffers.lookup(tile.next), nullptr, nullptr};
    swap.currentPhi = b.CreatePHI(b.getPtrTy(), 2);
    swap.nextPhi = b.CreatePHI(b.getPtrTy(), 2);
    swap.currentPhi->addIncoming(swap.current, entry);
    swap.nextPhi->addIncoming(swap.next, entry);
    emitter.buffers[tile.current] = swap.currentPhi;
    emitter.buffers[tile.next] = swap.nextPhi;
    swaps.push_back(swap);
  }

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  scf::ForOp loop;
  SmallVector<llvm::PHINode *> phis;
  SmallVector<Swap> swaps;
};
} // namespace

llvm::Value *BodyEmitter::emitFor(scf::ForOp loop, const LoopPart *part) {
  llvm::Value *lower =
      part ? part->first : emitter.scalar(loop.getLowerBound());
  llvm::Value *upper = emitter.scalar(loop.getUpperBound());
  llvm::Value *step = emitter.scalar(loop.getStep());
  DeferredDotsEmitter deferred(emitter, loop);
  deferred.beforeLoop();
  llvm::BasicBlock *entry = b.GetInsertBlock();
  llvm::BasicBlock *header = makeBlock("for"), *body = makeBlock("body"),
                   *exit = makeBlock("for.end");
  b.CreateBr(header);
  b.SetInsertPoint(header);
  llvm::PHINode *index = b.CreatePHI(lower->getType(), 2);
  index->addIncoming(lower, entry);
  CarriedValues carried(emitter, loop);
  carried.begin(entry, part);
  deferred.begin(entry, part ? part->isLater : nullptr);
  emitter.scalars[loop.getInductionVar()] = index;
  llvm::PHINode *number = part ? b.CreatePHI(b.getInt64Ty(), 2) : nullptr;
  llvm::Value *isLeft = b.CreateICmpSLT(index, upper);
  if (part) {
    number->addIncoming(emitter.i64(0), entry);
    isLeft = b.CreateAnd(isLeft,
                         b.CreateICmpNE(number, emitter.i64(part->iterations)));
  }
  b.CreateCondBr(isLeft, body, exit);

  b.SetInsertPoint(body);
  deferred.enterIteration();
  emitSteps(*loop.getBody());
  deferred.leaveIteration();
  carried.passOn();
  index->addIncoming(b.CreateAdd(index, step), b.GetInsertBlock());
  if (part)
    number->addIncoming(b.CreateAdd(number, emitter.i64(1)),
                        b.GetInsertBlock());
  carried.swapBuffers();
  annotate(b.CreateBr(header), loop);

  b.SetInsertPoint(exit);
  carried.end();
  deferred.end();
  return index;
}

void BodyEmitter::emitWhile(scf::WhileOp op) {
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

} // namespace nereid::cpu
