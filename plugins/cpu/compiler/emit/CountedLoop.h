// CountedLoop.h - counted loops with values in registers, as LLVM IR.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_COUNTEDLOOP_H
#define NEREID_CPU_COMPILER_EMIT_COUNTEDLOOP_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace nereid::cpu {

/// Emits `body` in a loop over 0, step, ... below `extent`, which is at least
/// 1. The body updates `values`, which are in registers. A single iteration is
/// emitted without a loop.
inline void emitLoop(llvm::IRBuilder<> &b, llvm::Value *extent, int64_t step,
                     llvm::MutableArrayRef<llvm::Value *> values,
                     llvm::function_ref<void(llvm::Value *)> body) {
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(extent);
  if (known && known->getSExtValue() == step)
    return body(b.getInt64(0));
  llvm::BasicBlock *entry = b.GetInsertBlock();
  llvm::Function *function = entry->getParent();
  auto *start = llvm::BasicBlock::Create(b.getContext(), "loop", function);
  auto *exit = llvm::BasicBlock::Create(b.getContext(), "loop.end", function);
  b.CreateBr(start);
  b.SetInsertPoint(start);
  llvm::PHINode *index = b.CreatePHI(b.getInt64Ty(), 2);
  index->addIncoming(b.getInt64(0), entry);
  llvm::SmallVector<llvm::PHINode *, 16> phis;
  for (llvm::Value *&value : values) {
    phis.push_back(b.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, entry);
    value = phis.back();
  }
  body(index);
  llvm::Value *next = b.CreateAdd(index, b.getInt64(step), "", true, true);
  llvm::BasicBlock *latch = b.GetInsertBlock();
  index->addIncoming(next, latch);
  for (auto [phi, value] : llvm::zip(phis, values))
    phi->addIncoming(value, latch);
  b.CreateCondBr(b.CreateICmpULT(next, extent), start, exit);
  b.SetInsertPoint(exit);
}

inline void emitLoop(llvm::IRBuilder<> &b, int64_t extent, int64_t step,
                     llvm::function_ref<void(llvm::Value *)> body) {
  emitLoop(b, b.getInt64(extent), step, {}, body);
}

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_COUNTEDLOOP_H
