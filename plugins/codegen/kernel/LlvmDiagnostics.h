// LlvmDiagnostics.h - LLVM's diagnostics as diagnostics of the host.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_LLVMDIAGNOSTICS_H
#define NEREID_CODEGEN_KERNEL_LLVMDIAGNOSTICS_H

#include "kernel/Report.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/LLVMContext.h"

namespace nereid::codegen {

/// Runs `work`, which uses `context`, and collects LLVM's diagnostics: the
/// first error becomes the result, warnings go to `report`. Without a handler
/// LLVMContext prints both, and calls exit() for an error.
llvm::Error collectDiagnostics(llvm::LLVMContext &context, const Report &report,
                               llvm::function_ref<llvm::Error()> work);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_LLVMDIAGNOSTICS_H
