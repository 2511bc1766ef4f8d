// Lanes.cpp - loads and stores of lanes that are anywhere in memory.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"

#include <array>

using namespace mlir;

namespace nereid::cpu {

/// Are there vector instructions for lanes of so many bytes, or is what LLVM
/// makes of them, a branch at each lane, better than loadLanes()? So it is where
/// many lanes are narrower than their addresses, which need registers.
static bool usesVectors(const CpuModel &cpu, unsigned bytes) {
  return cpu.hasGathers || bytes < 4;
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
  auto loadApart = [&] { return loadLanes(from, type, where, rest, memory); };
  unsigned level = std::max(levelOf({from, where, rest}), minimumLevel);
  if (!checksNeighbours(address, level))
    return {at({from, where, rest}, loadApart), true};
  auto loadOne = [&]() -> llvm::Value * {
    llvm::Value *place = builder.CreateSelect(
        builder.CreateOrReduce(where),
        builder.CreateExtractElement(from, uint64_t(0)), emitter.dummy);
    llvm::Value *value =
        emitter.inMemory(builder.CreateAlignedLoad(
                             type, place, llvm::Align(Emitter::bytesOf(type))),
                         memory);
    return builder.CreateSelect(where, builder.CreateVectorSplat(lanes, value),
                                rest);
  };
  auto loadOthers = [&]() -> llvm::Value * {
    if (!address.unknownStride)
      return loadApart();
    return ifElse(builder.CreateICmpEQ(address.unknownStride, emitter.i64(0)),
                  loadOne, loadApart);
  };
  auto loadNeighbours = [&]() -> llvm::Value * {
    llvm::Align align(Emitter::bytesOf(type));
    llvm::Value *first = builder.CreateExtractElement(from, uint64_t(0));
    if (masksNeighbours(type))
      return emitter.inMemory(
          builder.CreateMaskedLoad(rest->getType(), first, align, where, rest),
          memory);
    return emitter.inMemory(
        builder.CreateAlignedLoad(rest->getType(), first, align), memory);
  };
  insertAt(level);
  llvm::Value *value =
      ifElse(areNeighbours(address, type, where), loadNeighbours, loadOthers);
  place(value, level);
  return {value, true};
}

/// Loads from `from` the lanes of `where`; the others are those of `rest`.
llvm::Value *NestEmitter::loadLanes(llvm::Value *from, llvm::Type *type,
                                    llvm::Value *where, llvm::Value *rest,
                                    Memory memory) {
  llvm::Align align(Emitter::bytesOf(type));
  llvm::Type *vector = rest->getType();
  // LLVM's gathers cannot be volatile.
  if (memory != Memory::Volatile &&
      usesVectors(emitter.options.cpu, align.value()))
    return emitter.inMemory(
        builder.CreateMaskedGather(vector, from, align, where, rest), memory);
  // A masked-off lane reads from scratch.
  llvm::Value *places = builder.CreateSelect(
      where, from, builder.CreateVectorSplat(lanes, emitter.dummy));
  llvm::Value *result = llvm::PoisonValue::get(vector);
  for (uint64_t lane = 0; lane < lanes; ++lane)
    result = builder.CreateInsertElement(
        result,
        emitter.inMemory(
            builder.CreateAlignedLoad(
                type, builder.CreateExtractElement(places, lane), align),
            memory),
        lane);
  return builder.CreateSelect(where, result, rest);
}

/// Stores the lanes of `values` in their order.
void NestEmitter::storeScattered(Address address, llvm::Type *type,
                                 llvm::Value *mask, llvm::Value *values,
                                 Memory memory) {
  llvm::Value *to = lanePointers(address, type);
  unsigned level = levels.size() - 1;
  insertAt(level);
  if (!checksNeighbours(address, level))
    return storeLanes(to, type, mask, values, memory);
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
           storeLanes(to, type, mask, values, memory);
           return nullptr;
         });
}

/// Stores the lanes of `mask`. A masked-off lane is stored to scratch.
void NestEmitter::storeLanes(llvm::Value *to, llvm::Type *type,
                             llvm::Value *mask, llvm::Value *values,
                             Memory memory) {
  llvm::Align align(Emitter::bytesOf(type));
  if (usesVectors(emitter.options.cpu, align.value())) {
    emitter.inMemory(builder.CreateMaskedScatter(values, to, align, mask),
                     memory);
    return;
  }
  llvm::Value *places = builder.CreateSelect(
      mask, to, builder.CreateVectorSplat(lanes, emitter.dummy));
  for (uint64_t lane = 0; lane < lanes; ++lane)
    emitter.inMemory(builder.CreateAlignedStore(
                         builder.CreateExtractElement(values, lane),
                         builder.CreateExtractElement(places, lane), align),
                     memory);
}

} // namespace nereid::cpu
