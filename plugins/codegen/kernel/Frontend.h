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
/// compilation at a time and reused: creating a context costs more than the
/// rest of a small compilation.
struct Frontend {
  Frontend();

  /// Replaces the module by the one in `bytes`, text or bytecode.
  llvm::Error parse(llvm::StringRef bytes, const Report &report);
  /// Runs the passes that all backends need.
  llvm::Error runStandardPasses(const Report &report);
  std::string print() const;

  mlir::MLIRContext context;
  mlir::PassManager passes;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  unsigned uses = 0;
};

/// Returns its frontend to the pool, without the module.
class FrontendLease {
public:
  /// Leases a free frontend, or creates one. [any-thread]
  FrontendLease();
  FrontendLease(FrontendLease &&) = default;
  FrontendLease &operator=(FrontendLease &&) = delete;
  ~FrontendLease();

  /// The frontend is never used or destroyed again, after a fatal error of
  /// LLVM.
  void abandon() { (void)frontend.release(); }

  Frontend *operator->() const { return frontend.get(); }

private:
  std::unique_ptr<Frontend> frontend;
};

/// In its lifetime, sends MLIR's diagnostics of `context` to the host, with
/// locations.
class DiagnosticsToReport {
public:
  DiagnosticsToReport(mlir::MLIRContext &context, const Report &report);

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_FRONTEND_H
