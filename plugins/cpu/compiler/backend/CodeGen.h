// CodeGen.h - LLVM's code generation, arranged to be quick.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_CODEGEN_H
#define NEREID_CPU_COMPILER_BACKEND_CODEGEN_H

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Target/TargetMachine.h"

namespace nereid::cpu {

/// Adds to `passes` what turns a module into a file of `type`. Up to level 2
/// without loop strength reduction, whose analyses take a third of the time:
/// generated loops count by themselves and address with base, index and
/// offset. False if the machine makes no such file.
bool addCodeGenPasses(llvm::legacy::PassManagerBase &passes,
                      llvm::TargetMachine &machine,
                      llvm::raw_pwrite_stream &out, llvm::CodeGenFileType type);

/// Switches off, for modules of `context`, machine passes that find little in
/// such code.
void skipMinorPasses(llvm::LLVMContext &context);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_CODEGEN_H
