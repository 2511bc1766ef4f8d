// Element.h - indices, elements and addresses of the lanes of a vector.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_NEST_ELEMENT_H
#define NEREID_CPU_COMPILER_EMIT_NEST_ELEMENT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Value.h"

#include <optional>
#include <tuple>

namespace nereid::cpu {

/// The index along one dimension of a value: lane l has base + l * lane; or,
/// if `vector` is set, element l of it. With `repeat` above 1, that is also
/// base + l / repeat * lane.
struct Index {
  llvm::Value *base = nullptr; // i64
  int64_t lane = 0;
  llvm::Value *vector = nullptr; // <lanes x i64>
  int64_t repeat = 1;
  // Set if this is another index (whole*) shifted right by that many bits.
  unsigned bitsCut = 0;
  llvm::Value *wholeBase = nullptr;
  int64_t wholeLane = 0;

  bool isUniform() const { return !lane && !vector; }
  /// Is this `whole`, which has no vector, shifted right by `bits`?
  bool isCutFrom(const Index &whole, unsigned bits) const {
    return bitsCut == bits && wholeBase == whole.base &&
           wholeLane == whole.lane && !whole.vector;
  }
  bool operator==(const Index &other) const {
    return base == other.base && lane == other.lane && vector == other.vector;
  }
  bool operator<(const Index &other) const {
    return std::tie(base, lane, vector) <
           std::tie(other.base, other.lane, other.vector);
  }
};
using Indices = llvm::SmallVector<Index, 4>;

/// `index`, an i64, as a sum of another and a constant, which becomes the
/// displacement of an instruction: the rows of a block share a register.
std::pair<llvm::Value *, int64_t> asSum(llvm::Value *index);

/// A tile's elements at an index: one value for all lanes, or a vector.
struct Element {
  llvm::Value *value = nullptr;
  bool isVector = false;
  bool assumes = false; // valid only where the emitter's assumptions hold
};

/// A value at an index, as a vector of that many lanes.
using MemoKey = std::tuple<void *, unsigned, Indices>;

/// The addresses of the lanes of a pointer tile: base + l / repeat * stride
/// elements, or the pointers of `vector`.
struct Address {
  llvm::Value *base = nullptr;
  std::optional<int64_t> stride;
  llvm::Value *vector = nullptr;
  int64_t repeat = 1;
  /// Of `repeat`: lanes with one address may differ in all else.
  bool repeatsAlone = false;
  /// Of `vector`: its lanes may turn out to be neighbours in memory.
  bool mayBeNeighbours = false;
  /// Of `vector`, if it is not null: the stride of its lanes, an i64.
  llvm::Value *unknownStride = nullptr;

  bool isDescending() const { return base && stride == -1 && repeat == 1; }
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_NEST_ELEMENT_H
