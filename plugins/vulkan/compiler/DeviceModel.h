// DeviceModel.h - what the device has that kernels are compiled for.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_COMPILER_DEVICEMODEL_H
#define NEREID_VULKAN_COMPILER_DEVICEMODEL_H

#include "spirv/Requirements.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

namespace nereid::vulkan {

/// A shape of cooperative matrices: (rows x depth) * (depth x columns).
struct MatrixUnit {
  uint32_t rows = 0, columns = 0, depth = 0;
  spirv::Scalar operand = spirv::Scalar::None; ///< of both operands
  spirv::Scalar sum = spirv::Scalar::None;     ///< before and after

  uint32_t products() const { return rows * columns * depth; }
  bool operator==(const MatrixUnit &other) const = default;
  /// As a feature of the target: "16x8x16/f16/f16/f32/f32".
  std::string text() const;
};

class DeviceModel {
public:
  /// Reads the features of a target: "subgroup=8-8,threads=1024,i64,...".
  /// docs/vulkan.md lists them; unknown ones are ignored.
  static llvm::Expected<DeviceModel> parse(llvm::StringRef features);

  bool has(llvm::StringRef feature) const { return features.contains(feature); }
  /// What of SPIR-V the device accepts.
  const spirv::DeviceCapabilities &capabilities() const { return accepted; }

  unsigned subgroupSize = 32; ///< that kernels are compiled for
  unsigned maxThreads = 128;  ///< of a workgroup
  unsigned sharedBytes = 16384;
  unsigned pushBytes = 128;
  /// For subgroups of this size; without those of types that kernels lack.
  llvm::SmallVector<MatrixUnit> matrices;
  /// A fused multiply-add rounds once. Vulkan does not promise it.
  bool hasExactFma = false;
  /// Multiply-adds of a thread in straight code; lavapipe compiles slowly.
  unsigned unrolledProducts = 1024;
  /// Masked accesses of a thread that are repeated in one block, for when all
  /// masks are true; lavapipe runs the other branch as well.
  unsigned repeatedAccesses = 32;
  /// From so many elements of a thread on, an atomic operation that the device
  /// lacks is one loop over them, instead of a compare-and-swap loop for each.
  /// lavapipe compiles it 3 times as fast for 8 elements, equally fast for 4.
  unsigned loopedUpdates = 16;
  /// 2^x of f32 has an error of two units in the last place at most, subnormal
  /// results too. Vulkan allows 3 + 2 |x|.
  bool hasExactExp2 = false;
  /// The maximum of -0 and +0 of f32 is +0, their minimum -0. Vulkan leaves it
  /// open.
  bool ordersZeros = false;
  /// Mesa's compiler, up to 22.3 at least, computes comparisons of a number
  /// that was extended to 64 bits with a constant wrongly.
  bool comparesExtendedWrongly = false;
  /// llvmpipe computes x + 0 as x and x * 0 as 0, and leaves x / 0 undefined,
  /// for a constant zero, which is wrong for a negative zero, infinities and
  /// NaN. A choice of 0 or -1 is the negation of 0 or 1 to it, also of integers
  /// with the same bits, and a choice of -0 or 1 is one of 0 or 1.
  bool foldsZeros = false;
  /// llvmpipe ends the loops of a program after 65535 rounds in all.
  bool endsLoops = false;

private:
  llvm::StringSet<> features;
  spirv::DeviceCapabilities accepted;
};

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_COMPILER_DEVICEMODEL_H
