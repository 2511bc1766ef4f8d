// CpuModel.h - what a target machine has, as far as a choice depends on it.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_CPUMODEL_H
#define NEREID_CPU_COMPILER_CPUMODEL_H

#include "WordProduct.h"

#include "llvm/Target/TargetMachine.h"

namespace nereid::codegen {
struct ExpandOptions;
}

namespace nereid::cpu {

/// The machine as the planner and the emitter see it. They ask for what it can
/// do, and not for its name.
struct CpuModel {
  /// Bits of the vectors that loops are built from.
  unsigned vectorBits = 128;
  /// Of that many bits.
  unsigned vectorRegisters = 16;
  /// A mask is a register of its own, and costs little in loads and stores.
  bool hasCheapMasks = false;
  /// The narrowest elements that one instruction loads or stores by a mask; 0:
  /// there is none, and LLVM tests the bits of the mask one by one.
  unsigned maskedBits = 0;
  bool hasMaskedAccesses(unsigned bits) const {
    return maskedBits && bits >= maskedBits;
  }

  /// One instruction loads elements of 32 or 64 bits from anywhere, not slower
  /// than an instruction for each does.
  bool hasGathers = false;

  /// One instruction compares and swaps 16 bytes.
  bool hasWideSwaps = false;
  static constexpr unsigned kSwapBits = 128;

  /// Vector stores can bypass the caches.
  bool hasStreamingStores = false;

  bool hasFma = true;
  /// Multiplies by powers of two in one instruction, and splits them off.
  bool hasScale = false;
  /// Subtracts the nearest integer in one instruction, and selects the larger
  /// or smaller number where NaN is none in one.
  bool hasFraction = false, hasExtrema = false;
  /// Selects one of sixteen f32 for each lane in one instruction.
  bool hasTables = false;
  bool hasF16Conversions = true;
  /// Rounds f32 to bf16 in one instruction, which flushes subnormal numbers.
  bool hasBf16Conversions = false;
  bool hasF16Arithmetic = false;

  /// The fastest instructions that add several products to one sum; None where
  /// a multiply-add of f32 or i32 is as fast.
  WordProduct bf16Product = WordProduct::None;
  WordProduct i16Product = WordProduct::None;
  WordProduct i8Product = WordProduct::None;
  static constexpr unsigned kWordBits = 32;

  /// The tile registers of AMX, on such operands.
  bool hasBf16Tiles = false;
  bool hasI8Tiles = false;
  static constexpr int64_t kTileColumns = 16;
  static constexpr int64_t kTileRowBits = 512;

  /// The hint that a loop waits for another thread is x86's.
  bool hasPause = false;

  /// Addresses at this distance, in bytes, are in one set of the first cache. It
  /// is the size of a page: the bits of an address that select a set are not
  /// translated.
  static constexpr int64_t kSetDistance = 4096;
  /// So many rows at multiples of that distance can be read side by side: as
  /// many as a set has lines or, with twelve lines, one more.
  int64_t setRows = 8;

  /// What stays in the first cache while all rows are multiplied with it, and
  /// what stays in the second.
  int64_t panelBytes = 16 << 10;
  int64_t tilePanelBytes = 16 << 10; // for tile registers
  int64_t deferredBytes = 256 << 10;
  /// The same of a right operand that stays for the next programs, with the
  /// left one.
  int64_t sharedDeferredBytes = 256 << 10;
  /// What one program leaves packed for the next ones.
  int64_t sharedBytes = 2 << 20;

  /// How far ahead of a loop the rows that it reads are prefetched, in bytes of
  /// all of them together. 0: the processor does it as well.
  int64_t readAhead = 0;

  /// So many rows at once are read as fast as one after the other: hardware
  /// prefetchers follow no more. 0: any number.
  int64_t rowStreams = 0;

  /// How far ahead each of several rows is prefetched of which iterations of a
  /// loop read short pieces, in bytes. 0: the processor does it as well.
  int64_t pieceAhead = 0;

  /// Lines that a dot has brought to the second cache, or asked for, are worth
  /// another prefetch to the first one before they are copied.
  bool prefetchesTwice = false;

  /// Where rows of an operand that is in place are read once: how many bytes of a
  /// row at once, if there are registers, and the rows from one to that which it
  /// prefetches. Measured with rows at multiples of pages.
  int64_t lineBytes = 256;
  int64_t rowsAhead = 32;

  /// Vectors and rows of the sums of a dot that are in registers at once: with
  /// the vectors of one operand, a broadcast of the other and, without
  /// multiply-add, a product, no more than there are.
  int64_t dotVectors = 2;
  int64_t dotRows = 6;
  /// So many sums hide the latency of a multiply-add.
  static constexpr int64_t kFewestSums = 12;
};

/// Describes `machine`, with vectors of `vectorBits` at most, where 0 and more
/// than it has mean its widest. `tuneCpu` is the processor that code is tuned
/// for, empty: that of `machine`, which for a host may be a level with features
/// ("x86-64").
CpuModel describeCpu(const llvm::TargetMachine &machine,
                     llvm::StringRef tuneCpu, unsigned vectorBits);

/// What the rewrites of operations need not take apart for `cpu`.
codegen::ExpandOptions expandOptionsFor(const CpuModel &cpu);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_CPUMODEL_H
