// BodyEmitter.h - control flow as LLVM IR.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_BODYEMITTER_H
#define NEREID_CPU_COMPILER_EMIT_BODYEMITTER_H

#include "emit/Emitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::cpu {

/// Some of the iterations of a loop, from `first` on, at most so many.
struct LoopPart {
  llvm::Value *first = nullptr;
  int64_t iterations = 0;
  llvm::Value *isLater = nullptr; // i1: others precede them
  /// The scalars that the loop carries, in the first iteration.
  llvm::SmallVector<llvm::Value *, 4> carried;
};

/// Emits the blocks of the kernel, or of a region of scalars. Scalars are in
/// registers (phis where control flow joins), tiles in the buffers that the
/// plan names.
class BodyEmitter {
public:
  /// A return goes to `next`.
  BodyEmitter(Emitter &emitter, llvm::BasicBlock *next)
      : emitter(emitter), b(emitter.builder), next(next) {}

  void run(mlir::Region &body);

  /// Emits `steps` of `block`, or all of them.
  void emitSteps(mlir::Block &block, llvm::ArrayRef<Step> steps);
  void emitSteps(mlir::Block &block);
  void emitTerminator(mlir::Operation *op);
  /// Emits `loop`, or a part of it. Returns the index after the last iteration.
  llvm::Value *emitFor(mlir::scf::ForOp loop, const LoopPart *part = nullptr);

  /// What the region returned, where `next` is the insertion point; one value
  /// for each of `types`.
  llvm::SmallVector<llvm::Value *> results(llvm::ArrayRef<llvm::Type *> types);

private:
  /// The block that a region ends in, and the scalars that it returns there.
  using EndOfRegion =
      std::pair<llvm::BasicBlock *, llvm::SmallVector<llvm::Value *>>;

  llvm::BasicBlock *makeBlock(const char *name) {
    return llvm::BasicBlock::Create(emitter.context(), name, emitter.function);
  }

  // Blocks of one region, joined by branches (Body.cpp).
  void makeArguments(mlir::Block &block);
  llvm::Value *isNeeded(const Nest &nest, DeferredDotsEmitter *deferred);
  void emitScalars(mlir::Block &block);
  void branchTo(mlir::Block *target, mlir::OperandRange operands);
  void emitRegionOp(mlir::Operation *op);
  void emitIfOp(mlir::scf::IfOp op);

  // Loops.cpp
  void emitWhile(mlir::scf::WhileOp op);

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  llvm::BasicBlock *next;
  llvm::DenseMap<mlir::Block *, llvm::BasicBlock *> blocks;
  llvm::SmallVector<EndOfRegion, 1> returns;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_BODYEMITTER_H
