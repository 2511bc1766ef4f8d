// FatalErrors.h - LLVM's fatal errors as errors.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_FATALERRORS_H
#define NEREID_CODEGEN_KERNEL_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace nereid::codegen {

/// Runs `work`. When LLVM gives up in it ("cannot select: ..."), which would
/// end the process, it is left by a jump instead: what it held is lost, and
/// nothing that LLVM worked on may be touched again. `gaveUp` then says so.
llvm::Error runGuarded(llvm::function_ref<llvm::Error()> work, bool &gaveUp);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_FATALERRORS_H
