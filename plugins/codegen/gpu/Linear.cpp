// Linear.cpp - Gaussian elimination over GF(2).
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "gpu/Linear.h"

#include "llvm/ADT/bit.h"

#include <cassert>

namespace nereid::codegen::gpu {

Span::Row Span::reduce(Row rest) const {
  for (const Row &row : rows)
    if (rest.vector & llvm::bit_floor(row.vector)) {
      rest.vector ^= row.vector;
      rest.sum ^= row.sum;
    }
  return rest;
}

bool Span::add(uint32_t vector) {
  assert(count < 32 && "too many vectors");
  Row row = reduce({vector, 1u << count++});
  if (!row.vector)
    return false;
  uint32_t high = llvm::bit_floor(row.vector);
  for (Row &other : rows)
    if (other.vector & high) {
      other.vector ^= row.vector;
      other.sum ^= row.sum;
    }
  rows.push_back(row);
  return true;
}

std::optional<uint32_t> Span::solve(uint32_t vector) const {
  Row rest = reduce({vector, 0});
  if (rest.vector)
    return std::nullopt;
  return rest.sum;
}

uint32_t sumOf(llvm::ArrayRef<uint32_t> vectors, uint32_t mask) {
  uint32_t sum = 0;
  for (; mask; mask &= mask - 1)
    sum ^= vectors[llvm::countr_zero(mask)];
  return sum;
}

} // namespace nereid::codegen::gpu
