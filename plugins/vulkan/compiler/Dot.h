// Dot.h - how a product is computed.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_COMPILER_DOT_H
#define NEREID_VULKAN_COMPILER_DOT_H

#include "SharedMemory.h"

namespace nereid::vulkan {

/// A product whose operands go through shared memory, `depth` columns of the
/// left and rows of the right operand at a time.
struct DotPlan {
  int64_t batches = 1, rows = 0, columns = 0, depth = 0;
  int64_t slice = 0;  ///< of the depth, in one round
  unsigned words = 1; ///< of an element

  /// Elements of a round: those of the left operand come first.
  int64_t leftElements() const { return batches * rows * slice; }
  int64_t rightElements() const { return batches * columns * slice; }
  unsigned sharedBytes() const {
    return (leftElements() + rightElements()) * words * 4;
  }
};

/// The largest slices that fit into the device's shared memory.
DotPlan planDot(tt::DotOp dot, const DeviceModel &device);

/// Converts the operands of all products to the type of their sums, f32 for
/// narrower floats, so that products of single elements remain.
void widenDots(tt::FuncOp kernel);

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_COMPILER_DOT_H
