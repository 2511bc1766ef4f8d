// ArgumentWrites.h: which memory a kernel may write to.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_SERVICE_ARGUMENTWRITES_H
#define NEREID_TTIR_SERVICE_ARGUMENTWRITES_H

#include "mlir/IR/Value.h"

namespace nereid::tt {

/// True for a pointer, a tensor of pointers, a block pointer or a descriptor.
bool isAddress(mlir::Type type);

/// True if memory at an address derived from \p argument may be written. An
/// address that escapes (to a call, an integer, memory, inline assembly or an
/// operation that is not known) counts as written.
bool mayWriteThrough(mlir::BlockArgument argument);

} // namespace nereid::tt

#endif // NEREID_TTIR_SERVICE_ARGUMENTWRITES_H
