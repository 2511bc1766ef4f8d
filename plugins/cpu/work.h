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
  /// Each takes programs with ids of its own along the kernel's disjoint axis,
  /// and needs no locks.
  bool isDisjoint = false;
};

/// Can `program` be divided into parts (nereid_cpu_launch_t)?
bool isDivisible(const nereid_cpu_kernel_t &image, const void *arguments,
                 const uint32_t *grid, const uint32_t *program);

/// The ids along the disjoint axis of `image`, if programs with different ids
/// update different memory by atomic operations in this launch; else, and where
/// the programs of an id are too short to look at its condition, 1.
uint32_t disjointIds(const nereid_cpu_kernel_t &image, const ProgramWork &work,
                     const void *arguments, const uint32_t *grid);

/// The threads, at most `most`, that are worthwhile for `programs` programs,
/// which may be divided. They share `ids` ids along the disjoint axis.
Threads threadsFor(const nereid_cpu_kernel_t &image, const ProgramWork &work,
                   uint64_t programs, unsigned most, uint32_t ids = 1);

/// `most` threads or, if that is faster, fewer without locks: one, or such that
/// share `ids` ids along the disjoint axis.
Threads threadsWithin(const nereid_cpu_kernel_t &image, const ProgramWork &work,
                      unsigned most, uint32_t ids);

/// The number of parts of each of `programs` programs with which `threads`
/// threads have finished first.
unsigned partsFor(const nereid_cpu_kernel_t &image, uint64_t programs,
                  unsigned threads);

} // namespace nereid::cpu

#endif // NEREID_CPU_WORK_H
