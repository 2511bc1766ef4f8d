// streaming.cpp - which launches store past the caches.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "streaming.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace nereid::cpu {

// Less than this stays in the caches of any machine.
static constexpr uint64_t kLeastStreamedBytes = 4 << 20;

static uint64_t streamedBytes(const nereid_cpu_kernel_t &image,
                              uint64_t programs) {
  uint64_t bytes = image.streamed_bytes_per_program;
  return bytes && programs > UINT64_MAX / bytes ? UINT64_MAX : bytes * programs;
}

bool exceedsCaches(const nereid_cpu_kernel_t &image, uint64_t programs,
                   unsigned threads, const HostSizes &sizes) {
  uint64_t bytes = streamedBytes(image, programs);
  if (bytes < kLeastStreamedBytes)
    return false;
  uint64_t caches =
      sizes.l3Bytes
          ? sizes.l3Bytes * ((threads + sizes.l3Threads - 1) / sizes.l3Threads)
          : sizes.l2Bytes * threads;
  // About as much is read.
  return bytes >= caches / 2;
}

uint32_t streamingFlags(const nereid_kernel_t &kernel, uint64_t programs,
                        unsigned threads) {
  // The sizes are read from files, once.
  bool streams =
      streamedBytes(kernel.image, programs) >= kLeastStreamedBytes &&
      exceedsCaches(kernel.image, programs, threads, kernel.state->sizes());
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
