// EmitSerial.cpp - operations that go through a tile element by element.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "EmitNest.h"

using namespace mlir;

namespace nereid::cpu {

/// An atomic operation's mask, and its other operands.
static Value maskOf(Operation *op) {
  if (auto rmw = dyn_cast<tt::AtomicRMWOp>(op))
    return rmw.getMask();
  if (auto load = dyn_cast<tt::AtomicLoadOp>(op))
    return load.getMask();
  if (auto store = dyn_cast<tt::AtomicStoreOp>(op))
    return store.getMask();
  if (auto histogram = dyn_cast<tt::HistogramOp>(op))
    return histogram.getMask();
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return load.getMask();
  return {};
}

/// Counts one element into its bin; values without a bin are dropped.
static void count(Emitter &emitter, tt::HistogramOp op, llvm::Value *value) {
  llvm::IRBuilder<> &b = emitter.builder;
  auto type = cast<RankedTensorType>(op.getResult().getType());
  llvm::Type *element = emitter.memoryType(type);
  llvm::Value *bin = b.CreateSExtOrTrunc(value, b.getInt64Ty());
  llvm::Value *isBin = b.CreateICmpULT(bin, b.getInt64(type.getNumElements()));
  llvm::Value *slot = b.CreateGEP(
      element, emitter.keptPointer(op.getResult()),
      b.CreateSelect(isBin, bin, b.getInt64(0)));
  llvm::Value *old = emitter.inScratch(b.CreateLoad(element, slot));
  llvm::Value *one = b.CreateZExt(isBin, element);
  emitter.inScratch(b.CreateStore(b.CreateAdd(old, one), slot));
}

void NestEmitter::emitSerial(Operation *op) {
  if (auto histogram = dyn_cast<tt::HistogramOp>(op)) {
    auto type = cast<RankedTensorType>(histogram.getResult().getType());
    llvm::Type *element = emitter.memoryType(type);
    builder.CreateMemSet(
        emitter.keptPointer(histogram.getResult()), builder.getInt8(0),
        type.getNumElements() * (element->getScalarSizeInBits() / 8),
        llvm::MaybeAlign(8));
  }
  if (auto unsplat = dyn_cast<tt::UnsplatOp>(op)) {
    emitter.scalars[unsplat.getResult()] = get(unsplat.getSrc(), current).value;
    return;
  }
  SmallVector<Loop> loops;
  for (unsigned dim = 0; dim < nest.shape.size(); ++dim) {
    loops.push_back(beginLoop(emitter.i64(0), emitter.i64(nest.shape[dim]), 1));
    current[dim] = {loops.back().index, 0, nullptr};
  }
  SmallVector<llvm::Value *> operands;
  Value mask = maskOf(op);
  for (Value operand : op->getOperands())
    operands.push_back(
        operand == mask ? nullptr
                        : get(operand, isTile(operand) ? current : Indices())
                              .value);
  llvm::Value *condition = mask ? maskAt(mask, current).value : nullptr;
  Value result = op->getNumResults() == 1 ? op->getResult(0) : Value();
  bool isWritten = result && emitter.program.isKept(result) &&
                   !isa<tt::HistogramOp>(op);

  // The result of a masked-off element is 0.
  llvm::AllocaInst *slot = nullptr;
  insertAt(levels.size() - 1);
  if (isWritten) {
    slot = emitter.allocate(emitter.typeOf(result), "old");
    builder.CreateStore(llvm::Constant::getNullValue(emitter.typeOf(result)),
                        slot);
  }
  if (auto assertOp = dyn_cast<tt::AssertOp>(op)) {
    emitIf(emitter, builder.CreateNot(operands[0]), [&] {
      emitFailure(emitter, assertOp.getMessage());
    });
  } else {
    emitIf(emitter, condition, [&] {
      if (auto histogram = dyn_cast<tt::HistogramOp>(op))
        return count(emitter, histogram, operands[0]);
      llvm::Value *old = emitAtomic(emitter, op, operands);
      if (slot)
        builder.CreateStore(old, slot);
    });
  }
  levels.back().block = builder.GetInsertBlock();
  if (isWritten) {
    auto type = cast<RankedTensorType>(result.getType());
    llvm::Value *old = builder.CreateLoad(slot->getAllocatedType(), slot);
    place(old, levels.size() - 1);
    writeBuffer(emitter.keptPointer(result), type, type.getShape(), current,
                {old, false});
  }
  while (!loops.empty())
    endLoop(loops.pop_back_val());
}

} // namespace nereid::cpu
