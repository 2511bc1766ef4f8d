// launches.h - which kernels a device may still be running, to name them when
// one has failed.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CUDA_LAUNCHES_H
#define NEREID_CUDA_LAUNCHES_H

#include "api.h"

#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace nereid::cuda {

/// The last launches of a device. CUDA reports a failure of a kernel by the
/// next call of any function, without the kernel.
class Launches {
public:
  /// A name that lives as long as this object. [any-thread]
  const std::string *intern(std::string_view name);

  /// [hot]
  void note(const std::string *name, CUstream stream) noexcept {
    uint64_t number = next.fetch_add(1, std::memory_order_relaxed);
    Entry &entry = entries[number % kCount];
    entry.stream.store(stream, std::memory_order_relaxed);
    entry.name.store(name, std::memory_order_relaxed);
    entry.number.store(number, std::memory_order_relaxed);
  }

  /// The number of launches so far. [any-thread]
  uint64_t count() const noexcept {
    return next.load(std::memory_order_relaxed);
  }
  /// Forgets the launches on `stream` before the launch `number`: they have
  /// succeeded. [any-thread]
  void forget(CUstream stream, uint64_t number) noexcept;
  /// The same for all streams. [any-thread]
  void forgetAll(uint64_t number) noexcept;

  /// The kernels of the launches that are not known to have ended, the latest
  /// first, each once. `isComplete` if there can be no other. [any-thread]
  std::vector<std::string> pending(bool &isComplete) const;

private:
  static constexpr size_t kCount = 64;
  struct Entry {
    std::atomic<const std::string *> name{nullptr};
    std::atomic<CUstream> stream{nullptr};
    std::atomic<uint64_t> number{0};
  };

  void forget(Entry &entry, uint64_t number) noexcept;

  std::array<Entry, kCount> entries;
  std::atomic<uint64_t> next{0};
  std::mutex mutex;
  std::set<std::string, std::less<>> names;
};

} // namespace nereid::cuda

#endif // NEREID_CUDA_LAUNCHES_H
