// Poll.cpp - waiting until memory has a value.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "../image.h"
#include "emit/Emitter.h"

#include "llvm/IR/IntrinsicsX86.h"

#include <cstddef>

using namespace mlir;

namespace nereid::cpu {

static llvm::Value *emitNow(Emitter &emitter) {
  llvm::IRBuilder<> &b = emitter.builder;
  llvm::Value *clock =
      serviceAt(emitter, offsetof(nereid_cpu_services_t, now)).first;
  return b.CreateCall(llvm::FunctionType::get(b.getInt64Ty(), false), clock);
}

llvm::Value *emitDeadline(Emitter &emitter, llvm::Value *timeout) {
  return emitter.builder.CreateAdd(emitNow(emitter), timeout);
}

llvm::Value *emitPoll(Emitter &emitter, tt::AtomicPollOp op,
                      ArrayRef<llvm::Value *> operands,
                      llvm::Value *deadline) {
  llvm::IRBuilder<> &b = emitter.builder;
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(emitter.context(), name, emitter.function);
  };
  llvm::BasicBlock *read = block("poll"), *wait = block("wait"),
                   *done = block("polled");
  b.CreateBr(read);
  b.SetInsertPoint(read);
  llvm::Value *value =
      loadAtomic(b, operands[0], operands[1]->getType(), op.getSem());
  b.CreateCondBr(b.CreateICmpEQ(value, operands[1]), done, wait);
  b.SetInsertPoint(wait);
  if (emitter.options.cpu.hasPause)
    b.CreateIntrinsic(llvm::Intrinsic::x86_sse2_pause, {}, {});
  if (deadline)
    b.CreateCondBr(b.CreateICmpSLT(emitNow(emitter), deadline), read, done);
  else
    b.CreateBr(read);
  b.SetInsertPoint(done);
  llvm::PHINode *arrived = b.CreatePHI(b.getInt1Ty(), 2);
  arrived->addIncoming(b.getTrue(), read);
  if (deadline)
    arrived->addIncoming(b.getFalse(), wait);
  return arrived;
}

} // namespace nereid::cpu
