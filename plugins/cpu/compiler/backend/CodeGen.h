// CodeGen.h - LLVM's code generation, tuned for compile time.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_CODEGEN_H
#define NEREID_CPU_COMPILER_BACKEND_CODEGEN_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace nereid::cpu {

using Bytes = llvm::SmallVector<char, 0>;

/// Compiles modules to files of one type. Up to level 2 there is no loop
/// strength reduction, whose analyses take a third of the time: generated loops
/// already have one counter and use base, index and offset addressing. Created
/// once for a machine, since building the pass pipeline takes longer than
/// running it over a small kernel; used by one thread at a time.
class CodeGenerator {
public:
  static llvm::Expected<std::unique_ptr<CodeGenerator>>
  create(llvm::TargetMachine &machine, llvm::CodeGenFileType type);

  /// Consumes the module: code generation changes it.
  Bytes run(llvm::Module &module);

private:
  CodeGenerator() : stream(file) {}

  Bytes file;
  llvm::raw_svector_ostream stream;
  llvm::legacy::PassManager passes;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_CODEGEN_H
