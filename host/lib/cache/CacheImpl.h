// CacheImpl.h - the implementation of Cache, shared by its sources.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_CACHE_CACHE_IMPL_H
#define NEREID_HOST_CACHE_CACHE_IMPL_H

#include "cache/Cache.h"
#include "cache/CacheDirectory.h"
#include "cache/CacheFile.h"
#include "cache/CacheRecord.h"
#include "cache/SingleFlight.h"

#include <atomic>

namespace nereid::host {

class Cache::Impl {
public:
  explicit Impl(CacheOptions options)
      : options(std::move(options)), directory(this->options.directory) {}

  /// Whether there is a directory that may be used; warns if not.
  bool isUsable();
  /// Warns the user with \p text, once in the life of the cache.
  void warnOnce(const std::string &text);

  /// What an entry is read for: only a use updates its stamp.
  enum class Purpose { Use, Check };
  CacheLookup lookUp(const Digest &key, Purpose purpose = Purpose::Use);
  /// Publishes an entry in the directory, and stores it in the remote cache.
  CacheEntry publish(const Digest &key, const CacheValue &value);
  /// Looks an entry up in the remote cache after \p local missed, and
  /// publishes it in the directory.
  CacheLookup lookUpRemote(const Digest &key, CacheLookup local);
  /// lookUp, as often as needed until there is an entry or it is our turn.
  Result<CacheLookup> lookUpOrTakeTurn(const Digest &key, CacheLookup first,
                                       class KeyLock &lock,
                                       const Cancellation &cancellation);
  Result<CacheEntry> compute(const Digest &key, CacheLookup first,
                             const Compute &function,
                             const Cancellation &cancellation);

  /// Removes leftovers, and the least recently used entries beyond \p limit.
  CacheRemoval collect(uint64_t limit);
  /// The same after a put of \p newBytes, if it is due and no other process
  /// is collecting.
  void collectNowAndThen(uint64_t newBytes);

  const CacheOptions options;
  CacheDirectory directory;
  SingleFlight<Digest, Result<CacheEntry>> flights;

  std::atomic<uint64_t> hits = 0, misses = 0, repaired = 0, evicted = 0;
  std::atomic<uint64_t> bytesSinceCollect = 0;

private:
  CacheEntry store(const Digest &key, const CacheRecord &record,
                   const std::shared_ptr<const char[]> &bytes);
  int tryPublish(const Digest &key, std::string_view bytes);
  void renewStamp(const std::string &path, const struct stat &facts) const;

  std::atomic<bool> hasWarned = false;
};

/// The reason of an ordinary miss.
inline constexpr char noEntry[] = "no entry";

/// Removes a file, or a directory in its place. 0 or an errno value.
int removeCacheFile(const std::string &path);

} // namespace nereid::host

#endif // NEREID_HOST_CACHE_CACHE_IMPL_H
