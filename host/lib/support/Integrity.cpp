// Integrity.cpp - XXH3-128.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "support/Integrity.h"

// Compiled in, so that nothing of it is visible outside.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

namespace nereid::host {

Integrity integrityOf(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical,
                           XXH3_128bits(bytes.data(), bytes.size()));
  Integrity digest;
  static_assert(sizeof canonical.digest == integritySize);
  std::memcpy(digest.data(), canonical.digest, integritySize);
  return digest;
}

} // namespace nereid::host
