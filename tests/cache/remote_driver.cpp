// remote_driver.cpp - one process that uses a cache with a remote one behind
// it, for tests that play the server.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   remote_driver HELPER URL DIRECTORY PAUSE_MS
//
// Reads one command a line and answers each with one line:
//   compute NAME    "hit", or "computed: REASON"
//   get NAME        "hit", or "miss: REASON"
//   put NAME        "put"
//   fork NAME       what compute answers in a child
//   size BYTES      of the entries from now on
//   clear           removes the entries of the directory
//   flush           "flushed", or "late"
//   stat            the counters as JSON
//   warnings        as JSON
// Wrong bytes are answered with "wrong".

#include "cache/Cache.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <mutex>
#include <random>

#include <sys/wait.h>
#include <unistd.h>

using namespace nereid::host;
using Json = nlohmann::ordered_json;

namespace {

class Driver {
public:
  explicit Driver(CacheOptions options) : cache(std::move(options)) {}

  std::string run(const std::string &verb, const std::string &name);

  std::mutex mutex;
  std::vector<std::string> warnings;

private:
  CacheValue valueOf(const std::string &name) const;
  std::string judge(const CacheEntry &entry, const std::string &name) const;
  std::string compute(const std::string &name);
  std::string stat();

  Cache cache;
  size_t size = 50'000;
};

} // namespace

// The only right entry of a name.
CacheValue Driver::valueOf(const std::string &name) const {
  std::mt19937_64 random(std::hash<std::string>()(name));
  CacheValue value;
  value.body.resize(size);
  for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
    uint64_t word = random();
    std::memcpy(&value.body[i], &word, std::min(sizeof word, size - i));
  }
  value.metadata = name;
  return value;
}

std::string Driver::judge(const CacheEntry &entry,
                          const std::string &name) const {
  CacheValue expected = valueOf(name);
  bool isAligned = reinterpret_cast<uintptr_t>(entry.body.data()) % 16 == 0;
  bool isRight =
      entry.body == expected.body && entry.metadata == expected.metadata;
  return isRight && isAligned ? "hit" : "wrong";
}

std::string Driver::compute(const std::string &name) {
  std::string reason;
  Result<CacheEntry> entry = cache.getOrCompute(
      sha256(name), [&](const std::string &why) -> Result<CacheValue> {
        reason = "computed: " + why;
        return valueOf(name);
      });
  std::string verdict = entry ? judge(*entry, name) : "wrong";
  return verdict == "hit" && !reason.empty() ? reason : verdict;
}

std::string Driver::stat() {
  RemoteStat stat = cache.stat().ofRemote;
  return Json{{"hits", stat.hits},       {"misses", stat.misses},
              {"damaged", stat.damaged}, {"failures", stat.failures},
              {"skipped", stat.skipped}, {"stored", stat.stored},
              {"dropped", stat.dropped}}
      .dump();
}

std::string Driver::run(const std::string &verb, const std::string &name) {
  if (verb == "compute")
    return compute(name);
  if (verb == "get") {
    CacheLookup lookup = cache.get(sha256(name));
    return lookup.entry ? judge(*lookup.entry, name)
                        : "miss: " + lookup.missReason;
  }
  if (verb == "put")
    return judge(cache.put(sha256(name), valueOf(name)), name) == "hit"
               ? "put"
               : "wrong";
  if (verb == "fork") {
    std::cout.flush();
    pid_t child = ::fork();
    if (child == 0) {
      std::cout << compute(name) << std::endl;
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status == 0 ? "" : "wrong";
  }
  if (verb == "size") {
    size = std::strtoull(name.c_str(), nullptr, 10);
    return "size";
  }
  if (verb == "clear") {
    cache.clear();
    return "clear";
  }
  if (verb == "flush")
    return cache.flush(std::chrono::minutes(2)) ? "flushed" : "late";
  if (verb == "stat")
    return stat();
  if (verb == "warnings") {
    std::lock_guard lock(mutex);
    return Json(warnings).dump();
  }
  return "unknown command";
}

int main(int count, char **words) {
  if (count != 5)
    return 1;
  RemoteOptions remote;
  Result<RemoteAddress> address = RemoteAddress::parse(words[2]);
  if (!address) {
    std::cerr << address.failure().text << '\n';
    return 1;
  }
  Driver *driver = nullptr;
  auto warn = [&](const std::string &text) {
    std::lock_guard lock(driver->mutex);
    driver->warnings.push_back(text);
  };
  remote.address = *address;
  remote.helper = words[1];
  remote.warn = warn;
  remote.pause = std::chrono::milliseconds(std::atoll(words[4]));
  CacheOptions options;
  options.directory = words[3];
  options.warn = warn;
  options.remote = std::make_shared<RemoteCache>(std::move(remote));
  Driver used(std::move(options));
  driver = &used;
  std::string verb, name;
  for (std::string line; std::getline(std::cin, line);) {
    size_t space = line.find(' ');
    verb = line.substr(0, space);
    name = space == line.npos ? "" : line.substr(space + 1);
    if (std::string answer = driver->run(verb, name); !answer.empty())
      std::cout << answer << std::endl;
  }
}
