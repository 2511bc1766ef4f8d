// SharedMemory.h - how much shared memory a kernel needs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel has one array of words of 32 bits, which every exchange between
// threads uses from its start. What does not fit at once is exchanged in
// rounds.

#ifndef NEREID_VULKAN_COMPILER_SHAREDMEMORY_H
#define NEREID_VULKAN_COMPILER_SHAREDMEMORY_H

#include "DeviceModel.h"
#include "gpu/Distribution.h"

namespace nereid::vulkan {

class MatrixPlan;

/// A slot is left out after each 2^kSlotShift elements, so that columns of a
/// tile are in different banks.
constexpr unsigned kSlotShift = 5;

/// The elements of a tile, exchanged a part at a time.
struct SharedRounds {
  uint32_t count = 1;
  uint32_t elements = 0; ///< of each round, a power of two
  uint32_t slots = 0;    ///< for their words of one kind

  uint32_t bytes(unsigned words) const { return slots * words * 4; }
};

/// For elements of `words` words in `sharedBytes` bytes.
SharedRounds roundsFor(uint32_t elements, unsigned words, unsigned sharedBytes);

/// Words of 32 bits of an element.
unsigned sharedWordsOf(mlir::Type type);

/// Bytes that the conversions of tiles to other layouts use.
unsigned exchangeBytes(mlir::ValueRange values,
                       const codegen::gpu::Distribution &layouts,
                       codegen::gpu::Workgroup workgroup,
                       const DeviceModel &device);

/// Bytes that the exchanges of one operation use, at most what `device` has; a
/// product has a plan of its own.
unsigned exchangeBytes(mlir::Operation *op,
                       const codegen::gpu::Distribution &layouts,
                       codegen::gpu::Workgroup workgroup,
                       const DeviceModel &device);

class DotPlans;

/// Bytes that `kernel` uses, at most what `device` has. More only for what
/// cannot be done in rounds; no kernel can be built from that.
unsigned sharedBytesFor(tt::FuncOp kernel, const DotPlans &dots,
                        const MatrixPlan &matrices,
                        const codegen::gpu::Distribution &layouts,
                        codegen::gpu::Workgroup workgroup,
                        const DeviceModel &device);

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_COMPILER_SHAREDMEMORY_H
