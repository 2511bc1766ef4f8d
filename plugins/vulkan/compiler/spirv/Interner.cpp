// Interner.cpp - a hash table from sequences of words to a number.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Interner.h"

#include <algorithm>

namespace nereid::spirv {

static uint32_t hashOf(std::span<const uint32_t> key) {
  uint64_t hash = key.size();
  for (uint32_t word : key)
    hash = (hash ^ word) * 0x9e3779b97f4a7c15 + (hash >> 29);
  return static_cast<uint32_t>(hash >> 32);
}

Interner::Entry &Interner::find(uint32_t hash, std::span<const uint32_t> key) {
  for (size_t at = hash;; ++at) {
    Entry &entry = table[at & (table.size() - 1)];
    if (entry.length == 0 ||
        (entry.hash == hash &&
         std::ranges::equal(
             key, std::span(keys).subspan(entry.first, entry.length))))
      return entry;
  }
}

void Interner::grow() {
  std::vector<Entry> old(table.size() * 2);
  old.swap(table);
  for (const Entry &entry : old)
    if (entry.length)
      find(entry.hash, std::span(keys).subspan(entry.first, entry.length)) =
          entry;
}

uint32_t &Interner::operator[](std::span<const uint32_t> key) {
  if (used * 2 >= table.size())
    grow();
  uint32_t hash = hashOf(key);
  Entry &entry = find(hash, key);
  if (entry.length == 0) {
    entry = {hash, uint32_t(keys.size()), uint32_t(key.size()), 0};
    keys.insert(keys.end(), key.begin(), key.end());
    ++used;
  }
  return entry.number;
}

} // namespace nereid::spirv
