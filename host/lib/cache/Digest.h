// Digest.h - SHA-256, which names cache entries.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A name must never be shared by two kernels, so it is a cryptographic hash. It
// is implemented here because no library for it is packaged in
// all supported systems in a form that can be linked hidden. The integrity of
// an entry is checked with XXH3 instead (CacheRecord.h).

#ifndef NEREID_HOST_CACHE_DIGEST_H
#define NEREID_HOST_CACHE_DIGEST_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nereid::host {

/// A SHA-256 value.
struct Digest {
  std::array<uint8_t, 32> bytes = {};

  /// 64 lower-case hexadecimal digits.
  std::string hex() const;
  /// The inverse of hex(); nothing if \p text is anything else.
  static std::optional<Digest> fromHex(std::string_view text);

  bool operator==(const Digest &) const = default;
};

/// The SHA-256 value of \p bytes.
Digest sha256(std::string_view bytes);

/// SHA-256 of bytes that come in pieces.
class Sha256 {
public:
  void update(std::string_view bytes);
  /// The value of all bytes so far. Nothing may be added afterwards.
  Digest finish();

private:
  void compress(const uint8_t *block);

  std::array<uint32_t, 8> state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                   0xa54ff53a, 0x510e527f, 0x9b05688c,
                                   0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending = {};
  uint64_t length = 0; // bytes so far
};

} // namespace nereid::host

/// Digests are uniform: their first bytes are as good as any hash of them.
template <> struct std::hash<nereid::host::Digest> {
  size_t operator()(const nereid::host::Digest &digest) const {
    size_t value = 0;
    for (size_t i = 0; i < sizeof value; ++i)
      value = value << 8 | digest.bytes[i];
    return value;
  }
};

#endif // NEREID_HOST_CACHE_DIGEST_H
