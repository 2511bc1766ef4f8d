// RemoteCache.cpp - looks entries up on a Redis server, and stores them there.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "cache/RemoteCache.h"

#include "cache/RemoteLane.h"

#include <algorithm>
#include <cstring>

#include <unistd.h>

namespace nereid::host {

using worker::Message;

// An entry that is arriving, or being stored, may take so many timeouts.
static constexpr int timeoutsOfAll = 20;
// What the end of a runtime waits for, so that short programs store too.
static constexpr std::chrono::seconds flushLimit(1);

/// What one process has; a child of fork() makes its own.
struct RemoteCache::State {
  State(const RemoteLane::Options &reading, const RemoteLane::Options &storing)
      : reading(reading), storing(storing) {}

  const pid_t owner = ::getpid();
  // Two, so that no lookup waits for an entry that is being stored.
  RemoteLane reading, storing;
};

// The layout's version is in the name: another one is another key.
static std::string nameOf(const Digest &key) { return "nereid/1/" + key.hex(); }

static std::chrono::milliseconds wholeLimit(const RemoteAddress &address) {
  return address.timeout * timeoutsOfAll;
}

RemoteCache::RemoteCache(RemoteOptions given)
    : options(std::move(given)), text(options.address.text()) {}

RemoteCache::~RemoteCache() {
  State *last = state.load();
  // That of a parent is left alone, with threads that do not exist here.
  if (!last || last->owner != ::getpid())
    return;
  last->storing.drain(flushLimit);
  delete last;
}

RemoteCache::State &RemoteCache::current() {
  State *found = state.load();
  while (!found || found->owner != ::getpid()) {
    const RemoteAddress &address = options.address;
    RemoteLane::Options lane;
    lane.command.words = {options.helper};
    // Whoever grants the server much time has a slow machine or network.
    lane.command.startLimit = std::max<std::chrono::milliseconds>(
        std::chrono::seconds(10), wholeLimit(address));
    lane.open.header = {{"request", "open"},
                        {"host", address.host},
                        {"port", std::to_string(address.port)},
                        {"database", address.database},
                        {"whole_ms", wholeLimit(address).count()}};
    // Not in an argument, which everybody can read, and in blobs, because they
    // may be any bytes.
    lane.open.blobs = {{"user", address.user}, {"password", address.password}};
    lane.limit = wholeLimit(address);
    lane.pause = options.pause;
    lane.failed = [this](const std::string &problem) { warnOnce(problem); };
    auto fresh = std::make_unique<State>(lane, lane);
    if (state.compare_exchange_strong(found, fresh.get()))
      return *fresh.release();
  }
  return *found;
}

void RemoteCache::warnOnce(const std::string &problem) {
  if (!hasWarned.exchange(true) && options.warn)
    options.warn("the remote cache " + text +
                 " is not used for now: " + problem);
}

RemoteLookup RemoteCache::get(const Digest &key) {
  RemoteLane &lane = current().reading;
  auto job = std::make_shared<RemoteJob>();
  const RemoteAddress &address = options.address;
  job->make = [name = nameOf(key), &address, most = options.largestEntry] {
    Message request;
    request.header = {{"request", "get"},
                      {"key", name},
                      {"answer_ms", address.timeout.count()},
                      {"whole_ms", wholeLimit(address).count()},
                      {"most", most}};
    return request;
  };
  RemoteLookup result;
  if (!lane.post(job, SIZE_MAX, UINT64_MAX)) {
    ++skipped;
    result.missReason = "the remote cache is not used for now";
    return result;
  }
  std::optional<Message> answer =
      lane.wait(*job, address.timeout, wholeLimit(address));
  if (!answer) {
    ++failures;
    result.missReason = "the remote cache does not answer";
    return result;
  }
  const std::string *entry = answer->blob("entry");
  if (!entry) {
    auto damage = answer->header.find("damage");
    bool isDamaged = damage != answer->header.end() && damage->is_string();
    ++(isDamaged ? damaged : misses);
    result.missReason =
        isDamaged ? "the remote entry is damaged: " + damage->get<std::string>()
                  : "no remote entry";
    return result;
  }
  std::shared_ptr<char[]> bytes(new char[entry->size()]);
  std::memcpy(bytes.get(), entry->data(), entry->size());
  result.bytes = std::move(bytes);
  result.size = entry->size();
  return result;
}

void RemoteCache::count(bool isGood) { ++(isGood ? hits : damaged); }

void RemoteCache::put(const Digest &key, std::shared_ptr<const char[]> bytes,
                      size_t size) {
  auto job = std::make_shared<RemoteJob>();
  job->size = size;
  job->make = [name = nameOf(key), bytes = std::move(bytes), size,
               limit = wholeLimit(options.address).count()] {
    Message request;
    request.header = {{"request", "put"}, {"key", name}, {"whole_ms", limit}};
    request.blobs.push_back({"entry", std::string(bytes.get(), size)});
    return request;
  };
  job->done = [this](const Message *answer) { ++(answer ? stored : dropped); };
  if (size > options.largestEntry ||
      !current().storing.post(job, options.queuedEntries, options.queuedBytes))
    ++dropped;
}

bool RemoteCache::flush(std::chrono::milliseconds limit) {
  return current().storing.drain(limit);
}

RemoteStat RemoteCache::stat() const {
  return {hits, misses, damaged, failures, skipped, stored, dropped};
}

} // namespace nereid::host
