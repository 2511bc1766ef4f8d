// TileProgram.h - what a TTIR function becomes before any LLVM IR exists:
// loop nests over tiles, the scratch between them, and scalar code in order.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A tile value is represented in one of three ways (docs/architecture.md):
//   index function   an expression of ranges, scalars and constants
//   streamed         a load or element-wise result inside one nest; a register
//   materialized     in scratch, in a buffer of its own
// Only operations with an effect or a materialized result are roots of nests;
// all others are expressions that the roots evaluate.

#ifndef NEREID_CPU_COMPILER_PLAN_TILEPROGRAM_H
#define NEREID_CPU_COMPILER_PLAN_TILEPROGRAM_H

#include "Generate.h"
#include "analysis/Access.h"
#include "nereid/ttir/Dialect.h"
#include "tile/MaskPlan.h"
#include "tile/Ops.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <memory>

namespace nereid::cpu {

/// The order of the elements of a tile in scratch: the one at index i has the
/// offset sum_d strides[d] * i[d]. With panels, the last dimension is cut into
/// blocks of `panel` columns, which is a power of two: its part of the offset
/// is i / panel * panelStride + i % panel.
struct TileLayout {
  llvm::SmallVector<int64_t, 4> strides;
  int64_t panel = 0, panelStride = 0; // 0: no panels

  static TileLayout rowMajor(llvm::ArrayRef<int64_t> shape);
};

/// Scratch for one tile, elements with their layout in memory, or for a tile of
/// each of several iterations of a loop: these are joined along `joinedDim` to
/// a larger tile, which is row-major or, with `panel`, cut into panels. There
/// may be several such groups of tiles.
struct Buffer {
  unsigned id = 0;
  mlir::Type element;
  llvm::SmallVector<int64_t, 4> shape; // of one tile
  int64_t tiles = 1, groups = 1;
  unsigned joinedDim = 0;
  int64_t panel = 0;   // columns of a panel; 0: no panels
  uint64_t offset = 0; // in scratch, bytes

  int64_t elements() const; // of one tile
  uint64_t bytes() const;   // of one tile
  TileLayout layout() const;
  int64_t tileStride() const; // elements from one tile to the next
};

/// Buffers start at cache lines; the first line of scratch is reserved.
constexpr uint64_t kScratchAlign = 64;

enum class RootKind {
  Store,       // tt.store of a tile
  Materialize, // writes a value to its buffer
  Reduce,      // tt.reduce
  Scan,        // tt.scan
  Serial,      // element after element: atomics, histogram, print, assert ...
};

/// An operation that a nest is run for.
struct Root {
  RootKind kind;
  mlir::Operation *op = nullptr; // null: Materialize, of a block argument
  mlir::Value value;             // of Materialize
  Buffer *target = nullptr;      // of Materialize
  bool canStream = false;        // of Store: may bypass the caches

  // Of Reduce. Its accumulators start from `identity` or, if null, from the
  // first elements. Where a mask is false its operand may be the constant
  // `leftOut`: such elements may be skipped, if accumulators start from
  // `leftOut` when any was skipped (codegen::Combine::isIdempotent).
  mlir::TypedAttr identity;
  mlir::Attribute leftOut; // or null
  // The results of comparisons in the region of Reduce, where its left operands
  // precede the right ones along the axis.
  llvm::SmallVector<std::pair<mlir::Value, bool>, 1> inOrder;

  /// The source location of this root.
  mlir::Location location() const { return op ? op->getLoc() : value.getLoc(); }
};

using codegen::IndexMap;
using codegen::IndexSource;

struct TileRead {
  mlir::Value value;
  IndexMap map; // its index in the nest's
};

/// The innermost loops of a nest, with the roots that share them.
struct Inner {
  llvm::SmallVector<Root, 2> roots;
  codegen::MaskPlan masks;
};

/// Two accesses, `first` before `second` in program order, that a nest may
/// interleave unless a run-time check of their addresses finds aliasing.
struct Conflict {
  mlir::Value first, second; // tiles of pointers with affine forms
  codegen::Hazard hazard;    // IfRepeated, IfAhead or IfOverlapping
};

/// A load that must not see a later store. If one of its conflicts holds at run
/// time, it is copied to `buffer` before the nest.
struct Guard {
  tt::LoadOp load;
  llvm::SmallVector<Conflict, 2> conflicts;
  Buffer *buffer = nullptr;
};

/// A store whose elements must be written after those of an earlier store, or
/// in row-major order. If a conflict of any deferral holds at run time, the
/// nest writes all deferred stores to their buffers, which are copied to memory
/// after the nest, in program order.
struct Deferral {
  tt::StoreOp store;
  llvm::SmallVector<Conflict, 2> conflicts;
  Buffer *buffer = nullptr;
};

/// Values that are contiguous in memory along `axis`, in a nest that writes
/// along its vector axis: blocks of `size` elements along `axis` and a vector
/// along the other are read along `axis` and transposed in registers.
struct Transposition {
  unsigned axis = 0;
  unsigned size = 1;
  unsigned line = 1; // elements in a cache line, a multiple of `size`
  llvm::SmallVector<TileRead, 2> reads;
  // Conditions that are true in all of a block if they are true at its corners:
  // each depends on one of the two axes at most.
  codegen::MaskPlan masksAlongAxis, masksAlongVectors;
};

/// Loops over one index space. With several inner parts, all dimensions but
/// the last are shared outer loops, and each part uses the row of the parts
/// before it.
struct Nest {
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<Inner, 1> inners;
  llvm::SmallVector<Guard, 1> guards;
  llvm::SmallVector<Deferral, 1> deferrals;
  unsigned vectorAxis = 0;
  unsigned lanes = 1;
  unsigned unroll = 1;
  int reduceAxis = -1; // of all reductions in it
  std::optional<Transposition> transposition;
  bool isMasked = false; // one masked loop, no unmasked one beside it
  bool isRare = false;   // small code matters more than speed
};

enum class StepKind {
  Op, // one scalar operation, or an effect without a tile
  Nest,
  Dot,   // tt.dot
  Region // scf.for, scf.if, scf.while
};

struct BlockPlan;

struct Step {
  StepKind kind;
  mlir::Operation *op = nullptr;
  std::unique_ptr<Nest> nest;
};

struct BlockPlan {
  llvm::SmallVector<Step, 8> steps;
};

/// A tile carried by a loop: its value is in `current`, and its next value is
/// computed into `next`, which is `current` where updating in place is safe.
struct CarriedTile {
  Buffer *current = nullptr;
  Buffer *next = nullptr;
};

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
  DotBlock block;                          // of all kinds but Tiles
  DotPacking packing; // of the right operand, where it is packed
  DotOperand left, right;
  // Of the sums, those that are needed, i64: from `firstRow`, or null for 0, up
  // to `rows`, or null for all.
  mlir::Value firstRow, rows;
};

/// What `dot` prefetches while it multiplies: the elements that `load` will
/// read in the next iterations.
struct Prefetch {
  tt::DotOp dot;
  bool isRight;                // of its right operand
  mlir::Value load;            // the result of a tt.load
  codegen::TileForm form;      // of the addresses in the next iteration
  codegen::Polynomial advance; // of the form per iteration
  unsigned rowDim;             // the other dimension has stride 1
};

/// An operand that a deferred dot reads where it is in memory: row by row, and
/// the tile of the next iteration continues the left operand's rows, or has the
/// rows after the right operand's. In iterations in which a condition is false,
/// or a remainder wraps around, it is copied to its buffer.
struct InPlaceOperand {
  /// True for all elements of this dimension if it is true for the first, for
  /// an upper bound the last, and the checks of the bound succeed. No bound: it
  /// is uniform.
  struct Condition {
    mlir::Value condition; // i1, a tile or a scalar
    unsigned dim = 0;
    std::optional<codegen::IntervalBound> bound;
  };
  /// A tile `offs % M` which does not wrap if its last element exceeds the
  /// first by `span`.
  struct Wrap {
    mlir::Value tensor;
    unsigned dim = 0;
    int64_t span = 0;
  };
  tt::LoadOp load;
  codegen::Polynomial rowStride; // in elements, known before the loop
  /// More rows are read at once than a set of the first cache has lines: rows
  /// at multiples of CpuModel::kSetDistance would evict each other.
  bool hasManyRows = false;
  /// A right operand is in place only where no more rows of sums than these are
  /// needed, so that it is read once. 0: any number.
  int64_t mostRows = 0;
  llvm::SmallVector<Condition, 2> conditions;
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
  std::optional<SharedOperand> shared;

  bool hasInPlace() const { return inPlace[0] || inPlace[1]; }
};

/// A program that can be divided into parts, each of which stores some of the
/// rows of its results.
struct RowParts {
  int64_t rows = 0, count = 0; // at most so many parts
  mlir::Value first, end; // i32, arguments of the function: the part's rows
};

struct TileProgram {
  tt::FuncOp function;
  std::vector<std::unique_ptr<Buffer>> buffers;
  llvm::DenseMap<mlir::Block *, BlockPlan> blocks;
  /// The buffers of materialized values. A tile carried by a loop alternates
  /// between two buffers; it is in `carried` instead.
  llvm::DenseMap<mlir::Value, Buffer *> materialized;
  llvm::DenseMap<mlir::Value, CarriedTile> carried; // by block argument
  /// Tiles passed by terminators, by destination (a block argument or a result
  /// of a region): the buffer they are copied to.
  llvm::DenseMap<mlir::Value, Buffer *> passed;
  llvm::DenseMap<mlir::Operation *, DotPlan> dots;
  llvm::DenseMap<mlir::Operation *, DeferredDots> deferredDots; // by loop
  /// Materialized values that depend on the index and on scalars only. Analyses
  /// may look through their operations: they do not depend on memory.
  llvm::DenseSet<mlir::Value> materializedIndexFunctions;
  std::optional<RowParts> parts;
  uint64_t scratchBytes = kScratchAlign;

  bool isMaterialized(mlir::Value value) const {
    return materialized.contains(value) || carried.contains(value);
  }
  /// Must `value` be read from its buffer because its operation might yield
  /// another result later?
  bool isOpaque(mlir::Value value) const {
    return isMaterialized(value) && !materializedIndexFunctions.contains(value);
  }
  /// The deferred dots that `dot` is one of, or null.
  const DeferredDots *deferredDotsOf(tt::DotOp dot) const;
  /// Does a deferred dot prefetch what `load` will read?
  bool isPrefetchedByDot(tt::LoadOp load) const;
  void print(llvm::raw_ostream &os) const;
};

/// Which operations are tile expressions: evaluated wherever a root needs them.
bool isTileExpression(mlir::Operation *op);
/// True for values of tensor type.
bool isTile(mlir::Value value);

/// True for a tt.load, of a tile or not, that is volatile.
bool isVolatileLoad(mlir::Operation *op);

/// True for one block of element-wise operations, which can run on vectors.
bool isStraightLine(mlir::Region &region);

/// Is `dim` the last dimension with more than one index, or after it? Loops
/// with `dim` innermost then run in row-major order.
bool isInnermost(unsigned dim, llvm::ArrayRef<int64_t> shape);

/// Allocates scratch for the buffers of a finished plan; sets their offsets and
/// `scratchBytes`.
void placeBuffers(TileProgram &program);

/// Plans `function`, whose programs may be divided. Fails with an error on an
/// operation that can be neither root, expression nor step.
mlir::FailureOr<std::unique_ptr<TileProgram>>
planTileProgram(tt::FuncOp function, std::optional<RowParts> parts,
                codegen::TileForms &forms, const GenerateOptions &options);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_TILEPROGRAM_H
