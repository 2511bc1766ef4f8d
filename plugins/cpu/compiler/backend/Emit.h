// Emit.h - from LLVM IR, or from assembly, to an object.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_EMIT_H
#define NEREID_CPU_COMPILER_BACKEND_EMIT_H

#include "Target.h"

#include "llvm/IR/Module.h"

namespace nereid::cpu {

/// Sets the triple, the layout and the functions' attributes of `module` to
/// what `target` wants. With `unwindTables` debuggers find their way up.
void prepareModule(llvm::Module &module, const Target &target,
                   bool unwindTables);

/// Of CodeGenerator.
llvm::Expected<Bytes> emitObject(llvm::Module &module, Target &target);
llvm::Expected<Bytes> emitAssembly(llvm::Module &module, Target &target);

/// Assembles text. Errors name the line and the column.
llvm::Expected<Bytes> assemble(llvm::StringRef text, const Target &target);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_EMIT_H
