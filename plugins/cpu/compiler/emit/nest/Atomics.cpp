// Atomics.cpp - atomic operations on tiles of addresses.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/CountedLoop.h"
#include "emit/nest/NestEmitter.h"
#include "plan/PlainAtomics.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace nereid::cpu {

/// Begins loops over the elements of the nest, the last in steps of vectors.
/// The rows of `updates`, if it is not null, are prefetched.
SmallVector<Loop> NestEmitter::beginLoops(tt::AtomicRMWOp updates) {
  SmallVector<Loop> loops;
  for (unsigned dim = 0; dim < nest.shape.size(); ++dim) {
    bool isLast = dim + 1 == nest.shape.size();
    if (isLast && updates) {
      prefetchRows(nest.inners.front());
      prefetchUpdates(updates);
    }
    loops.push_back(beginLoop(emitter.i64(0), emitter.i64(nest.shape[dim]),
                              isLast ? lanes : 1));
    current[dim] = {loops.back().index, 0, nullptr};
  }
  setVectorIndex(loops.back().index);
  return loops;
}

void NestEmitter::endLoops(SmallVector<Loop> loops) {
  while (!loops.empty())
    endLoop(loops.pop_back_val());
  current.assign(nest.shape.size(), zero());
}

/// Begins a loop that runs once if `condition` holds, else never.
Loop NestEmitter::beginIf(llvm::Value *condition) {
  insertAt(levels.size() - 1);
  return beginLoop(emitter.i64(0),
                   builder.CreateZExt(condition, builder.getInt64Ty()), 1);
}

/// Adds the values of `op` to `sums`, the buffer that holds them.
void NestEmitter::addToHeld(tt::AtomicRMWOp op, llvm::Value *sums) {
  auto type = cast<RankedTensorType>(op.getVal().getType());
  unsigned few = lanes;
  unsigned bits = type.getElementTypeBitWidth();
  while (2 * lanes * bits <= emitter.options.cpu.vectorBits &&
         type.getShape().back() % (2 * lanes) == 0)
    lanes *= 2;
  SmallVector<Loop> loops = beginLoops();
  TileLayout layout = TileLayout::rowMajor(type.getShape());
  Element value = get(op.getVal(), current);
  if (op.getMask())
    value = choose(maskAt(op.getMask(), current), value,
                   {llvm::Constant::getNullValue(
                        emitter.memoryType(type.getElementType())),
                    false});
  llvm::Value *held =
      widen(readBuffer(sums, layout, type.getElementType(), current));
  llvm::Value *wide = widen(value);
  llvm::Value *sum =
      at({held, wide}, [&] { return builder.CreateAdd(held, wide); });
  writeBuffer(sums, type.getElementType(), layout, current, {sum, true});
  endLoops(std::move(loops));
  lanes = few;
}

/// Updates the neighbours that `values` has lanes for: at once if all are
/// unmasked and, for a compare-and-swap, aligned; else one after the other, as
/// where they are neighbours by a tile of pointers in scratch.
void NestEmitter::updateNeighbours(tt::AtomicRMWOp op, llvm::Value *values,
                                   llvm::Value *mask, bool isPlain) {
  Address address = addressOf(op.getPtr(), current);
  llvm::Value *first = address.base;
  if (!first) {
    insertAt(levels.size() - 1);
    updateInTurn(op, address.vector, values, mask, isPlain);
    levels.back().block = builder.GetInsertBlock();
    return;
  }
  insertAt(levels.size() - 1);
  constexpr uint64_t kBytes = CpuModel::kSwapBits / 8;
  llvm::Value *isWhole = builder.getTrue(), *isAny = builder.getTrue();
  if (!isPlain)
    isWhole = builder.CreateICmpEQ(
        builder.CreateAnd(builder.CreatePtrToInt(first, builder.getInt64Ty()),
                          emitter.i64(kBytes - 1)),
        emitter.i64(0));
  if (mask) {
    isWhole = builder.CreateAnd(isWhole, builder.CreateAndReduce(mask));
    isAny = builder.CreateOrReduce(mask);
  }
  emitIf(emitter, isWhole, [&] {
    if (isPlain)
      emitPlainAtomic(emitter, op, {first, values});
    else
      emitWideAtomic(emitter, op, first, values);
  });
  emitIf(emitter, builder.CreateAnd(builder.CreateNot(isWhole), isAny),
         [&] { updateInTurn(op, first, values, mask, isPlain); });
  levels.back().block = builder.GetInsertBlock();
}

/// Updates the elements at `places`, or from that one on, one after the other
/// where `mask` (null: always) is true.
void NestEmitter::updateInTurn(tt::AtomicRMWOp op, llvm::Value *places,
                               llvm::Value *values, llvm::Value *mask,
                               bool isPlain) {
  bool areNeighbours = !places->getType()->isVectorTy();
  // The next lane moves to the first, which costs no memory.
  SmallVector<llvm::Value *, 3> rest = {values};
  if (mask)
    rest.push_back(mask);
  if (!areNeighbours)
    rest.push_back(places);
  SmallVector<int> turned;
  for (unsigned lane = 0; lane < lanes; ++lane)
    turned.push_back((lane + 1) % lanes);
  emitLoop(builder, emitter.i64(lanes), 1, rest, [&](llvm::Value *lane) {
    auto firstOf = [&](llvm::Value *vector) {
      return builder.CreateExtractElement(vector, uint64_t(0));
    };
    llvm::Value *value = firstOf(rest[0]);
    llvm::Value *place = areNeighbours
                             ? builder.CreateGEP(value->getType(), places, lane)
                             : firstOf(rest.back());
    emitIf(emitter, mask ? firstOf(rest[1]) : nullptr,
           [&] { emitElement(op, {place, value, nullptr}, isPlain); });
    for (llvm::Value *&vector : rest)
      vector = builder.CreateShuffleVector(vector, turned);
  });
}

/// Updates the elements at `address` without a lock: as a vector if they are
/// neighbours.
void NestEmitter::updateAt(tt::AtomicRMWOp op, const Address &address,
                           Element mask, Element value) {
  unsigned innermost = levels.size() - 1;
  llvm::Value *values = widen(value);
  llvm::Type *bits = builder.getIntNTy(
      values->getType()->getScalarType()->getPrimitiveSizeInBits());
  mask = ofActiveLanes(mask);
  if (address.base && address.stride == 1 && address.repeat == 1) {
    // After the vectors before this one.
    llvm::SaveAndRestore<unsigned> here(minimumLevel, innermost);
    llvm::Value *old = widen(loadAt(address, bits, mask, {}, Memory::Program));
    insertAt(innermost);
    llvm::Value *next = emitUpdate(emitter, op, old, values);
    return storeAt(address, bits, mask, {next, true}, Memory::Program);
  }
  llvm::Value *where = widen(mask), *places = lanePointers(address, bits);
  insertAt(innermost);
  updateInTurn(op, places, values, where, /*isPlain=*/true);
  levels.back().block = builder.GetInsertBlock();
}

/// Updates with all values of `op` or, of held sums, those that are not 0.
void NestEmitter::emitNeighbours(tt::AtomicRMWOp op, bool isPlain) {
  SmallVector<Loop> loops = beginLoops(op);
  llvm::Value *values = nullptr, *mask = nullptr;
  if (const Buffer *held = emitter.program.heldSums.lookup(op)) {
    auto type = cast<RankedTensorType>(op.getVal().getType());
    values = widen(readBuffer(emitter.buffers.lookup(held),
                              TileLayout::rowMajor(type.getShape()),
                              type.getElementType(), current));
    mask = at({values}, [&] { return builder.CreateIsNotNull(values); });
  } else {
    values = widen(get(op.getVal(), current));
    if (op.getMask())
      mask = widen(maskAt(op.getMask(), current));
  }
  updateNeighbours(op, values, mask, isPlain);
  endLoops(std::move(loops));
}

/// `op` with locks, or without if `isPlain`.
void NestEmitter::emitAtomicForm(Operation *op, bool isPlain) {
  lanes = isPlain || nest.combinesRuns ? nest.plainLanes : nest.lanes;
  isPlainUpdate = isPlain;
  const Inner &inner = nest.inners.front();
  if (nest.combinesRuns) {
    emitAllRuns(cast<tt::AtomicRMWOp>(op));
  } else if (isPlain && !inner.masks.isEmpty()) {
    emitInner(inner, 0);
    masks = nullptr;
    bounds.clear();
  } else if (lanes > 1) {
    emitNeighbours(cast<tt::AtomicRMWOp>(op), isPlain);
  } else {
    emitElements(op, isPlain);
  }
  lanes = nest.lanes;
}

/// Held sums are added to memory in the last program of a call.
void NestEmitter::emitAtomics(Operation *op) {
  std::optional<Loop> once;
  if (auto update = dyn_cast<tt::AtomicRMWOp>(op))
    if (const Buffer *held = emitter.program.heldSums.lookup(update)) {
      addToHeld(update, emitter.buffers.lookup(held));
      insertAt(levels.size() - 1);
      once =
          beginIf(builder.CreateICmpEQ(emitter.programsLeft, emitter.i64(1)));
    }
  if (emitter.isExclusive && mayBePlain(op, emitter.options)) {
    for (bool isPlain : {true, false}) {
      insertAt(levels.size() - 1);
      Loop one = beginIf(isPlain ? emitter.isExclusive
                                 : builder.CreateNot(emitter.isExclusive));
      emitAtomicForm(op, isPlain);
      endLoop(one);
    }
  } else {
    emitAtomicForm(op, /*isPlain=*/false);
  }
  if (once)
    endLoop(*once);
}

} // namespace nereid::cpu
