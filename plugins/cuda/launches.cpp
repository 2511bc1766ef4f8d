// launches.cpp - remembers and forgets launches.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "launches.h"

#include <algorithm>

namespace nereid::cuda {

const std::string *Launches::intern(std::string_view name) {
  std::lock_guard lock(mutex);
  auto found = names.find(name);
  if (found == names.end())
    found = names.emplace(name).first;
  return &*found;
}

// Another thread may launch meanwhile; at worst a name is missing in a message.
void Launches::forget(Entry &entry, uint64_t number) noexcept {
  const std::string *name = entry.name.load(std::memory_order_relaxed);
  if (name && entry.number.load(std::memory_order_relaxed) < number)
    entry.name.compare_exchange_strong(name, nullptr,
                                       std::memory_order_relaxed);
}

void Launches::forget(CUstream stream, uint64_t number) noexcept {
  for (Entry &entry : entries)
    if (entry.stream.load(std::memory_order_relaxed) == stream)
      forget(entry, number);
}

void Launches::forgetAll(uint64_t number) noexcept {
  for (Entry &entry : entries)
    forget(entry, number);
}

std::vector<std::string> Launches::pending(bool &isComplete) const {
  std::vector<std::string> found;
  uint64_t end = count(), begin = end - std::min<uint64_t>(end, kCount);
  for (uint64_t number = end; number-- > begin;) {
    const Entry &entry = entries[number % kCount];
    const std::string *name = entry.name.load(std::memory_order_relaxed);
    if (name && std::find(found.begin(), found.end(), *name) == found.end())
      found.push_back(*name);
  }
  // Where all entries are pending, older launches may be too.
  isComplete =
      std::any_of(entries.begin(), entries.end(), [](const Entry &entry) {
        return !entry.name.load(std::memory_order_relaxed);
      });
  return found;
}

} // namespace nereid::cuda
