// Linear.h - systems of linear equations over GF(2).
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_GPU_LINEAR_H
#define NEREID_CODEGEN_GPU_LINEAR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace nereid::codegen::gpu {

/// Vectors that generate a subspace, added one by one; each of up to 32 is
/// known by its number.
class Span {
public:
  /// False if `vector` depends on those before it; then it is not added, but it
  /// has its number nevertheless.
  bool add(uint32_t vector);
  /// The set of added vectors whose sum is `vector`, as a mask of numbers; none
  /// if it is outside of the subspace.
  std::optional<uint32_t> solve(uint32_t vector) const;
  unsigned dimension() const { return rows.size(); }

private:
  struct Row {
    uint32_t vector; // its highest bit is in no other row
    uint32_t sum;    // of which added vectors it is
  };
  /// Removes the highest bits of rows from `rest`.
  Row reduce(Row rest) const;

  llvm::SmallVector<Row, 32> rows;
  unsigned count = 0;
};

/// The sum of the vectors whose numbers are set in `mask`.
uint32_t sumOf(llvm::ArrayRef<uint32_t> vectors, uint32_t mask);

} // namespace nereid::codegen::gpu

#endif // NEREID_CODEGEN_GPU_LINEAR_H
