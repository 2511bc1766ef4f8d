// Emit.h - from LLVM IR, or from assembly, to an object.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_EMIT_H
#define NEREID_CPU_COMPILER_BACKEND_EMIT_H

#include "Target.h"

#include "llvm/IR/Module.h"

namespace nereid::cpu {

/// Sets the triple, the data layout and the function attributes of `module` for
/// `target`. With `unwindTables` debuggers can unwind the stack.
void prepareModule(llvm::Module &module, const Target &target,
                   bool unwindTables);

/// Runs the CodeGenerator of `target`.
llvm::Expected<Bytes> emitObject(llvm::Module &module, Target &target);
llvm::Expected<Bytes> emitAssembly(llvm::Module &module, Target &target);

/// Assembles text. Errors name the line and the column.
llvm::Expected<Bytes> assemble(llvm::StringRef text, const Target &target);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_EMIT_H
