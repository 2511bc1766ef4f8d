// Dot.h - how a product is computed.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_COMPILER_DOT_H
#define NEREID_VULKAN_COMPILER_DOT_H

#include "SharedMemory.h"

namespace nereid::vulkan {

/// A product whose operands go through shared memory, `slice` columns of the
/// left and rows of the right operand at a time.
struct DotPlan {
  int64_t batches = 1, rows = 0, columns = 0, depth = 0;
  int64_t slice = 0;    ///< of the depth, in one round
  int64_t unrolled = 0; ///< of the slice, without a loop
  unsigned words = 1;   ///< of an element
  /// Where the operands are, in bytes from the start of shared memory. The left
  /// one comes first.
  unsigned start = 0;
  /// With two, iterations of the loop around the product use them in turn:
  /// threads need not wait until all have read what they write over.
  unsigned buffers = 1;
  /// Nothing else in the loop around the product uses its part of the memory.
  bool isPrivate = false;

  unsigned leftBytes() const { return batches * rows * slice * words * 4; }
  unsigned rightBytes() const { return batches * columns * slice * words * 4; }
  unsigned bufferBytes() const { return leftBytes() + rightBytes(); }
  unsigned end() const { return start + buffers * bufferBytes(); }
};

class DotPlans {
public:
  const DotPlan *find(mlir::Operation *dot) const;
  bool empty() const { return plans.empty(); }
  /// Does a product have them whose iterations are those of `loop`?
  bool hasTwoBuffers(mlir::Operation *loop) const;
  /// A line for each product.
  void print(tt::FuncOp kernel, const codegen::gpu::Distribution &layouts,
             llvm::raw_ostream &stream, mlir::AsmState &names) const;

private:
  friend class DotPlanner;
  llvm::DenseMap<mlir::Operation *, DotPlan> plans;
};

/// The largest slices that fit into the device's shared memory; two buffers in
/// loops, if they fit beside what else the loop needs.
DotPlans planDots(tt::FuncOp kernel, const codegen::gpu::Distribution &layouts,
                  const MatrixPlan &matrices, codegen::gpu::Workgroup workgroup,
                  const DeviceModel &device);

/// Converts the operands of all products to types that matrices multiply, and
/// elsewhere to the type of the sums, f32 for narrower floats.
void widenDots(tt::FuncOp kernel, const DeviceModel &device,
               codegen::gpu::Workgroup workgroup);

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_COMPILER_DOT_H
