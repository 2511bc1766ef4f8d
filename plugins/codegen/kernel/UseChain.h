// UseChain.h - the depth of the expressions of a module.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_USECHAIN_H
#define NEREID_CODEGEN_KERNEL_USECHAIN_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace nereid::codegen {

/// A chain of operations, each of which uses a result of the previous one.
struct UseChain {
  unsigned length = 0;
  mlir::Operation *last = nullptr;
};

/// The longest chain in `module`; loop-carried values do not continue a chain.
UseChain longestUseChain(mlir::ModuleOp module);

/// Longer chains are an error.
constexpr unsigned kMaxUseChain = 100000;

/// Runs `work`, which recurses along chains of `length` operations, on a thread
/// of its own if the caller's stack may not hold that. For callers inside
/// runGuarded(): a FatalError on that thread is returned.
llvm::Error runAlongChain(unsigned length,
                          llvm::function_ref<llvm::Error()> work);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_USECHAIN_H
