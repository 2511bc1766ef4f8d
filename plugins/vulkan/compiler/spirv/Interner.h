// Interner.h - a hash table from sequences of words to a number.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_SPIRV_INTERNER_H
#define NEREID_VULKAN_SPIRV_INTERNER_H

#include "Words.h"

namespace nereid::spirv {

/// Keys are copied into one vector: a look-up that finds its key does not
/// allocate.
class Interner {
public:
  Interner() : table(64) {}

  /// The number of \p key; 0 if it is new, and the caller stores one. Valid
  /// until the next call.
  uint32_t &operator[](std::span<const uint32_t> key);

private:
  struct Entry {
    uint32_t hash = 0, first = 0, length = 0, number = 0;
  };

  Entry &find(uint32_t hash, std::span<const uint32_t> key);
  void grow();

  std::vector<Entry> table; // open addressing; its size is a power of two
  size_t used = 0;
  Words keys;
};

} // namespace nereid::spirv

#endif // NEREID_VULKAN_SPIRV_INTERNER_H
