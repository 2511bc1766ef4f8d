// nereid/host/cache.h - the cache of a runtime.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_INCLUDE_HOST_CACHE_H
#define NEREID_INCLUDE_HOST_CACHE_H

#include "nereid/host/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nereid_cache_stat_t {
  uint32_t struct_size;
  uint32_t enabled;        // 0: disabled or not usable
  uint64_t entries;
  uint64_t bytes;
  uint64_t limit;          // bytes
  uint64_t hits;           // of this runtime, as all below
  uint64_t misses;
  uint64_t repaired;       // damaged entries found and replaced
  uint64_t evicted;
  nereid_string_t directory;
  nereid_string_t remote;  // the server of a remote cache; empty: none
  uint64_t remote_hits;
  uint64_t remote_misses;  // the server has no such entry
  uint64_t remote_damaged; // it has one that fails the checks
  uint64_t remote_failures;  // lookups without an answer in time
  uint64_t remote_skipped; // lookups during the pause after a failure
  uint64_t remote_stored;
  uint64_t remote_dropped; // not stored: failures, pauses, queue full, too large
} nereid_cache_stat_t;

// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_cache_stat(const nereid_runtime_t *runtime,
                  nereid_cache_stat_t *out_stat);
// Reads every entry; damaged ones are listed and, if possible, removed.
// JSON: {"entries", "damaged": [{"file", "reason", "removed"}]}, and "reason"
// if a folder of the cache cannot be read. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_cache_verify(nereid_runtime_t *runtime, nereid_buffer_t **out_json);
// Removes least recently used entries down to `limit` bytes (0: the
// runtime's limit), and leftovers of processes that died. JSON:
// {"removed", "bytes"}, and if files cannot be removed or folders cannot be
// read {"failed", "reason"}: how many, and the first reason. [any-thread]
NEREID_EXPORT nereid_status_t nereid_cache_gc(nereid_runtime_t *runtime,
                                              uint64_t limit,
                                              nereid_buffer_t **out_json);
// Removes every entry; the same JSON. [any-thread]
NEREID_EXPORT nereid_status_t nereid_cache_clear(nereid_runtime_t *runtime,
                                                 nereid_buffer_t **out_json);

#ifdef __cplusplus
}
#endif
#endif // NEREID_INCLUDE_HOST_CACHE_H
