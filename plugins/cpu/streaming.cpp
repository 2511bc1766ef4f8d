// streaming.cpp - which launches store past the caches.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "streaming.h"

#include "work.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace nereid::cpu {

// Less than this stays in the caches of any machine.
static constexpr double kLeastStreamedBytes = 4 << 20;

bool exceedsCaches(double bytes, unsigned threads, const HostSizes &sizes) {
  if (bytes < kLeastStreamedBytes)
    return false;
  uint64_t caches =
      sizes.l3Bytes
          ? sizes.l3Bytes * ((threads + sizes.l3Threads - 1) / sizes.l3Threads)
          : sizes.l2Bytes * threads;
  // About as much is read.
  return bytes >= static_cast<double>(caches) / 2;
}

uint32_t streamingFlags(const nereid_kernel_t &kernel,
                        const nereid_launch_t &launch, unsigned threads) {
  double bytes = streamedBytesOf(kernel.image, launch.arguments, launch.grid);
  // The sizes are read from files, once.
  bool streams = bytes >= kLeastStreamedBytes &&
                 exceedsCaches(bytes, threads, kernel.state->sizes());
  return streams ? NEREID_CPU_LAUNCH_STREAMS : 0;
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
