// CodeGen.h - LLVM's code generation, arranged to be quick.
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

/// Turns modules into files of one type. Up to level 2 without loop strength
/// reduction, whose analyses take a third of the time: generated loops count by
/// themselves and address with base, index and offset. Made once for a machine,
/// since arranging the passes takes longer than running them over a small
/// kernel; used by one thread at a time.
class CodeGenerator {
public:
  static llvm::Expected<std::unique_ptr<CodeGenerator>>
  create(llvm::TargetMachine &machine, llvm::CodeGenFileType type);

  /// The module is used up: code generation changes it.
  Bytes run(llvm::Module &module);

private:
  CodeGenerator() : stream(file) {}

  Bytes file;
  llvm::raw_svector_ostream stream;
  llvm::legacy::PassManager passes;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_CODEGEN_H
