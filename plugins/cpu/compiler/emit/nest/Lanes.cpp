// Lanes.cpp - loads and stores of lanes that are anywhere in memory.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"

using namespace mlir;

namespace nereid::cpu {

/// Are there vector instructions for lanes of so many bytes, or is what LLVM
/// makes of them, a branch at each lane, better than loadLanes()? So it is where
/// many lanes are narrower than their addresses, which need registers.
static bool usesVectors(const CpuModel &cpu, unsigned bytes) {
  return cpu.hasGathers || bytes < 4;
}

/// Like loadAt(), for any addresses.
Element NestEmitter::loadScattered(Address address, llvm::Type *type,
                                   Element mask, Element other,
                                   Memory memory) {
  unsigned bytes = Emitter::bytesOf(type);
  if (!usesVectors(emitter.options.cpu, bytes))
    return loadLanes(address, type, mask, other, memory);
  auto *vector = llvm::FixedVectorType::get(type, lanes);
  llvm::Value *from = lanePointers(address, type);
  llvm::Value *where = widen(mask), *rest = widen(other);
  return {at({from, where, rest}, [&] {
            return inMemory(builder.CreateMaskedGather(
                                vector, from, llvm::Align(bytes), where, rest),
                            memory);
          }), true};
}

/// Like loadAt(), lane by lane: LLVM's masked loads and gathers cannot be
/// volatile. A masked-off lane reads from scratch.
Element NestEmitter::loadLanes(Address address, llvm::Type *type, Element mask,
                               Element other, Memory memory) {
  auto *vector = llvm::FixedVectorType::get(type, lanes);
  llvm::Value *where = widen(mask), *rest = widen(other);
  llvm::Value *from = lanePointers(address, type);
  return {at({from, where, rest}, [&] {
            llvm::Value *places = builder.CreateSelect(
                where, from, builder.CreateVectorSplat(lanes, emitter.dummy));
            llvm::Value *result = llvm::PoisonValue::get(vector);
            for (uint64_t lane = 0; lane < lanes; ++lane)
              result = builder.CreateInsertElement(
                  result,
                  inMemory(builder.CreateAlignedLoad(
                               type,
                               builder.CreateExtractElement(places, lane),
                               llvm::Align(Emitter::bytesOf(type))),
                           memory),
                  lane);
            return builder.CreateSelect(where, result, rest);
          }), true};
}

/// Stores the lanes of `values` in their order. A masked-off lane is stored to
/// scratch.
void NestEmitter::storeScattered(Address address, llvm::Type *type,
                                 llvm::Value *mask, llvm::Value *values,
                                 Memory memory) {
  unsigned bytes = Emitter::bytesOf(type);
  llvm::Value *to = lanePointers(address, type);
  insertAt(levels.size() - 1);
  if (usesVectors(emitter.options.cpu, bytes)) {
    inMemory(builder.CreateMaskedScatter(values, to, llvm::Align(bytes), mask),
             memory);
    return;
  }
  llvm::Value *places = builder.CreateSelect(
      mask, to, builder.CreateVectorSplat(lanes, emitter.dummy));
  for (uint64_t lane = 0; lane < lanes; ++lane)
    inMemory(builder.CreateAlignedStore(
                 builder.CreateExtractElement(values, lane),
                 builder.CreateExtractElement(places, lane),
                 llvm::Align(bytes)),
             memory);
}

} // namespace nereid::cpu
