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

/// Adds what every backend wants to have run: calls inlined, block pointers
/// and descriptors gone, folded, combined, hoisted.
void addStandardPipeline(mlir::OpPassManager &pm);

/// Makes the passes and `ttir-standard`, the pipeline, known by name.
void registerTTIRPasses();

} // namespace nereid::tt

#endif // NEREID_TTIR_PASSES_H
