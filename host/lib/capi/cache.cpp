// cache.cpp - the cache, for host programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "cache/Cache.h"
#include "abi/Struct.h"
#include "runtime/Runtime.h"
#include "support/Error.h"
#include "support/Json.h"

using namespace nereid::host;

nereid_status_t nereid_cache_stat(const nereid_runtime_t *runtime,
                                  nereid_cache_stat_t *out_stat) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(runtime, "runtime"); !given)
      return given;
    nereid_cache_stat_t stat = {};
    stat.struct_size = sizeof stat;
    if (Cache *cache = runtime->cache()) {
      CacheStat found = cache->stat();
      stat.enabled = found.isEnabled;
      stat.entries = found.entries;
      stat.bytes = found.bytes;
      stat.limit = found.limit;
      stat.hits = found.hits;
      stat.misses = found.misses;
      stat.repaired = found.repaired;
      stat.evicted = found.evicted;
      // As long-lived as the runtime, unlike the result.
      stat.directory = borrow(runtime->cacheDirectory());
      stat.remote = borrow(runtime->remoteCacheName());
      stat.remote_hits = found.ofRemote.hits;
      stat.remote_misses = found.ofRemote.misses;
      stat.remote_damaged = found.ofRemote.damaged;
      stat.remote_failures = found.ofRemote.failures;
      stat.remote_skipped = found.ofRemote.skipped;
      stat.remote_stored = found.ofRemote.stored;
      stat.remote_dropped = found.ofRemote.dropped;
    }
    return writeStruct(stat, out_stat);
  });
}

// The cache of `runtime`, for a function that needs one.
static Result<Cache *> cacheOf(nereid_runtime_t *runtime) {
  if (Outcome given = require(runtime, "runtime"); !given)
    return given.failure();
  if (!runtime->cache())
    return Failure{NEREID_UNAVAILABLE, "this runtime has no cache"};
  if (Outcome usable = runtime->cache()->check(); !usable)
    return Failure{usable.failure().status,
                   "the cache cannot be used: " + usable.failure().text};
  return runtime->cache();
}

nereid_status_t nereid_cache_verify(nereid_runtime_t *runtime,
                                    nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    Result<Cache *> cache = cacheOf(runtime);
    if (!cache)
      return cache.failure();
    CacheVerification found = (*cache)->verify();
    Json damaged = Json::array();
    for (const CacheDamage &damage : found.damaged)
      damaged.push_back({{"file", damage.file},
                         {"reason", damage.reason},
                         {"removed", damage.isRemoved}});
    Json json = {{"entries", found.entries}, {"damaged", damaged}};
    if (!found.unread.empty())
      json["reason"] = found.unread;
    return giveJson(json, out_json);
  });
}

static Outcome giveRemoval(const CacheRemoval &removal,
                           nereid_buffer_t **out_json) {
  Json json = {{"removed", removal.removed}, {"bytes", removal.bytes}};
  if (removal.failed) {
    json["failed"] = removal.failed;
    json["reason"] = removal.reason;
  }
  return giveJson(json, out_json);
}

nereid_status_t nereid_cache_gc(nereid_runtime_t *runtime, uint64_t limit,
                                nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    Result<Cache *> cache = cacheOf(runtime);
    if (!cache)
      return cache.failure();
    uint64_t bytes = limit ? limit : runtime->settings().cacheLimit;
    return giveRemoval((*cache)->collect(bytes), out_json);
  });
}

nereid_status_t nereid_cache_clear(nereid_runtime_t *runtime,
                                   nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    Result<Cache *> cache = cacheOf(runtime);
    if (!cache)
      return cache.failure();
    return giveRemoval((*cache)->clear(), out_json);
  });
}
