// Runs.cpp - atomic operations whose lanes may all update one address.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of channels, or of segments whose numbers are sorted, update the same
// address many times in turn, each time waiting for the one before. If a whole
// vector has one address, its values are combined first.

#include "emit/AtomicValues.h"
#include "emit/CountedLoop.h"
#include "emit/nest/NestEmitter.h"

using namespace mlir;

namespace nereid::cpu {

/// What `op` combines with any other value to that value, in each lane.
static llvm::Constant *neutralValueOf(tt::AtomicRMWOp op, llvm::Type *type) {
  unsigned bits = type->getScalarSizeInBits();
  switch (op.getAtomicRmwOp()) {
  case tt::RMWOp::FADD:
    return llvm::ConstantFP::getNegativeZero(type);
  case tt::RMWOp::AND:
  case tt::RMWOp::UMIN:
    return llvm::Constant::getAllOnesValue(type);
  case tt::RMWOp::MAX:
    return llvm::ConstantInt::get(type, APInt::getSignedMinValue(bits));
  case tt::RMWOp::MIN:
    return llvm::ConstantInt::get(type, APInt::getSignedMaxValue(bits));
  default:
    return llvm::Constant::getNullValue(type);
  }
}

/// Updates `place` once, with all `values` where `where` (null: always) is
/// true.
void NestEmitter::updateOnce(tt::AtomicRMWOp op, llvm::Value *place,
                             llvm::Value *values, llvm::Value *where) {
  llvm::Value *isAny = nullptr;
  if (where) {
    values = builder.CreateSelect(where, values,
                                  neutralValueOf(op, values->getType()));
    isAny = builder.CreateOrReduce(where);
  }
  for (unsigned width = lanes / 2; width >= 1; width /= 2) {
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
  emitIf(emitter, isAny,
         [&] { emitElement(op, {place, sum, nullptr}, isPlainUpdate); });
}

/// Updates one lane after the other. They go through memory: it takes longer to
/// extract them.
void NestEmitter::updateEach(tt::AtomicRMWOp op, llvm::Value *places,
                             Element value, llvm::Value *where) {
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
    llvm::Value *place = element(places, placeList);
    llvm::Value *one =
        valueList ? element(value.value, valueList) : value.value;
    emitElement(op, {place, one, nullptr}, isPlainUpdate);
  };
  auto updateAll = [&] {
    constexpr unsigned kTogether = 4;
    emitLoop(builder, emitter.i64(lanes), kTogether, {},
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
    llvm::Value *rest = builder.CreateBitCast(where, builder.getIntNTy(lanes));
    emitLoop(builder, emitter.i64(lanes), 1, rest, [&](llvm::Value *lane) {
      emitIf(emitter, builder.CreateTrunc(rest, builder.getInt1Ty()),
             [&] { update(lane); });
      rest = builder.CreateLShr(rest, 1);
    });
  });
}

/// One vector: at once if its lanes turn out to have one address.
void NestEmitter::updateRun(tt::AtomicRMWOp op, const Address &address,
                            Element value, llvm::Value *where) {
  llvm::Value *values = widen(value);
  llvm::Type *type = values->getType()->getScalarType();
  bool isOne = address.base && address.stride == 0;
  llvm::Value *places = isOne ? nullptr : lanePointers(address, type);
  insertAt(levels.size() - 1);
  if (isOne)
    return updateOnce(op, address.base, values, where);
  // Two lanes tell most vectors apart.
  llvm::Value *first = builder.CreateExtractElement(places, uint64_t(0));
  llvm::Value *last = builder.CreateExtractElement(places, lanes - 1);
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(emitter.context(), name, emitter.function);
  };
  llvm::BasicBlock *check = block("ends"), *run = block("run"),
                   *apart = block("apart"), *done = block("updated");
  builder.CreateCondBr(builder.CreateICmpEQ(first, last), check, apart);
  builder.SetInsertPoint(check);
  llvm::Value *same =
      builder.CreateICmpEQ(places, builder.CreateVectorSplat(lanes, first));
  builder.CreateCondBr(builder.CreateAndReduce(same), run, apart);
  builder.SetInsertPoint(run);
  updateOnce(op, first, values, where);
  builder.CreateBr(done);
  builder.SetInsertPoint(apart);
  updateEach(op, places, value, where);
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
}

/// Updates with `count` vectors from `index` on. In a piece they have one
/// address.
void NestEmitter::emitRuns(tt::AtomicRMWOp op, llvm::Value *index,
                           unsigned count) {
  std::optional<Address> before;
  llvm::Value *sums = nullptr, *wheres = nullptr;
  bool isMasked = true;
  for (unsigned copy = 0; copy < count; ++copy) {
    setVectorIndex(at({index}, [&] {
      return copy ? builder.CreateAdd(index, emitter.i64(copy * lanes)) : index;
    }));
    Element value = get(op.getVal(), current);
    Element mask{builder.getTrue(), false};
    if (op.getMask())
      mask = maskAt(op.getMask(), current);
    mask = ofActiveLanes(mask);
    auto *known = dyn_cast<llvm::ConstantInt>(mask.value);
    llvm::Value *where = known && known->isOne() ? nullptr : widen(mask);
    Address address = addressOf(op.getPtr(), current);
    bool isOne = address.base && address.stride == 0;
    if (count == 1 || !isOne) {
      updateRun(op, address, value, where);
      levels.back().block = builder.GetInsertBlock();
      continue;
    }
    llvm::Value *values = widen(value);
    insertAt(levels.size() - 1);
    if (where)
      values = builder.CreateSelect(where, values,
                                    neutralValueOf(op, values->getType()));
    isMasked &= where != nullptr;
    if (isMasked)
      wheres = wheres ? builder.CreateOr(wheres, where) : where;
    sums = sums ? combineValues(builder, op, sums, values) : values;
    before = address;
  }
  if (before) {
    insertAt(levels.size() - 1);
    updateRun(op, *before, {sums, true}, isMasked ? wheres : nullptr);
    levels.back().block = builder.GetInsertBlock();
  }
  current[nest.vectorAxis] = zero();
  activeLanes = nullptr;
}

} // namespace nereid::cpu
