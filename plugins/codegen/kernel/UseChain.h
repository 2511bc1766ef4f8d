// UseChain.h - how deep the expressions of a module nest.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_USECHAIN_H
#define NEREID_CODEGEN_KERNEL_USECHAIN_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace nereid::codegen {

/// Operations each of which uses a result of the one before.
struct UseChain {
  unsigned length = 0;
  mlir::Operation *last = nullptr;
};

/// The longest chain in `module`; what loops carry from one iteration to the
/// next does not count.
UseChain longestUseChain(mlir::ModuleOp module);

/// More than this is refused.
constexpr unsigned kMaxUseChain = 100000;

/// Runs `work`, which recurses along chains of `length` operations, on a thread
/// of its own if the caller's stack may not hold that. For callers inside
/// runGuarded(): a FatalError on that thread is returned.
llvm::Error runAlongChain(unsigned length,
                          llvm::function_ref<llvm::Error()> work);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_USECHAIN_H
