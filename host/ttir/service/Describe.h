// Describe.h: the public functions of a module as JSON.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_SERVICE_DESCRIBE_H
#define NEREID_TTIR_SERVICE_DESCRIBE_H

#include "mlir/IR/BuiltinOps.h"

namespace nereid::tt {

/// The JSON text that service.h documents.
std::string describeModule(mlir::ModuleOp module);

} // namespace nereid::tt

#endif // NEREID_TTIR_SERVICE_DESCRIBE_H
