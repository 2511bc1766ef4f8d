// Link.h - from an object to a shared object, with lld in process.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_LINK_H
#define NEREID_CPU_COMPILER_BACKEND_LINK_H

#include "Emit.h"

namespace nereid::cpu {

/// Links `object` for `target`'s architecture. Undefined symbols may be memory
/// functions of the C library, which the loading process provides, and
/// functions of libm, which the image depends on; any other is an error.
/// [any-thread]
llvm::Expected<Bytes> linkImage(llvm::ArrayRef<char> object, Target &target);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_LINK_H
