// Types in which products are computed.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_DOTTYPES_H
#define NEREID_CODEGEN_DOTTYPES_H

#include "nereid/ttir/Dialect.h"

namespace nereid::codegen {

struct DotTypes {
  mlir::Type factor; ///< of both operands
  mlir::Type sum;    ///< inside the product
  /// The product starts from zero, and the accumulator is added to what it is
  /// converted to: for integers that are multiplied as floats.
  bool addsAfterwards = false;
};

/// The type of the sums inside a product: f32 for narrower floats, else that of
/// the result.
mlir::Type dotSumType(tt::DotOp dot);

/// Converts the operands, the accumulator and the result of every product of
/// \p kernel so that it is computed in the types that \p choose returns for it.
void convertDots(tt::FuncOp kernel,
                 llvm::function_ref<DotTypes(tt::DotOp)> choose);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_DOTTYPES_H
