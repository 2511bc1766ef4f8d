// Loops.h - the loops of a nest, and the ranges that they run over.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_NEST_LOOPS_H
#define NEREID_CPU_COMPILER_EMIT_NEST_LOOPS_H

#include "emit/nest/Element.h"
#include "nereid/ttir/Dialect.h"
#include "tile/MaskPlan.h"

#include "llvm/IR/Instructions.h"

#include <map>

namespace nereid::cpu {

/// A place where code can be inserted: the body of a loop, or before all loops
/// (level 0). Loop-invariant code motion: a value is emitted at the outermost
/// level where its operands are available.
struct Level {
  llvm::Instruction *before = nullptr; // null: at the end of `block`
  llvm::BasicBlock *block = nullptr;
  std::map<MemoKey, Element> memo;
};

/// A loop that is being emitted, from the first value of `index` to `end`.
struct Loop {
  llvm::PHINode *index;
  llvm::BasicBlock *body, *exit;
  llvm::Value *end;
  int64_t step;
  llvm::Value *next = nullptr; // of the index; null: it plus `step`
};

/// The first index along the vector axis where a condition is false (an upper
/// bound), or where it is true (a lower bound).
struct MaskBound {
  const codegen::PlannedCondition *condition;
  llvm::Value *index = nullptr;      // i64, may be outside the axis
  llvm::Value *isInterval = nullptr; // i1; null: always
};

/// A part [begin, end) of the vector axis.
struct AxisRange {
  llvm::Value *begin, *end;
  llvm::Value *isInterval = nullptr; // i1; null: always
  bool isKnownNotEmpty = false;
};

/// A vector of those for which an element loop runs at once.
struct PlaceInBlock {
  Indices indices;          // of the nest
  llvm::Value *activeLanes; // or null: all
};

/// Accumulators of a reduction, per operand and unrolled copy.
struct Accumulators {
  tt::ReduceOp op;
  llvm::SmallVector<llvm::SmallVector<llvm::AllocaInst *, 4>, 2> slots;
  bool seeded = false; // no identity: starts from the first elements
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_NEST_LOOPS_H
