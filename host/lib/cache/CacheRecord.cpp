// CacheRecord.cpp - the bytes of a cache entry.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "cache/CacheRecord.h"

#include "support/Integrity.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace nereid::host {

static constexpr std::string_view magic = "nereidCE";
static constexpr uint32_t layoutVersion = 1;
static constexpr size_t digestSize = integritySize;

// Where the fields of the record are.
enum Offset : size_t {
  atMagic = 0,
  atVersion = 8,
  atRecordSize = 12,
  atKey = 16,
  atBodySize = 48,
  atMetadataSize = 56,
  atReserved = 64,
  atDigest = 80
};
static_assert(atDigest + digestSize == cacheRecordSize);

void encodeCacheRecord(const CacheRecord &record, std::span<char> out) {
  assert(out.size() == encodedSize(record) && "the buffer fits the entry");
  char *next = std::ranges::copy(record.body, out.data()).out;
  next = std::ranges::copy(record.metadata, next).out;
  std::fill_n(next, cacheRecordSize, 0);
  std::ranges::copy(magic, next + atMagic);
  putLittle<uint32_t>(next + atVersion, layoutVersion);
  putLittle<uint32_t>(next + atRecordSize, cacheRecordSize);
  std::ranges::copy(record.key.bytes, next + atKey);
  putLittle<uint64_t>(next + atBodySize, record.body.size());
  putLittle<uint64_t>(next + atMetadataSize, record.metadata.size());
  Integrity digest = integrityOf({out.data(), out.size() - digestSize});
  std::ranges::copy(digest, next + atDigest);
}

static Failure damaged(std::string text) {
  return {NEREID_IO_ERROR, std::move(text)};
}

Result<CacheRecord> parseCacheRecord(std::string_view file) {
  if (file.size() < cacheRecordSize)
    return damaged(std::to_string(file.size()) + " bytes, expected at least " +
                   std::to_string(cacheRecordSize));
  const char *record = file.data() + file.size() - cacheRecordSize;
  if (std::string_view(record + atMagic, magic.size()) != magic)
    return damaged("does not end in a record");
  Integrity digest = integrityOf(file.substr(0, file.size() - digestSize));
  if (std::memcmp(digest.data(), record + atDigest, digestSize) != 0)
    return damaged("digest does not match the contents");

  // From here on the bytes are intact, but another version may have written
  // them.
  auto version = getLittle<uint32_t>(record + atVersion);
  if (version != layoutVersion)
    return damaged("layout version " + std::to_string(version) + ", expected " +
                   std::to_string(layoutVersion));
  auto recordSize = getLittle<uint32_t>(record + atRecordSize);
  if (recordSize != cacheRecordSize)
    return damaged("record of " + std::to_string(recordSize) +
                   " bytes, expected " + std::to_string(cacheRecordSize));
  if (!std::all_of(record + atReserved, record + atDigest,
                   [](char byte) { return byte == 0; }))
    return damaged("reserved bytes are not zero");
  auto bodySize = getLittle<uint64_t>(record + atBodySize);
  auto metadataSize = getLittle<uint64_t>(record + atMetadataSize);
  uint64_t available = file.size() - cacheRecordSize;
  if (bodySize > available || metadataSize != available - bodySize)
    return damaged("lengths do not add up to the size of the file");

  CacheRecord result;
  std::copy_n(record + atKey, result.key.bytes.size(),
              result.key.bytes.begin());
  result.body = file.substr(0, bodySize);
  result.metadata = file.substr(bodySize, metadataSize);
  return result;
}

} // namespace nereid::host
