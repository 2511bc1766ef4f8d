// Frontend.h - the MLIR half of a compilation: contexts, parsing, the standard
// passes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_FRONTEND_H
#define NEREID_CODEGEN_KERNEL_FRONTEND_H

#include "kernel/Report.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <memory>

namespace nereid::codegen {

/// A context with the dialects of TTIR and a pass manager for it, used by one
/// compilation at a time; a context of one's own costs more than the rest of a
/// small compilation.
struct Frontend {
  Frontend();

  /// Replaces the module by what `bytes` holds, text or bytecode.
  llvm::Error parse(llvm::StringRef bytes, const Report &report);
  /// Runs the passes that every backend wants.
  llvm::Error runStandardPasses(const Report &report);
  std::string print() const;

  mlir::MLIRContext context;
  mlir::PassManager passes;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  unsigned uses = 0;
};

/// Gives its frontend back, without the module.
class FrontendLease {
public:
  /// A free frontend, made if there is none. [any-thread]
  FrontendLease();
  FrontendLease(FrontendLease &&) = default;
  FrontendLease &operator=(FrontendLease &&) = delete;
  ~FrontendLease();

  /// The frontend is never used or destroyed again: LLVM gave up in it.
  void abandon() { (void)frontend.release(); }

  Frontend *operator->() const { return frontend.get(); }

private:
  std::unique_ptr<Frontend> frontend;
};

/// Sends what MLIR says about `context` to the host, with locations, as long
/// as it lives.
class DiagnosticsToReport {
public:
  DiagnosticsToReport(mlir::MLIRContext &context, const Report &report);

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_FRONTEND_H
