// AtomicValues.h - what atomic operations make of two values.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_ATOMICVALUES_H
#define NEREID_CPU_COMPILER_EMIT_ATOMICVALUES_H

#include "nereid/ttir/Dialect.h"

#include "llvm/IR/IRBuilder.h"

namespace nereid::cpu {

/// What `op` combines with any other value to that value, in each lane.
llvm::Constant *neutralValueOf(tt::AtomicRMWOp op, llvm::Type *type);

/// What `op`, an operation of the target on integers of whole bytes or a sum of
/// floats, stores where `old` was: of values or vectors of them.
llvm::Value *combineValues(llvm::IRBuilder<> &builder, tt::AtomicRMWOp op,
                           llvm::Value *old, llvm::Value *value);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_ATOMICVALUES_H
