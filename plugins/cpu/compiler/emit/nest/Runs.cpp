// Runs.cpp - atomic operations whose lanes may all update one address.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of channels, or of segments whose numbers are sorted, update the same
// address many times in turn, each time waiting for the one before, or for
// another thread. If a whole vector has one address, its values are combined
// with those of the vectors before it, until one has another address.

#include "emit/AtomicValues.h"
#include "emit/CountedLoop.h"
#include "emit/nest/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::cpu {

/// Emits one operation.
class NestEmitter::Runs {
public:
  Runs(NestEmitter &all, tt::AtomicRMWOp op)
      : all(all), emitter(all.emitter), builder(all.builder), nest(all.nest),
        op(op) {}

  /// All updates of `op`, with locks unless they are plain.
  void emitAll() {
    const Inner &inner = nest.inners.front();
    all.masks = &inner.masks;
    std::optional<Loop> runs;
    llvm::Value *isOne = nullptr;
    if (maySplitRuns(inner)) {
      all.setVectorIndex(emitter.i64(0));
      isOne = areOne(placesOf());
      runs = all.beginIf(isOne);
    }
    begin();
    all.emitInner(inner, 0);
    all.insertAt(all.levels.size() - 1);
    end();
    all.levels.back().block = builder.GetInsertBlock();
    all.masks = nullptr;
    all.bounds.clear();
    if (!runs)
      return;
    all.endLoop(*runs);
    all.lanes = 1;
    all.insertAt(all.levels.size() - 1);
    Loop apart = all.beginIf(builder.CreateNot(isOne));
    all.emitElements(op, all.isPlainUpdate);
    all.endLoop(apart);
  }

  /// Updates with `count` vectors from `index` on.
  void emitVectors(llvm::Value *index, unsigned count) {
    all.setVectorIndex(index);
    Address address = all.addressOf(op.getPtr(), all.current);
    if (address.base && address.stride == 0) {
      updateBlock(index, count);
    } else {
      for (unsigned copy = 0; copy < count; ++copy) {
        all.setVectorIndex(all.at({index}, [&] {
          return copy ? builder.CreateAdd(index, emitter.i64(copy * all.lanes))
                      : index;
        }));
        updateRun();
      }
    }
    all.current[nest.vectorAxis] = all.zero();
    all.activeLanes = nullptr;
  }

private:
  /// Where the current vector of `op` has an effect; null: everywhere.
  llvm::Value *whereOf() {
    Element mask{builder.getTrue(), false};
    if (op.getMask())
      mask = all.maskAt(op.getMask(), all.current);
    mask = all.ofActiveLanes(mask);
    auto *known = dyn_cast<llvm::ConstantInt>(mask.value);
    return known && known->isOne() ? nullptr : all.widen(mask);
  }

  /// Had all elements of `op` better be updated in turn unless the first ones
  /// have one address? Not if addresses certainly do not change, or if vectors
  /// compute what each element needs much faster.
  bool maySplitRuns(const Inner &inner) {
    constexpr size_t kMost = 16; // operations of an element
    RootReads reads = readsOf(inner.roots.front(), emitter.program);
    return inner.unroll == 1 && all.masks->divisions.empty() &&
           reads.streamed.size() <= kMost &&
           llvm::none_of(reads.streamed, [](Value value) {
             return isa_and_nonnull<arith::DivSIOp, arith::DivUIOp,
                                    arith::RemSIOp, arith::RemUIOp,
                                    arith::DivFOp>(value.getDefiningOp());
           });
  }

  /// Begins with no run.
  void begin() {
    llvm::Type *type =
        emitter.memoryType(getElementTypeOrSelf(op.getVal().getType()));
    place = emitter.allocate(builder.getPtrTy(), "run");
    sums =
        emitter.allocate(llvm::FixedVectorType::get(type, all.lanes), "sums");
    all.insertAt(all.levels.size() - 1);
    builder.CreateStore(llvm::Constant::getNullValue(builder.getPtrTy()),
                        place);
  }

  /// Adds a vector of `values` to the run of `address`, or ends that before it
  /// if it has another address. Lanes where `where` (null: everywhere) is false
  /// add nothing.
  void add(llvm::Value *address, llvm::Value *values, llvm::Value *where) {
    llvm::Value *isAny = nullptr;
    if (where) {
      values = builder.CreateSelect(where, values,
                                    neutralValueOf(op, values->getType()));
      isAny = builder.CreateOrReduce(where);
    }
    emitIf(emitter, isAny, [&] {
      llvm::Value *before = builder.CreateLoad(builder.getPtrTy(), place);
      auto more = [&]() -> llvm::Value * {
        llvm::Value *known = builder.CreateLoad(sums->getAllocatedType(), sums);
        builder.CreateStore(combineValues(builder, op, known, values), sums);
        return nullptr;
      };
      auto other = [&]() -> llvm::Value * {
        end();
        builder.CreateStore(address, place);
        builder.CreateStore(values, sums);
        return nullptr;
      };
      all.ifElse(builder.CreateICmpEQ(before, address), more, other);
    });
  }

  /// Updates memory with the current run, if there is one.
  void end() {
    llvm::Value *address = builder.CreateLoad(builder.getPtrTy(), place);
    emitIf(emitter, builder.CreateIsNotNull(address), [&] {
      updateOnce(address, builder.CreateLoad(sums->getAllocatedType(), sums));
    });
  }

  /// Updates `address` once, with all of `values`.
  void updateOnce(llvm::Value *address, llvm::Value *values) {
    for (unsigned width = all.lanes / 2; width >= 1; width /= 2) {
      SmallVector<int> low, high;
      for (unsigned lane = 0; lane < width; ++lane) {
        low.push_back(lane);
        high.push_back(width + lane);
      }
      values =
          combineValues(builder, op, builder.CreateShuffleVector(values, low),
                        builder.CreateShuffleVector(values, high));
    }
    llvm::Value *sum = builder.CreateExtractElement(values, uint64_t(0));
    all.emitElement(op, {address, sum, nullptr}, all.isPlainUpdate);
  }

  /// Updates one lane after the other. They go through memory: it takes longer
  /// to extract them.
  void updateEach(llvm::Value *places, Element value, llvm::Value *where) {
    auto list = [&](llvm::Value *vector, const char *name) {
      llvm::AllocaInst *slot = emitter.allocate(vector->getType(), name);
      builder.CreateStore(vector, slot, /*isVolatile=*/true);
      return slot;
    };
    llvm::Value *placeList = list(places, "places");
    llvm::Value *valueList =
        value.isVector ? list(value.value, "values") : nullptr;
    auto update = [&](llvm::Value *lane) {
      auto element = [&](llvm::Value *vector, llvm::Value *from) {
        llvm::Type *type = vector->getType()->getScalarType();
        return builder.CreateLoad(type, builder.CreateGEP(type, from, lane),
                                  /*isVolatile=*/true);
      };
      llvm::Value *address = element(places, placeList);
      llvm::Value *one =
          valueList ? element(value.value, valueList) : value.value;
      all.emitElement(op, {address, one, nullptr}, all.isPlainUpdate);
    };
    auto updateAll = [&] {
      constexpr unsigned kTogether = 4;
      emitLoop(builder, emitter.i64(all.lanes), kTogether, {},
               [&](llvm::Value *lane) {
                 for (unsigned next = 0; next < kTogether; ++next)
                   update(builder.CreateAdd(lane, emitter.i64(next)));
               });
    };
    if (!where)
      return updateAll();
    llvm::Value *isWhole = builder.CreateAndReduce(where);
    emitIf(emitter, isWhole, updateAll);
    emitIf(emitter, builder.CreateNot(isWhole), [&] {
      llvm::Value *rest =
          builder.CreateBitCast(where, builder.getIntNTy(all.lanes));
      emitLoop(builder, emitter.i64(all.lanes), 1, rest,
               [&](llvm::Value *lane) {
                 emitIf(emitter, builder.CreateTrunc(rest, builder.getInt1Ty()),
                        [&] { update(lane); });
                 rest = builder.CreateLShr(rest, 1);
               });
    });
  }

  /// An i1: all lanes of `places` are one address.
  llvm::Value *areOne(llvm::Value *places) {
    all.insertAt(all.levels.size() - 1);
    // Two lanes tell most vectors apart.
    llvm::Value *first = builder.CreateExtractElement(places, uint64_t(0));
    llvm::Value *last = builder.CreateExtractElement(places, all.lanes - 1);
    llvm::Value *are = all.ifElse(
        builder.CreateICmpEQ(first, last),
        [&] {
          return builder.CreateAndReduce(builder.CreateICmpEQ(
              places, builder.CreateVectorSplat(all.lanes, first)));
        },
        [&] { return builder.getFalse(); });
    all.place(are, all.levels.size() - 1);
    return are;
  }

  /// The addresses of the current vector of `op`.
  llvm::Value *placesOf() {
    return all.lanePointers(
        all.addressOf(op.getPtr(), all.current),
        emitter.memoryType(getElementTypeOrSelf(op.getVal().getType())));
  }

  /// Updates with the current vector: at once if its lanes turn out to have one
  /// address.
  void updateRun() {
    llvm::Value *places = placesOf(), *isOne = areOne(places);
    Element value = all.get(op.getVal(), all.current);
    llvm::Value *where = whereOf(), *values = all.widen(value);
    all.insertAt(all.levels.size() - 1);
    all.ifElse(
        isOne,
        [&]() -> llvm::Value * {
          llvm::Value *first =
              builder.CreateExtractElement(places, uint64_t(0));
          add(first, values, where);
          return nullptr;
        },
        [&]() -> llvm::Value * {
          updateEach(places, value, where);
          return nullptr;
        });
  }

  /// Updates with `count` vectors from `index` on, which have one address.
  void updateBlock(llvm::Value *index, unsigned count) {
    llvm::Value *address = nullptr, *values = nullptr, *wheres = nullptr;
    bool isMasked = true;
    for (unsigned copy = 0; copy < count; ++copy) {
      all.setVectorIndex(all.at({index}, [&] {
        return copy ? builder.CreateAdd(index, emitter.i64(copy * all.lanes))
                    : index;
      }));
      llvm::Value *some = all.widen(all.get(op.getVal(), all.current));
      llvm::Value *where = whereOf();
      address = all.addressOf(op.getPtr(), all.current).base;
      all.insertAt(all.levels.size() - 1);
      if (where)
        some = builder.CreateSelect(where, some,
                                    neutralValueOf(op, some->getType()));
      isMasked &= where != nullptr;
      if (isMasked)
        wheres = wheres ? builder.CreateOr(wheres, where) : where;
      values = values ? combineValues(builder, op, values, some) : some;
    }
    add(address, values, isMasked ? wheres : nullptr);
    all.levels.back().block = builder.GetInsertBlock();
  }

  NestEmitter &all;
  Emitter &emitter;
  llvm::IRBuilder<> &builder;
  const Nest &nest;
  tt::AtomicRMWOp op;
  llvm::AllocaInst *place = nullptr; // of the current run; null: there is none
  llvm::AllocaInst *sums = nullptr;  // its values so far, in each lane
};

void NestEmitter::emitAllRuns(tt::AtomicRMWOp op) {
  Runs all(*this, op);
  runs = &all;
  all.emitAll();
  runs = nullptr;
}

void NestEmitter::emitRuns(llvm::Value *index, unsigned count) {
  runs->emitVectors(index, count);
}

} // namespace nereid::cpu
