// Cache.h - compiled kernels on disk: one file an entry, verified on every
// read.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/cache.md describes what the directory holds, what is guaranteed when
// processes die or disks fill, and why no lock is needed to read or publish.

#ifndef NEREID_HOST_CACHE_CACHE_H
#define NEREID_HOST_CACHE_CACHE_H

#include "cache/CacheEntry.h"
#include "cache/Digest.h"
#include "cache/RemoteCache.h"
#include "support/Cancellation.h"
#include "support/Result.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::host {

struct CacheOptions {
  std::string directory;              // absolute; empty: no cache
  uint64_t limit = uint64_t(5) << 30; // bytes
  /// Called once if the directory cannot be used, with the reason. Any thread.
  std::function<void(const std::string &)> warn;
  /// A hit updates the stamp of last use if that is older than this.
  std::chrono::seconds stampAge = std::chrono::minutes(5);
  /// After a put, entries beyond the limit are removed if the last collection
  /// is older than this.
  std::chrono::seconds collectAge = std::chrono::minutes(10);
  /// How long to wait for another process that computes the same entry,
  /// before computing it here as well.
  std::chrono::milliseconds waitLimit = std::chrono::minutes(2);
  /// Where entries are looked for that are not in the directory, and stored
  /// too. Null: nowhere.
  std::shared_ptr<RemoteCache> remote;
};

/// $XDG_CACHE_HOME/nereid, else ~/.cache/nereid. A process with raised
/// privileges has none: the environment is not its own.
Result<std::string> defaultCacheDirectory();

/// What get() found: an entry, or the reason why there is none, which is
/// "no entry", "entry is damaged: ..." or "entry cannot be read: ...", and
/// after a "; " why a remote cache has none either.
struct CacheLookup {
  std::optional<CacheEntry> entry;
  std::string missReason;
  bool isRemoved = false; // a damaged entry, which is gone now
};

struct CacheStat {
  bool isEnabled = false;
  uint64_t entries = 0, bytes = 0, limit = 0;
  uint64_t hits = 0, misses = 0, repaired = 0, evicted = 0; // of this object
  std::string directory;
  std::string remote; // its name; empty: none
  RemoteStat ofRemote;
};

struct CacheDamage {
  std::string file, reason;
  bool isRemoved = false;
};

struct CacheVerification {
  uint64_t entries = 0;             // that were read
  std::vector<CacheDamage> damaged; // or cannot be read
  std::string unread; // the first folder that was not: "PATH: why"
};

struct CacheRemoval {
  uint64_t removed = 0, bytes = 0;
  uint64_t failed = 0; ///< files that cannot be removed, folders not read
  std::string reason;  ///< of the first of them: "PATH: why"
};

/// A cache in one directory, and a remote one behind it if there is any.
/// Trouble with the directory never fails a function: without it every lookup
/// misses, every value is computed, and `warn` is called once. Every function
/// may be called on any thread, and in a child after fork().
class Cache {
public:
  /// Computes a missing entry; receives the reason of the miss.
  using Compute =
      std::function<Result<CacheValue>(const std::string &missReason)>;

  explicit Cache(CacheOptions options);
  ~Cache();
  Cache(const Cache &) = delete;
  Cache &operator=(const Cache &) = delete;

  /// Reads and verifies the entry of \p key. A damaged one is removed.
  CacheLookup get(const Digest &key);

  /// Publishes an entry, in place of an older one, and returns it. If that is
  /// not possible the entry is returned without a path.
  CacheEntry put(const Digest &key, const CacheValue &value);

  /// The entry of \p key; if there is none, \p compute makes it. Of all threads
  /// and processes that need the same entry one computes, and the others wait
  /// for it; if it dies or fails to publish, another one takes over. The
  /// threads of one process share its failure. \p compute must not look up the
  /// same key. A wait ends with NEREID_CANCELLED when \p cancellation says so;
  /// \p compute looks at it itself.
  Result<CacheEntry> getOrCompute(const Digest &key, const Compute &compute,
                                  const Cancellation &cancellation = {});

  /// Why the directory cannot be used, if so.
  Outcome check();
  /// Counts what the directory holds.
  CacheStat stat();
  /// Reads every entry and removes damaged ones, if it can.
  CacheVerification verify();
  /// Removes the least recently used entries until \p limit bytes are left,
  /// and the leftovers of processes that died.
  CacheRemoval collect(uint64_t limit);
  /// Waits until the remote cache has stored what it was given; false if
  /// \p limit is over first.
  bool flush(std::chrono::milliseconds limit);
  /// Removes every entry of the directory.
  CacheRemoval clear();

private:
  class Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace nereid::host

#endif // NEREID_HOST_CACHE_CACHE_H
