// Stream.cpp - stores that bypass the caches.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A store to memory that is not in a cache first reads its line. A streaming
// store of x86 does not, but its address must be aligned.

#include "emit/nest/NestEmitter.h"

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

} // namespace nereid::cpu
