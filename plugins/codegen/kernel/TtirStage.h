// TtirStage.h - the stage that every compiler begins with, and the module that
// it leaves to code generation.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_TTIRSTAGE_H
#define NEREID_CODEGEN_KERNEL_TTIRSTAGE_H

#include "kernel/Frontend.h"

#include <optional>

namespace nereid::codegen {

/// The TTIR half of a Session. In every `input`, no data means the module that
/// is there already.
class TtirStage {
public:
  /// The stage: reads a module, runs the standard passes, and writes the result
  /// if the host wants it.
  llvm::Error run(llvm::StringRef input, const Report &report);

  /// For the next stage: reads a module, then runs `generate` on it, with
  /// MLIR's diagnostics sent to `report` and a stack that is deep enough to
  /// recurse along its longest chain of operations.
  llvm::Error
  generate(llvm::StringRef input, const Report &report,
           llvm::function_ref<llvm::Error(mlir::ModuleOp)> generate);

  /// As Session::abandon(), if LLVM gave up in one of these.
  void abandon();

private:
  llvm::Error read(llvm::StringRef input, const Report &report);
  llvm::Error whileInUse(llvm::function_ref<llvm::Error()> work);

  std::optional<FrontendLease> frontend; // holds the module
  bool isInUse = false; // stays true after a FatalError
};

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_TTIRSTAGE_H
