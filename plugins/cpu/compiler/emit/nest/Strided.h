// Strided.h - loads and stores of lanes that are a few elements apart.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_NEST_STRIDED_H
#define NEREID_CPU_COMPILER_EMIT_NEST_STRIDED_H

#include "emit/Emitter.h"
#include "emit/nest/Element.h"

namespace nereid::cpu {

/// Lanes that are a few elements apart in memory, `count` at a time: vectors of
/// so many neighbours cover these, and no element before the lowest or after
/// the highest of them.
struct StridedLanes {
  llvm::Value *first; // the address of lane 0
  llvm::Type *type;   // of an element
  unsigned lanes;     // a multiple of `count`
  int64_t stride;     // in elements; may be negative
  unsigned count;     // and elements of each vector
  int64_t lowest;     // of `count` lanes, from the first of them, in elements
  /// A vector: where it begins, from the lowest lane, in elements; and the lane
  /// at each of its elements, or -1.
  struct Vector {
    int64_t start;
    llvm::SmallVector<int> laneAt;
  };
  llvm::SmallVector<Vector, 8> vectors;
};

/// `lanes` elements of `type` at `address` as such vectors; none if other
/// accesses are better.
std::optional<StridedLanes> asStrided(const Address &address, llvm::Type *type,
                                      unsigned lanes,
                                      const GenerateOptions &options);

/// Emits a load of the lanes of `where` (null: of all); the others are those of
/// `rest`.
llvm::Value *loadStrided(Emitter &emitter, const StridedLanes &strided,
                         llvm::Value *where, llvm::Value *rest, Memory memory);

/// Emits a store of the lanes of `where`.
void storeStrided(Emitter &emitter, const StridedLanes &strided,
                  llvm::Value *where, llvm::Value *values, Memory memory);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_NEST_STRIDED_H
