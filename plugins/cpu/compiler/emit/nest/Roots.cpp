// Roots.cpp - emits the roots of a nest at one index: stores, atomic updates
// without locks, materialized values, and accumulation.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"

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

void NestEmitter::emitWrites(ArrayRef<Write> writes) {
  for (const Write &write : writes) {
    AtLine line = emitter.at(write.root->location());
    if (write.root->kind == RootKind::Materialize) {
      const Buffer *buffer = write.root->target;
      if (buffer->isInRegisters)
        continue;
      writeBuffer(emitter.buffers.lookup(buffer), write.root->value.getType(),
                  buffer->layout(), write.indices, write.value);
      continue;
    }
    if (auto update = dyn_cast<tt::AtomicRMWOp>(write.root->op)) {
      updateAt(update, write.address, write.mask, write.value);
      continue;
    }
    auto store = cast<tt::StoreOp>(write.root->op);
    llvm::Type *type = emitter.memoryType(store.getValue().getType());
    if (const Deferral *deferral = deferralOf(store))
      storeDeferred(*deferral, write.address, type, write.mask, write.value);
    else
      storeAt(write.address, type, write.mask, write.value, Memory::Program,
              write.streams);
  }
}

} // namespace nereid::cpu
