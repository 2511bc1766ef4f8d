// AtomicValues.h - what atomic operations make of two values.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_ATOMICVALUES_H
#define NEREID_CPU_COMPILER_EMIT_ATOMICVALUES_H

#include "nereid/ttir/Dialect.h"

#include "llvm/IR/IRBuilder.h"

namespace nereid::cpu {

llvm::AtomicRMWInst::BinOp operationOf(tt::RMWOp operation);
/// The equivalent operation on truth values stored as bytes.
llvm::AtomicRMWInst::BinOp onBits(llvm::AtomicRMWInst::BinOp operation);

/// Atomic instructions need integers of whole bytes: floats, pointers and
/// truth values are converted by these, or vectors of them.
llvm::Value *toBits(llvm::IRBuilder<> &builder, llvm::Value *value);
llvm::Value *fromBits(llvm::IRBuilder<> &builder, llvm::Value *bits,
                      llvm::Type *type);

/// What `op` combines with any other value to that value, in each lane.
llvm::Constant *neutralValueOf(tt::AtomicRMWOp op, llvm::Type *type);

/// What an operation of the target on integers of whole bytes, or a sum of
/// floats, stores where `old` was: of values or vectors of them.
llvm::Value *combineValues(llvm::IRBuilder<> &builder,
                           llvm::AtomicRMWInst::BinOp operation,
                           llvm::Value *old, llvm::Value *value);
llvm::Value *combineValues(llvm::IRBuilder<> &builder, tt::AtomicRMWOp op,
                           llvm::Value *old, llvm::Value *value);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_ATOMICVALUES_H
