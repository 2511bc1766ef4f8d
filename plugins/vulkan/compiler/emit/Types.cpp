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

Id Emitter::pointerTo(Id address, TypeId type) {
  return b.convertUToPtr(
      address, b.pointerType(spv::StorageClass::PhysicalStorageBuffer, type));
}

} // namespace nereid::vulkan
