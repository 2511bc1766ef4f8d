// CacheCollect.cpp - counting, verifying and removing entries.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "cache/CacheImpl.h"
#include "cache/CacheRecord.h"
#include "support/File.h"

#include <algorithm>

#include <fcntl.h>
#include <sys/file.h>

namespace nereid::host {

// An unfinished file of this age is a leftover, where locks do not work.
static constexpr auto leftoverAge = std::chrono::hours(1);

static int64_t ageInSeconds(int64_t nanoseconds) {
  return ::time(nullptr) - nanoseconds / 1'000'000'000;
}

// Whether the process that was writing the file has died: a live one holds the
// file's lock. A writer that has not locked its file yet retries.
static bool isLeftover(const CacheFileInfo &file) {
  FileDescriptor opened = openFile(file.path, O_RDONLY);
  if (!opened)
    return false;
  if (::flock(opened.get(), LOCK_EX | LOCK_NB) == 0)
    return true;
  return errno != EWOULDBLOCK &&
         std::chrono::seconds(ageInSeconds(file.lastUse)) > leftoverAge;
}

static void countFailure(std::string reason, CacheRemoval &removal) {
  if (!removal.failed++)
    removal.reason = std::move(reason);
}

// Whether the file is gone now. It is counted if we removed it.
static bool removeAndCount(const CacheFileInfo &file, CacheRemoval &removal) {
  int error = removeCacheFile(file.path);
  if (error == ENOENT)
    return true;
  if (error) {
    countFailure(file.path + ": " + errorText(error), removal);
    return false;
  }
  ++removal.removed;
  removal.bytes += file.size;
  return true;
}

CacheRemoval Cache::Impl::collect(uint64_t limit) {
  CacheRemoval removal;
  std::vector<CacheFileInfo> entries;
  uint64_t total = 0;
  Outcome seen = directory.forEachFile([&](const CacheFileInfo &file) {
    if (!file.isUnfinished) {
      total += file.size;
      entries.push_back(file);
    } else if (isLeftover(file)) {
      removeAndCount(file, removal);
    }
  });
  if (!seen)
    countFailure(seen.failure().text, removal);
  std::ranges::sort(entries, {}, &CacheFileInfo::lastUse);
  uint64_t leftovers = removal.removed;
  for (const CacheFileInfo &entry : entries) {
    if (total <= limit)
      break;
    if (removeAndCount(entry, removal))
      total -= entry.size;
  }
  evicted += removal.removed - leftovers;
  return removal;
}

void Cache::Impl::collectNowAndThen(uint64_t newBytes) {
  // A sixteenth of the limit is what one process may add before a collection.
  bool hasAddedMuch = (bytesSinceCollect += newBytes) > options.limit / 16;
  FileDescriptor stamp =
      openFile(directory.root() + "/collected", O_RDWR | O_CREAT, 0600);
  struct stat facts;
  if (!stamp || ::fstat(stamp.get(), &facts) != 0)
    return;
  auto age = std::chrono::seconds(::time(nullptr) - facts.st_mtim.tv_sec);
  // A stamp far in the future is from before the clock was set back.
  bool isDue =
      hasAddedMuch || age >= options.collectAge || age < -options.collectAge;
  if (!isDue || ::flock(stamp.get(), LOCK_EX | LOCK_NB) != 0)
    return;
  ::futimens(stamp.get(), nullptr);
  bytesSinceCollect = 0;
  // A tenth below the limit, so that the next put does not start over.
  collect(options.limit - options.limit / 10);
}

Outcome Cache::check() { return impl->directory.check(); }

CacheStat Cache::stat() {
  CacheStat stat;
  stat.directory = impl->directory.root();
  stat.limit = impl->options.limit;
  stat.hits = impl->hits;
  stat.misses = impl->misses;
  stat.repaired = impl->repaired;
  stat.evicted = impl->evicted;
  if (impl->options.remote) {
    stat.remote = impl->options.remote->name();
    stat.ofRemote = impl->options.remote->stat();
  }
  stat.isEnabled = impl->isUsable();
  if (stat.isEnabled)
    (void)impl->directory.forEachFile([&](const CacheFileInfo &file) {
      stat.entries += !file.isUnfinished;
      stat.bytes += file.size;
    });
  return stat;
}

bool Cache::flush(std::chrono::milliseconds limit) {
  return !impl->options.remote || impl->options.remote->flush(limit);
}

CacheVerification Cache::verify() {
  CacheVerification result;
  if (!impl->isUsable())
    return result;
  Outcome seen = impl->directory.forEachFile([&](const CacheFileInfo &file) {
    if (file.isUnfinished)
      return;
    CacheLookup lookup = impl->lookUp(file.key, Impl::Purpose::Check);
    // One that another process removes meanwhile was not read.
    if (lookup.missReason != noEntry)
      ++result.entries;
    if (!lookup.entry && lookup.missReason != noEntry)
      result.damaged.push_back(
          {file.path, lookup.missReason, lookup.isRemoved});
  });
  if (!seen)
    result.unread = seen.failure().text;
  return result;
}

CacheRemoval Cache::collect(uint64_t limit) {
  return impl->isUsable() ? impl->collect(limit) : CacheRemoval();
}

CacheRemoval Cache::clear() { return collect(0); }

} // namespace nereid::host
