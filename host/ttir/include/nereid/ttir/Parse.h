// Parse.h: Triton IR from bytes and back.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_PARSE_H
#define NEREID_TTIR_PARSE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/OwningOpRef.h"
#include "nereid/ttir/Diagnostics.h"
#include "nereid/ttir/Dialect.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace nereid::tt {

/// Adds `tt`, `ttg` and every dialect that Triton IR uses besides.
void registerTTIRDialects(mlir::DialectRegistry &registry);

/// What the parser refuses before it would cost too much memory or stack.
struct ParseLimits {
  size_t maxTextBytes = size_t(64) << 20;
  size_t maxBytecodeBytes = size_t(8) << 20;
  /// Brackets, regions, locations and types inside one another.
  unsigned maxDepth = 256;
};

/// Receives one line per diagnostic: `file:line:column: severity: message`.
using DiagnosticCallback = llvm::function_ref<void(llvm::StringRef line)>;

/// Parses and verifies Triton IR of 3.6 to 3.9, as text or as MLIR bytecode.
///
/// \p context must have the dialects of registerTTIRDialects. \p name stands
/// for the input in messages and in locations. On failure the error holds the
/// first message; \p onDiagnostic, if given, gets all of them, warnings too.
///
/// Both may come from anywhere: bytecode is checked before MLIR's reader, which
/// trusts it, and may hold only what Triton IR has.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
parseTTIR(mlir::MLIRContext &context, llvm::StringRef bytes,
          llvm::StringRef name, DiagnosticCallback onDiagnostic = nullptr,
          const ParseLimits &limits = {});

/// As above, with diagnostics as data instead of lines.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
parseTTIR(mlir::MLIRContext &context, llvm::StringRef bytes,
          llvm::StringRef name, const ParseLimits &limits,
          SourceDiagnosticCallback onDiagnostic);

/// The one public function of \p module, or an error that names what is there.
llvm::Expected<FuncOp> findKernel(mlir::ModuleOp module);

/// Prints \p module as Triton would. MLIR's own printer differs in the one
/// operation that LLVM 19 gives no custom form, llvm.intr.assume.
void printTTIR(mlir::ModuleOp module, llvm::raw_ostream &os,
               mlir::OpPrintingFlags flags = {});

} // namespace nereid::tt

#endif // NEREID_TTIR_PARSE_H
