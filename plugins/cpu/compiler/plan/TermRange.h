// TermRange.h - quotients and remainders whose least and largest elements are
// known.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_TERMRANGE_H
#define NEREID_CPU_COMPILER_PLAN_TERMRANGE_H

#include "analysis/TileForm.h"

namespace nereid::cpu {

/// A quotient or a remainder of tiles of integers: `dividend` by `divisor`, the
/// same for all elements.
struct DividedForm {
  const codegen::TileForm *dividend;
  codegen::Polynomial divisor;
  int64_t most; // of the type of both
  bool isRemainder;
};

/// `tile` as such a division, unless it is opaque to `forms`.
std::optional<DividedForm> dividedFormOf(mlir::Value tile,
                                         codegen::TileForms &forms);

/// Can the range of a tile with `form` be computed, given the polynomials for
/// which `isKnown` is true? Of a tile of integers that is in scratch, `isRead`
/// says whether it can be read there; of others, nothing.
bool hasRange(const codegen::TileForm &form, codegen::TileForms &forms,
              llvm::function_ref<bool(const codegen::Polynomial &)> isKnown,
              llvm::function_ref<std::optional<bool>(mlir::Value)> isRead);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_TERMRANGE_H
