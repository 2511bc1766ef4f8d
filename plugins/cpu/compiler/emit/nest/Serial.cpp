// Serial.cpp - operations that process a tile element by element.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/CountedLoop.h"
#include "emit/nest/NestEmitter.h"

using namespace mlir;

namespace nereid::cpu {

/// Computes the offsets of bins as vectors, and increments one after the other:
/// those of every other value in bins of its own, so that few increments of the
/// same bin wait for each other. A value without a bin, or that is masked off,
/// counts in a place that nothing reads.
void NestEmitter::emitHistogram(tt::HistogramOp op) {
  constexpr int64_t kMostOnStack = 1024; // bins
  RankedTensorType type = op.getResult().getType();
  llvm::Type *element = emitter.memoryType(type);
  int64_t count = type.getNumElements(), bytes = Emitter::bytesOf(element);
  llvm::Value *bins[2] = {emitter.bufferPointer(op.getResult()), nullptr};
  bool areTwo = lanes > 1 && count <= kMostOnStack;
  if (areTwo)
    bins[1] = emitter.allocate(llvm::ArrayType::get(element, count + 1), "odd");
  for (llvm::Value *some : llvm::ArrayRef(bins, areTwo ? 2 : 1))
    builder.CreateMemSet(some, builder.getInt8(0), count * bytes,
                         llvm::MaybeAlign(8));
  Loop loop = beginLoop(emitter.i64(0), emitter.i64(nest.shape[0]), lanes);
  setVectorIndex(loop.index);
  llvm::Value *number = widen(get(op.getSrc(), current));
  llvm::Value *isCounted =
      op.getMask() ? widen(maskAt(op.getMask(), current)) : nullptr;
  insertAt(levels.size() - 1);
  unsigned bits = std::max(32u, number->getType()->getScalarSizeInBits());
  number = builder.CreateSExt(
      number, number->getType()->getWithNewBitWidth(bits));
  llvm::Value *isBin = builder.CreateICmpULT(
      number, llvm::ConstantInt::get(number->getType(), count));
  if (isCounted)
    isBin = builder.CreateAnd(isBin, isCounted);
  // In elements. Before the bins in scratch is the line that nothing reads,
  // after those on the stack one more.
  int64_t offset = emitter.program.materialized.at(op.getResult())->offset;
  SmallVector<llvm::Constant *> unread;
  for (unsigned lane = 0; lane < lanes; ++lane)
    unread.push_back(
        builder.getInt32(areTwo && lane % 2 ? count : -offset / bytes));
  llvm::Value *offsets = builder.CreateSelect(
      isBin,
      builder.CreateTrunc(number, number->getType()->getWithNewBitWidth(32)),
      lanes > 1 ? llvm::ConstantVector::get(unread) : unread.front());
  // Through memory: it takes longer to extract lanes.
  llvm::AllocaInst *list = emitter.allocate(offsets->getType(), "offsets");
  builder.CreateStore(offsets, list, /*isVolatile=*/true);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    llvm::Value *bin = builder.CreateLoad(
        builder.getInt32Ty(),
        builder.CreateConstGEP1_64(builder.getInt32Ty(), list, lane),
        /*isVolatile=*/true);
    llvm::Value *place =
        builder.CreateGEP(element, bins[areTwo && lane % 2],
                          builder.CreateSExt(bin, builder.getInt64Ty()));
    llvm::Value *old = builder.CreateLoad(element, place);
    builder.CreateStore(
        builder.CreateAdd(old, llvm::ConstantInt::get(element, 1)), place);
  }
  endLoop(loop);
  current[0] = zero();
  if (!areTwo)
    return;
  insertAt(levels.size() - 1);
  int64_t together = std::min<int64_t>(lanes, count);
  auto *vector = llvm::FixedVectorType::get(element, together);
  emitLoop(builder, count, together, [&](llvm::Value *index) {
    llvm::Value *sum = nullptr, *place = nullptr;
    for (llvm::Value *some : {bins[1], bins[0]}) {
      place = builder.CreateGEP(element, some, index);
      llvm::Value *part =
          builder.CreateAlignedLoad(vector, place, llvm::Align(bytes));
      sum = sum ? builder.CreateAdd(sum, part) : part;
    }
    builder.CreateAlignedStore(sum, place, llvm::Align(bytes));
  });
  levels.back().block = builder.GetInsertBlock();
}

/// One element of `op`, whose operands are `in`; its results, if any.
SmallVector<llvm::Value *> NestEmitter::emitElement(Operation *op,
                                                    ArrayRef<llvm::Value *> in,
                                                    bool isPlain) {
  if (auto map = dyn_cast<tt::MapElementwiseOp>(op))
    return emitter.region(map.getScalarOp(), in, 1);
  if (auto poll = dyn_cast<tt::AtomicPollOp>(op))
    return {emitPoll(emitter, poll, in, deadline)};
  llvm::Value *old =
      isPlain ? emitPlainAtomic(emitter, op, in) : emitAtomic(emitter, op, in);
  if (old)
    return {old};
  return {};
}

void NestEmitter::emitSerial(Operation *op) {
  if (auto unsplat = dyn_cast<tt::UnsplatOp>(op)) {
    emitter.scalars[unsplat.getResult()] = get(unsplat.getSrc(), current).value;
    return;
  }
  if (auto histogram = dyn_cast<tt::HistogramOp>(op))
    return emitHistogram(histogram);
  if (isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op))
    return emitAtomics(op);
  // All elements of a poll share one deadline.
  if (auto poll = dyn_cast<tt::AtomicPollOp>(op); poll && poll.getTimeout())
    deadline = emitDeadline(emitter, emitter.scalar(poll.getTimeout()));
  emitElements(op, /*isPlain=*/false);
}

/// `op` on one element after the other; without locks if `isPlain`.
void NestEmitter::emitElements(Operation *op, bool isPlain) {
  SmallVector<Loop> loops = beginLoops();
  SmallVector<llvm::Value *> operands;
  OpOperand *mask = codegen::infoOf(op).mask;
  for (OpOperand &use : op->getOpOperands()) {
    Value operand = use.get();
    operands.push_back(
        &use == mask ? nullptr
                     : get(operand, isTile(operand) ? current : Indices())
                           .value);
  }
  llvm::Value *condition = mask ? maskAt(mask->get(), current).value : nullptr;

  // Results that are used; those of a masked-off element are 0.
  SmallVector<std::pair<Value, llvm::AllocaInst *>> written;
  insertAt(levels.size() - 1);
  for (Value result : op->getResults()) {
    llvm::AllocaInst *slot = nullptr;
    if (emitter.program.isMaterialized(result)) {
      llvm::Type *type = emitter.typeOf(result);
      slot = emitter.allocate(type, "old");
      builder.CreateStore(llvm::Constant::getNullValue(type), slot);
    }
    written.push_back({result, slot});
  }
  emitIf(emitter, condition, [&] {
    for (auto [value, result] :
         llvm::zip(emitElement(op, operands, isPlain), written))
      if (result.second)
        builder.CreateStore(value, result.second);
  });
  levels.back().block = builder.GetInsertBlock();
  for (auto [result, slot] : written) {
    if (!slot)
      continue;
    insertAt(levels.size() - 1);
    auto type = cast<RankedTensorType>(result.getType());
    llvm::Value *old = builder.CreateLoad(slot->getAllocatedType(), slot);
    place(old, levels.size() - 1);
    writeBuffer(emitter.bufferPointer(result), type, TileLayout::rowMajor(type.getShape()), current,
                {old, false});
  }
  endLoops(std::move(loops));
}

} // namespace nereid::cpu
