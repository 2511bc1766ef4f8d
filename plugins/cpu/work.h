// work.h - the work of a launch, and the threads that are worthwhile for it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_WORK_H
#define NEREID_CPU_WORK_H

#include "image.h"

namespace nereid::cpu {

/// An estimate of one program.
struct ProgramWork {
  double bytes = 0;
  double flops = 0;
  double atomics = 0; ///< atomic operations, one for each element
};

/// Evaluates the formula of `image`, if it has one, for a launch.
ProgramWork workOf(const nereid_cpu_kernel_t &image, const void *arguments,
                   const uint32_t *grid);

/// What the programs of a launch store at least by stores that can bypass the
/// caches, in bytes: `image`'s formula where it has one.
double streamedBytesOf(const nereid_cpu_kernel_t &image, const void *arguments,
                       const uint32_t *grid);

struct Threads {
  unsigned count = 1;
  bool isShort = false; ///< not worth waking a thread
};

/// Can `program` be divided into parts (nereid_cpu_launch_t)?
bool isDivisible(const nereid_cpu_kernel_t &image, const void *arguments,
                 const uint32_t *grid, const uint32_t *program);

/// Is one thread, whose atomic operations need no locks, faster than `threads`
/// with them?
bool isFasterAlone(const nereid_cpu_kernel_t &image, const ProgramWork &work,
                   double threads);

/// The threads, at most `most`, that are worthwhile for `programs` programs,
/// which may be divided.
Threads threadsFor(const nereid_cpu_kernel_t &image, const ProgramWork &work,
                   uint64_t programs, unsigned most);

/// The number of parts of each of `programs` programs with which `threads`
/// threads have finished first.
unsigned partsFor(const nereid_cpu_kernel_t &image, uint64_t programs,
                  unsigned threads);

} // namespace nereid::cpu

#endif // NEREID_CPU_WORK_H
