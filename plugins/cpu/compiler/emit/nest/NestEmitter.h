// NestEmitter.h - one nest becomes loops, and tile expressions become vectors.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_NEST_NESTEMITTER_H
#define NEREID_CPU_COMPILER_EMIT_NEST_NESTEMITTER_H

#include "emit/Emitter.h"
#include "emit/nest/Element.h"
#include "emit/nest/Loops.h"
#include "plan/Reads.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <vector>

namespace nereid::cpu {

class NestEmitter {
public:
  NestEmitter(Emitter &emitter, const Nest &nest);
  void run();
  InPlaceTile findInPlaceTile(const InPlaceOperand &operand);
  llvm::Value *findWhetherAllHold(llvm::ArrayRef<TileCondition> conditions);

private:
  Indices firstIn(mlir::Value tile);
  llvm::Value *
  allHold(llvm::ArrayRef<TileCondition> conditions,
          llvm::function_ref<Indices(mlir::Value, unsigned, bool)> lastIn);
  // Order.cpp: accesses whose addresses may alias
  llvm::Value *anyOf(llvm::ArrayRef<Conflict> conflicts, llvm::Value *known);
  Nest copyNestOf(const Buffer &buffer) const;
  void emitGuards();
  void emitGuards(llvm::ArrayRef<Guard> group);
  llvm::Value *firstOfRowMajor(tt::LoadOp load);
  void beginDeferral();
  const Deferral *deferralOf(tt::StoreOp store) const;
  void storeDeferred(const Deferral &deferral, Address address,
                     llvm::Type *type, Element mask, Element value);
  void emitDeferredStores();

  // Nest.cpp: the loops
  void emitInner(const Inner &inner, unsigned fixedDims);
  llvm::Value *toVectors(llvm::Value *index, bool up, unsigned vectors = 1);
  AxisRange wholeVectors(AxisRange range, llvm::Value *first, unsigned copies);
  void emitAxis(const Inner &inner);
  void emitCheck(tt::AssertOp op);
  void emitRoots(const Inner &inner, unsigned copy);
  void emitRootsAt(const Inner &inner, llvm::ArrayRef<Indices> places);
  struct Write;
  void evaluateRoots(const Inner &inner, unsigned copy,
                     std::vector<Write> &writes);
  size_t storeInterleaved(llvm::ArrayRef<Write> writes);
  void emitWrite(const Write &write);
  void emitWrites(llvm::ArrayRef<Write> writes);
  std::optional<Loop> beginRowsInside(bool inPiece);
  void emitVectorLoop(const Inner &inner, AxisRange range, unsigned unroll);
  void emitVectors(const Inner &inner, AxisRange range, unsigned unroll);
  void emitCopies(const Inner &inner, llvm::Value *index, unsigned unroll);
  void setVectorIndex(llvm::Value *base);
  // ElementLoop.cpp
  void emitBlockOfLoop(const Inner &inner, llvm::Value *index, unsigned unroll);
  void emitBlocksOfLoop(const Inner &inner, AxisRange range);
  void moveTo(const PlaceInBlock &place);
  Element resultOf(mlir::scf::ForOp loop, unsigned number,
                   const Indices &indices);
  void emitScalarsOf(mlir::scf::ForOp loop);
  void emitElementLoop(mlir::scf::ForOp loop,
                       llvm::ArrayRef<PlaceInBlock> places);
  // KeptRows.cpp
  llvm::Value *isKeptRow(const Inner &inner);
  // Transpose.cpp: blocks that are transposed in registers
  void emitTransposed(const Inner &inner);
  llvm::Value *isFar(mlir::Value pointers, unsigned dim);
  llvm::Value *areRowsFar(mlir::Value pointers, unsigned dim);
  void prefetchReads(const TileRead &read, llvm::Value *row,
                     llvm::Value *columns);
  void prefetchStores(tt::StoreOp store, AxisRange rows, llvm::Value *columns);
  void prefetchBlocks(const Inner &inner, AxisRange rows, llvm::Value *columns);
  void emitBlock(const Inner &inner, llvm::Value *row, llvm::Value *column);
  llvm::SmallVector<llvm::Value *>
  readBlock(const TileRead &read, llvm::Value *row, llvm::Value *column);
  llvm::Value *wholeUnits(const codegen::MaskPlan &plan, unsigned axis,
                          int64_t unit);

  // Prefetch.cpp
  void prefetchRows(const Inner &inner);
  void prefetchUpdates(tt::AtomicRMWOp op);
  void prefetch(tt::LoadOp op, const Address &address);
  int64_t readAheadOf(const Inner &inner) const;
  bool prefetchNext(tt::LoadOp op, const Indices &indices);
  void readAhead(tt::LoadOp op, const Indices &indices);

  // Levels.cpp: loops and insertion points around them
  Loop beginLoop(llvm::Value *begin, llvm::Value *end, int64_t step,
                 bool isKnownNotEmpty = false);
  void endLoop(const Loop &loop);
  void pushLevel(llvm::BasicBlock *block);
  void popLevel();
  void beginAssumption(AxisRange range,
                       llvm::ArrayRef<const codegen::MaskPlan *> plans);
  void endAssumption();
  void insertAt(unsigned level);
  unsigned levelOf(llvm::Value *value) const;
  unsigned levelOf(llvm::ArrayRef<llvm::Value *> values) const;
  llvm::Value *at(llvm::ArrayRef<llvm::Value *> operands,
                  llvm::function_ref<llvm::Value *()> make);
  void place(llvm::Value *value, unsigned level);

  // Masks.cpp: where masks are true
  Indices firstIndices(const codegen::PlannedCondition &condition);
  llvm::Value *asI64(Element element);
  llvm::Value *bothOf(llvm::Value *a, llvm::Value *b);
  const MaskBound &boundOf(const codegen::PlannedCondition &condition);
  void findBound(MaskBound &result);
  llvm::Value *clampToAxis(llvm::Value *index);
  AxisRange rangeOf(bool onlyActive);
  AxisRange ifInterval(AxisRange range, int64_t begin, int64_t end);
  llvm::Value *endOfUnits(AxisRange range, int64_t unit);
  bool isAtCurrent(mlir::Value value, llvm::ArrayRef<IndexSource> map,
                   const Indices &indices);
  bool isKnownTrue(mlir::Value condition, const Indices &indices);
  llvm::Value *lanesWithin(mlir::Value condition, const Indices &indices);
  Element maskAt(mlir::Value mask, const Indices &indices);
  Element ofActiveLanes(Element mask);

  // Pieces.cpp: parts of an axis in which quotients stay the same
  void emitPieces(const Inner &inner, AxisRange full, AxisRange useful,
                  int64_t step, llvm::function_ref<void(AxisRange)> emitWhole);
  llvm::Value *untilAligned(llvm::Value *begin, llvm::Value *length);
  bool fillsVectors() const;
  llvm::Value *areDivisors(int64_t least);
  llvm::Value *lengthOfPiece(const Indices &start);
  const codegen::PlannedDivision *pieceOf(mlir::Value value,
                                          const Indices &indices);
  Indices startOfPiece(const IndexMap &map);
  std::optional<Element> constantInPiece(mlir::Value value,
                                         const Indices &indices);
  llvm::Value *placeInPiece();
  Element inPiece(const codegen::PlannedDivision &division);

  // Tile.cpp: expressions
  Element get(mlir::Value value, const Indices &indices);
  Element define(mlir::Value value, const Indices &indices);
  void remember(mlir::Value value, const Indices &indices, Element element,
                unsigned level);
  MemoKey keyOf(mlir::Value value, const Indices &indices);
  Element elementwise(mlir::Operation *op, unsigned result,
                      const Indices &indices);
  Element range(tt::MakeRangeOp op, const Index &index);
  Element constant(mlir::Value value, const Indices &indices);
  Element isFirst(const Index &index);
  Element join(tt::JoinOp op, const Indices &indices);
  Element cat(tt::CatOp op, const Indices &indices);
  Element gather(tt::GatherOp op, const Indices &indices);
  Element choose(Element condition, Element a, Element b);
  llvm::Value *widen(Element element);
  // Exchange.cpp
  void emitGroups();
  llvm::Value *exchangedBase(llvm::Value *base, int64_t distance);
  Element exchange(tt::GatherOp op, int64_t distance, const Index &index);
  // Index.cpp
  Index zero() { return {emitter.i64(0), 0, nullptr}; }
  Index indexPlus(Index a, const Index &b);
  Index indexTimes(const Index &a, int64_t factor);
  Index indexAnd(const Index &a, int64_t mask);
  Index indexShift(const Index &a, unsigned bits);
  llvm::Value *indexVector(const Index &index);
  llvm::Value *laneOffsets(int64_t stride, unsigned bits = 64,
                           int64_t repeat = 1);
  Index indexAt(IndexSource source, const Indices &indices);
  Indices indicesAt(llvm::ArrayRef<IndexSource> map, const Indices &indices);
  Indices operandIndices(mlir::Value result, const Indices &indices);
  Indices reshapeIndices(llvm::ArrayRef<int64_t> from,
                         llvm::ArrayRef<int64_t> to, const Indices &indices);
  std::optional<Index> partOfIndex(mlir::Value tile, Indices indices);
  int64_t alignmentOf(const Index &index) const;

  // Address.cpp
  llvm::Value *polynomialAt(const codegen::Polynomial &polynomial);
  void addByLevel(const codegen::Polynomial &polynomial,
                  llvm::SmallVectorImpl<llvm::Value *> &parts);
  Address addressOf(mlir::Value pointers, const Indices &indices);
  bool dependsOnMemory(mlir::Value tile);
  /// The address of each lane, for memory of type `element`.
  llvm::Value *lanePointers(const Address &address, llvm::Type *element);
  Address bufferAddress(llvm::Value *buffer, const TileLayout &layout,
                        llvm::Type *element, const Indices &indices);
  // Memory.cpp: loads, and tiles in scratch
  Address ascending(const Address &address, llvm::Type *type);
  Element reversed(Element element);
  Element asInMemory(Element element, llvm::Type *type);
  Element asInRegister(Element element, mlir::Type type);
  Element readBuffer(llvm::Value *buffer, const TileLayout &layout,
                     mlir::Type type, const Indices &indices);
  void writeBuffer(llvm::Value *buffer, mlir::Type type,
                   const TileLayout &layout, const Indices &indices,
                   Element value);
  Element load(tt::LoadOp op, const Indices &indices);
  Element guardedLoad(tt::LoadOp op, llvm::Type *type, Element mask,
                      Element other, const Indices &indices);
  Element loadAt(Address address, llvm::Type *type, Element mask, Element other,
                 Memory memory);
  bool selectsAddress(const Element &mask, llvm::Type *type,
                      int64_t lanes) const;
  llvm::Value *addressIf(llvm::Value *mask, llvm::Value *address);
  llvm::Value *reinterpret(llvm::Value *value, llvm::Type *scalar);
  // Lanes.cpp: lanes that are anywhere in memory
  bool checksNeighbours(const Address &address, unsigned level) const;
  bool masksNeighbours(llvm::Type *type) const;
  llvm::Value *areNeighbours(const Address &address, llvm::Type *type,
                             llvm::Value *where);
  llvm::Value *ifElse(llvm::Value *condition,
                      llvm::function_ref<llvm::Value *()> yes,
                      llvm::function_ref<llvm::Value *()> no);
  Element loadScattered(Address address, llvm::Type *type, Element mask,
                        Element other, Memory memory);
  void storeScattered(Address address, llvm::Type *type, llvm::Value *mask,
                      llvm::Value *values, Memory memory);
  // Store.cpp: stores, and those that bypass the caches
  void storeAt(Address address, llvm::Type *type, Element mask, Element value,
               Memory memory, llvm::Value *streams = nullptr);
  llvm::Align alignOfStream(llvm::Type *type) const;
  llvm::Value *streamsAt(tt::StoreOp store);
  void storeOrStream(llvm::Value *streams, llvm::Value *address,
                     llvm::Value *value, llvm::function_ref<void()> store);

  // Reduce.cpp
  void emitStrip(const Inner &inner);
  bool needsSeed(const Inner &inner);
  void startReductions(const Inner &inner, unsigned copies,
                       llvm::Value *isWhole = nullptr);
  llvm::Value *initialValueOf(const Root &root, llvm::Value *isWhole);
  void endSeeding();
  llvm::SmallVector<llvm::Value *> combine(mlir::Region &region,
                                           llvm::ArrayRef<llvm::Value *> in,
                                           unsigned width,
                                           KnownBits known = {});
  void accumulate(Accumulators &sums, unsigned copy, KnownBits inOrder);
  void finishReductions();
  llvm::SmallVector<llvm::Value *> loadSlots(const Accumulators &sums,
                                             unsigned copy);
  void storeResults(tt::ReduceOp op, llvm::ArrayRef<llvm::Value *> values,
                    bool isVector);
  // Scan.cpp
  void emitScan(tt::ScanOp op);
  AxisRange unmaskedNumbers(tt::ScanOp op, AxisRange all);
  void emitScanLoop(tt::ScanOp op, llvm::ArrayRef<llvm::AllocaInst *> carries,
                    AxisRange range);
  void emitScanStep(tt::ScanOp op, llvm::ArrayRef<llvm::AllocaInst *> carries,
                    llvm::Value *number, bool isFirst);
  llvm::SmallVector<llvm::Value *>
  scanLanes(tt::ScanOp op, llvm::SmallVector<llvm::Value *> values);
  // Serial.cpp
  void emitSerial(mlir::Operation *op);
  void emitHistogram(tt::HistogramOp op);
  void emitElements(mlir::Operation *op, bool isPlain);
  llvm::SmallVector<llvm::Value *> emitElement(mlir::Operation *op,
                                               llvm::ArrayRef<llvm::Value *> in,
                                               bool isPlain);
  // Atomics.cpp
  void emitAtomics(mlir::Operation *op);
  void emitAtomicForm(mlir::Operation *op, bool isPlain);
  llvm::SmallVector<Loop> beginLoops(tt::AtomicRMWOp updates = {});
  void endLoops(llvm::SmallVector<Loop> loops);
  Loop beginIf(llvm::Value *condition);
  void addToHeld(tt::AtomicRMWOp op, llvm::Value *sums);
  void emitNeighbours(tt::AtomicRMWOp op, bool isPlain);
  void updateNeighbours(tt::AtomicRMWOp op, llvm::Value *values,
                        llvm::Value *mask, bool isPlain);
  void updateInTurn(tt::AtomicRMWOp op, llvm::Value *places,
                    llvm::Value *values, llvm::Value *mask, bool isPlain);
  void updateAt(tt::AtomicRMWOp op, const Address &address, Element mask,
                Element value);
  class Runs; // Runs.cpp: updates whose lanes may have one address
  void emitAllRuns(tt::AtomicRMWOp op);
  void emitRuns(llvm::Value *index, unsigned count);

  Emitter &emitter;
  llvm::IRBuilder<> &builder;
  const Nest &nest;
  unsigned lanes;
  llvm::Value *isDeferred = nullptr;  // i1; null: no store can be deferred
  bool isPlainUpdate = false;         // atomic operations need no lock
  Runs *runs = nullptr;               // of the atomic operation, if it has some
  const Buffer *storedFrom = nullptr; // holds the values of the only store
  llvm::SmallVector<Level, 4> levels;
  llvm::DenseMap<llvm::Value *, unsigned> placed;   // level of what was emitted
  Indices current;                                  // of the nest's dimensions
  llvm::DenseMap<llvm::Value *, int64_t> multiples; // known factors of indices

  const codegen::MaskPlan *masks = nullptr; // of the inner part
  llvm::SmallVector<MaskBound, 4> bounds; // of its conditions, as far as found
  int64_t bytesAhead = 0; // from what it loads to what it prefetches, or 0
  unsigned rangeAxis;     // of its bounds
  /// Plans whose conditions are all true at the insertion point.
  llvm::SmallVector<const codegen::MaskPlan *, 2> held;
  llvm::Value *piece = nullptr; // where the current piece begins; null: in none
  /// Where the lanes end that have an effect; null: all have.
  llvm::Value *activeEnd = nullptr;
  llvm::Value *activeLanes = nullptr; // those before it, as a mask; or null
  unsigned assumptionLevel = 0;       // where the assumptions hold
  unsigned minimumLevel = 0;          // of what is emitted
  unsigned loadLevel = 0;             // the least of loads
  llvm::SmallVector<PlaceInBlock, 4> block; // of the element loop
  llvm::DenseSet<mlir::Value> written;      // by one inner part for the next
  unsigned rowLevel = 0;                    // where an inner part begins
  llvm::SmallVector<llvm::Value *, 16> groupIndices; // of a group's vectors
  mlir::scf::ForOp loopAround; // whose next iteration is prefetched; or null
  bool assumed = false; // the value being evaluated relies on assumptions
  llvm::SmallVector<Accumulators, 2> reductions;
  llvm::DenseMap<mlir::Value, bool> memoryDependence; // of tiles
  llvm::Value *deadline = nullptr; // of the poll being emitted, if any
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_NEST_NESTEMITTER_H
