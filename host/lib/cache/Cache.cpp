// Cache.cpp - reading, publishing and computing entries.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "cache/Cache.h"

#include "cache/CacheImpl.h"
#include "cache/CacheRecord.h"
#include "cache/KeyLock.h"
#include "support/File.h"

#include <algorithm>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

namespace nereid::host {

// Repeated removal of the directory must not block us.
static constexpr int publishAttempts = 20;

// Whether the damaged one is gone. The inode is compared so that a good entry,
// which took the place of a bad one meanwhile, mostly survives. If it does not,
// it is computed once more.
static bool removeDamaged(const std::string &path, const struct stat &damaged) {
  struct stat facts;
  if (damaged.st_ino &&
      (::lstat(path.c_str(), &facts) != 0 || facts.st_ino != damaged.st_ino))
    return true;
  int error = removeCacheFile(path);
  return error == 0 || error == ENOENT;
}

int removeCacheFile(const std::string &path) {
  if (withoutInterruption([&] { return ::unlink(path.c_str()); }) == 0)
    return 0;
  if (errno != EISDIR)
    return errno;
  // None of ours, but in the way of an entry. Links in it are not followed.
  std::error_code error;
  std::filesystem::remove_all(path, error);
  return error.value();
}

bool Cache::Impl::isUsable() {
  if (directory.root().empty())
    return false;
  Outcome outcome = directory.check();
  if (!outcome)
    warnOnce(outcome.failure().text);
  return bool(outcome);
}

void Cache::Impl::warnOnce(const std::string &text) {
  if (!hasWarned.exchange(true) && options.warn)
    options.warn(text + "; kernels are not cached");
}

void Cache::Impl::renewStamp(const std::string &path,
                             const struct stat &facts) const {
  // Our own stamp of last use: access times are mostly disabled. If updating it
  // fails, the entry only looks older.
  auto age = std::chrono::seconds(::time(nullptr) - facts.st_mtim.tv_sec);
  if (age >= options.stampAge)
    ::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

CacheLookup Cache::Impl::lookUp(const Digest &key, Purpose purpose) {
  std::string path = directory.pathOf(key);
  FileContents file = readFile(path);
  if (file.status == FileContents::Status::Absent)
    return {{}, noEntry};
  if (file.status == FileContents::Status::Unreadable)
    return {{}, "entry cannot be read: " + file.reason};

  std::string damage = file.reason;
  if (file.status == FileContents::Status::Whole) {
    Result<CacheRecord> record = parseCacheRecord(file.bytes());
    if (record && record->key == key) {
      if (purpose == Purpose::Use)
        renewStamp(path, file.facts);
      return {CacheEntry{record->body, record->metadata,
                         canBeExecuted(path) ? path : std::string(), true,
                         file.data},
              {}};
    }
    damage =
        record ? "it is the entry " + record->key.hex() : record.failure().text;
  }
  bool isRemoved = removeDamaged(path, file.facts);
  repaired += isRemoved;
  return {{}, "entry is damaged: " + damage, isRemoved};
}

// Errors after which the directory may be there again, or the handle fresh.
// or say what is in the way.
static bool isWorthRepeating(int error) {
  return error == ENOENT || error == ENOTDIR || error == ESTALE ||
         error == EBUSY;
}

// Where a file has a name before it is locked (publishFile), a collector may
// take it for a leftover. One that lists the folder just then may meet the file
// of the next attempt in the same state, so attempts keep no step.
static void pauseBeforeAttempt(int attempt) {
  using namespace std::chrono;
  auto random = steady_clock::now().time_since_epoch().count();
  std::this_thread::sleep_for(
      microseconds(random % (200 << std::min(attempt, 6))));
}

int Cache::Impl::tryPublish(const Digest &key, std::string_view bytes) {
  int error = 0;
  for (int attempt = 0; attempt < publishAttempts; ++attempt) {
    error = publishFile(directory.folderOf(key), directory.pathOf(key), bytes);
    if (!isWorthRepeating(error))
      break;
    if (Outcome created = directory.create(key); !created) {
      warnOnce(created.failure().text);
      break;
    }
    pauseBeforeAttempt(attempt);
  }
  return error;
}

CacheEntry Cache::Impl::publish(const Digest &key, const CacheValue &value) {
  CacheRecord record{key, value.body, value.metadata};
  size_t size = encodedSize(record);
  std::shared_ptr<char[]> bytes(new char[size]);
  encodeCacheRecord(record, {bytes.get(), size});
  record.body = {bytes.get(), value.body.size()};
  record.metadata = {bytes.get() + value.body.size(), value.metadata.size()};
  CacheEntry entry = store(key, record, bytes);
  if (options.remote)
    options.remote->put(key, std::move(bytes), size);
  return entry;
}

// Publishes `bytes` in the directory; `record` points into them.
CacheEntry Cache::Impl::store(const Digest &key, const CacheRecord &record,
                              const std::shared_ptr<const char[]> &bytes) {
  size_t size = encodedSize(record);
  CacheEntry entry;
  entry.body = record.body;
  entry.metadata = record.metadata;
  entry.storage = bytes;
  if (!isUsable())
    return entry;
  if (int error = tryPublish(key, {bytes.get(), size})) {
    warnOnce(directory.root() + ": " + errorText(error));
    return entry;
  }
  if (canBeExecuted(directory.pathOf(key)))
    entry.path = directory.pathOf(key);
  collectNowAndThen(size);
  return entry;
}

CacheLookup Cache::Impl::lookUpRemote(const Digest &key, CacheLookup local) {
  if (!options.remote)
    return local;
  RemoteLookup found = options.remote->get(key);
  if (found.bytes) {
    Result<CacheRecord> record =
        parseCacheRecord({found.bytes.get(), found.size});
    bool isGood = record && record->key == key;
    options.remote->count(isGood);
    if (isGood) {
      CacheEntry entry = store(key, *record, found.bytes);
      entry.isFromCache = true;
      return {std::move(entry), {}};
    }
    found.missReason = "the remote entry is damaged: " +
                       (record ? "it is the entry " + record->key.hex()
                               : record.failure().text);
  }
  local.missReason += "; " + found.missReason;
  return local;
}

static Failure cancelledWait() {
  return {NEREID_CANCELLED, "the wait for another compilation was cancelled"};
}

Result<CacheLookup>
Cache::Impl::lookUpOrTakeTurn(const Digest &key, CacheLookup first,
                              KeyLock &lock, const Cancellation &cancellation) {
  using namespace std::chrono;
  auto deadline = steady_clock::now() + options.waitLimit;
  milliseconds pause(1);
  for (;;) {
    bool isOurTurn = lock.tryAcquire();
    // Looked up after the lock request: its holder may just have finished.
    CacheLookup again = lookUp(key);
    bool isLast = isOurTurn || steady_clock::now() >= deadline;
    if (again.entry || (isLast && first.missReason == noEntry))
      return again;
    if (isLast)
      return first;
    if (cancellation.isRequested())
      return cancelledWait();
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, milliseconds(10));
  }
}

Result<CacheEntry> Cache::Impl::compute(const Digest &key, CacheLookup first,
                                        const Compute &function,
                                        const Cancellation &cancellation) {
  std::optional<KeyLock> lock; // held until the entry is published
  if (isUsable()) {
    // The folder comes first: the lock file is beside it.
    if (Outcome created = directory.create(key); !created)
      warnOnce(created.failure().text);
    lock.emplace(directory.root(), key);
    Result<CacheLookup> found =
        lookUpOrTakeTurn(key, std::move(first), *lock, cancellation);
    if (!found)
      return found.failure();
    first = std::move(*found);
  }
  if (!first.entry)
    first = lookUpRemote(key, std::move(first));
  if (first.entry)
    return *first.entry;
  Result<CacheValue> value = function(first.missReason);
  if (!value)
    return value.failure();
  return publish(key, *value);
}

Cache::Cache(CacheOptions options)
    : impl(std::make_unique<Impl>(std::move(options))) {}

Cache::~Cache() = default;

CacheLookup Cache::get(const Digest &key) {
  CacheLookup lookup;
  lookup.missReason = noEntry;
  if (impl->isUsable())
    lookup = impl->lookUp(key);
  if (!lookup.entry)
    lookup = impl->lookUpRemote(key, std::move(lookup));
  ++(lookup.entry ? impl->hits : impl->misses);
  return lookup;
}

CacheEntry Cache::put(const Digest &key, const CacheValue &value) {
  return impl->publish(key, value);
}

// Whether those who waited for a result would get the same: another caller's
// cancellation, or the memory that it lacked, is not theirs.
static bool isForAll(const Result<CacheEntry> &result) {
  return result || (result.failure().status != NEREID_CANCELLED &&
                    result.failure().status != NEREID_OUT_OF_RESOURCES);
}

Result<CacheEntry> Cache::getOrCompute(const Digest &key,
                                       const Compute &compute,
                                       const Cancellation &cancellation) {
  CacheLookup lookup;
  lookup.missReason = noEntry;
  bool isUsable = impl->isUsable();
  if (isUsable)
    lookup = impl->lookUp(key);
  if (lookup.entry) {
    ++impl->hits;
    return *lookup.entry;
  }
  bool isShared = false;
  Result<CacheEntry> result = impl->flights.run(
      key, [&] { return impl->compute(key, lookup, compute, cancellation); },
      Failure{NEREID_INTERNAL, "the compilation ended without a result"},
      isForAll, isShared,
      [&]() -> std::optional<Result<CacheEntry>> {
        if (cancellation.isRequested())
          return cancelledWait();
        return std::nullopt;
      });
  if (result && isShared)
    result->isFromCache = true;
  ++(result && result->isFromCache ? impl->hits : impl->misses);
  return result;
}

} // namespace nereid::host
