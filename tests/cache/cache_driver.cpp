// cache_driver.cpp - one process that uses the cache, for tests that kill it,
// make its system calls fail, or run many of it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The exit code tells how it went, because the system calls that would print it
// may be the ones that fail:
//   0  as it should be
//   1  wrong use of this program
//   2  wrong bytes, or no result
//   3  more than one warning
//   4  a damaged entry or a leftover where none may be

#include "cache/Cache.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

using namespace nereid::host;

namespace {

enum ExitCode { Good = 0, Usage = 1, WrongResult = 2, Warned = 3, Dirty = 4 };

int warnings = 0;

CacheOptions makeOptions(const char *directory) {
  CacheOptions options;
  options.directory = directory;
  options.stampAge = std::chrono::seconds(0); // every hit renews its stamp
  // Not printed: the call that prints may be the one that fails.
  options.warn = [](const std::string &) { ++warnings; };
  return options;
}

/// The only right entry of a name: 50 kB that no other name has.
CacheValue valueOf(const std::string &name) {
  std::minstd_rand random(unsigned(std::hash<std::string>()(name)));
  CacheValue value;
  while (value.body.size() < 50'000)
    value.body += char(random());
  value.metadata = name;
  return value;
}

bool isRight(const CacheEntry &entry, const std::string &name) {
  CacheValue expected = valueOf(name);
  return entry.body == expected.body && entry.metadata == expected.metadata;
}

/// Tells a tracer that what it waits for begins here.
void mark() { (void)::access("/nereid-test-begins", F_OK); }

ExitCode verdict(bool isGood) {
  if (!isGood)
    return WrongResult;
  return warnings > 1 ? Warned : Good;
}

ExitCode put(const char *directory, const std::string &name) {
  CacheValue value = valueOf(name);
  Cache cache(makeOptions(directory));
  mark();
  return verdict(isRight(cache.put(sha256(name), value), name));
}

ExitCode get(const char *directory, const std::string &name) {
  Cache cache(makeOptions(directory));
  mark();
  CacheLookup lookup = cache.get(sha256(name));
  return verdict(!lookup.entry || isRight(*lookup.entry, name));
}

ExitCode compute(const char *directory, const std::string &name) {
  Cache cache(makeOptions(directory));
  CacheValue value = valueOf(name);
  mark();
  Result<CacheEntry> entry =
      cache.getOrCompute(sha256(name), [&](const std::string &) {
        return Result<CacheValue>(value);
      });
  return verdict(entry && isRight(*entry, name));
}

ExitCode collect(const char *directory, const char *limit) {
  Cache cache(makeOptions(directory));
  mark();
  cache.collect(std::strtoull(limit, nullptr, 10));
  return verdict(true);
}

/// What must hold after anything happened to the cache: no entry is damaged,
/// the next process gets its result at once, and no leftover outlives a
/// collection.
ExitCode recover(const char *directory, const std::string &name) {
  CacheOptions options = makeOptions(directory);
  options.waitLimit = std::chrono::hours(1); // nobody may be waited for
  Cache cache(options);
  if (!cache.verify().damaged.empty() || cache.stat().repaired)
    return Dirty;
  Result<CacheEntry> entry =
      cache.getOrCompute(sha256(name), [&](const std::string &) {
        return Result<CacheValue>(valueOf(name));
      });
  if (!entry || !isRight(*entry, name) || entry->path.empty())
    return WrongResult;
  cache.collect(UINT64_MAX);
  for (const auto &item :
       std::filesystem::recursive_directory_iterator(directory))
    if (item.path().filename().string().starts_with("tmp."))
      return Dirty;
  return verdict(true);
}

/// Asks for \p count entries in an order of its own. Each computation takes
/// 20 ms and adds a line to \p log.
ExitCode share(const char *directory, int count, const char *log) {
  int file = ::open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::minstd_rand(::getpid()));
  CacheOptions options = makeOptions(directory);
  options.warn = [](const std::string &text) {
    std::fprintf(stderr, "warning: %s\n", text.c_str());
    ++warnings; // nothing here is a reason to warn
  };
  Cache cache(options);
  bool isGood = file >= 0;
  for (int number : order) {
    std::string name = "kernel " + std::to_string(number);
    Result<CacheEntry> entry = cache.getOrCompute(
        sha256(name), [&](const std::string &) -> Result<CacheValue> {
          std::string line = name + "\n";
          isGood &=
              ::write(file, line.data(), line.size()) == ssize_t(line.size());
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          return valueOf(name);
        });
    isGood &= entry && isRight(*entry, name);
  }
  return warnings ? Warned : verdict(isGood);
}

/// Collects until it is killed.
ExitCode keepCollecting(const char *directory) {
  Cache cache(makeOptions(directory));
  for (;;) {
    cache.collect(UINT64_MAX);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Whether the entry, in a cache that works as far as it can, has a file to
/// load from; no warning is fine then.
ExitCode expectPath(const char *directory, const std::string &name, bool has) {
  Cache cache(makeOptions(directory));
  for (int i = 0; i < 2; ++i) {
    Result<CacheEntry> entry =
        cache.getOrCompute(sha256(name), [&](const std::string &) {
          return Result<CacheValue>(valueOf(name));
        });
    if (!entry || !isRight(*entry, name) || entry->path.empty() == has)
      return WrongResult;
  }
  return verdict(true);
}

/// Whether a raised process has no default directory.
ExitCode expectNoDefault() {
  return defaultCacheDirectory() ? WrongResult : Good;
}

} // namespace

int main(int count, char **words) {
  auto is = [&](const char *verb, int expected) {
    return count == expected + 2 && !std::strcmp(words[1], verb);
  };
  if (is("put", 2))
    return put(words[2], words[3]);
  if (is("get", 2))
    return get(words[2], words[3]);
  if (is("compute", 2))
    return compute(words[2], words[3]);
  if (is("collect", 2))
    return collect(words[2], words[3]);
  if (is("recover", 2))
    return recover(words[2], words[3]);
  if (is("share", 3))
    return share(words[2], std::atoi(words[3]), words[4]);
  if (is("keep-collecting", 1))
    return keepCollecting(words[2]);
  if (is("expect-path", 2))
    return expectPath(words[2], words[3], true);
  if (is("expect-no-path", 2))
    return expectPath(words[2], words[3], false);
  if (is("expect-no-default", 0))
    return expectNoDefault();
  return Usage;
}
