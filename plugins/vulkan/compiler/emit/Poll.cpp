// Poll.cpp - waiting for a value in memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Vulkan has no clock in nanoseconds: a timeout is a number of rounds, of which
// each takes longer than it counts for.

#include "Emitter.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace nereid::vulkan {

// Several reads make a round, since llvmpipe limits the rounds.
static constexpr unsigned kReads = 16;
// What a round counts for; no device reads memory 16 times in less.
static constexpr unsigned kNanoseconds = 64;

Id Emitter::emitPoll(tt::AtomicPollOp op, ArrayRef<Id> operands) {
  Type type = getElementTypeOrSelf(op.getExpected().getType());
  unsigned width = std::max(8u, type.getIntOrFloatBitWidth());
  bool isNarrow = width < 32;
  TypeId bits = b.intType(width), word = b.intType(isNarrow ? 32 : width);
  Id address = operands[0], expected = operands[1], shift;
  if (type.isInteger(1))
    expected = b.select(expected, b.constant(bits, 1), b.constant(bits, 0));
  if (isNarrow) {
    shift = b.shl(b.bitAnd(b.uconvert(address, word), b.u32(3)), b.u32(3));
    address = b.bitAnd(address, b.u64(~uint64_t(3)));
  }
  Id pointer = pointerTo(address, word);
  auto hasArrived = [&] {
    spv::Scope scope = spv::Scope::Device;
    auto relaxed = spv::MemorySemanticsMask::MaskNone;
    // llvmpipe reads once for a loop of plain atomic loads.
    Id value = device.endsLoops ? b.atomic(spv::Op::OpAtomicOr, pointer, scope,
                                           relaxed, b.constant(word, 0))
                                : b.atomicLoad(pointer, scope, relaxed);
    if (isNarrow)
      value = b.truncate(b.lshr(value, shift), width);
    return b.ieq(value, expected);
  };
  Ids initial = {hasArrived()};
  Id limit;
  if (op.getTimeout()) {
    limit = b.sdiv(operands[2], b.u64(kNanoseconds));
    initial.push_back(b.u64(0));
  }
  spirv::Carried carried = b.beginLoop(ArrayRef<Id>(initial));
  Id waits = b.logicalNot(carried[0]);
  if (limit)
    waits = b.logicalAnd(waits, b.slt(carried[1], limit));
  loopCondition(waits);
  Id arrived = hasArrived();
  for (unsigned i = 1; i < kReads; ++i)
    arrived = b.logicalOr(arrived, hasArrived());
  Ids next = {arrived};
  if (limit)
    next.push_back(b.iadd(carried[1], b.u64(1)));
  endLoop(op.getLoc(), next, /*isUniform=*/false);
  return carried[0];
}

} // namespace nereid::vulkan
