// SplitIndex.h - tiles of one dimension whose index is divided.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_SPLITINDEX_H
#define NEREID_CPU_COMPILER_PLAN_SPLITINDEX_H

#include "nereid/ttir/Dialect.h"

#include <array>
#include <cstdint>

namespace nereid::cpu {

/// A kernel whose tiles have a dimension for each part of their index.
struct SplitKernel {
  tt::FuncOp kernel;
  /// It does the same as the original where the grid has at most so many
  /// programs along x, y and z: then no first index is negative.
  std::array<uint32_t, 3> mostPrograms;
};

/// A copy of `kernel`, in the same module, if all its tiles have one dimension
/// and the same size, and it divides their index, which starts at a multiple of
/// that size, by multiples of powers of two; else a null kernel.
SplitKernel copyWithSplitIndex(tt::FuncOp kernel);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_SPLITINDEX_H
