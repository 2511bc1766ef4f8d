// Planner.h - the state of planning a tile program.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_PLANNER_H
#define NEREID_CPU_COMPILER_PLAN_PLANNER_H

#include "plan/Reads.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

#include <map>

namespace nereid::cpu {

/// Chooses axis, lanes and unrolling of a nest whose roots are known.
/// With `isRowMajor`, elements are visited in row-major order.
void finishNest(Nest &nest, const GenerateOptions &options,
                const TileProgram &program, codegen::TileForms &forms,
                bool isRowMajor,
                llvm::function_ref<bool(mlir::Value)> isIndexFunction);

/// Decides whether blocks of `nest`, which may visit its elements in any order,
/// are transposed. If so, chooses its vector axis. Along a dimension, a vector
/// has `lanesAlong` elements, and those in memory up to `bitsAlong` bits.
void planTransposition(Nest &nest,
                       llvm::function_ref<int64_t(unsigned)> lanesAlong,
                       llvm::ArrayRef<unsigned> bitsAlong,
                       const TileProgram &program, codegen::TileForms &forms);

/// Moves scalars that are computed from reductions to where they are used, so
/// that several reductions may be in one nest.
void sinkScalars(tt::FuncOp function);

/// Moves reductions of tiles that dots multiply, too, and the conversions for
/// those, to right after these tiles, so that one nest computes all.
void hoistReaders(tt::FuncOp function);

/// Makes stores of scalars that values of tiles pass stores of tiles with one
/// element, whose addresses can be compared with those of the tiles.
void widenScalarStores(tt::FuncOp function);

/// Does `dot` add to a tile that the loop around it carries, and nothing else
/// uses that tile?
bool isAccumulation(tt::DotOp dot);

/// Is `op`, which may be null, a tt.trans that exchanges the last two dimensions
/// and no others?
bool swapsLastDims(mlir::Operation *op);

/// The dot of its block that alone uses the result of `op`; or null.
tt::DotOp dotOf(mlir::Operation *op);

/// Does `op` compute nothing but an operand of an accumulation in its block? It
/// then has a nest of its own, which some iterations skip.
bool computesDotOperand(mlir::Operation *op);

/// Is `op` a load, or the conversion of one, of nothing but an operand of a dot
/// in its block? It then has a nest of its own, which programs that take turns
/// may share.
bool loadsDotOperand(mlir::Operation *op);

/// Are the sums of `dot` used by nothing but stores, of values that are
/// computed from them row by row?
bool isOnlyStored(tt::DotOp dot, codegen::TileForms &forms);

/// Chooses the initial values of a nest's reductions and the elements they
/// skip, and finds comparisons whose results are known.
void planReductions(Nest &nest, const TileProgram &program,
                    codegen::TileForms &forms, const GenerateOptions &options);

/// The rows of a dot that stores need, i64; null: from 0, or all.
struct RowLimits {
  mlir::Value first, end;
  /// Rows from the tile's first on, i64, perhaps more than it has: how many
  /// programs share its columns. Only a hint; null: not known.
  mlir::Value left;
  /// `end` is that of the last row in which a mask is true, as in blocks of
  /// tokens, and not a bound: few rows may be needed.
  bool isCounted = false;
};

class Planner {
public:
  Planner(tt::FuncOp function, std::optional<RowParts> parts,
          codegen::TileForms &forms, const GenerateOptions &options);

  mlir::FailureOr<std::unique_ptr<TileProgram>> run();

private:
  /// A position in the program: a step of a block, an inner part of its nest.
  struct Place {
    mlir::Block *block;
    unsigned step;
    unsigned inner;
    bool identity; // the index map is the identity
  };
  /// A store, or an atomic update that loads may be moved past.
  struct PlacedStore {
    mlir::Operation *op;
    mlir::Value pointers;
    Place place;
  };
  /// An operation that loads are not moved past.
  struct PlacedWriter {
    mlir::Operation *op;
    mlir::Block *block;
    unsigned step;
  };
  using Places = llvm::MapVector<mlir::Value, llvm::SmallVector<Place, 2>>;
  /// An entry of `list` for the nest that is still growing.
  struct PendingPlace {
    Places *list;
    mlir::Value value;
    Place place;
  };
  enum class Join { None, SameRow, NewRow };

  mlir::LogicalResult check();
  bool isIndexFunction(mlir::Value value);
  bool findBroadcast(mlir::Value value,
                     llvm::SmallVectorImpl<mlir::Value> &sources,
                     unsigned most);
  void materializeForOthers(mlir::Value value);
  void findAlwaysMaterialized();
  bool isExchange(mlir::Operation *op) const;
  void materializeExchanged();
  void materializeLongChains();
  void materializeRowOffsets(mlir::Operation *access);
  Buffer *makeBuffer(mlir::Type type);
  void startRound();
  void makeRegionBuffers(mlir::Operation *op);

  void planBlock(mlir::Block &block);
  void planOp(mlir::Operation *op);
  void planRegionOp(mlir::Operation *op);
  void planElementLoop(mlir::scf::ForOp loop);
  void addRoot(Root root);
  void flush();

  llvm::ArrayRef<int64_t> shapeOf(const Root &root);
  bool readsAtIndex(const RootReads &reads) const;
  bool canFollowScan(tt::StoreOp store, const Root &root);
  Join joinOf(const Root &root, const RootReads &reads);
  // Groups.cpp
  bool staysInGroup(mlir::Value value, int64_t group);
  bool isShort(llvm::ArrayRef<mlir::Value> values);
  bool canGroupPending();
  int64_t groupWith(const Root &root, const RootReads &reads);
  void keepGroupsInRegisters();
  bool dependsOnPending(mlir::ValueRange values) const;
  std::optional<unsigned> pendingInnerOf(mlir::Value value) const;

  // InPlaceTiles.cpp
  /// Where a block writes a buffer, or a branch that does.
  struct Write {
    unsigned step = ~0u, inner = 0; // none
    mlir::Operation *branch = nullptr;
  };
  void shareBuffersInLoops();
  void joinInnerLoop(mlir::Value argument, mlir::Block *block,
                     mlir::Value yielded);
  bool isUpdated(mlir::Value argument, mlir::Block *block, mlir::Value yielded,
                 Buffer *target, llvm::SmallVectorImpl<Buffer *> &buffers);
  Write writeTo(const Buffer *buffer, mlir::Block *block);
  bool isFirstWrite(mlir::Value argument, mlir::Block *block,
                    const Write &write);
  void replaceBuffer(Buffer *from, Buffer *to);
  // Loops.cpp
  bool runsInStrips(const Place &place);
  bool waitsForRows(const Place &place, unsigned cost);
  bool materializeExpensiveValues();
  // Dots.cpp
  void hoistDotOperands();
  void transposeDotOperands();
  bool transposeIfColumnMajor(mlir::OpOperand &operand,
                              llvm::DenseMap<mlir::Value, mlir::Value> &turned);
  bool mayBeNeighbours(const codegen::TileForm &form, unsigned dim);
  int columnsInMemory(mlir::Value value);
  void planDot(tt::DotOp dot);
  void limitDotRows(); // DotRows.cpp
  void layOutRight(tt::DotOp dot, DotPlan &plan);
  Buffer *makeTerms(tt::DotOp dot, DotPlan &plan);
  void joinRows(tt::DotOp dot, const DotPlan &plan);
  void holdSums(); // HeldSums.cpp
  // ScaledSums.cpp
  void materializeRowFactors(tt::DotOp dot);
  void scaleSums();
  int64_t mostDeferred(const DeferredDots &deferred, mlir::scf::ForOp loop,
                       int64_t bytes, int64_t most);
  void deferDots();
  bool startsAtZero(tt::DotOp dot, mlir::scf::ForOp loop);
  const Buffer *makeRowTiles(tt::DotOp dot);
  void addToDeferred(tt::DotOp dot, mlir::scf::ForOp loop,
                     DeferredDots &deferred);
  void planPrefetches(mlir::scf::ForOp loop, DeferredDots &deferred);
  bool isPassedOn(const Buffer *buffer) const;
  // DotResults.cpp
  bool isKnownBefore(mlir::Value value, mlir::scf::ForOp loop) const;
  void planResult(mlir::scf::ForOp loop, DeferredDots &deferred);
  std::optional<SumStore> planStore(tt::StoreOp store, mlir::scf::ForOp loop,
                                    tt::DotOp dot);
  bool isComputedFrom(mlir::Value sums, tt::StoreOp store) const;
  // InPlace.cpp
  std::optional<InPlaceOperand> planPlace(tt::DotOp dot, mlir::scf::ForOp loop,
                                          bool isRight);
  std::optional<InPlaceOperand>
  planInPlace(tt::DotOp dot, mlir::scf::ForOp loop, bool isRight);
  std::optional<InPlaceOperand> planPacked(tt::DotOp dot,
                                           mlir::scf::ForOp loop);
  // SharedPanels.cpp
  std::optional<SharedOperand> planShared(tt::DotOp dot, mlir::scf::ForOp loop,
                                          int64_t iterations);
  bool hasWritesBefore(mlir::scf::ForOp loop) const;
  // Turns.cpp
  void planTurns();
  bool planTurnOperands(TurnLoop &turns, const DeferredDots &deferred);
  bool planSharedBuffers(TurnLoop &turns);
  void separatePrograms(TurnLoop &turns, int64_t most, int64_t room);
  // MemoryOrder.cpp
  bool canFollow(tt::StoreOp store, const Root &earlier);
  bool canReorder(tt::StoreOp store);
  bool canDefer(tt::StoreOp store);
  bool isKnownBeforeNest(const codegen::TileForm &form) const;
  void deferStores();
  // MovedLoads.cpp
  bool materializeMovedLoads();
  codegen::Hazard hazardOf(mlir::Value load, const Place &reader,
                           const PlacedStore &store);
  struct LaterStore {
    const PlacedStore *store;
    codegen::Hazard hazard;
  };
  bool canGuard(tt::LoadOp load, llvm::ArrayRef<LaterStore> stores);
  bool canEvaluateBefore(tt::LoadOp load, mlir::Block *block, unsigned step);
  void addGuard(tt::LoadOp load, llvm::ArrayRef<LaterStore> stores);

  tt::FuncOp function;
  const std::optional<RowParts> parts;
  codegen::TileForms &forms;
  const GenerateOptions &options;
  llvm::DenseSet<mlir::Operation *> elementLoops;
  llvm::DenseMap<mlir::Operation *, unsigned> order; // of the program text
  llvm::SetVector<mlir::Value> toMaterialize;        // expressions; only grows
  llvm::DenseMap<mlir::Value, bool> indexFunctions;
  llvm::DenseMap<mlir::Operation *, RowLimits> rowLimits; // of dots

  // State of one round of planning.
  std::unique_ptr<TileProgram> program;
  llvm::DenseMap<mlir::Operation *, unsigned> stepOf;
  Places readers; // of materialized values
  Places streams; // of expressions
  Places loads;
  llvm::SmallVector<PlacedStore, 4> stores;
  llvm::SmallVector<PlacedWriter, 4> writers;

  // The block being planned.
  mlir::Block *block = nullptr;
  BlockPlan *current = nullptr;
  std::unique_ptr<Nest> pending; // grows until a step needs its results
  llvm::DenseSet<mlir::Operation *> pendingOps;
  llvm::SmallVector<PendingPlace, 8> pendingPlaces;
  bool pendingWrites = false; // memory
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_PLANNER_H
