// Nesting.h: how deep a module nests, found without recursion.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_LIB_NESTING_H
#define NEREID_TTIR_LIB_NESTING_H

#include "mlir/IR/Operation.h"

namespace nereid::tt {

/// True when regions, or attributes, types or locations, lie more than
/// \p maxDepth deep in one another. Most of MLIR recurses over them.
bool nestsDeeper(mlir::Operation *root, unsigned maxDepth);

} // namespace nereid::tt

#endif // NEREID_TTIR_LIB_NESTING_H
