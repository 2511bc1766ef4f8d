// Divisibility.h - powers of two that divide a scalar.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_ANALYSIS_DIVISIBILITY_H
#define NEREID_CODEGEN_ANALYSIS_DIVISIBILITY_H

#include "mlir/IR/Value.h"

namespace nereid::codegen {

/// No larger power of two is looked for.
constexpr int64_t kMaxDivisibility = int64_t(1) << 30;

/// The largest power of two that divides `number`.
int64_t powerOfTwoIn(int64_t number);

/// The largest power of two that is known to divide `value`: from constants,
/// arithmetic, and `tt.divisibility` on arguments.
int64_t divisibilityOf(mlir::Value value);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_ANALYSIS_DIVISIBILITY_H
