// Emitter.h - the state that the parts of the generator share while they emit
// LLVM IR.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_EMITTER_H
#define NEREID_CPU_COMPILER_EMIT_EMITTER_H

#include "llvmir/ElementOps.h"
#include "llvmir/SourceLines.h"
#include "plan/TileProgram.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"

namespace nereid::cpu {

using codegen::AtLine;
using codegen::convertElementType;
using codegen::ElementContext;
using codegen::SourceLines;

/// A load that may have been copied to a buffer (Guard).
struct GuardedLoad {
  llvm::Value *overlaps = nullptr; // i1
  llvm::Value *buffer = nullptr;   // its elements, if it overlaps
  TileLayout layout;               // of them
  /// Its elements, row-major, in either case; null if memory is not row-major.
  llvm::Value *elements = nullptr;
};

/// The memory that an access may touch, for aliasing.
enum class Memory {
  Program,
  Volatile, // in the program's memory: each element is read once
  Scratch,
  Either
};

struct Emitter;
class DeferredDotsEmitter;
class JointProducts;

/// Results of comparisons that are known where a region is emitted.
using KnownBits = llvm::ArrayRef<std::pair<mlir::Value, bool>>;

/// The polynomials that have been computed at the insertion point. A nest or a
/// call opens a scope; its values are not used after the scope ends, where they
/// need not dominate the insertion point. Scopes nest.
class PolynomialScope {
public:
  explicit PolynomialScope(Emitter &emitter);
  ~PolynomialScope();
  PolynomialScope(const PolynomialScope &) = delete;
  PolynomialScope &operator=(const PolynomialScope &) = delete;

  /// The value computed in this scope or an enclosing one; or null.
  llvm::Value *find(const codegen::Polynomial &polynomial) const;
  void add(const codegen::Polynomial &polynomial, llvm::Value *value) {
    known.emplace_back(polynomial, value);
  }

private:
  Emitter &emitter;
  PolynomialScope *outer;
  llvm::SmallVector<std::pair<codegen::Polynomial, llvm::Value *>> known;
};

/// State of one function's emission. Scalars and buffers are found here by
/// every part; the insertion point is the builder's.
struct Emitter {
  llvm::IRBuilder<> builder;
  llvm::Module &module;
  llvm::Function *function = nullptr;
  const TileProgram &program;
  codegen::TileForms &forms;
  const GenerateOptions &options;
  ElementContext element;

  llvm::DenseMap<mlir::Value, llvm::Value *> scalars;
  llvm::DenseMap<const Buffer *, llvm::Value *> buffers;     // addresses
  llvm::DenseMap<mlir::Value, llvm::Value *> carriedResults; // after loops
  llvm::DenseMap<mlir::Value, GuardedLoad> guarded;
  PolynomialScope *polynomials = nullptr; // the innermost; null outside of all
  /// Loops with deferred dots that are being emitted, and the first deferred
  /// tiles of buffers while `buffers` points to the tile of one iteration.
  llvm::DenseMap<mlir::Operation *, DeferredDotsEmitter *> deferredLoops;
  llvm::DenseMap<const Buffer *, llvm::Value *> deferredStarts;
  /// i1, after a loop with a SumStore, by the nest: is all of it stored?
  llvm::DenseMap<const Nest *, llvm::Value *> storedSums;

  /// i1, in the loop of TileProgram::turns: is a buffer filled by another
  /// program? Null for one that is not shared.
  llvm::DenseMap<const Buffer *, llvm::Value *> filled;
  /// Of TileProgram::joint, while the loop is emitted.
  JointProducts *joint = nullptr;

  llvm::Value *programIds[3] = {};
  llvm::Value *programsLeft = nullptr; // i64: of the call, with this one
  llvm::Value *isAlone = nullptr; // i1, in turns: no other program takes one
  llvm::Value *gridSizes[3] = {};
  llvm::Value *launch = nullptr;  // nereid_cpu_launch_t
  llvm::Value *streams = nullptr; // i1: its stores should bypass the caches
  /// i1: no atomic operation needs a lock; null: this kernel's always do.
  llvm::Value *isExclusive = nullptr;
  llvm::Value *dummy = nullptr;   // 64 bytes that masked-off accesses touch
  llvm::Instruction *allocaPoint = nullptr;
  llvm::MDNode *scratchScope = nullptr; // alias scope list of scratch
  /// By load: the masks of the part of a nest that reads ahead for it.
  llvm::DenseMap<mlir::Operation *, const codegen::MaskPlan *> firstReaders;
  std::unique_ptr<SourceLines> lines;   // null without debug information
  bool failed = false;

  Emitter(llvm::Module &module, const TileProgram &program,
          codegen::TileForms &forms, const GenerateOptions &options)
      : builder(module.getContext()), module(module), program(program),
        forms(forms), options(options) {
    element.fpFusion = options.fpFusion;
    element.hasExtrema = options.cpu.hasExtrema;
  }

  /// While the result lives, emitted code has the source line of `location`.
  AtLine at(mlir::Location location) {
    return {builder, lines.get(), location};
  }
  llvm::LLVMContext &context() { return module.getContext(); }
  llvm::Type *typeOf(mlir::Value value) {
    return convertElementType(value.getType(), context());
  }
  /// The type of an element in memory: an i1 is a byte.
  llvm::Type *memoryType(mlir::Type type) {
    llvm::Type *element = convertElementType(type, context());
    return element->isIntegerTy(1) ? builder.getInt8Ty() : element;
  }
  /// Bytes of an element of such a type in memory.
  static int64_t bytesOf(llvm::Type *type) {
    return type->isPointerTy() ? 8 : type->getScalarSizeInBits() / 8;
  }
  llvm::Value *i64(int64_t number) { return builder.getInt64(number); }

  /// The smaller, or larger, of two i64; constants are folded.
  llvm::Value *smaller(llvm::Value *a, llvm::Value *b);
  llvm::Value *larger(llvm::Value *a, llvm::Value *b);
  /// An arbitrary element if `value` is poison, else null. It is frozen,
  /// because poison would be undefined behaviour in a branch that depends on
  /// it.
  llvm::Value *poison(mlir::Value value);
  /// A scalar SSA value; constants are created at each use.
  llvm::Value *scalar(mlir::Value value);
  /// `polynomial` as an i64; in a PolynomialScope, computed once.
  llvm::Value *polynomial(const codegen::Polynomial &polynomial);
  /// The buffer of a materialized value.
  llvm::Value *bufferPointer(mlir::Value value);
  /// Marks an access to scratch, which aliases nothing else.
  template <typename Access> Access *inScratch(Access *access) {
    access->setMetadata(llvm::LLVMContext::MD_alias_scope, scratchScope);
    return access;
  }
  /// Marks an access to the program's memory.
  template <typename Access> Access *inProgram(Access *access) {
    access->setMetadata(llvm::LLVMContext::MD_noalias, scratchScope);
    return access;
  }
  /// Marks an access to `memory`.
  template <typename Access> Access *inMemory(Access *access, Memory memory) {
    if constexpr (std::is_same_v<Access, llvm::LoadInst>)
      if (memory == Memory::Volatile)
        access->setVolatile(true);
    if (memory == Memory::Scratch)
      return inScratch(access);
    return memory == Memory::Either ? access : inProgram(access);
  }
  llvm::AllocaInst *allocate(llvm::Type *type, const llvm::Twine &name);
  /// An i1, or null for true: is `condition` true, or null, and has no other
  /// program filled `buffer`?
  llvm::Value *unlessFilled(const Buffer *buffer,
                            llvm::Value *condition = nullptr);

  /// Emits one element-wise operation; reports and records a failure.
  llvm::SmallVector<llvm::Value *> elementOp(mlir::Operation *op,
                                             llvm::ArrayRef<llvm::Value *> in,
                                             unsigned lanes);
  /// Emits the body of a combine region, on scalars, or on vectors if it
  /// isStraightLine(). May leave the builder in another block. The results
  /// `known`, of one bit, are not computed.
  llvm::SmallVector<llvm::Value *> region(mlir::Region &region,
                                          llvm::ArrayRef<llvm::Value *> in,
                                          unsigned lanes, KnownBits known = {});
  /// Reports that `op` cannot be compiled.
  void refuse(mlir::Operation *op, llvm::StringRef what);
};

inline constexpr int64_t kCacheLine = 64; // bytes
/// Where a prefetch brings a line to: the second cache, the first one, or the
/// first one to be written.
enum class PrefetchTo { Second, First, Write };
inline PrefetchTo prefetchToUse(bool isWritten) {
  return isWritten ? PrefetchTo::Write : PrefetchTo::Second;
}
/// Asks for the cache line of `place`.
void emitPrefetch(llvm::IRBuilder<> &b, llvm::Value *place,
                  PrefetchTo to = PrefetchTo::Second);

// The parts, each in a file of its own.
void emitNest(Emitter &emitter, const Nest &nest);
/// An operand where it is in memory, in one iteration.
struct InPlaceTile {
  llvm::Value *isUsable = nullptr; // i1
  llvm::Value *first = nullptr;    // the address of the first element
};
/// `nest` is that of its load.
InPlaceTile emitInPlaceTile(Emitter &emitter, const Nest &nest,
                            const InPlaceOperand &operand);
/// An i1: are `conditions` true for the whole tile? `nest` is that of the
/// access.
llvm::Value *emitHoldEverywhere(Emitter &emitter, const Nest &nest,
                                llvm::ArrayRef<TileCondition> conditions);
void emitDot(Emitter &emitter, tt::DotOp dot);
/// An i1: the condition of `conflict` is true.
llvm::Value *emitConflict(Emitter &emitter, const Conflict &conflict);
void emitScalarOp(Emitter &emitter, mlir::Operation *op);
/// Emits the blocks of the function, as the body of the loop over programs:
/// a return goes to `next`.
void emitBody(Emitter &emitter, llvm::BasicBlock *next);
/// Emits a region of scalars with any control flow; returns its results.
llvm::SmallVector<llvm::Value *>
emitScalarRegion(Emitter &emitter, mlir::Region &region,
                 llvm::ArrayRef<llvm::Value *> in);
/// Calls services->fail() with the message and its source location, and returns
/// a failing status from the function.
void emitFailure(Emitter &emitter, tt::AssertOp op);
void emitPrint(Emitter &emitter, tt::PrintOp print);
/// Emits `access` in a block that runs if `condition` holds (null: always).
void emitIf(Emitter &emitter, llvm::Value *condition,
            llvm::function_ref<void()> access);
/// The function pointer at `offset` of nereid_cpu_services_t, and the launch's
/// state, its first argument.
std::pair<llvm::Value *, llvm::Value *> serviceAt(Emitter &emitter,
                                                  size_t offset);
/// The time `timeout` nanoseconds from now, as nereid_cpu_services_t counts.
llvm::Value *emitDeadline(Emitter &emitter, llvm::Value *timeout);
/// An atomic load of a `type` with the given memory ordering.
llvm::Value *loadAtomic(llvm::IRBuilder<> &b, llvm::Value *pointer,
                        llvm::Type *type, tt::MemSemantic semantic);
/// Reads until the value is what `op` expects, or until the deadline, if any,
/// has passed; returns an i1, true for the value.
llvm::Value *emitPoll(Emitter &emitter, tt::AtomicPollOp op,
                      llvm::ArrayRef<llvm::Value *> operands,
                      llvm::Value *deadline);
/// Emits one atomic operation on a scalar address; returns the old value, or
/// null if it has no result.
llvm::Value *emitAtomic(Emitter &emitter, mlir::Operation *op,
                        llvm::ArrayRef<llvm::Value *> operands);
/// Emits what `op`, which mayBePlain(), does, without a lock; returns the old
/// value. With vectors, for as many neighbours as they have lanes, from the
/// address of the first.
llvm::Value *emitPlainAtomic(Emitter &emitter, mlir::Operation *op,
                             llvm::ArrayRef<llvm::Value *> operands);
/// The new value of `op` in memory, as bits, where `old` is the old one. Floats
/// are compared as integers, as an atomic instruction does.
llvm::Value *emitUpdate(Emitter &emitter, tt::AtomicRMWOp op, llvm::Value *old,
                        llvm::Value *value);
/// Emits one compare-and-swap loop that updates as many neighbours as `values`
/// has lanes, in CpuModel::kSwapBits at the aligned `pointer`.
void emitWideAtomic(Emitter &emitter, tt::AtomicRMWOp op, llvm::Value *pointer,
                    llvm::Value *values);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_EMITTER_H
