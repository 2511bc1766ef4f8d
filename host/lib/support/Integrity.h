// Integrity.h - the digest that finds damage in files, and little-endian
// numbers.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_SUPPORT_INTEGRITY_H
#define NEREID_HOST_SUPPORT_INTEGRITY_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nereid::host {

inline constexpr size_t integritySize = 16;

/// XXH3-128 in its canonical byte order. Finds accidents; who wants to can
/// change a file together with its digest.
using Integrity = std::array<uint8_t, integritySize>;
Integrity integrityOf(std::string_view bytes);

template <typename Word> void putLittle(char *out, Word value) {
  for (size_t i = 0; i < sizeof value; ++i)
    out[i] = static_cast<char>(value >> (8 * i));
}

template <typename Word> Word getLittle(const char *in) {
  Word value = 0;
  for (size_t i = 0; i < sizeof value; ++i)
    value |= static_cast<Word>(static_cast<uint8_t>(in[i])) << (8 * i);
  return value;
}

} // namespace nereid::host

#endif // NEREID_HOST_SUPPORT_INTEGRITY_H
