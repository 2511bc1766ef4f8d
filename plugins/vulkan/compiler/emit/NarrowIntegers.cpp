// NarrowIntegers.cpp - integers of 8 and 16 bits in words, and in memory that
// has no accesses of their size.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Emitter.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace nereid::vulkan {

Id Emitter::withSign(Id x, Type type) {
  return type.isInteger() ? b.withSign(x, type.getIntOrFloatBitWidth()) : x;
}

static bool isSigned(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::slt:
    case arith::CmpIPredicate::sle:
    case arith::CmpIPredicate::sgt:
    case arith::CmpIPredicate::sge:
      return true;
    default:
      return false;
    }
  return isa<arith::DivSIOp, arith::RemSIOp, arith::ShRSIOp, arith::MaxSIOp,
             arith::MinSIOp, math::AbsIOp>(op);
}

/// Results that have no bit that the operands could not have.
static bool staysNarrow(Operation *op) {
  return isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::DivUIOp,
             arith::RemUIOp, arith::ShRUIOp, arith::MaxUIOp, arith::MinUIOp,
             arith::CmpIOp, math::CtPopOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp>(op);
}

Id Emitter::emitNarrow(Operation *op, ArrayRef<Id> operands, unsigned bits) {
  Ids words(operands);
  if (isSigned(op))
    for (Id &word : words)
      word = b.withSign(word, bits);
  Id result = emitNative(op, words, bits);
  return !result || staysNarrow(op) ? result : b.wrap(result, bits);
}

Id Emitter::multiplyNarrow(Operation *op, ArrayRef<Id> operands,
                           unsigned result, unsigned bits) {
  Ids words(operands);
  if (isa<arith::MulSIExtendedOp>(op))
    for (Id &word : words)
      word = b.withSign(word, bits);
  Id product = b.imul(words[0], words[1]);
  return b.wrap(result == 0 ? product : b.lshr(product, b.u32(bits)), bits);
}

/// Eight times the place of an address in its word.
static Id shiftOf(DeviceBuilder &b, Id address) {
  Id place = b.bitAnd(b.uconvert(address, b.intType(32)), b.u32(3));
  return b.shl(place, b.u32(3));
}

Id Emitter::loadNarrow(Id address, unsigned bits, spirv::MemoryAccess access) {
  if (b.isStored(bits)) {
    Id number = b.load(pointerTo(address, b.storedType(bits)), access);
    return b.uconvert(number, b.intType(bits));
  }
  // The word around it is in the same allocation.
  access.alignment = 4;
  Id start = b.bitAnd(address, b.u64(~uint64_t(3)));
  Id word = b.load(pointerTo(start, b.intType(32)), access);
  return b.truncate(b.lshr(word, shiftOf(b, address)), bits);
}

void Emitter::storeNarrow(Location place, Id address, Id value, unsigned bits,
                          spirv::MemoryAccess access) {
  if (b.isStored(bits)) {
    TypeId stored = b.storedType(bits);
    b.store(pointerTo(address, stored), b.uconvertToStored(value, stored),
            access);
    return;
  }
  // Other threads may store the neighbours at the same time.
  updateLoop(place, address, bits, [&](Id) { return value; });
}

Ids Emitter::unpack(Id word, unsigned bits) {
  unsigned count = 32 / bits;
  Ids numbers;
  if (!b.isInWord(bits)) {
    Id vector = b.bitcast(word, b.vectorType(b.intType(bits), count));
    for (unsigned i = 0; i < count; ++i)
      numbers.push_back(b.extract(vector, {i}));
    return numbers;
  }
  for (unsigned i = 0; i < count; ++i) {
    Id shifted = b.lshr(word, b.u32(i * bits));
    numbers.push_back(i + 1 < count ? b.wrap(shifted, bits) : shifted);
  }
  return numbers;
}

Id Emitter::pack(ArrayRef<Id> numbers, unsigned bits) {
  if (!b.isInWord(bits))
    return b.bitcast(
        b.construct(b.vectorType(b.intType(bits), numbers.size()), numbers),
        b.intType(32));
  Id word = b.u32(0);
  for (auto [i, number] : llvm::enumerate(numbers))
    word = b.bitOr(word, b.shl(number, b.u32(i * bits)));
  return word;
}

} // namespace nereid::vulkan
