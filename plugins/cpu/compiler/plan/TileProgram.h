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
#include "plan/DotPlan.h"
#include "plan/TurnLoop.h"
#include "tile/MaskPlan.h"
#include "tile/Ops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <memory>

namespace nereid::cpu {

enum class RootKind {
  Store,       // tt.store of a tile
  Materialize, // writes a value to its buffer
  Reduce,      // tt.reduce
  Scan,        // tt.scan
  Check,       // tt.assert of a tile
  Serial,      // element after element: atomics, histogram, print ...
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
  unsigned unroll = 1; // vectors in an iteration
  /// Rows in an iteration: of the reduced axis, each with accumulators of its
  /// own, where vectors are along another; or of an element loop, along
  /// rowDimOf() the nest.
  unsigned rows = 1;
};

/// Two accesses, `first` before `second` in program order, that a nest may
/// interleave unless a run-time check of their addresses finds aliasing.
struct Conflict {
  /// Tiles of pointers with affine forms or, if IfOverlapping, with forms whose
  /// tensors have buffers.
  mlir::Value first, second;
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
/// before it; with a group, that is a part of the only dimension.
struct Nest {
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<Inner, 1> inners;
  llvm::SmallVector<Guard, 1> guards;
  llvm::SmallVector<Deferral, 1> deferrals;
  unsigned vectorAxis = 0;
  unsigned lanes = 1;
  unsigned plainLanes = 1; // of an atomic operation without a lock
  /// Vectors of `plainLanes` that an atomic operation updates one address with
  /// are combined first, also with a lock.
  bool combinesRuns = false;
  int reduceAxis = -1; // of all reductions in it
  // With several inner parts over one dimension: so many elements, which are
  // aligned, exchange only with one another, in vector registers.
  int64_t group = 0;
  std::optional<Transposition> transposition;
  /// Computes all that is materialized; it runs for Inner::rows of
  /// Inner::unroll vectors at once. Null: none does.
  mlir::scf::ForOp elementLoop;
  /// Clears the sums of a dot that this loop defers, which starts at zero
  /// itself: needed only where the loop has no iteration.
  mlir::scf::ForOp unlessRun;
  bool unrollsRows = false; // where no mask divides them, they have no loop
  bool isMasked = false;    // one masked loop, no unmasked one beside it
  bool hasRowsInside = false; // each vector has a loop over rowDimOf()
  bool isRare = false;      // small code matters more than speed
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
  /// Atomic additions that are made by the last program of a call: the buffers
  /// of their sums, which are cleared before the first.
  llvm::DenseMap<mlir::Operation *, Buffer *> heldSums;
  /// Loops that run inside nests, and the loops in them: they have no steps.
  llvm::DenseSet<mlir::Operation *> elementLoops;
  std::optional<RowParts> parts;
  mlir::Value together; // SideBySide::count; null: programs run alone
  std::optional<TurnLoop> turns;
  std::optional<JointLoop> joint;
  /// Programs that follow one another had better be neighbours along this axis
  /// of the grid. If it is not x, programs know their place along it.
  unsigned fastestAxis = 0;
  /// Tiles of pointers whose rows, along the last dimension, the next program
  /// continues.
  llvm::DenseSet<mlir::Value> continued;
  uint64_t scratchBytes = kScratchAlign;

  bool isMaterialized(mlir::Value value) const {
    return materialized.contains(value) || carried.contains(value);
  }
  /// Must `value` be read from its buffer because its operation might yield
  /// another result later?
  bool isOpaque(mlir::Value value) const {
    return isMaterialized(value) && !materializedIndexFunctions.contains(value);
  }
  /// Is `block` of a loop that runs inside a nest?
  bool isInElementLoop(mlir::Block *block) const;
  /// The buffer of `operand`; null for a tile that a loop carries.
  const Buffer *bufferOf(const DotOperand &operand) const {
    return operand.packed ? operand.packed : materialized.lookup(operand.value);
  }
  /// The deferred dots that `dot` is one of, or null.
  const DeferredDots *deferredDotsOf(tt::DotOp dot) const;
  /// Does a deferred dot prefetch what `load` will read?
  bool isPrefetchedByDot(tt::LoadOp load) const;
  void print(llvm::raw_ostream &os) const;
};

/// The blocks of `function` that run one after the other, up to its end, unless
/// it returns from one of them early, with no effect. Empty: branches join its
/// blocks in another way.
llvm::SmallVector<mlir::Block *, 2> blocksInOrder(tt::FuncOp function);

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

/// The last dimension of `nest` with more than one index along which it has no
/// vectors.
std::optional<unsigned> rowDimOf(const Nest &nest);

/// Does `nest` run from the last element of an axis to the first?
bool descends(const Nest &nest);

/// The buffers that are in use when an iteration of `loop`, a step of the
/// function, begins or ends.
llvm::SetVector<Buffer *> buffersBetweenIterations(TileProgram &program,
                                                   mlir::scf::ForOp loop);

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
