// TtirStage.h - the first stage of all compilers, and its module for code
// generation.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_TTIRSTAGE_H
#define NEREID_CODEGEN_KERNEL_TTIRSTAGE_H

#include "kernel/Frontend.h"

#include <optional>

namespace nereid::codegen {

/// The TTIR half of a Session. An `input` without data means the current
/// module.
class TtirStage {
public:
  /// The stage: parses a module, runs the standard passes, and writes the
  /// result if the host requested it.
  llvm::Error run(llvm::StringRef input, const Report &report);

  /// For the next stage: parses a module, then runs `generate` on it, with
  /// MLIR's diagnostics sent to `report` and a stack that is large enough to
  /// recurse along its longest use chain.
  llvm::Error
  generate(llvm::StringRef input, const Report &report,
           llvm::function_ref<llvm::Error(mlir::ModuleOp)> generate);

  /// Like Session::abandon(), after a fatal error in one of these.
  void abandon();

private:
  llvm::Error read(llvm::StringRef input, const Report &report);
  llvm::Error whileInUse(llvm::function_ref<llvm::Error()> work);

  std::optional<FrontendLease> frontend; // holds the module
  bool isInUse = false;                  // stays true after a FatalError
};

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_TTIRSTAGE_H
