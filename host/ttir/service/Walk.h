// Walk.h: the operations of a module as plain data.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_SERVICE_WALK_H
#define NEREID_TTIR_SERVICE_WALK_H

#include "mlir/IR/BuiltinOps.h"
#include "nereid/ext/ttir.h"

namespace nereid::tt {

/// Shows what is inside \p module to \p visitor, in the order of its text, as
/// nereid/ext/ttir.h documents. \p name stands for the file of locations that
/// lead to no source. Returns the first status that is not NEREID_OK.
nereid_status_t walkModule(mlir::ModuleOp module, llvm::StringRef name,
                           const nereid_ttir_visitor_t &visitor);

} // namespace nereid::tt

#endif // NEREID_TTIR_SERVICE_WALK_H
