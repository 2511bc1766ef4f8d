// Store.cpp - stores, and those that bypass the caches.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A store to memory that is not in a cache first reads its line. A streaming
// store of x86 does not, but its address must be aligned.

#include "emit/nest/NestEmitter.h"
#include "emit/nest/Strided.h"

#include "llvm/Support/SaveAndRestore.h"

namespace nereid::cpu {

/// The alignment of a streaming store of a vector of `type`: it may be split
/// into vectors of the machine's width.
llvm::Align NestEmitter::alignOfStream(llvm::Type *type) const {
  uint64_t bytes = Emitter::bytesOf(type) * lanes;
  return llvm::Align(
      std::min<uint64_t>(bytes, emitter.options.cpu.vectorBits / 8));
}

/// An i1: `store` bypasses the caches in this row. Its vectors begin at
/// multiples of their size, so that all are aligned if the row is.
llvm::Value *NestEmitter::streamsAt(tt::StoreOp store) {
  if (isa<llvm::Constant>(emitter.streams))
    return emitter.streams; // decided for the loop
  Indices row = current;
  row[nest.vectorAxis] = {emitter.i64(0), 1, nullptr};
  llvm::Value *start = addressOf(store.getPtr(), row).base;
  if (!start)
    return nullptr;
  llvm::Type *type = emitter.memoryType(store.getValue().getType());
  return at({start}, [&] {
    llvm::Value *number = builder.CreatePtrToInt(start, builder.getInt64Ty());
    llvm::Value *rest = builder.CreateAnd(
        number, emitter.i64(int64_t(alignOfStream(type).value()) - 1));
    return builder.CreateAnd(
        emitter.streams, builder.CreateICmpEQ(rest, emitter.i64(0)), "streams");
  });
}

/// Stores `value` past the caches where `streams` is true, else by `store`.
void NestEmitter::storeOrStream(llvm::Value *streams, llvm::Value *address,
                                llvm::Value *value,
                                llvm::function_ref<void()> store) {
  llvm::LLVMContext &context = emitter.context();
  auto emitStream = [&] {
    llvm::StoreInst *streaming = emitter.inProgram(builder.CreateAlignedStore(
        value, address, alignOfStream(value->getType()->getScalarType())));
    streaming->setMetadata(
        llvm::LLVMContext::MD_nontemporal,
        llvm::MDNode::get(context,
                          llvm::ConstantAsMetadata::get(builder.getInt32(1))));
  };
  if (auto *known = dyn_cast<llvm::ConstantInt>(streams))
    return known->isOne() ? emitStream() : store();
  auto makeBlock = [&](const char *name) {
    return llvm::BasicBlock::Create(context, name, emitter.function);
  };
  llvm::BasicBlock *stream = makeBlock("stream"), *plain = makeBlock("plain"),
                   *next = makeBlock("stored");
  builder.CreateCondBr(streams, stream, plain,
                       llvm::MDBuilder(context).createBranchWeights(1, 1000));
  builder.SetInsertPoint(stream);
  emitStream();
  builder.CreateBr(next);
  builder.SetInsertPoint(plain);
  store();
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
  levels.back().block = next;
}

/// Where `streams` (an i1; null: false) is true and the mask as well, the store
/// bypasses the caches.
void NestEmitter::storeAt(Address address, llvm::Type *type, Element mask,
                          Element value, Memory memory, llvm::Value *streams) {
  if (type->isBFloatTy() || type->isHalfTy()) {
    type = builder.getInt16Ty();
    value.value = reinterpret(value.value, type);
  }
  auto mark = [&](auto *access) { return emitter.inMemory(access, memory); };
  llvm::Align align(Emitter::bytesOf(type));
  auto *known = dyn_cast<llvm::ConstantInt>(mask.value);
  bool always = known && known->isOne();
  if (known && known->isZero())
    return;
  value = asInMemory(value, type);
  unsigned innermost = levels.size() - 1;

  bool isVector = !(address.base && address.stride == 0) || value.isVector ||
                  mask.isVector;
  if (isVector && activeLanes) {
    mask = ofActiveLanes(mask);
    always = false;
  }
  if (lanes == 1 || !isVector) {
    insertAt(innermost);
    llvm::Value *to = address.base;
    if (!always)
      to = builder.CreateSelect(mask.value, to, emitter.dummy);
    mark(builder.CreateAlignedStore(value.value, to, align));
    return;
  }
  llvm::Value *from = widen(value), *where = widen(mask);
  if (address.stride == 1 && address.repeat == 1) {
    if (!always && selectsAddress(mask, type, lanes)) {
      address.base = addressIf(mask.value, address.base);
      always = true;
    }
    insertAt(innermost);
    auto store = [&] {
      if (always)
        mark(builder.CreateAlignedStore(from, address.base, align));
      else
        mark(builder.CreateMaskedStore(from, address.base, align, where));
    };
    // A masked loop beside an unmasked one has few iterations.
    if (!streams || (!always && !nest.isMasked))
      return store();
    if (!always)
      streams = builder.CreateAnd(streams, builder.CreateAndReduce(where));
    return storeOrStream(streams, address.base, from, store);
  }
  if (address.isDescending()) {
    llvm::SaveAndRestore<llvm::Value *> inMask(activeLanes, nullptr);
    return storeAt(ascending(address, type), type, reversed(mask),
                   reversed({from, true}), memory);
  }
  // Without mask registers, stores by masks take long on some processors.
  if (emitter.options.cpu.hasCheapMasks &&
      emitter.options.cpu.hasMaskedAccesses(8 * align.value()))
    if (auto strided = asStrided(address, type, lanes, emitter.options)) {
      insertAt(innermost);
      return storeStrided(emitter, *strided, where, from, memory);
    }
  storeScattered(address, type, where, from, memory);
}

} // namespace nereid::cpu
