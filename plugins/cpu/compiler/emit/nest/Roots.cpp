// Roots.cpp - emits the roots of a nest at one index: stores, atomic updates
// without locks, materialized values, and accumulation.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/MDBuilder.h"

using namespace mlir;

namespace nereid::cpu {

/// The loop that contains this operand and a dot that uses it, or null.
static scf::ForOp loopOfDot(Value operand) {
  auto loop = dyn_cast<scf::ForOp>(operand.getParentBlock()->getParentOp());
  if (!loop)
    return nullptr;
  auto isDot = [&](Operation *user) {
    return isa<tt::DotOp>(user) && user->getParentOp() == loop;
  };
  // A dot may read it through a transposition.
  bool isRead = llvm::any_of(operand.getUsers(), [&](Operation *user) {
    return isDot(user) ||
           (isa<tt::TransOp>(user) && llvm::any_of(user->getUsers(), isDot));
  });
  return isRead ? loop : nullptr;
}

/// Ends the program unless the condition of `op` is true, where the condition is
/// available: before the loads that follow, wherever they are emitted.
void NestEmitter::emitCheck(tt::AssertOp op) {
  Element condition = get(op.getCondition(), current);
  if (condition.isVector && activeLanes)
    condition.value = at({condition.value, activeLanes}, [&] {
      return builder.CreateOr(condition.value, builder.CreateNot(activeLanes));
    });
  llvm::Value *holds = condition.value;
  unsigned level = std::max(levelOf(holds), minimumLevel);
  insertAt(level);
  if (holds->getType()->isVectorTy())
    holds = builder.CreateAndReduce(holds);
  llvm::Instruction *before = levels[level].before;
  llvm::BasicBlock *block = builder.GetInsertBlock(), *next;
  if (before) {
    next = block->splitBasicBlock(before, "checked");
    block->getTerminator()->eraseFromParent();
    builder.SetInsertPoint(block);
  } else {
    next = llvm::BasicBlock::Create(emitter.context(), "checked",
                                    emitter.function);
    levels[level].block = next;
  }
  auto *failed =
      llvm::BasicBlock::Create(emitter.context(), "failed", emitter.function);
  llvm::MDBuilder weights(emitter.context());
  builder.CreateCondBr(holds, next, failed, weights.createLikelyBranchWeights());
  builder.SetInsertPoint(failed);
  emitFailure(emitter, op);
  builder.CreateBr(next);
}

/// A vector of a root that is evaluated and not yet stored.
struct NestEmitter::Write {
  const Root *root;
  Indices indices;
  Element value, mask;
  Address address;
  llvm::Value *streams = nullptr;
};

/// Emits one vector of every root. All are evaluated before any is stored, so
/// that all loads of this index precede its stores.
void NestEmitter::emitRoots(const Inner &inner, unsigned copy) {
  std::vector<Write> writes;
  evaluateRoots(inner, copy, writes);
  emitWrites(writes);
}

/// Emits the roots at each of `places`; all loads precede all stores.
void NestEmitter::emitRootsAt(const Inner &inner, ArrayRef<Indices> places) {
  std::vector<Write> writes;
  for (const Indices &place : places) {
    current = place;
    evaluateRoots(inner, 0, writes);
  }
  emitWrites(writes);
}

void NestEmitter::evaluateRoots(const Inner &inner, unsigned copy,
                                std::vector<Write> &writes) {
  for (const Root &root : inner.roots) {
    if (root.kind == RootKind::Scan) // these roots follow it
      continue;
    AtLine line = emitter.at(root.location());
    if (root.kind == RootKind::Check) {
      emitCheck(cast<tt::AssertOp>(root.op));
      continue;
    }
    if (root.kind == RootKind::Reduce) {
      for (Accumulators &sums : reductions)
        if (sums.op == root.op)
          accumulate(sums, copy, root.inOrder);
      continue;
    }
    if (root.kind == RootKind::Materialize) {
      // A value is computed into its own buffer, and later roots of this index
      // read the register; into another buffer it is copied.
      bool isOwn =
          emitter.program.materialized.lookup(root.value) == root.target;
      if (emitter.options.fastPaths.has(FastPath::DotPrefetch))
        loopAround = loopOfDot(root.value);
      Element value =
          isOwn ? define(root.value, current) : get(root.value, current);
      if (isOwn)
        remember(root.value, current, value, levels.size() - 1);
      loopAround = nullptr;
      writes.push_back({&root, current, value, {}, {}});
      continue;
    }
    if (auto update = dyn_cast<tt::AtomicRMWOp>(root.op)) {
      Element mask{builder.getTrue(), false};
      if (update.getMask())
        mask = maskAt(update.getMask(), current);
      writes.push_back({&root, current, get(update.getVal(), current), mask,
                        addressOf(update.getPtr(), current)});
      continue;
    }
    auto store = cast<tt::StoreOp>(root.op);
    Element mask{builder.getTrue(), false};
    if (store.getMask())
      mask = maskAt(store.getMask(), current);
    Element value =
        storedFrom
            ? readBuffer(emitter.buffers.lookup(storedFrom),
                         storedFrom->layout(), store.getValue().getType(),
                         current)
            : get(store.getValue(), current);
    llvm::Value *streams = root.canStream ? streamsAt(store) : nullptr;
    writes.push_back({&root, current, value, mask,
                      addressOf(store.getPtr(), current), streams});
  }
}

/// The distance in elements of what `b` stores from what `a` stores, at any
/// index, if it is known.
static std::optional<int64_t> distanceOf(tt::StoreOp a, tt::StoreOp b,
                                         codegen::TileForms &forms) {
  const codegen::TileForm *from = forms.of(a.getPtr());
  const codegen::TileForm *to = forms.of(b.getPtr());
  if (!from || !to)
    return std::nullopt;
  codegen::TileForm same = *to;
  same.base = from->base;
  if (!(same == *from))
    return std::nullopt;
  return (to->base - from->base).constant();
}

/// Stores that are interleaved in memory, such as those of the real and the
/// imaginary parts of numbers, are one of neighbours. Returns how many of
/// `writes`, from the first on, it has stored.
size_t NestEmitter::storeInterleaved(ArrayRef<Write> writes) {
  const Write &first = writes.front();
  size_t count = first.address.base ? first.address.stride.value_or(0) : 0;
  constexpr size_t kMost = 4;
  if (count < 2 || count > kMost || count > writes.size() || lanes == 1 ||
      activeLanes || !emitter.options.fastPaths.has(FastPath::Strided))
    return 0;
  SmallVector<const Write *> byPlace(2 * count); // from -count on
  size_t least = count;
  for (const Write &write : writes.take_front(count)) {
    auto store = dyn_cast_or_null<tt::StoreOp>(write.root->op);
    if (write.root->kind != RootKind::Store || deferralOf(store) ||
        write.indices != first.indices || write.address.repeat != 1 ||
        write.address.base == nullptr || write.mask.value != first.mask.value ||
        write.address.stride != first.address.stride)
      return 0;
    auto firstStore = cast<tt::StoreOp>(first.root->op);
    auto distance = distanceOf(firstStore, store, emitter.forms);
    if (!distance || std::abs(*distance) >= int64_t(count) ||
        store.getValue().getType() != firstStore.getValue().getType())
      return 0;
    size_t place = *distance + count;
    byPlace[place] = &write;
    least = std::min(least, place);
  }
  ArrayRef<const Write *> inOrder = ArrayRef(byPlace).slice(least, count);
  auto *known = dyn_cast<llvm::ConstantInt>(first.mask.value);
  if (llvm::is_contained(inOrder, nullptr) || !known || !known->isOne())
    return 0;
  llvm::Type *type = emitter.memoryType(
      cast<tt::StoreOp>(first.root->op).getValue().getType());
  bool isShort = type->isBFloatTy() || type->isHalfTy();
  SmallVector<llvm::Value *> values;
  for (const Write *write : inOrder) {
    llvm::Value *value = widen(asInMemory(write->value, type));
    values.push_back(isShort ? reinterpret(value, builder.getInt16Ty())
                             : value);
  }
  insertAt(levels.size() - 1);
  SmallVector<int> from;
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (size_t place = 0; place < count; ++place)
      from.push_back(place * lanes + lane);
  llvm::Value *all = builder.CreateShuffleVector(
      llvm::concatenateVectors(builder, values), from);
  emitter.inProgram(builder.CreateAlignedStore(
      all, inOrder.front()->address.base, llvm::Align(Emitter::bytesOf(type))));
  return count;
}

void NestEmitter::emitWrite(const Write &write) {
  if (write.root->kind == RootKind::Materialize) {
    const Buffer *buffer = write.root->target;
    if (!buffer->isInRegisters)
      writeBuffer(emitter.buffers.lookup(buffer), write.root->value.getType(),
                  buffer->layout(), write.indices, write.value);
    return;
  }
  if (auto update = dyn_cast<tt::AtomicRMWOp>(write.root->op))
    return updateAt(update, write.address, write.mask, write.value);
  auto store = cast<tt::StoreOp>(write.root->op);
  llvm::Type *type = emitter.memoryType(store.getValue().getType());
  if (const Deferral *deferral = deferralOf(store))
    storeDeferred(*deferral, write.address, type, write.mask, write.value);
  else
    storeAt(write.address, type, write.mask, write.value, Memory::Program,
            write.streams);
}

void NestEmitter::emitWrites(ArrayRef<Write> writes) {
  while (!writes.empty()) {
    AtLine line = emitter.at(writes.front().root->location());
    size_t stored = storeInterleaved(writes);
    if (!stored)
      emitWrite(writes.front());
    writes = writes.drop_front(std::max<size_t>(stored, 1));
  }
}

} // namespace nereid::cpu
