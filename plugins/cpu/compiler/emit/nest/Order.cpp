// Order.cpp - run-time aliasing checks: loads that are copied before a nest and
// stores that are copied after it, if their addresses alias.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"

using namespace mlir;

namespace nereid::cpu {

/// An i1: one of `conflicts` is true, or `known` (null: false) is.
llvm::Value *NestEmitter::anyOf(ArrayRef<Conflict> conflicts,
                                llvm::Value *known) {
  for (const Conflict &conflict : conflicts) {
    llvm::Value *one = emitConflict(emitter, conflict);
    known = known ? builder.CreateOr(one, known) : one;
  }
  return known;
}

/// A nest over `buffer` in the order of its elements that rarely runs.
Nest NestEmitter::copyNestOf(const Buffer &buffer) const {
  Nest copy;
  copy.shape = buffer.shape;
  copy.inners.emplace_back();
  copy.vectorAxis = buffer.innermost.value_or(copy.shape.size() - 1);
  copy.lanes = std::min<int64_t>(nest.lanes, copy.shape[copy.vectorAxis]);
  copy.isRare = true;
  return copy;
}

/// Copies loads whose addresses overlap those of a later store at run time.
/// Loads of one shape and order share a loop, and are all copied if one must
/// be.
void NestEmitter::emitGuards() {
  for (size_t done = 0; done < nest.guards.size();) {
    llvm::ArrayRef<Guard> group = llvm::ArrayRef(nest.guards).drop_front(done);
    group = group.take_while([&](const Guard &guard) {
      return guard.buffer->shape == group.front().buffer->shape &&
             guard.buffer->innermost == group.front().buffer->innermost;
    });
    emitGuards(group);
    done += group.size();
  }
}

void NestEmitter::emitGuards(llvm::ArrayRef<Guard> group) {
  Nest copy = copyNestOf(*group.front().buffer);
  llvm::Value *overlaps = nullptr;
  for (const Guard &guard : group) {
    tt::LoadOp load = guard.load;
    copy.inners[0].roots.push_back({RootKind::Materialize, load,
                                    load.getResult(),
                                    const_cast<Buffer *>(guard.buffer)});
    overlaps = anyOf(guard.conflicts, overlaps);
  }
  auto *slow =
      llvm::BasicBlock::Create(emitter.context(), "overlap", emitter.function);
  auto *done = llvm::BasicBlock::Create(emitter.context(), "no.overlap",
                                        emitter.function);
  SmallVector<llvm::Value *> direct;
  for (const Guard &guard : group)
    direct.push_back(firstOfRowMajor(guard.load));
  llvm::BasicBlock *fast = builder.GetInsertBlock();
  builder.CreateCondBr(
      overlaps, slow, done,
      llvm::MDBuilder(emitter.context()).createBranchWeights(1, 1000));
  builder.SetInsertPoint(slow);
  emitNest(emitter, copy);
  slow = builder.GetInsertBlock();
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  for (auto [guard, first] : llvm::zip(group, direct)) {
    tt::LoadOp load = guard.load;
    GuardedLoad guarded{overlaps, emitter.buffers.lookup(guard.buffer),
                        guard.buffer->layout()};
    if (first) {
      llvm::PHINode *elements = builder.CreatePHI(builder.getPtrTy(), 2);
      elements->addIncoming(first, fast);
      elements->addIncoming(guarded.buffer, slow);
      guarded.elements = elements;
    }
    emitter.guarded[load.getResult()] = guarded;
  }
}

/// The address of the first element of `load`, if the elements are row-major
/// without gaps; else null.
llvm::Value *NestEmitter::firstOfRowMajor(tt::LoadOp load) {
  const codegen::TileForm *form = emitter.forms.of(load.getPtr());
  if (!form || !form->isAffine())
    return nullptr;
  auto type = cast<RankedTensorType>(load.getType());
  int64_t unit = 1;
  for (size_t dim = type.getRank(); dim-- > 0;) {
    if (type.getDimSize(dim) != 1 && form->strides[dim].constant() != unit)
      return nullptr;
    unit *= type.getDimSize(dim);
  }
  return builder.CreateGEP(emitter.memoryType(type),
                           emitter.scalar(form->pointer),
                           emitter.polynomial(form->base));
}

/// Emits the check, before the loops, whether stores are deferred.
void NestEmitter::beginDeferral() {
  for (const Deferral &deferral : nest.deferrals)
    isDeferred = anyOf(deferral.conflicts, isDeferred);
}

/// How `store` is deferred; null where it certainly is not.
const Deferral *NestEmitter::deferralOf(tt::StoreOp store) const {
  if (!isDeferred)
    return nullptr;
  for (const Deferral &deferral : nest.deferrals)
    if (deferral.store == store)
      return &deferral;
  return nullptr;
}

/// Stores to memory, or to the buffer if stores are deferred.
void NestEmitter::storeDeferred(const Deferral &deferral, Address address,
                                llvm::Type *type, Element mask,
                                Element value) {
  Address copy = bufferAddress(emitter.buffers.lookup(deferral.buffer),
                               deferral.buffer->layout(), type, current);
  if (address.base && copy.base && address.stride == copy.stride &&
      address.repeat == copy.repeat) {
    llvm::Value *direct = address.base;
    address.base = at({direct, copy.base}, [&] {
      return builder.CreateSelect(isDeferred, copy.base, direct);
    });
    return storeAt(address, type, mask, value, Memory::Either);
  }
  auto only = [&](bool deferred) -> Element {
    return {at({mask.value}, [&] {
              llvm::Value *allowed =
                  deferred ? isDeferred : builder.CreateNot(isDeferred);
              if (mask.isVector)
                allowed = builder.CreateVectorSplat(lanes, allowed);
              return builder.CreateAnd(mask.value, allowed);
            }),
            mask.isVector};
  };
  storeAt(address, type, only(false), value, Memory::Program);
  storeAt(copy, type, only(true), value, Memory::Scratch);
}

/// After the loops: copies deferred stores to memory, each as a whole, in
/// program order.
void NestEmitter::emitDeferredStores() {
  if (!isDeferred)
    return;
  auto *slow =
      llvm::BasicBlock::Create(emitter.context(), "deferred", emitter.function);
  auto *done =
      llvm::BasicBlock::Create(emitter.context(), "stored", emitter.function);
  builder.CreateCondBr(
      isDeferred, slow, done,
      llvm::MDBuilder(emitter.context()).createBranchWeights(1, 1000));
  builder.SetInsertPoint(slow);
  for (const Deferral &deferral : nest.deferrals) {
    Nest copy = copyNestOf(*deferral.buffer);
    copy.inners[0].roots.push_back(
        {RootKind::Store, deferral.store, {}, nullptr});
    NestEmitter emitCopy(emitter, copy);
    emitCopy.storedFrom = deferral.buffer;
    emitCopy.run();
  }
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
}

} // namespace nereid::cpu
