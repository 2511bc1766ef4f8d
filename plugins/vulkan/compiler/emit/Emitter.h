// Emitter.h - a kernel whose tiles are distributed, as SPIR-V.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations are emitted in the order of the kernel. A scalar is one value, the
// same in all threads, so control flow is uniform and barriers are legal
// anywhere in it. A tile is a value for each register of its layout, in each
// layout in which it is needed. Values in registers have these types: i1 is
// bool; integers have their width, as far as the device has it
// (DeviceBuilder.h); bf16 and fp8 are their bits; a pointer is a 64-bit
// address; an index is 32 bits.

#ifndef NEREID_VULKAN_COMPILER_EMITTER_H
#define NEREID_VULKAN_COMPILER_EMITTER_H

#include "../../sites.h"
#include "../Matrices.h"
#include "DeviceBuilder.h"
#include "gpu/Distribution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <functional>

namespace nereid::vulkan {

struct DotPlan;
class DotPlans;

using codegen::gpu::Conversion;
using codegen::gpu::Distribution;
using codegen::gpu::ElementIndex;
using codegen::gpu::Layout;

using Ids = llvm::SmallVector<Id, 8>;

/// The indices of the elements that a thread holds: the thread's part and each
/// register's part, combined by exclusive or.
struct Indices {
  Id thread;
  uint32_t threadBits = 0; ///< that the thread's part may have
  llvm::SmallVector<uint32_t, 8> registers;
};

/// Where a thread accesses shared memory: its own part, combined by exclusive
/// or with a constant, plus the start. In words, or in units of 16 bytes.
struct SharedPlace {
  Id thread;
  uint32_t threadBits = 0; ///< that the thread's part may have
  Id start;                ///< none: 0
  uint32_t offset = 0;     ///< from there
  unsigned unit = 1;       ///< words
  /// Sums without constants that an instruction's offset holds.
  llvm::SmallDenseMap<uint32_t, Id> sums;
};

/// An access that may still be under way in other threads.
struct PendingAccess {
  mlir::Operation *op;
  /// If it is of another iteration than what follows: the loop.
  mlir::Operation *loop;

  bool operator==(const PendingAccess &other) const = default;
};

/// Where a part of a tile is in shared memory. All sizes are in bytes.
struct StagedRows {
  uint32_t start = 0;
  uint32_t stride = 0; ///< from one row to the next
  uint32_t bytes = 0;  ///< of an element
  unsigned minor = 1;  ///< the dimension along a row
  Window window;
  /// The buffer in use, 0 or 1, if there are two of `bufferBytes`.
  Id buffer = {};
  uint32_t bufferBytes = 0;

  spirv::MatrixLayout matrixLayout() const {
    return minor == 1 ? spirv::MatrixLayout::RowMajor
                      : spirv::MatrixLayout::ColumnMajor;
  }
  /// From one coordinate along `dim` to the next.
  uint32_t step(unsigned dim) const { return dim == minor ? bytes : stride; }
};

/// Whether the atomic operation is a loop of compare and swap: what devices
/// lack.
bool isUpdateLoop(mlir::Operation *op);

class Emitter {
public:
  Emitter(DeviceBuilder &b, const Distribution &layouts, const DotPlans &dots,
          const MatrixPlan &matrices, codegen::TileForms &forms,
          const DeviceModel &device, codegen::gpu::Workgroup workgroup,
          bool contractsDots)
      : b(b), layouts(layouts), dots(dots), matrices(matrices), forms(forms),
        device(device), workgroup(workgroup), contractsDots(contractsDots) {}

  /// What the kernel gets, by dimension where there are three.
  struct Inputs {
    Ids programs, grid; // of 32 bits
    Ids arguments;
    unsigned sharedBytes = 0;
    Id zero; ///< a word that is 0, which no compiler knows
    /// Reads the address of the services block.
    std::function<Id()> services;
  };
  /// Emits the body, without the return. Reports errors and fails.
  mlir::LogicalResult run(tt::FuncOp kernel, const Inputs &inputs);
  /// Whether the kernel writes to the services block.
  bool hasReports() const { return siteCount > 0; }

private:
  // Body.cpp: blocks and regions.

  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::LogicalResult emitScalar(mlir::Operation *op);
  mlir::LogicalResult emitFor(mlir::scf::ForOp loop);
  mlir::LogicalResult emitWhile(mlir::scf::WhileOp loop);
  mlir::LogicalResult emitIf(mlir::scf::IfOp branch);
  /// The ids that carry `values` as `carried`, one after the other.
  Ids flatten(mlir::ValueRange values, mlir::ValueRange carried);
  void unflatten(mlir::ValueRange carried, llvm::ArrayRef<Id> ids);
  void setLocation(mlir::Location loc);
  mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &why = "");

  // Types.cpp.

  TypeId elementType(mlir::Type type);
  Id constant(mlir::Type type, mlir::Attribute value);
  /// Words of 32 bits of an element in shared memory, and how it is stored.
  static unsigned wordsOf(mlir::Type type);
  Ids toWords(Id value, mlir::Type type);
  Id fromWords(llvm::ArrayRef<Id> words, mlir::Type type);
  Id pointerTo(Id address, TypeId type);
  /// Elements of a word if neighbors of this type are carried in words: what is
  /// narrow takes a whole register of the device otherwise. 1 if not.
  unsigned packedCount(mlir::Type type) const;
  /// Words of all values, which are those that they were unpacked from if they
  /// were.
  Ids packWords(llvm::ArrayRef<Id> values, mlir::Type type);
  Ids unpackWords(llvm::ArrayRef<Id> words, mlir::Type type);
  /// The same for what has narrow elements, and only if these fill words.
  Ids packNarrow(Ids values, mlir::Type type);
  Ids unpackNarrow(Ids carried, mlir::Type type, size_t count);

  // NarrowIntegers.cpp: on devices without them, in words.

  Id emitNarrow(mlir::Operation *op, llvm::ArrayRef<Id> operands,
                unsigned bits);
  Id multiplyNarrow(mlir::Operation *op, llvm::ArrayRef<Id> operands,
                    unsigned result, unsigned bits);
  /// With its sign if it is in a word.
  Id withSign(Id x, mlir::Type type);
  Id loadNarrow(Id address, unsigned bits, spirv::MemoryAccess access);
  void storeNarrow(mlir::Location place, Id address, Id value, unsigned bits,
                   spirv::MemoryAccess access);
  /// Numbers of `bits` bits from a word that holds several, and back.
  Ids unpack(Id word, unsigned bits);
  Id pack(llvm::ArrayRef<Id> numbers, unsigned bits);

  // Elements.cpp, Integers.cpp, Floats.cpp, Casts.cpp: an operation on scalars,
  // or on one element of tiles. None if the file has no such operation.

  Id emitElement(mlir::Operation *op, llvm::ArrayRef<Id> operands,
                 unsigned result = 0);
  Id emitInteger(mlir::Operation *op, llvm::ArrayRef<Id> operands);
  /// On native integers, or in words for numbers of `bits` bits.
  Id emitNative(mlir::Operation *op, llvm::ArrayRef<Id> operands,
                unsigned bits);
  Id emitFloat(mlir::Operation *op, llvm::ArrayRef<Id> operands);
  Id emitConversion(mlir::Operation *op, llvm::ArrayRef<Id> operands);
  Id emitPointer(mlir::Operation *op, llvm::ArrayRef<Id> operands);
  /// `x`, as a number that the driver does not know if it must not fold it.
  Id unfolded(Id x);
  /// A choice, hidden from a driver that folds zeros of the wrong sign.
  Id emitSelect(Id condition, Id x, Id y);
  Id extremum(Id x, Id y, bool isMaximum, bool propagatesNan);
  Id countZeros(Id x, unsigned bits, bool isLeading);
  Id extendSigned(Id x, TypeId to);
  Id extendUnsigned(Id x, TypeId to);
  Id extendBf16(Id bits);
  Id truncateToBf16(Id x);
  Id extendF16(Id bits);
  Id truncateToF16(Id x);
  /// The results of a region on scalars for these arguments: `combine` of a
  /// reduction, for instance. Its terminator's operands.
  Ids emitRegion(mlir::Region &region, llvm::ArrayRef<Id> arguments);

  // Sums.cpp: sums of integers and addresses, their constants apart.

  /// `rest` plus `constant`, modulo 2 to the width of `rest`; no rest: 0. The
  /// constant is that of the sum without overflows.
  struct Sum {
    Id rest;
    int64_t constant;
  };
  Sum sumOf(Id x) const;
  Id withConstant(Id rest, int64_t constant);
  Id addSums(Id x, Id y);
  Id addOffset(tt::AddPtrOp add, Id pointer, Id offset);
  /// The value for `key` if it was computed in this block.
  Id inThisBlock(std::array<uint32_t, 3> key, llvm::function_ref<Id()> compute);

  // Tiles.cpp: registers, and operations that only move elements.

  /// The registers of `tile` in `layout`, which is needed there.
  Ids registersOf(mlir::Value tile, const Layout &layout);
  void define(mlir::Value tile, unsigned variant, Ids registers);
  /// Defines the first variant, and converts to the others.
  void defineAll(mlir::Value tile, Ids registers);
  mlir::LogicalResult emitExpression(mlir::Operation *op);
  mlir::LogicalResult emitMap(tt::MapElementwiseOp op);
  mlir::LogicalResult emitVariant(mlir::Operation *op, const Layout &layout,
                                  llvm::MutableArrayRef<Ids> results);
  /// Coordinates along `dim`, or row-major indices.
  Indices indicesOf(const Layout &layout,
                    std::optional<unsigned> dim = std::nullopt);
  /// Of the element in register `index`, 32 bits.
  Id indexAt(const Indices &indices, uint32_t index);
  /// True in the threads that hold an element first.
  Id isOwner(const Layout &layout);
  /// Both conditions, without an instruction if one is known.
  Id both(Id x, Id y);

  // Exchange.cpp: values that cross threads.

  Ids convert(llvm::ArrayRef<Id> registers, mlir::Type type, const Layout &from,
              const Layout &to);
  /// The elements whose row-major indices are `elements`.
  Ids readThroughMemory(llvm::ArrayRef<Id> registers, mlir::Type type,
                        const Layout &from, llvm::ArrayRef<Id> elements);
  /// The sum (exclusive or) of the bases whose bits are set in `number`.
  Id permuteBits(Id number, llvm::ArrayRef<ElementIndex> bases);
  Id shuffle(Id value, mlir::Type type, llvm::function_ref<Id(Id)> instruction);
  /// The values in the thread whose number differs in one bit.
  Ids exchange(llvm::ArrayRef<Id> values, llvm::ArrayRef<mlir::Type> types,
               bool isLane, unsigned bit);
  Id threadBit(bool isLane, unsigned bit);
  Id broadcastFromFirst(Id value, mlir::Type type);
  /// `slot` is that of the first word, the next is `stride` slots on.
  void storeShared(Id slot, llvm::ArrayRef<Id> words, unsigned stride);
  Ids loadShared(Id slot, unsigned count, unsigned stride);
  Id sharedPointer(Id word);
  /// Shared memory as an array of `type`, a word or a vector of words.
  Id sharedView(TypeId type);
  /// 16 bytes at once, where the device can.
  void storeSharedVector(Id unit, llvm::ArrayRef<Id> words);
  Id loadSharedVector(Id unit);
  Id slotIn(SharedPlace &place, uint32_t word);
  /// The slot of an element of a tile.
  Id slotOf(Id element);
  void barrier() { b.workgroupBarrier(); }
  /// For device memory too.
  void deviceBarrier();

  // Reduce.cpp.

  mlir::LogicalResult emitReduce(tt::ReduceOp op);
  mlir::LogicalResult emitScan(tt::ScanOp op);
  Ids foldTree(mlir::Region &region, llvm::SmallVector<Ids> parts);
  Ids foldThreads(tt::ReduceOp op, const Layout &layout, Ids values);
  /// Over the bits of the warp's number, in the order of the axis.
  Ids foldWarps(mlir::Region &region, llvm::ArrayRef<mlir::Type> types,
                llvm::ArrayRef<unsigned> bits, Ids own);
  Ids foldThread(mlir::Region &region, llvm::ArrayRef<mlir::Type> types,
                 bool isLane, unsigned bit, bool isOrdered, Ids own);

  // Memory.cpp.

  mlir::LogicalResult emitLoad(tt::LoadOp op);
  mlir::LogicalResult emitStore(tt::StoreOp op);
  /// Whether all these masks of accesses hold, of `width` elements each. None
  /// if they are too many to be repeated.
  Id areAllTrue(llvm::ArrayRef<Id> masks, unsigned width);
  Ids loadWhere(llvm::ArrayRef<Id> masks, llvm::ArrayRef<Id> pointers,
                llvm::ArrayRef<Id> others, mlir::Type type, unsigned width,
                const spirv::MemoryAccess &access);
  /// `width` neighbours as one access.
  Ids loadRun(Id address, mlir::Type type, unsigned width,
              spirv::MemoryAccess access);
  void storeRun(mlir::Location place, Id address, llvm::ArrayRef<Id> values,
                mlir::Type type, spirv::MemoryAccess access);
  /// Before an access that may depend on an earlier one of another thread.
  void orderAccess(mlir::Operation *op);
  bool mayConflict(const PendingAccess &earlier, mlir::Operation *later);
  /// What the body of `loop` accesses may precede any of its accesses.
  void enterLoop(mlir::Operation *loop);

  // Atomics.cpp.

  mlir::LogicalResult emitAtomic(mlir::Operation *op);
  /// None if there is no such operation on elements of this type. `isDone`: as
  /// in updateLoop(); set if isUpdateLoop().
  Id atomicElement(mlir::Operation *op, llvm::ArrayRef<Id> operands,
                   Id *isDone = nullptr);
  /// The bits at `address` before they became `update` of them; of 8 bits or
  /// more. With `isDone` there is no loop: it becomes whether the one attempt
  /// succeeded.
  Id updateLoop(mlir::Location place, Id address, unsigned width,
                llvm::function_ref<Id(Id)> update, Id *isDone = nullptr);
  /// All elements of a thread in one loop, where `condition` and `mask` hold.
  /// `operands` are the registers of each. A round is an attempt at one
  /// element: hardly more rounds than in a loop for each element.
  Ids loopOverElements(mlir::Operation *op, llvm::ArrayRef<Ids> operands,
                       Id condition, mlir::OpOperand *mask, mlir::Value result);
  /// A variable for a word of each element of a thread. Each operation uses it
  /// again.
  Id elementArray(unsigned number, uint32_t count);

  // Poll.cpp.

  Id emitPoll(tt::AtomicPollOp op, llvm::ArrayRef<Id> operands);

  // Reports.cpp.

  mlir::LogicalResult emitPrint(tt::PrintOp op);
  void printOperand(tt::PrintOp op, unsigned number, Id sequence);
  mlir::LogicalResult emitAssert(tt::AssertOp op);
  /// Before the body.
  void prepareReports(tt::FuncOp kernel);
  /// The number of a new site.
  uint32_t addSite(const Site &site);
  /// The threads that come here report the fault.
  void reportFault(uint32_t site);
  /// Reports a fault if \p condition holds, and leaves the kernel if that is
  /// uniform.
  void failWhere(Id condition, uint32_t site, bool isUniform);
  /// Reserves a record and writes its head. By one thread. The word at which
  /// it starts, or UINT32_MAX.
  Id beginRecord(uint32_t site, Id sequence, uint32_t elements, uint32_t words);
  void storeElement(Id start, Id element, Id value, mlir::Type type);
  Id serviceWord(Id index);
  void storeService(Id index, Id word);
  Id updateService(spv::Op op, uint32_t index, Id value);
  Id isFirstThread();
  /// Whether the condition holds in a thread of the program.
  Id inAnyThread(Id condition);

  // Loops.cpp: between these and Builder::beginLoop, loops are checked where
  // the driver may end them.

  void watchLoops(tt::FuncOp kernel);
  void loopCondition(Id condition);
  /// \p isUniform: all threads of the program are in the loop.
  void endLoop(mlir::Location place, llvm::ArrayRef<Id> next,
               bool isUniform = true);

  // Gather.cpp: through shared memory.

  mlir::LogicalResult emitGather(tt::GatherOp op);
  mlir::LogicalResult emitHistogram(tt::HistogramOp op);
  mlir::LogicalResult emitUnsplat(tt::UnsplatOp op);

  // Dot.cpp.

  mlir::LogicalResult emitDot(tt::DotOp op);
  /// Writes slice number `round` of the operands to shared memory.
  void stageOperands(tt::DotOp op, const DotPlan &plan, int64_t round);
  void stageOperand(mlir::OpOperand &operand, const DotPlan &plan,
                    int64_t round);
  /// The next product after `load` in its block, before the load is issued: so
  /// registers are free for what is loaded, which comes during the product.
  void stageBefore(tt::LoadOp load);
  /// Of one operand in the buffer that is in use, of elements `width` words
  /// at once.
  SharedPlace placeIn(mlir::OpOperand &operand, const DotPlan &plan,
                      unsigned unit);
  void multiplySlice(tt::DotOp op, const DotPlan &plan, Ids &sums);
  Id multiplyAdd(Id x, Id y, Id sum, mlir::Type type);

  // Matrices.cpp: products in cooperative matrices, and tiles that are held in
  // them. StagedRows is where a tile is in shared memory.

  mlir::LogicalResult emitMatrixDot(tt::DotOp op, const MatrixDot &dot);
  /// An operation on tiles that are held in matrices.
  mlir::LogicalResult emitOnMatrices(mlir::Operation *op,
                                     const MatrixForm &form);
  TypeId matrixType(mlir::Type element, const MatrixForm &form);
  /// The subgroup's row and column in the grid of subgroups.
  std::pair<Id, Id> gridPosition(const MatrixForm &form);
  /// `tile` in matrices of `form`.
  Ids matricesOf(mlir::Value tile, const MatrixForm &form);
  Ids splatMatrices(mlir::Value tile, const MatrixForm &form);
  Ids repeatedMatrices(mlir::Value vector, bool isColumn,
                       const MatrixForm &form);
  Ids loadMatrices(mlir::Value tile, const MatrixForm &form);
  /// Defines a tile that is held in `values`, and converts it to the layouts in
  /// which it is needed.
  void defineHeld(mlir::Value tile, Ids values);
  void storeMatrices(llvm::ArrayRef<Id> values, const MatrixForm &form,
                     const StagedRows &rows, uint32_t first, uint32_t down);
  void stageFactor(mlir::OpOperand &operand, const MatrixDot &dot,
                   uint32_t first);
  void stageFactors(tt::DotOp op, const MatrixDot &dot, uint32_t first);
  /// Operands that a loop does not change.
  void stageInvariants(mlir::scf::ForOp loop);
  /// Stages the operands of `op` if they are known. False if it is not a
  /// product in matrices.
  bool stageEarly(mlir::Operation *op);
  /// Variables for matrices that a loop carries or a branch chooses.
  using HeldVariables = llvm::SmallVector<Ids>;
  HeldVariables declareHeld(mlir::ValueRange carried);
  void storeHeld(const HeldVariables &variables, mlir::ValueRange values,
                 mlir::ValueRange carried);
  void loadHeld(const HeldVariables &variables, mlir::ValueRange carried);

  /// A part of a tile's registers that are neighbors in `rows`.
  struct Run {
    uint32_t first;
    Id unit;     ///< its place, in units of its size, at least a word
    Id isInside; ///< the window
  };
  llvm::SmallVector<Run> runsOf(const Layout &layout, const StagedRows &rows,
                                uint32_t length);
  Ids loadStaged(const Run &run, uint32_t length, mlir::Type type,
                 const StagedRows &rows, const Indices &along);
  void storeRows(llvm::ArrayRef<Id> registers, mlir::Type type,
                 const Layout &layout, const StagedRows &rows);
  /// Replaces those of `registers` that are in the window.
  void loadRows(llvm::MutableArrayRef<Id> registers, mlir::Type type,
                const Layout &layout, const StagedRows &rows);
  /// Rows are accessed in vectors of 16 bytes.
  bool hasVectors() const { return sharedForm == Views; }
  /// Of 4 bytes, or 16 if rows have vectors.
  Id sharedUnit(Id index, unsigned bytes);

  /// Emits `body` where `condition` is true, and the values it returns there,
  /// `otherwise` elsewhere.
  Ids emitWhere(Id condition, llvm::ArrayRef<Id> otherwise,
                llvm::function_ref<Ids()> body);
  /// The same with two bodies.
  Ids emitEither(Id condition, llvm::function_ref<Ids()> then,
                 llvm::function_ref<Ids()> otherwise);

  DeviceBuilder &b;
  const Distribution &layouts;
  const DotPlans &dots;
  const MatrixPlan &matrices;
  codegen::TileForms &forms;
  const DeviceModel &device;
  const codegen::gpu::Workgroup workgroup;
  const bool contractsDots; // the multiplications and additions of a product

  Inputs inputs;
  Id lane, warp;
  /// Shared memory is an array of words, one of vectors, or, where the device
  /// has explicit layouts, both.
  enum { Words, Vectors, Views } sharedForm = Words;
  llvm::SmallVector<std::pair<TypeId, Id>, 2> sharedViews;
  llvm::DenseMap<mlir::Value, Id> scalars;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Ids, 2>> tiles;
  llvm::DenseMap<mlir::Value, Ids> held; ///< the matrices of a subgroup
  /// The word that an element was unpacked from, and its place there.
  llvm::DenseMap<uint32_t, std::pair<Id, unsigned>> packed;
  llvm::DenseMap<uint32_t, Sum> sums; ///< by their numbers
  llvm::DenseMap<std::pair<uint32_t, std::pair<uint32_t, uint32_t>>, Id> parts;
  spirv::BlockId partsBlock; ///< in which `parts` are valid
  /// In a region that each thread runs by itself: no barriers.
  bool isDivergent = false;
  /// Products whose first slices are in shared memory already.
  llvm::SmallPtrSet<mlir::Operation *, 2> staged;
  /// Where operands of products in matrices are.
  llvm::DenseMap<mlir::OpOperand *, StagedRows> stagedFactors;
  /// In the body of a loop: the buffer of its products that is in use, 0 or 1.
  llvm::SmallDenseMap<mlir::Operation *, Id> buffers;
  /// Accesses since the last barrier.
  llvm::SmallVector<PendingAccess> pending;
  /// By a number and the count of words.
  llvm::SmallDenseMap<std::pair<unsigned, uint32_t>, Id> elementArrays;
  uint32_t siteCount = 0;
  Id printCount; ///< a variable: prints that the program executed
  /// Where assertions of a region on elements hold; none: everywhere.
  Id assertsWhere;
  bool watchesLoops = false;
  llvm::SmallVector<Id> openLoops; ///< not 0 if the loop goes on
};

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_COMPILER_EMITTER_H
