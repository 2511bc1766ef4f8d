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

static constexpr unsigned kReads = 16;
// llvmpipe limits the rounds: there, divisions make them longer.
static constexpr unsigned kDivisions = 128;
// What a round counts for; none ends earlier.
static constexpr unsigned kNanoseconds = 64, kNanosecondsDivided = 512;

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
  Id nothing = b.constant(word, 0);
  auto hasArrived = [&] {
    spv::Scope scope = spv::Scope::Device;
    auto relaxed = spv::MemorySemanticsMask::MaskNone;
    // llvmpipe reads once for a loop of plain atomic loads.
    Id value = device.endsLoops ? b.atomic(spv::Op::OpAtomicOr, pointer, scope,
                                           relaxed, nothing)
                                : b.atomicLoad(pointer, scope, relaxed);
    if (isNarrow)
      value = b.truncate(b.lshr(value, shift), width);
    return b.ieq(value, expected);
  };
  Ids initial = {hasArrived()};
  Id limit;
  if (op.getTimeout()) {
    limit = b.sdiv(operands[2], b.u64(device.endsLoops ? kNanosecondsDivided
                                                       : kNanoseconds));
    initial.push_back(b.u64(0));
  }
  spirv::Carried carried = b.beginLoop(ArrayRef<Id>(initial));
  Id waits = b.logicalNot(carried[0]);
  if (limit)
    waits = b.logicalAnd(waits, b.slt(carried[1], limit));
  loopCondition(waits);
  if (device.endsLoops) {
    // 0, which the driver's compiler finds out when it runs.
    Id number = inputs.zero;
    for (unsigned i = 0; i < kDivisions; ++i)
      number = b.udiv(number, b.bitOr(inputs.zero, b.u32(3)));
    nothing = b.uconvert(number, word);
  }
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
