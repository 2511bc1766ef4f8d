// Lanes.cpp - loads and stores of lanes that are anywhere in memory.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"
#include "emit/nest/Strided.h"

#include <array>

using namespace mlir;

namespace nereid::cpu {

/// Are there vector instructions for lanes of so many bytes, or is what LLVM
/// makes of them, a branch at each lane, better than loadLanes()? So it is where
/// many lanes are narrower than their addresses, which need registers.
static bool usesVectors(const CpuModel &cpu, unsigned bytes) {
  return cpu.hasGathers || bytes < 4;
}

static bool isAllTrue(llvm::Value *mask) {
  auto *known = dyn_cast<llvm::Constant>(mask);
  return known && known->isAllOnesValue();
}

/// `pointers` of the lanes of `mask`, and `dummy`, in scratch, of the others.
static llvm::Value *orDummy(llvm::IRBuilder<> &b, llvm::Value *mask,
                            llvm::Value *pointers, llvm::Value *dummy) {
  auto *type = cast<llvm::FixedVectorType>(mask->getType());
  return isAllTrue(mask) ? pointers
                         : b.CreateSelect(mask, pointers,
                                          b.CreateVectorSplat(
                                              type->getNumElements(), dummy));
}

/// The distances of `pointers` from a scalar, if they are known, or null.
static llvm::Constant *offsetsOf(llvm::Value *pointers) {
  auto *gep = dyn_cast<llvm::GEPOperator>(pointers);
  bool isFromScalar = gep && gep->getNumIndices() == 1 &&
                      !gep->getPointerOperandType()->isVectorTy();
  return isFromScalar ? dyn_cast<llvm::Constant>(gep->getOperand(1)) : nullptr;
}

/// The address of `lane`.
static llvm::Value *pointerOf(llvm::IRBuilder<> &b, llvm::Value *pointers,
                              uint64_t lane) {
  llvm::Constant *offsets = offsetsOf(pointers);
  if (!offsets)
    return b.CreateExtractElement(pointers, lane);
  auto *gep = cast<llvm::GEPOperator>(pointers);
  return b.CreateGEP(gep->getSourceElementType(), gep->getPointerOperand(),
                     offsets->getAggregateElement(lane));
}

/// Loads from `from` the lanes of `where`; the others are those of `rest`.
static llvm::Value *loadLanes(Emitter &emitter, llvm::Value *from,
                              llvm::Type *type, llvm::Value *where,
                              llvm::Value *rest, Memory memory) {
  llvm::IRBuilder<> &b = emitter.builder;
  llvm::Align align(Emitter::bytesOf(type));
  auto *vector = cast<llvm::FixedVectorType>(rest->getType());
  // What LLVM has no gather for, it would load from addresses that it extracts
  // from a vector.
  bool hasOffsets = isAllTrue(where) && offsetsOf(from) && align.value() < 4;
  // LLVM's gathers cannot be volatile.
  if (memory != Memory::Volatile && !hasOffsets &&
      usesVectors(emitter.options.cpu, align.value()))
    return emitter.inMemory(
        b.CreateMaskedGather(vector, from, align, where, rest), memory);
  llvm::Value *places = orDummy(b, where, from, emitter.dummy);
  llvm::Value *result = llvm::PoisonValue::get(vector);
  for (uint64_t lane = 0; lane < vector->getNumElements(); ++lane)
    result = b.CreateInsertElement(
        result,
        emitter.inMemory(
            b.CreateAlignedLoad(type, pointerOf(b, places, lane), align),
            memory),
        lane);
  return isAllTrue(where) ? result : b.CreateSelect(where, result, rest);
}

/// Stores the lanes of `mask`.
static void storeLanes(Emitter &emitter, llvm::Value *to, llvm::Type *type,
                       llvm::Value *mask, llvm::Value *values, Memory memory) {
  llvm::IRBuilder<> &b = emitter.builder;
  llvm::Align align(Emitter::bytesOf(type));
  // As in loadLanes().
  bool hasScatters = emitter.options.cpu.hasCheapMasks && align.value() >= 4;
  bool hasOffsets = isAllTrue(mask) && offsetsOf(to) && !hasScatters;
  if (!hasOffsets && usesVectors(emitter.options.cpu, align.value())) {
    emitter.inMemory(b.CreateMaskedScatter(values, to, align, mask), memory);
    return;
  }
  llvm::Value *places = orDummy(b, mask, to, emitter.dummy);
  uint64_t lanes =
      cast<llvm::FixedVectorType>(values->getType())->getNumElements();
  for (uint64_t lane = 0; lane < lanes; ++lane)
    emitter.inMemory(b.CreateAlignedStore(b.CreateExtractElement(values, lane),
                                          pointerOf(b, places, lane), align),
                     memory);
}

/// May the lanes of `address` be neighbours, so that it pays to look, by code
/// at `level`?
bool NestEmitter::checksNeighbours(const Address &address,
                                   unsigned level) const {
  constexpr unsigned kFewestLanes = 4;
  return address.mayBeNeighbours && lanes >= kFewestLanes &&
         level == levels.size() - 1 && !levels.back().before &&
         emitter.options.fastPaths.has(FastPath::Neighbours);
}

/// Can neighbours be accessed under a mask? Otherwise they are neighbours only
/// if no lane is masked off.
bool NestEmitter::masksNeighbours(llvm::Type *type) const {
  return emitter.options.cpu.hasMaskedAccesses(8 * Emitter::bytesOf(type));
}

/// An i1: does one access of `type` that is masked by `where` do for all lanes
/// of `address`? Lanes that are masked off may be anywhere.
llvm::Value *NestEmitter::areNeighbours(const Address &address,
                                        llvm::Type *type, llvm::Value *where) {
  llvm::Value *are;
  if (address.unknownStride) {
    are = at({address.unknownStride}, [&] {
      return builder.CreateICmpEQ(address.unknownStride, emitter.i64(1));
    });
    insertAt(levels.size() - 1);
    return masksNeighbours(type)
               ? are
               : builder.CreateAnd(are, builder.CreateAndReduce(where));
  }
  llvm::Value *pointers = address.vector;
  llvm::Value *first = builder.CreateExtractElement(pointers, uint64_t(0));
  llvm::Value *expected = builder.CreateGEP(type, first, laneOffsets(1));
  are = builder.CreateICmpEQ(pointers, expected);
  if (masksNeighbours(type))
    are = builder.CreateOr(are, builder.CreateNot(where));
  else
    are = builder.CreateAnd(are, where);
  return builder.CreateAndReduce(builder.CreateFreeze(are));
}

/// Branches at the innermost level. The result is what `yes` or `no` returned,
/// if it is not null.
llvm::Value *NestEmitter::ifElse(llvm::Value *condition,
                                 llvm::function_ref<llvm::Value *()> yes,
                                 llvm::function_ref<llvm::Value *()> no) {
  auto makeBlock = [&](const char *name) {
    return llvm::BasicBlock::Create(emitter.context(), name, emitter.function);
  };
  llvm::BasicBlock *blocks[] = {makeBlock("yes"), makeBlock("no")};
  llvm::BasicBlock *next = makeBlock("next");
  builder.CreateCondBr(condition, blocks[0], blocks[1]);
  llvm::Value *values[2];
  for (auto &&[block, value, emit] :
       llvm::zip(blocks, values, std::array{yes, no})) {
    builder.SetInsertPoint(block);
    value = emit();
    block = builder.GetInsertBlock();
    builder.CreateBr(next);
  }
  builder.SetInsertPoint(next);
  levels.back().block = next;
  if (!values[0])
    return nullptr;
  llvm::PHINode *value = builder.CreatePHI(values[0]->getType(), 2);
  value->addIncoming(values[0], blocks[0]);
  value->addIncoming(values[1], blocks[1]);
  return value;
}

/// Like loadAt(), for any addresses.
Element NestEmitter::loadScattered(Address address, llvm::Type *type,
                                   Element mask, Element other,
                                   Memory memory) {
  llvm::Value *from = lanePointers(address, type);
  llvm::Value *where = widen(mask), *rest = widen(other);
  auto loadApart = [&] {
    return loadLanes(emitter, from, type, where, rest, memory);
  };
  unsigned level = std::max(levelOf({from, where, rest}), minimumLevel);
  if (!checksNeighbours(address, level))
    return {at({from, where, rest}, loadApart), true};
  insertAt(level);
  llvm::Value *first = builder.CreateExtractElement(from, uint64_t(0));
  auto loadOne = [&]() -> llvm::Value * {
    llvm::Value *place = builder.CreateSelect(builder.CreateOrReduce(where),
                                              first, emitter.dummy);
    llvm::Value *value =
        emitter.inMemory(builder.CreateAlignedLoad(
                             type, place, llvm::Align(Emitter::bytesOf(type))),
                         memory);
    return builder.CreateSelect(where, builder.CreateVectorSplat(lanes, value),
                                rest);
  };
  // As of every other element, in steps of two.
  Address alternate{first, 2};
  auto strided = isAllTrue(where) || masksNeighbours(type)
                     ? asStrided(alternate, type, lanes, emitter.options)
                     : std::nullopt;
  auto isStride = [&](int64_t stride) {
    return builder.CreateICmpEQ(address.unknownStride, emitter.i64(stride));
  };
  auto loadFar = [&]() -> llvm::Value * {
    return ifElse(isStride(0), loadOne, loadApart);
  };
  auto loadOthers = [&]() -> llvm::Value * {
    if (!address.unknownStride)
      return loadApart();
    if (!strided)
      return loadFar();
    return ifElse(
        isStride(2),
        [&] {
          return loadStrided(emitter, *strided,
                             isAllTrue(where) ? nullptr : where, rest, memory);
        },
        loadFar);
  };
  auto loadNeighbours = [&]() -> llvm::Value * {
    llvm::Align align(Emitter::bytesOf(type));
    if (masksNeighbours(type))
      return emitter.inMemory(
          builder.CreateMaskedLoad(rest->getType(), first, align, where, rest),
          memory);
    return emitter.inMemory(
        builder.CreateAlignedLoad(rest->getType(), first, align), memory);
  };
  llvm::Value *value =
      ifElse(areNeighbours(address, type, where), loadNeighbours, loadOthers);
  place(value, level);
  return {value, true};
}

/// Stores the lanes of `values` in their order.
void NestEmitter::storeScattered(Address address, llvm::Type *type,
                                 llvm::Value *mask, llvm::Value *values,
                                 Memory memory) {
  llvm::Value *to = lanePointers(address, type);
  unsigned level = levels.size() - 1;
  insertAt(level);
  if (!checksNeighbours(address, level))
    return storeLanes(emitter, to, type, mask, values, memory);
  auto storeNeighbours = [&]() -> llvm::Value * {
    llvm::Align align(Emitter::bytesOf(type));
    llvm::Value *first = builder.CreateExtractElement(to, uint64_t(0));
    if (masksNeighbours(type))
      emitter.inMemory(builder.CreateMaskedStore(values, first, align, mask),
                       memory);
    else
      emitter.inMemory(builder.CreateAlignedStore(values, first, align),
                       memory);
    return nullptr;
  };
  ifElse(areNeighbours(address, type, mask), storeNeighbours,
         [&]() -> llvm::Value * {
           storeLanes(emitter, to, type, mask, values, memory);
           return nullptr;
         });
}

} // namespace nereid::cpu
