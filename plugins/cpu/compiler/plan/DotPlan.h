// DotPlan.h - how dots are multiplied: their operands in scratch or in memory,
// and those that a loop defers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_DOTPLAN_H
#define NEREID_CPU_COMPILER_PLAN_DOTPLAN_H

#include "WordProduct.h"
#include "analysis/MaskIntervals.h"
#include "nereid/ttir/Dialect.h"
#include "plan/Buffer.h"

#include "llvm/ADT/SetVector.h"

#include <optional>

namespace nereid::cpu {

/// The instructions that multiply the operands of a dot.
enum class DotKind {
  Elements, // one element of each row and column
  Words,    // a WordProduct: some that are neighbours along the depth
  Tiles     // the tile registers of AMX
};

/// Register blocking: rows of vectors of sums that stay in registers, at most
/// this many rows.
struct DotBlock {
  int64_t lanes = 1, vectors = 1, rows = 1;
};

/// The layout of a right operand in the order of its use: blocks of `depth`
/// rows and `columns` columns; blocks of the same columns are consecutive. In a
/// row of a block, `together` elements that are neighbours along the depth are
/// interleaved: they precede the next column.
struct DotPacking {
  int64_t depth = 1, columns = 1, together = 1;
};

/// An operand of a dot in scratch.
struct DotOperand {
  mlir::Value value;         // materialized
  bool isTransposed = false; // `value` has the last two dimensions exchanged
  Buffer *packed = nullptr;  // in the order of its use; null: `value` is
};

struct DotPlan {
  DotKind kind = DotKind::Elements;
  WordProduct product = WordProduct::None; // of DotKind::Words
  DotBlock block;     // of all kinds but Tiles; rows also if operands are split
  DotPacking packing; // of the right operand, where it is packed
  /// Of DotKind::Tiles: each element of both operands is the sum of so many
  /// bf16, which are multiplied. With more than one, those of the left operand
  /// are in `leftTerms` for a product, those of the right one are packed.
  int64_t terms = 1;
  Buffer *leftTerms = nullptr;
  DotOperand left, right;
  bool startsAtZero = false; // the sums are not in their buffer before
  // Of the sums, those that are needed, i64: from `firstRow`, or null for 0, up
  // to `rows`, or null for all.
  mlir::Value firstRow, rows;
  /// By what the sums are multiplied before, f32, one for each row,
  /// materialized; null: by nothing.
  mlir::Value rowFactors;
};

/// What `dot` prefetches while it multiplies: the elements of `tile` that the
/// next iterations read or, in the last one, a store after the loop writes.
struct Prefetch {
  enum class Use { Left, Right, Result };
  tt::DotOp dot;
  Use use;
  mlir::Value tile;       // the result of a tt.load, or what a tt.store writes
  codegen::TileForm form; // of the addresses in the next iteration
  codegen::Polynomial advance; // of the form per iteration
  unsigned rowDim;             // the other dimension has stride 1
};

/// A part of a mask that is true for all elements of dimension `dim` if it is
/// true for the first, for an upper bound the last, and the checks of the bound
/// succeed. No bound: it is uniform.
struct TileCondition {
  mlir::Value condition; // i1, a tile or a scalar
  unsigned dim = 0;
  bool isOfRows = false; // the first dimension of the access
  std::optional<codegen::IntervalBound> bound;
};

/// The conditions under which `mask` (null: true) is true for a whole tile;
/// nothing if there is one that is not such a condition.
std::optional<llvm::SmallVector<TileCondition, 2>>
conditionsOf(mlir::Value mask, codegen::TileForms &forms);

/// An operand that a deferred dot reads where it is in memory: row by row, or a
/// right operand column by column. A left operand of narrow floats is converted
/// from there for each product. The tile of the next iteration continues the
/// left operand's rows and the right one's columns, or has the rows after the
/// right operand's. In iterations in which a condition is false, a remainder
/// wraps around or an offset is clamped, it is copied to its buffer.
struct InPlaceOperand {
  /// A tile `offs % M` which does not wrap if each element exceeds the one
  /// before by `stride`; or `tl.where(offs < M, offs, 0)`, with M in `below`,
  /// which then clamps nothing if that is positive.
  struct Wrap {
    mlir::Value tensor;
    unsigned dim = 0;
    bool isOfRows = false; // the first dimension of the load
    int64_t stride = 0;
    std::optional<codegen::Polynomial> below;
  };
  mlir::Value value; // that would be materialized: the load's, or a tt.trans
  tt::LoadOp load;
  bool isByColumns = false; // columns of a right operand are contiguous
  bool isExtended = false;  // the operand is the load's result as f32
  unsigned depthDim = 0;    // of the load
  codegen::Polynomial base; // of the load's addresses
  /// Of its rows or, by columns, its columns, in elements, known before the
  /// loop.
  codegen::Polynomial stride;
  /// More rows are read at once than a set of the first cache has lines: rows
  /// at multiples of CpuModel::kSetDistance would evict each other.
  bool hasManyRows = false;
  /// A right operand is in place only where no more rows of sums than these are
  /// needed: then it is read once. 0: any number.
  int64_t mostRows = 0;
  /// With the most rows, these are in registers in so many groups, and all but
  /// the first read the right operand from the first cache.
  int64_t rowGroups = 1;
  mlir::Value rowsLeft; // RowLimits::left
  /// Of sums that are needed, i64: from `firstRow`, or null for 0, up to
  /// `rows`, or null for all. Rows of a left operand after these are not read,
  /// so that they may be masked off or wrap.
  mlir::Value firstRow, rows;
  llvm::SmallVector<TileCondition, 2> conditions;
  llvm::SmallVector<Wrap, 1> wraps;
};

/// A right operand that stays packed for the following programs of a call, with
/// the tiles of all iterations: it need not be packed again if all of `key` has
/// the same values.
struct SharedOperand {
  mlir::Value value; // that is materialized
  const Buffer *buffer = nullptr;
  /// The buffer holds the tiles of all iterations if the loop's upper bound is
  /// at most this.
  int64_t highestBound = 0;
  /// Rows of the sums that are needed, an i64; null: all. A program that needs
  /// fewer than all is the last that multiplies with its columns.
  mlir::Value rows;
  /// Scalars from before the loop that the operand depends on, which may differ
  /// between programs.
  llvm::SetVector<mlir::Value> key;
};

struct Nest;

/// A store of the sums of a loop's only dot, which the last product can make
/// itself, from registers: where the whole tile is stored, to rows that are
/// apart from one another and from what the product reads.
struct SumStore {
  mlir::Value stored, sums;   // by element-wise operations from the sums
  unsigned number = 0;        // of those in the program
  const Nest *nest = nullptr; // that stores otherwise
  codegen::TileForm form;     // of the addresses, known before the loop
  llvm::SmallVector<TileCondition, 2> conditions;

  bool hasElementOps() const { return sums != stored; }
};

/// Of columns in place: so many steps in tile registers take a page of each.
inline constexpr int64_t kPackedTiles = 64;

/// Deferred dots of a loop: their operands are packed in `buffers`, and
/// multiplied once those of `iterations` iterations are there or the loop ends.
/// The sums are then read and written once for all of them, in the same order
/// of additions.
struct DeferredDots {
  int64_t iterations = 0;
  llvm::SmallVector<tt::DotOp, 1> dots; // in the order of the program
  llvm::SmallSetVector<const Buffer *, 2> buffers;
  llvm::SmallVector<Prefetch, 2> prefetches;
  // Of the only dot.
  std::optional<InPlaceOperand> inPlace[2]; // left and right
  /// The right operand, if it is packed from where it is in memory. Its tiles
  /// need not continue each other.
  std::optional<InPlaceOperand> packed;
  std::optional<SharedOperand> shared;
  std::optional<SumStore> store;
  /// For columns in place in tile registers: kPackedTiles tiles of the rows,
  /// then a tile of sums for each tile of columns; or null.
  const Buffer *rowTiles = nullptr;
  /// The first products do not add to what is in the buffer of the sums.
  bool startsAtZero = false;

  bool hasInPlace() const { return inPlace[0] || inPlace[1]; }
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_DOTPLAN_H
