// streaming.cpp - which launches store past the caches.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "streaming.h"

#include "work.h"

#include <algorithm>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace nereid::cpu {

// Less than this stays in the caches of any machine.
static constexpr double kLeastStreamedBytes = 4 << 20;
// What programs read in common, as those of a product do, the work counts once
// for each. No more than so many times what they store is taken to be read.
static constexpr double kMostRead = 2;

bool exceedsCaches(double bytes, unsigned threads, const HostSizes &sizes) {
  uint64_t caches =
      sizes.l3Bytes
          ? sizes.l3Bytes * ((threads + sizes.l3Threads - 1) / sizes.l3Threads)
          : sizes.l2Bytes * threads;
  return bytes >= static_cast<double>(caches);
}

uint32_t streamingFlags(const nereid_kernel_t &kernel,
                        const nereid_launch_t &launch, unsigned threads) {
  const nereid_cpu_kernel_t &image = kernel.image;
  const uint32_t *grid = launch.grid;
  double stored = streamedBytesOf(image, launch.arguments, grid);
  if (stored < kLeastStreamedBytes)
    return 0;
  double programs = static_cast<double>(grid[0]) * grid[1] * grid[2];
  double bytes =
      std::min(programs * workOf(image, launch.arguments, grid).bytes,
               stored * (1 + kMostRead));
  // The sizes are read from files, once.
  return exceedsCaches(bytes, threads, kernel.state->sizes())
             ? NEREID_CPU_LAUNCH_STREAMS
             : 0;
}

void endStreams(uint32_t flags) {
#ifdef __x86_64__
  if (flags & NEREID_CPU_LAUNCH_STREAMS)
    _mm_sfence();
#else
  (void)flags;
#endif
}

} // namespace nereid::cpu
