// Survey.h - what a nest accesses along each of its dimensions.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_SURVEY_H
#define NEREID_CPU_COMPILER_PLAN_SURVEY_H

#include "plan/TileProgram.h"

namespace nereid::cpu {

/// The accesses and operations of a nest's roots, per dimension of the nest.
struct Survey {
  /// How well vectors along each dimension access memory and buffers.
  llvm::SmallVector<int, 4> score;
  /// The same of the accesses alone that differ along all dimensions, if there
  /// are any. Others can stay outside of a loop, or read one element for a
  /// whole vector.
  llvm::SmallVector<int, 4> wholeScore;
  /// Of the elements in memory or scratch that differ along each dimension, the
  /// widest.
  llvm::SmallVector<unsigned, 4> memoryBits;
  unsigned valueBits = 8; // the widest element of an expression
  bool readsMemory = false;
  /// Operations that differ along each dimension.
  llvm::SmallVector<unsigned, 4> cost;
  /// Of values of one dimension that are read through reshapes: so many
  /// neighbours remain neighbours.
  int64_t run = std::numeric_limits<int64_t>::max();
};

/// Of `inners`, in a nest of `shape`.
Survey surveyOf(llvm::ArrayRef<Inner> inners, llvm::ArrayRef<int64_t> shape,
                const TileProgram &program, codegen::TileForms &forms,
                llvm::function_ref<bool(mlir::Value)> isIndexFunction);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_SURVEY_H
