// RemoteCache.h - entries shared between machines, on a Redis server.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// libnereid links no client library and opens no connection: helper processes,
// nereid-cache-redis, do. Trouble with the server or with a helper is never
// more than a miss, and never costs a lookup more than its limit:
// docs/cache.md.

#ifndef NEREID_HOST_CACHE_REMOTE_CACHE_H
#define NEREID_HOST_CACHE_REMOTE_CACHE_H

#include "cache/CacheEntry.h"
#include "cache/Digest.h"
#include "cache/RemoteAddress.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace nereid::host {

struct RemoteOptions {
  RemoteAddress address;
  std::string helper; // the program nereid-cache-redis
  /// Called once if the remote cache does not work, with the reason. Any
  /// thread, never the caller's of get() or put().
  std::function<void(const std::string &)> warn;
  /// How long nothing is tried after a failure.
  std::chrono::milliseconds pause = std::chrono::seconds(30);
  /// The largest entry that is stored or accepted, and how much may wait to be
  /// stored.
  uint64_t largestEntry = uint64_t(64) << 20;
  uint64_t queuedBytes = uint64_t(128) << 20;
  size_t queuedEntries = 256;
};

struct RemoteStat {
  uint64_t hits = 0;
  uint64_t misses = 0;   // the server has no such entry
  uint64_t damaged = 0;  // it has one that fails the checks
  uint64_t failures = 0; // lookups without an answer in time
  uint64_t skipped = 0;  // lookups during a pause
  uint64_t stored = 0;
  uint64_t dropped = 0; // not stored: failures, pauses, a full queue, too large
};

/// An entry's file as it is on the server, not checked, or why there is none.
struct RemoteLookup {
  std::shared_ptr<const char[]> bytes; // aligned to 16 bytes
  size_t size = 0;
  std::string missReason;
};

/// Every function may be called on any thread, and in a child after fork(),
/// which starts helpers of its own.
class RemoteCache {
public:
  explicit RemoteCache(RemoteOptions options);
  /// Waits a moment for what is still to be stored, unless the server fails.
  ~RemoteCache();
  RemoteCache(const RemoteCache &) = delete;
  RemoteCache &operator=(const RemoteCache &) = delete;

  /// Returns within the address's timeout, or, once the entry is arriving,
  /// within 20 times that. After a failure every lookup misses at once, until
  /// the pause is over.
  RemoteLookup get(const Digest &key);
  /// Counts the outcome of a lookup, which the caller has checked.
  void count(bool isGood);

  /// Stores an entry later, or not at all. Never waits. \p bytes is the
  /// entry's file.
  void put(const Digest &key, std::shared_ptr<const char[]> bytes, size_t size);
  /// Waits until nothing is left to be stored; false if \p limit is over first.
  bool flush(std::chrono::milliseconds limit);

  RemoteStat stat() const;
  /// For messages; holds no password.
  const std::string &name() const { return text; }

private:
  struct State;
  State &current();
  void warnOnce(const std::string &problem);

  const RemoteOptions options;
  const std::string text;
  std::atomic<State *> state{nullptr};
  std::atomic<bool> hasWarned = false;
  std::atomic<uint64_t> hits = 0, misses = 0, damaged = 0, failures = 0,
                        skipped = 0, stored = 0, dropped = 0;
};

} // namespace nereid::host

#endif // NEREID_HOST_CACHE_REMOTE_CACHE_H
