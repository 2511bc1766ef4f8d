// state.h - the state of the plugin between calls.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_STATE_H
#define NEREID_CPU_STATE_H

#include "common/compiler_part.h"
#include "compiler_interface.h"
#include "common/fork_guard.h"
#include "host_cpu.h"
#include "memory.h"
#include "pool.h"
#include "services.h"

#include <cstdio>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace nereid::cpu {

/// Faults of launches whose caller passed no record to write them to, until the
/// next synchronize of their stream. [any-thread]
class Faults {
public:
  void add(uint64_t stream, const std::string &message) {
    std::lock_guard lock(mutex);
    pending.try_emplace(stream, message);
  }

  /// Moves the fault of `stream` to `message`; false if there is none.
  bool take(uint64_t stream, std::string &message) {
    std::lock_guard lock(mutex);
    auto found = pending.find(stream);
    if (found == pending.end())
      return false;
    message = std::move(found->second);
    pending.erase(found);
    return true;
  }

  /// Removes the faults of all streams.
  std::vector<std::string> takeAll() {
    std::lock_guard lock(mutex);
    std::vector<std::string> messages;
    for (auto &[stream, message] : pending)
      messages.push_back(std::move(message));
    pending.clear();
    return messages;
  }

private:
  plugin::ForkSafeMutex mutex;
  std::map<uint64_t, std::string> pending;
};

/// Memory that is written to evict the caches. Allocated once: its page faults
/// take ten times as long as writing it.
struct CacheSweep final : plugin::ForkAware {
  Memory &memory;
  std::mutex mutex; // held while it is written
  void *block = nullptr;

  explicit CacheSweep(Memory &memory) : memory(memory) {
    plugin::ForkGuard::add(this);
  }
  ~CacheSweep() {
    plugin::ForkGuard::remove(this);
    memory.free(block);
  }

private:
  // The thread that held it does not exist in the child; the guarded data is
  // always consistent.
  void resetAfterFork() override { new (&mutex) std::mutex; }
};

} // namespace nereid::cpu

struct nereid_state_t {
  nereid_state_t(const nereid_host_t *host, unsigned threads,
                 uint64_t keepMemory, nereid::cpu::Printing printing,
                 bool poisonsScratch);

  /// Detected on the first call. [any-thread]
  const nereid::cpu::HostSizes &sizes();

  const nereid::cpu::HostCpu cpu;
  const std::string features; // of the target
  const nereid::cpu::Printing printing;
  /// Scratch is filled with a pattern before each program, so that reads of
  /// uninitialized scratch show. For tests.
  const bool poisonsScratch;
  nereid::cpu::Memory memory;
  nereid::cpu::CacheSweep sweep{memory};
  nereid::cpu::Faults faults;
  /// Held while the dynamic loader opens or closes an image: its own lock stays
  /// locked in a child that is forked meanwhile.
  nereid::plugin::ForkSafeMutex loading;
  nereid::plugin::CompilerPart compiler;
  std::atomic<uint64_t> nextStream{1};
  nereid::plugin::ForkSafeMutex sizesMutex;
  std::optional<nereid::cpu::HostSizes> knownSizes; // guarded by sizesMutex
  nereid::cpu::Pool pool; // last: its threads end first
};

#endif // NEREID_CPU_STATE_H
