// TileProgram.h - what a TTIR function becomes before any LLVM IR exists:
// loop nests over tiles, the scratch between them, and scalar code in order.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A tile value lives in one of three ways (docs/architecture.md):
//   index function   made of ranges, scalars and constants; an expression
//   streamed         a load or element-wise result inside one nest; a register
//   kept             in scratch, in a buffer of its own
// Only operations with an effect or a kept result are roots of nests; all
// others are expressions that the roots pull in.

#ifndef NEREID_CPU_COMPILER_PLAN_TILEPROGRAM_H
#define NEREID_CPU_COMPILER_PLAN_TILEPROGRAM_H

#include "Generate.h"
#include "analysis/Access.h"
#include "nereid/ttir/Dialect.h"
#include "tile/Ops.h"
#include "tile/MaskPlan.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <memory>

namespace nereid::cpu {

/// Scratch for one tile: row-major, elements as they lie in memory.
struct Buffer {
  unsigned id = 0;
  mlir::Type element;
  llvm::SmallVector<int64_t, 4> shape;
  int64_t tiles = 1;   // one after the other, of as many rounds of a loop
  uint64_t offset = 0; // in scratch, bytes

  int64_t elements() const; // of one tile
  uint64_t bytes() const;   // of one tile
};

/// Buffers start at cache lines; the first line of scratch is no buffer.
constexpr uint64_t kScratchAlign = 64;

enum class RootKind {
  Store,     // tt.store of a tile
  Materialize, // a value into its buffer
  Reduce,    // tt.reduce
  Scan,      // tt.scan
  Serial,    // element after element: atomics, histogram, print, assert ...
};

/// What a nest is run for.
struct Root {
  RootKind kind;
  mlir::Operation *op = nullptr; // null for Keep of a block argument
  mlir::Value value;             // of Keep
  Buffer *target = nullptr;      // of Keep

  // Of Reduce. Its accumulators start from `identity`, or, if that is null,
  // from the first elements. Where a mask is false its operand may be
  // `leftOut`: such elements need not be visited, if accumulators start from
  // `leftOut` when there are any (codegen::Combine::isIdempotent).
  mlir::TypedAttr identity;
  mlir::Attribute leftOut; // or null

  /// Where it stands in the source.
  mlir::Location location() const {
    return op ? op->getLoc() : value.getLoc();
  }
};

/// The innermost loops of a nest, with the roots that share them.
struct Inner {
  llvm::SmallVector<Root, 2> roots;
  codegen::MaskPlan masks;
};

/// Two accesses, `first` before `second` in the program, that a nest may
/// interleave unless a condition on their addresses holds when the program
/// runs.
struct Conflict {
  mlir::Value first, second; // tiles of pointers with affine forms
  codegen::Hazard hazard;    // IfRepeated, IfAhead or IfOverlapping
};

/// A load that must not see a store that comes after it in the program: with
/// one of its conflicts it is copied to `buffer` before the nest.
struct Guard {
  tt::LoadOp load;
  llvm::SmallVector<Conflict, 2> conflicts;
  Buffer *buffer = nullptr;
};

/// A store whose elements must come after those of an earlier store, or in
/// row-major order: with one of the conflicts of any deferral, the nest writes
/// all deferred stores to their buffers, which are copied to memory after it,
/// in the order of the program.
struct Deferral {
  tt::StoreOp store;
  llvm::SmallVector<Conflict, 2> conflicts;
  Buffer *buffer = nullptr;
};

/// Loops over one index space. With several inner parts, all dimensions but
/// the last are shared outer loops, and rows flow from one part to the next.
struct Nest {
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<Inner, 1> inners;
  llvm::SmallVector<Guard, 1> guards;
  llvm::SmallVector<Deferral, 1> deferrals;
  unsigned vectorAxis = 0;
  unsigned lanes = 1;
  unsigned unroll = 1;
  int reduceAxis = -1; // of all reductions in it
  bool isMasked = false; // no loop of its own where all masks hold
  bool isRare = false;   // small code matters more than speed
};

enum class StepKind {
  Op,    // one scalar operation, or an effect without a tile
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

/// A tile carried by a loop: it lives in `current`, and its next value is
/// computed into `next`, which is `current` where that is safe.
struct CarriedTile {
  Buffer *current = nullptr;
  Buffer *next = nullptr;
};

/// What multiplies the operands of a dot.
enum class DotKind {
  Elements, // one element of each row and column at a time
  Pairs,    // two bf16 that are neighbours along the depth
  Tiles     // the tile registers of AMX
};

/// Sums that stay in vector registers: rows of vectors.
struct DotBlock {
  int64_t lanes = 1, vectors = 1, rows = 1;
};

/// The order of a packed right operand: cut into blocks of `depth` rows and
/// `columns` columns, of which those with the same columns come one after the
/// other. In a row of a block, `together` elements that are neighbours along
/// the depth come before the next column.
struct DotPacking {
  int64_t depth = 1, columns = 1, together = 1;
};

/// An operand of a dot in scratch.
struct DotOperand {
  mlir::Value value;         // kept
  bool isTransposed = false; // `value` has the last two dimensions exchanged
  Buffer *packed = nullptr;  // in the order of its use; null: it is already
};

struct DotPlan {
  DotKind kind = DotKind::Elements;
  DotBlock block;     // of all kinds but Tiles
  DotPacking packing; // of the right operand, where it is packed
  DotOperand left, right;
};

/// What `dot` asks memory for while it multiplies: the elements that `load`
/// will read in the rounds that come next.
struct ReadAhead {
  tt::DotOp dot;
  mlir::Value load;            // the result of a tt.load
  codegen::TileForm form;      // of the addresses in the next round
  codegen::Polynomial advance; // of the form in a round
  unsigned rowDim;             // the other dimension has stride 1
};

/// Dots of a loop that wait: their operands are put aside in `buffers`, and
/// multiplied when those of `rounds` rounds are there, or the loop ends. Sums
/// are then read and written once for all of them; the order of additions
/// stays the same.
struct DotQueue {
  int64_t rounds = 0;
  llvm::SmallVector<tt::DotOp, 1> dots; // in the order of the program
  llvm::SmallSetVector<const Buffer *, 2> buffers;
  llvm::SmallVector<ReadAhead, 2> ahead;
};

struct TileProgram {
  tt::FuncOp function;
  std::vector<std::unique_ptr<Buffer>> buffers;
  llvm::DenseMap<mlir::Block *, BlockPlan> blocks;
  /// Where kept values live. A tile carried by a loop moves between two
  /// buffers; it is in `carried` instead.
  llvm::DenseMap<mlir::Value, Buffer *> materialized;
  llvm::DenseMap<mlir::Value, CarriedTile> carried; // by block argument
  /// Tiles passed on by terminators, per destination (a block argument or a
  /// result of a region): the buffer they are put into.
  llvm::DenseMap<mlir::Value, Buffer *> passed;
  llvm::DenseMap<mlir::Operation *, DotPlan> dots;
  llvm::DenseMap<mlir::Operation *, DotQueue> queues; // by loop
  /// Kept values that are functions of the index and of scalars alone. What is
  /// made of them may be understood from their operations too: memory cannot
  /// have changed meanwhile.
  llvm::DenseSet<mlir::Value> materializedIndexFunctions;
  uint64_t scratchBytes = kScratchAlign;

  bool isMaterialized(mlir::Value value) const {
    return materialized.contains(value) || carried.contains(value);
  }
  /// Is `value` read from its buffer because its operation may give another
  /// result by then?
  bool isOpaque(mlir::Value value) const {
    return isMaterialized(value) && !materializedIndexFunctions.contains(value);
  }
  /// The queue that `dot` waits in, or null.
  const DotQueue *queueOf(tt::DotOp dot) const;
  /// Does a dot that waits ask for what `load` will read?
  bool isReadAhead(tt::LoadOp load) const;
  void print(llvm::raw_ostream &os) const;
};

/// Which operations are tile expressions: evaluated wherever a root needs them.
bool isTileExpression(mlir::Operation *op);
/// True for values of tensor type.
bool isTile(mlir::Value value);

/// True for a tt.load, of a tile or not, that is volatile.
bool isVolatileLoad(mlir::Operation *op);

/// True for one block of element-wise operations, which runs on vectors too.
bool isStraightLine(mlir::Region &region);

/// Does the last dimension that has more than one index come no later than
/// `dim`? Loops that have `dim` innermost then run in row-major order.
bool isInnermost(unsigned dim, llvm::ArrayRef<int64_t> shape);

/// Places the buffers of a finished plan; sets their offsets and
/// `scratchBytes`.
void placeBuffers(TileProgram &program);

/// Plans `function`. Fails with an error on the operation for what no root,
/// expression or step can be made of.
mlir::FailureOr<std::unique_ptr<TileProgram>>
planTileProgram(tt::FuncOp function, codegen::TileForms &forms,
                const GenerateOptions &options);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_TILEPROGRAM_H
