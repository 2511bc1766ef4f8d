// Transpose.h - transposes blocks in vector registers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_TRANSPOSE_H
#define NEREID_CPU_COMPILER_EMIT_TRANSPOSE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"

namespace nereid::cpu {

/// Transposes squares of n x n elements in n vectors of one type, whose lanes
/// are a multiple of n: n neighbouring lanes of all vectors are a square.
void transposeBlock(llvm::IRBuilder<> &b,
                    llvm::MutableArrayRef<llvm::Value *> rows);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_TRANSPOSE_H
