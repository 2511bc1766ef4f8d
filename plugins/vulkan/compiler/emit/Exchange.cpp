// Exchange.cpp - values that cross threads: shuffles and shared memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Every use of shared memory starts with a barrier, since others may still read
// what was there, and has one between its writes and its reads.

#include "../SharedMemory.h"
#include "Emitter.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace nereid::vulkan {

Id Emitter::sharedView(TypeId type) {
  for (auto [known, variable] : sharedViews)
    if (known == type)
      return variable;
  unsigned bytes = b.type(type).kind == spirv::TypeKind::Vector ? 16 : 4;
  bool hasLayout = sharedForm == Views;
  TypeId array =
      b.arrayType(type, inputs.sharedBytes / bytes, hasLayout ? bytes : 0);
  Id variable = b.globalVariable(spv::StorageClass::Workgroup,
                                 hasLayout ? b.blockType({{array, 0}}) : array);
  if (hasLayout)
    b.decorate(variable, spv::Decoration::Aliased);
  sharedViews.push_back({type, variable});
  return variable;
}

Id Emitter::sharedPointer(Id word) {
  TypeId type = b.intType(32);
  switch (sharedForm) {
  case Words:
    return b.accessChain(sharedView(type), {word});
  case Vectors:
    return b.accessChain(sharedView(b.vectorType(type, 4)),
                         {b.lshr(word, b.u32(2)), b.bitAnd(word, b.u32(3))});
  case Views:
    return b.accessChain(sharedView(type), {b.u32(0), word});
  }
  llvm_unreachable("shared memory without a form");
}

static constexpr spirv::MemoryAccess kShared = {.isNonPrivate = true};

void Emitter::storeShared(Id slot, ArrayRef<Id> words, unsigned stride) {
  for (auto [number, word] : llvm::enumerate(words))
    b.store(sharedPointer(b.iadd(slot, b.u32(number * stride))), word, kShared);
}

Ids Emitter::loadShared(Id slot, unsigned count, unsigned stride) {
  Ids words;
  for (unsigned number = 0; number < count; ++number)
    words.push_back(
        b.load(sharedPointer(b.iadd(slot, b.u32(number * stride))), kShared));
  return words;
}

static Id vectorPointer(DeviceBuilder &b, bool hasLayout, Id view, Id unit) {
  return hasLayout ? b.accessChain(view, {b.u32(0), unit})
                   : b.accessChain(view, {unit});
}

void Emitter::storeSharedVector(Id unit, ArrayRef<Id> words) {
  TypeId type = b.vectorType(b.intType(32), 4);
  if (sharedForm == Words) {
    storeShared(b.shl(unit, b.u32(2)), words, 1);
    return;
  }
  b.store(vectorPointer(b, sharedForm == Views, sharedView(type), unit),
          b.construct(type, words), kShared);
}

Id Emitter::loadSharedVector(Id unit) {
  TypeId type = b.vectorType(b.intType(32), 4);
  if (sharedForm == Words)
    return b.construct(type, loadShared(b.shl(unit, b.u32(2)), 4, 1));
  return b.load(vectorPointer(b, sharedForm == Views, sharedView(type), unit),
                kShared);
}

Id Emitter::slotIn(SharedPlace &place, uint32_t word) {
  uint32_t unit = word / place.unit, mixed = unit & place.threadBits;
  Id &sum = place.sums[mixed];
  if (!sum) {
    sum = b.bitXor(place.thread, b.u32(mixed));
    if (place.start)
      sum = b.iadd(sum, place.start);
  }
  return b.iadd(sum, b.u32((unit & ~mixed) + place.offset));
}

Id Emitter::slotOf(Id element) {
  return b.iadd(element, b.lshr(element, b.u32(kSlotShift)));
}

Ids Emitter::readThroughMemory(ArrayRef<Id> registers, Type type,
                               const Layout &from, ArrayRef<Id> elements) {
  SharedRounds rounds =
      roundsFor(from.elements(), wordsOf(type), inputs.sharedBytes);
  Id owner = isOwner(from);
  uint32_t copies = from.copies().registerMask;
  Indices indices = indicesOf(from);
  Id last = b.u32(rounds.elements - 1);
  unsigned shift = llvm::Log2_32(rounds.elements);
  Ids results(elements.size());
  for (uint32_t round = 0; round < rounds.count; ++round) {
    // Only part of the tile fits: the elements whose upper bits are `round`.
    auto isInRound = [&](Id element) {
      return rounds.count == 1
                 ? b.boolean(true)
                 : b.ieq(b.lshr(element, b.u32(shift)), b.u32(round));
    };
    barrier();
    for (auto [index, value] : llvm::enumerate(registers)) {
      if (index & copies)
        continue;
      Id element = indexAt(indices, index);
      Id mine = owner;
      if (rounds.count > 1)
        mine = both(owner, isInRound(element));
      emitWhere(mine, {}, [&] {
        storeShared(slotOf(b.bitAnd(element, last)), toWords(value, type),
                    rounds.slots);
        return Ids();
      });
    }
    barrier();
    for (auto [element, result] : llvm::zip(elements, results)) {
      Ids words = loadShared(slotOf(b.bitAnd(element, last)), wordsOf(type),
                             rounds.slots);
      Id value = fromWords(words, type);
      result = round ? b.select(isInRound(element), value, result) : value;
    }
  }
  return results;
}

Ids Emitter::convert(ArrayRef<Id> registers, Type type, const Layout &from,
                     const Layout &to) {
  Conversion plan = planConversion(from, to);
  Ids results;
  if (plan.kind == Conversion::Registers) {
    for (const Conversion::Source &source : plan.sources)
      results.push_back(registers[source.registerIndex]);
    return results;
  }
  if (plan.kind == Conversion::Shuffle && device.has("subgroup-shuffle")) {
    Id source = permuteBits(lane, plan.laneBases);
    for (const Conversion::Source &place : plan.sources) {
      Id other = b.bitXor(source, b.u32(place.laneFlip));
      results.push_back(shuffle(registers[place.registerIndex], type,
                                [&](Id x) { return b.shuffle(x, other); }));
    }
    return results;
  }
  Indices indices = indicesOf(to);
  Ids elements;
  for (uint32_t i = 0; i < to.registerCount(); ++i)
    elements.push_back(indexAt(indices, i));
  return readThroughMemory(registers, type, from, elements);
}

/// Bits that move by the same distance move at once.
Id Emitter::permuteBits(Id number, ArrayRef<ElementIndex> bases) {
  Id sum = b.u32(0);
  uint32_t known = 0; // bits that the sum may have
  for (int distance = -31; distance < 32; ++distance) {
    uint32_t mask = 0, moved = 0;
    for (int bit = 0; bit < int(bases.size()); ++bit)
      if (int to = bit + distance; to >= 0 && to < 32 && bases[bit] >> to & 1) {
        mask |= 1u << bit;
        moved |= 1u << to;
      }
    if (!mask)
      continue;
    Id part = b.bitAnd(number, b.u32(mask));
    part = distance >= 0 ? b.shl(part, b.u32(distance))
                         : b.lshr(part, b.u32(-distance));
    sum = known & moved ? b.bitXor(sum, part) : b.bitOr(sum, part);
    known |= moved;
  }
  return sum;
}

Id Emitter::shuffle(Id value, Type type,
                    llvm::function_ref<Id(Id)> instruction) {
  // Words, so that no capability for narrow or wide types is needed.
  Ids words = toWords(value, type);
  for (Id &word : words)
    word = instruction(word);
  return fromWords(words, type);
}

Id Emitter::threadBit(bool isLane, unsigned bit) {
  return b.ine(b.bitAnd(isLane ? lane : warp, b.u32(1u << bit)), b.u32(0));
}

Ids Emitter::exchange(ArrayRef<Id> values, ArrayRef<Type> types, bool isLane,
                      unsigned bit) {
  Ids results;
  if (isLane && device.has("subgroup-shuffle")) {
    for (auto [value, type] : llvm::zip(values, types))
      results.push_back(shuffle(value, type, [&](Id word) {
        return b.shuffleXor(word, b.u32(1u << bit));
      }));
    return results;
  }
  Id thread = b.iadd(b.shl(warp, b.u32(workgroup.laneBits)), lane);
  unsigned flip = 1u << (isLane ? bit : workgroup.laneBits + bit);
  Id partner = b.bitXor(thread, b.u32(flip));
  unsigned threads = workgroup.threads();
  for (auto [value, type] : llvm::zip(values, types)) {
    barrier();
    storeShared(thread, toWords(value, type), threads);
    barrier();
    results.push_back(
        fromWords(loadShared(partner, wordsOf(type), threads), type));
  }
  return results;
}

void Emitter::deviceBarrier() {
  b.workgroupBarrier(spv::MemorySemanticsMask::UniformMemory |
                     spv::MemorySemanticsMask::WorkgroupMemory);
}

Id Emitter::broadcastFromFirst(Id value, Type type) {
  barrier();
  Id isFirst = b.ieq(b.bitOr(lane, warp), b.u32(0));
  emitWhere(isFirst, {}, [&] {
    storeShared(b.u32(0), toWords(value, type), 1);
    return Ids();
  });
  barrier();
  return fromWords(loadShared(b.u32(0), wordsOf(type), 1), type);
}

} // namespace nereid::vulkan
