// nereid/ext/benchmark.h - extension "nereid.benchmark/1" of a plugin: aids for
// measuring.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_EXT_BENCHMARK_H
#define NEREID_EXT_BENCHMARK_H

#include "../entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NEREID_EXT_BENCHMARK "nereid.benchmark/1"

typedef struct nereid_benchmark_t {
  uint32_t struct_size;
  uint32_t reserved;

  // Required. Evicts the device's caches, in the order of the stream, before a
  // cold measurement. [any-thread]
  nereid_status_t (*flush_cache)(nereid_state_t *state, uint32_t device,
                                 nereid_stream_t stream,
                                 const nereid_call_t *call);
} nereid_benchmark_t;

#ifdef __cplusplus
}
#endif
#endif // NEREID_EXT_BENCHMARK_H
