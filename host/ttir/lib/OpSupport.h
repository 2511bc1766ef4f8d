// OpSupport.h: checks that several families of operations share.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_LIB_OPSUPPORT_H
#define NEREID_TTIR_LIB_OPSUPPORT_H

#include "nereid/ttir/Dialect.h"
#include "llvm/ADT/SmallBitVector.h"

namespace nereid::tt {

/// \p order holds each number below \p rank exactly once.
inline mlir::LogicalResult verifyPermutation(mlir::Operation *op,
                                             llvm::ArrayRef<int32_t> order,
                                             int64_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int32_t dim : order)
    if (dim >= 0 && dim < rank)
      seen.set(dim);
  if (static_cast<int64_t>(order.size()) == rank && seen.all())
    return mlir::success();
  return op->emitOpError("order must be a permutation of the ")
         << rank << " dimensions";
}

/// Cache hints are given as clauses or as `cachePolicy`, not as both.
template <typename OpTy> mlir::LogicalResult verifyHints(OpTy op) {
  if (op.getCachePolicy() && (op.getCache() != CacheModifier::NONE ||
                              op.getEvict() != EvictionPolicy::NORMAL))
    return op.emitOpError("has both cachePolicy and the clauses it replaces");
  return mlir::success();
}

} // namespace nereid::tt

#endif // NEREID_TTIR_LIB_OPSUPPORT_H
