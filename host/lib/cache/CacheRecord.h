// CacheRecord.h - the bytes of a cache entry: how they are laid out and how
// they are checked.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   offset                     what
//   0                          body, as the compiler made it
//   body size                  metadata, which only its owner understands
//   body size + metadata size  the record, 96 bytes, all integers
//   little-endian:
//     0   8  magic "nereidCE"
//     8   4  version of this layout, 1
//     12  4  size of the record, 96
//     16 32  key: SHA-256 of what the body was made from
//     48  8  body size
//     56  8  metadata size
//     64 16  reserved, zero
//     80 16  XXH3-128 of every byte before it, body and metadata included
//
// The record is at the end so that the file starts with the image: a shared
// object is loaded from the file itself, and debuggers and profilers find its
// file.

#ifndef NEREID_HOST_CACHE_CACHE_RECORD_H
#define NEREID_HOST_CACHE_CACHE_RECORD_H

#include "cache/Digest.h"
#include "support/Result.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace nereid::host {

inline constexpr size_t cacheRecordSize = 96;

/// An entry, as views into its bytes.
struct CacheRecord {
  Digest key;
  std::string_view body;
  std::string_view metadata;
};

/// The size of the file that holds \p record.
inline uint64_t encodedSize(const CacheRecord &record) {
  return record.body.size() + record.metadata.size() + cacheRecordSize;
}

/// Writes \p record to \p out, whose size is encodedSize(record).
void encodeCacheRecord(const CacheRecord &record, std::span<char> out);

/// Reads an entry from all bytes of its file. Any changed bit and any
/// other length is a failure that reports what was found. Accepts exactly what
/// encodeCacheRecord() writes.
Result<CacheRecord> parseCacheRecord(std::string_view file);

} // namespace nereid::host

#endif // NEREID_HOST_CACHE_CACHE_RECORD_H
