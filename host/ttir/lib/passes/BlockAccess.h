// BlockAccess.h: addresses and masks of a block of a tensor in memory.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_LIB_PASSES_BLOCKACCESS_H
#define NEREID_TTIR_LIB_PASSES_BLOCKACCESS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace nereid::tt {

/// Builds the tensors of pointers and masks that stand for a block. Element
/// (i0, i1, ...) lies at base + sum of index_d * stride_d, in elements; all
/// scalars are i64.
class BlockAccess {
public:
  BlockAccess(mlir::OpBuilder &builder, mlir::Location loc,
              mlir::RankedTensorType block)
      : builder(builder), loc(loc), block(block) {}

  /// Dimension \p dim counts from \p offset on.
  void setOffset(int64_t dim, mlir::Value offset);

  /// Dimension \p dim takes the values of \p numbers, integers of rank 1.
  void setNumbers(int64_t dim, mlir::Value numbers);

  mlir::Value pointers(mlir::Value base, mlir::ValueRange strides);

  /// True where 0 <= index < size in each of \p dims; null without any.
  mlir::Value mask(mlir::ValueRange sizes, llvm::ArrayRef<int32_t> dims);

private:
  mlir::Value toFullShape(mlir::Value value);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::RankedTensorType block;
  /// Per dimension, i64 and of size 1 in every other dimension.
  llvm::SmallVector<mlir::Value> indices{static_cast<size_t>(block.getRank())};
};

/// \p value as i64, sign-extended.
mlir::Value toI64(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value value);

} // namespace nereid::tt

#endif // NEREID_TTIR_LIB_PASSES_BLOCKACCESS_H
