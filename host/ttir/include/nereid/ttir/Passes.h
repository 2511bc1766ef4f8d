// Passes.h: passes over Triton IR, and the pipeline of them.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_PASSES_H
#define NEREID_TTIR_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "nereid/ttir/Dialect.h"

namespace nereid::tt {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "nereid/ttir/Passes.h.inc"

/// What inlining and unrolling may make of a function.
constexpr uint64_t kMaxOperations = 200000;

/// Refuses a module in which a function would have more operations than that
/// once its calls are inlined, those of noinline functions excepted: functions
/// that each call the next one twice double the size with every function.
std::unique_ptr<mlir::Pass> createInlineLimit();

/// Runs createInlineLimit() and MLIR's inliner if the module has calls.
std::unique_ptr<mlir::Pass> createInlineCalls();

/// MLIR's canonicalizer, but its patterns are collected once, and it does
/// nothing if no pass has changed the module since it ran.
std::unique_ptr<mlir::Pass> createCanonicalize();

/// Runs MLIR's symbol-dce if the module has several operations.
std::unique_ptr<mlir::Pass> createDropUnusedFunctions();

/// Turns arith.maxnumf and arith.minnumf into tt.max_number and tt.min_number.
/// MLIR 19 folds the former as if NaN were the result (maxnumf(x, -inf) to x,
/// maxnumf(NaN, 1) to NaN), where IEEE 754, Triton's own MLIR and GPUs return
/// the number. Every pipeline that folds runs between this and
/// createRestoreNumberOps().
std::unique_ptr<mlir::Pass> createReplaceNumberOps();
std::unique_ptr<mlir::Pass> createRestoreNumberOps();

/// Adds what every backend wants to have run: calls inlined, block pointers
/// and descriptors gone, folded, combined, hoisted.
void addStandardPipeline(mlir::OpPassManager &pm);

/// Makes the passes and `ttir-standard`, the pipeline, known by name.
void registerTTIRPasses();

} // namespace nereid::tt

#endif // NEREID_TTIR_PASSES_H
