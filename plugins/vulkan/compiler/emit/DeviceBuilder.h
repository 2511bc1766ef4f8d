// DeviceBuilder.h - integers of all widths, on devices that lack some.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The only place that knows which integers are native. Where the device has no
// 64-bit ones, an i64 is a vector of two words, the lower one first, and an
// address is one too. Where it has no arithmetic on 8 or 16 bits, such a number
// is a word whose other bits are 0. An f16 without arithmetic is its bits.
//
// The functions hide those of spirv::Builder: they do the same for a pair of
// words.

#ifndef NEREID_VULKAN_COMPILER_DEVICEBUILDER_H
#define NEREID_VULKAN_COMPILER_DEVICEBUILDER_H

#include "../DeviceModel.h"
#include "spirv/Builder.h"

#include "llvm/ADT/DenseMap.h"

namespace nereid::vulkan {

using spirv::Id;
using spirv::TypeId;

class DeviceBuilder : public spirv::Builder {
public:
  explicit DeviceBuilder(const DeviceModel &device);

  /// Emits the functions that were called, after all others.
  void finish();

  bool hasI64() const { return !pair; }
  /// Arithmetic on integers of `bits` bits is done in words.
  bool isInWord(uint32_t bits) const {
    return (bits == 8 && !hasI8) || (bits == 16 && !hasI16);
  }
  /// Memory has loads and stores of `bits` bits. A pair becomes no pointer to
  /// a type without arithmetic: spirv-val refuses the bitcast.
  bool isStored(uint32_t bits) const {
    return (bits != 8 || hasStorage8) && (bits != 16 || hasStorage16) &&
           (hasI64() || !isInWord(bits));
  }
  /// The type of `bits` bits in memory.
  TypeId storedType(uint32_t bits) { return Builder::intType(bits); }
  /// Of a number, not of a vector: 64 for a pair.
  uint32_t widthOf(TypeId type) const {
    return isPair(type) ? 64 : spirv::bitsOf(this->type(type).scalar);
  }
  uint32_t widthOf(Id x) const { return widthOf(typeOf(x)); }

  TypeId intType(uint32_t bits) {
    if (bits == 64 && pair)
      return pair;
    return Builder::intType(isInWord(bits) ? 32 : bits);
  }
  /// An f16 is its bits.
  bool isF16InBits() const { return !hasF16; }
  TypeId floatType(uint32_t bits) {
    return bits == 16 && !hasF16 ? intType(16) : Builder::floatType(bits);
  }

  /// The lower `bits` bits of an integer.
  Id truncate(Id x, uint32_t bits) {
    return wrap(uconvert(x, intType(bits)), bits);
  }
  /// The result of arithmetic on numbers of `bits` bits: clears the bits above
  /// in a word.
  Id wrap(Id x, uint32_t bits) {
    return isInWord(bits) ? bitAnd(x, u32((1u << bits) - 1)) : x;
  }
  /// A number of `bits` bits that is in a word, with its sign.
  Id withSign(Id x, uint32_t bits) {
    if (!isInWord(bits))
      return x;
    Id unused = u32(32 - bits);
    return ashr(shl(x, unused), unused);
  }

  // Constants.

  Id constant(TypeId type, uint64_t bits);
  Id u64(uint64_t value) { return constant(intType(64), value); }
  Id null(TypeId type) {
    return isPair(type) ? constant(type, 0) : Builder::null(type);
  }
  std::optional<uint64_t> constantBits(Id id) const;

  // Arithmetic.

  Id iadd(Id x, Id y) { return isPair(x) ? add(x, y) : Builder::iadd(x, y); }
  Id isub(Id x, Id y) {
    return isPair(x) ? subtract(x, y) : Builder::isub(x, y);
  }
  Id imul(Id x, Id y) {
    return isPair(x) ? multiply(x, y) : Builder::imul(x, y);
  }
  Id udiv(Id x, Id y) {
    return isPair(x) ? divideUnsigned(x, y).quotient : Builder::udiv(x, y);
  }
  Id umod(Id x, Id y) {
    return isPair(x) ? divideUnsigned(x, y).rest : Builder::umod(x, y);
  }
  Id sdiv(Id x, Id y) {
    return isPair(x) ? divideSigned(x, y).quotient : Builder::sdiv(x, y);
  }
  Id srem(Id x, Id y) {
    return isPair(x) ? divideSigned(x, y).rest : Builder::srem(x, y);
  }
  Id ineg(Id x) {
    return isPair(x) ? subtract(constant(pair, 0), x) : Builder::ineg(x);
  }
  Id umulExtended(Id x, Id y);
  Id smulExtended(Id x, Id y);
  Id bitAnd(Id x, Id y);
  Id bitOr(Id x, Id y);
  Id bitXor(Id x, Id y);
  Id shl(Id x, Id amount);
  Id lshr(Id x, Id amount);
  Id ashr(Id x, Id amount);

  // Comparisons.

  Id ieq(Id x, Id y);
  Id ine(Id x, Id y) {
    return isPair(x) ? logicalNot(ieq(x, y)) : Builder::ine(x, y);
  }
  Id ult(Id x, Id y);
  Id slt(Id x, Id y);
  Id ugt(Id x, Id y) { return ult(y, x); }
  Id sgt(Id x, Id y) { return slt(y, x); }
  Id ule(Id x, Id y) {
    return isPair(x) ? logicalNot(ult(y, x)) : Builder::ule(x, y);
  }
  Id uge(Id x, Id y) {
    return isPair(x) ? logicalNot(ult(x, y)) : Builder::uge(x, y);
  }
  Id sle(Id x, Id y) {
    return isPair(x) ? logicalNot(slt(y, x)) : Builder::sle(x, y);
  }
  Id sge(Id x, Id y) {
    return isPair(x) ? logicalNot(slt(x, y)) : Builder::sge(x, y);
  }

  // Conversions.

  Id uconvert(Id x, TypeId to);
  Id sconvert(Id x, TypeId to);
  Id convertFToS(Id x, TypeId to);
  Id convertFToU(Id x, TypeId to);
  Id convertSToF(Id x, TypeId to);
  Id convertUToF(Id x, TypeId to);
  Id convertUToPtr(Id address, TypeId pointer);

  /// An i64 from its words, and its words.
  Id makePair(Id low, Id high);
  struct Halves {
    Id low, high;
  };
  Halves halvesOf(Id x);

private:
  struct Division {
    Id quotient, rest;
  };

  bool isPair(TypeId type) const { return pair && type == pair; }
  bool isPair(Id x) const { return isPair(typeOf(x)); }
  /// The result, if it is known or one of the operands.
  Id foldPairs(spv::Op op, Id x, Id y);
  /// The low word; all of an amount that is not a pair.
  Id lowOf(Id x);
  Id add(Id x, Id y);
  Id subtract(Id x, Id y);
  Id multiply(Id x, Id y);
  Division divideUnsigned(Id x, Id y);
  Division divideSigned(Id x, Id y);
  Id countLeadingZeros(Id x);
  Id magnitudeOf(Id x);
  Id bitwise(spv::Op op, Id x, Id y);
  Id shiftRight(Id x, Id amount, bool isSigned);
  Id productOf(Id x, Id y, bool isSigned);
  void emitDivision();

  const bool hasI8, hasI16, hasF16, hasStorage8, hasStorage16;
  TypeId pair; // none where the device has 64-bit integers
  llvm::DenseMap<uint32_t, uint64_t> pairs; // that are known
  llvm::DenseMap<uint32_t, Halves> halves;  // of pairs that were made here
  spirv::FunctionId division;
};

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_COMPILER_DEVICEBUILDER_H
