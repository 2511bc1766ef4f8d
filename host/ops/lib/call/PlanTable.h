// PlanTable.h - what is known about calls, by key: read without a lock.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_CALL_PLAN_TABLE_H
#define NEREID_OPS_CALL_PLAN_TABLE_H

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace nereid::ops {

using KeyWords = std::span<const uint64_t>;

/// All bits of both halves of a wide product.
inline uint64_t mix(uint64_t a, uint64_t b) {
  auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

/// Two sums at once, so that one product does not wait for the one before.
inline uint64_t hashOf(KeyWords key) {
  constexpr uint64_t odd = 0x9e3779b97f4a7c15u, other = 0xd1b54a32d192ed03u;
  uint64_t left = key.size() ^ odd, right = other;
  size_t at = 0;
  for (; at + 4 <= key.size(); at += 4) {
    left = mix(left ^ key[at], key[at + 1] ^ odd);
    right = mix(right ^ key[at + 2], key[at + 3] ^ other);
  }
  for (; at < key.size(); ++at)
    left = mix(left ^ key[at], odd);
  return mix(left ^ odd, right ^ other);
}

/// Keys with their values, which stay until the table ends. find() may run
/// while another thread adds.
template <typename Value> class PlanTable {
public:
  PlanTable() { slots.store(grow(16)); }
  PlanTable(const PlanTable &) = delete;
  PlanTable &operator=(const PlanTable &) = delete;

  /// Null if the key is not known.
  const Value *find(KeyWords key) const {
    uint64_t hash = hashOf(key);
    const Slots *now = slots.load(std::memory_order_acquire);
    for (uint64_t at = hash;; ++at) {
      const Entry *entry =
          now->entries[at & now->mask].load(std::memory_order_acquire);
      if (!entry)
        return nullptr;
      if (entry->hash == hash && entry->key.size() == key.size() &&
          std::memcmp(entry->key.data(), key.data(), key.size_bytes()) == 0)
        return entry->value.get();
    }
  }

  /// The value of the key: \p value, or the one that is there already.
  const Value *add(KeyWords key, std::unique_ptr<const Value> value) {
    std::lock_guard lock(mutex);
    if (const Value *known = find(key))
      return known;
    Slots *now = slots.load(std::memory_order_relaxed);
    if (2 * (owned.size() + 1) > now->mask + 1) {
      Slots *larger = grow(2 * (now->mask + 1));
      for (const auto &entry : owned)
        place(*larger, entry.get());
      slots.store(larger, std::memory_order_release);
      now = larger;
    }
    owned.push_back(std::make_unique<Entry>(
        Entry{hashOf(key), {key.begin(), key.end()}, std::move(value)}));
    place(*now, owned.back().get());
    return owned.back()->value.get();
  }

  size_t size() const {
    std::lock_guard lock(mutex);
    return owned.size();
  }

private:
  struct Entry {
    uint64_t hash;
    std::vector<uint64_t> key;
    std::unique_ptr<const Value> value;
  };
  struct Slots {
    uint64_t mask;
    std::unique_ptr<std::atomic<const Entry *>[]> entries;
  };

  // Readers may still use a smaller one, so none is freed before the table.
  Slots *grow(uint64_t count) {
    versions.push_back(std::make_unique<Slots>(Slots{
        count - 1, std::make_unique<std::atomic<const Entry *>[]>(count)}));
    return versions.back().get();
  }
  static void place(Slots &into, const Entry *entry) {
    uint64_t at = entry->hash;
    while (into.entries[at & into.mask].load(std::memory_order_relaxed))
      ++at;
    into.entries[at & into.mask].store(entry, std::memory_order_release);
  }

  mutable std::mutex mutex;
  std::vector<std::unique_ptr<Slots>> versions;
  std::vector<std::unique_ptr<Entry>> owned;
  std::atomic<Slots *> slots;
};

} // namespace nereid::ops

#endif // NEREID_OPS_CALL_PLAN_TABLE_H
