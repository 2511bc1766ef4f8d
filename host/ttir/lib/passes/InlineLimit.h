// InlineLimit.h: how large inlining may make a function.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_LIB_PASSES_INLINELIMIT_H
#define NEREID_TTIR_LIB_PASSES_INLINELIMIT_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace nereid::tt {

/// Refuses a module in which a function would have hundreds of thousands of
/// operations once its calls are inlined: functions that each call the next
/// one twice double the size with every function.
std::unique_ptr<mlir::Pass> createInlineLimit();

} // namespace nereid::tt

#endif // NEREID_TTIR_LIB_PASSES_INLINELIMIT_H
