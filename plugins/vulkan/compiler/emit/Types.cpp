// Types.cpp - types of elements, constants, and elements as words.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Emitter.h"

using namespace mlir;

namespace nereid::vulkan {

static unsigned bitsOf(Type type) {
  if (isa<tt::PointerType>(type))
    return 64;
  if (type.isIndex())
    return 32;
  return type.getIntOrFloatBitWidth();
}

TypeId Emitter::elementType(Type type) {
  if (type.isF16() || type.isF32() || type.isF64())
    return b.floatType(bitsOf(type));
  if (type.isInteger(1))
    return b.boolType();
  return b.intType(bitsOf(type));
}

Id Emitter::constant(Type type, Attribute value) {
  if (auto number = dyn_cast<IntegerAttr>(value))
    return b.constant(elementType(type), number.getValue().getZExtValue());
  return b.constant(
      elementType(type),
      cast<FloatAttr>(value).getValue().bitcastToAPInt().getZExtValue());
}

unsigned Emitter::wordsOf(Type type) { return bitsOf(type) > 32 ? 2 : 1; }

Ids Emitter::toWords(Id value, Type type) {
  TypeId word = b.intType(32);
  unsigned bits = bitsOf(type);
  if (bits == 1)
    return {b.select(value, b.u32(1), b.u32(0))};
  if (bits == 64) {
    Id pair = b.bitcast(value, b.vectorType(word, 2));
    return {b.extract(pair, {0}), b.extract(pair, {1})};
  }
  Id integer = b.bitcast(value, b.intType(bits));
  return {b.uconvert(integer, word)};
}

Id Emitter::fromWords(ArrayRef<Id> words, Type type) {
  unsigned bits = bitsOf(type);
  if (bits == 1)
    return b.ine(words[0], b.u32(0));
  if (bits == 64) {
    TypeId pair = b.vectorType(b.intType(32), 2);
    return b.bitcast(b.construct(pair, {words[0], words[1]}),
                     elementType(type));
  }
  Id integer = b.uconvert(words[0], b.intType(bits));
  return b.bitcast(integer, elementType(type));
}

unsigned Emitter::packedCount(Type type) const {
  if (!type.isIntOrFloat())
    return 1;
  unsigned bits = type.getIntOrFloatBitWidth();
  bool isNative = !b.isInWord(bits);
  return (bits == 8 || bits == 16) && isNative ? 32 / bits : 1;
}

Ids Emitter::packWords(ArrayRef<Id> values, Type type) {
  unsigned bits = bitsOf(type), each = 32 / bits;
  Ids words;
  for (size_t first = 0; first < values.size(); first += each) {
    ArrayRef<Id> parts = values.slice(first, each);
    auto known = packed.find(parts[0].number);
    bool isWhole = known != packed.end();
    std::optional<uint64_t> literal = 0;
    for (unsigned i = 0; i < each; ++i) {
      auto found = packed.find(parts[i].number);
      isWhole = isWhole && found != packed.end() &&
                found->second == std::pair(known->second.first, i);
      std::optional<uint64_t> constant = b.constantBits(parts[i]);
      literal = literal && constant
                    ? std::optional(*literal | *constant << (i * bits))
                    : std::nullopt;
    }
    if (isWhole) {
      words.push_back(known->second.first);
    } else if (literal) {
      words.push_back(b.u32(*literal));
    } else {
      Id whole =
          each == 1 ? parts[0]
                    : b.construct(b.vectorType(elementType(type), each), parts);
      words.push_back(b.bitcast(whole, b.intType(32)));
    }
  }
  return words;
}

Ids Emitter::unpackWords(ArrayRef<Id> words, Type type) {
  unsigned each = 32 / bitsOf(type);
  Ids values;
  for (Id word : words) {
    if (each == 1) {
      values.push_back(b.bitcast(word, elementType(type)));
      continue;
    }
    Id parts = b.bitcast(word, b.vectorType(elementType(type), each));
    for (unsigned i = 0; i < each; ++i) {
      values.push_back(b.extract(parts, {i}));
      packed[values.back().number] = {word, i};
    }
  }
  return values;
}

Ids Emitter::packNarrow(Ids values, Type type) {
  unsigned each = packedCount(type);
  return each > 1 && values.size() % each == 0 ? packWords(values, type)
                                               : values;
}

Ids Emitter::unpackNarrow(Ids carried, Type type, size_t count) {
  return carried.size() < count ? unpackWords(carried, type) : carried;
}

Id Emitter::pointerTo(Id address, TypeId type) {
  return b.convertUToPtr(
      address, b.pointerType(spv::StorageClass::PhysicalStorageBuffer, type));
}

} // namespace nereid::vulkan
