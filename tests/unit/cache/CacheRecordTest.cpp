// CacheRecordTest.cpp - the bytes of an entry.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "cache/CacheRecord.h"

#include <gtest/gtest.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace nereid::host;

static std::string encode(std::string_view body, std::string_view metadata) {
  CacheRecord record{sha256("key"), body, metadata};
  std::string file(encodedSize(record), '\0');
  encodeCacheRecord(record, file);
  return file;
}

TEST(CacheRecord, DecodesWhatWasEncoded) {
  for (std::string body : {"", "b", "a body"})
    for (std::string metadata : {"", "m", "some metadata"}) {
      std::string file = encode(body, metadata);
      Result<CacheRecord> record = parseCacheRecord(file);
      ASSERT_TRUE(record) << record.failure().text;
      EXPECT_EQ(record->body, body);
      EXPECT_EQ(record->metadata, metadata);
      EXPECT_EQ(record->key, sha256("key"));
    }
}

TEST(CacheRecord, StartsWithTheBody) {
  EXPECT_TRUE(encode("\177ELF and more", "m").starts_with("\177ELF and more"));
}

// The layout that files of version 1 have, on machines of any byte order.
TEST(CacheRecord, HasTheDocumentedLayout) {
  std::string file = encode("body", "meta!");
  ASSERT_EQ(file.size(), 4u + 5u + 96u);
  EXPECT_EQ(file.substr(0, 9), "bodymeta!");
  std::string record = file.substr(9);
  EXPECT_EQ(record.substr(0, 8), "nereidCE");
  EXPECT_EQ(record.substr(8, 8), std::string("\1\0\0\0\x60\0\0\0", 8));
  EXPECT_EQ(record.substr(48, 16),
            std::string("\4\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(record.substr(64, 16), std::string(16, '\0'));
}

TEST(CacheRecord, CatchesEveryFlippedBit) {
  std::string file = encode("a body of some length", "metadata");
  for (size_t bit = 0; bit < file.size() * 8; ++bit) {
    std::string changed = file;
    changed[bit / 8] = char(changed[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(parseCacheRecord(changed)) << "bit " << bit;
  }
}

TEST(CacheRecord, CatchesEveryTruncationAtBothEnds) {
  std::string file = encode(std::string(300, 'b'), "metadata");
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(parseCacheRecord(std::string_view(file).substr(0, size)));
    EXPECT_FALSE(
        parseCacheRecord(std::string_view(file).substr(file.size() - size)));
  }
}

TEST(CacheRecord, CatchesAddedBytes) {
  std::string file = encode("body", "metadata");
  EXPECT_FALSE(parseCacheRecord(file + '\0'));
  EXPECT_FALSE(parseCacheRecord('\0' + file));
  EXPECT_FALSE(parseCacheRecord(file + file));
}

TEST(CacheRecord, CatchesZeroFill) {
  std::string file = encode(std::string(5000, 'b'), "metadata");
  EXPECT_FALSE(parseCacheRecord(std::string(file.size(), '\0')));
  for (size_t from = 0; from < file.size(); from += 512) {
    std::string changed = file;
    std::fill(changed.begin() + from, changed.end(), '\0');
    EXPECT_FALSE(parseCacheRecord(changed)) << "from " << from;
  }
}

TEST(CacheRecord, ReportsWhatIsWrong) {
  EXPECT_EQ(parseCacheRecord("").failure().text,
            "0 bytes, expected at least 96");
  EXPECT_EQ(parseCacheRecord(std::string(96, 'x')).failure().text,
            "does not end in a record");
  std::string file = encode("body", "metadata");
  file[0] = 'B';
  EXPECT_EQ(parseCacheRecord(file).failure().text,
            "digest does not match the contents");
}

// What a faulty or a later writer may leave: the digest is right, but the
// record says something else.
static std::string parseSealed(std::string file) {
  XXH128_canonical_t digest;
  XXH128_canonicalFromHash(&digest,
                           XXH3_128bits(file.data(), file.size() - 16));
  file.replace(file.size() - 16, 16,
               reinterpret_cast<const char *>(digest.digest), 16);
  Result<CacheRecord> record = parseCacheRecord(file);
  return record ? "accepted" : record.failure().text;
}

TEST(CacheRecord, RefusesInvalidRecordsWithAValidDigest) {
  std::string good = encode("body", "metadata");
  auto changed = [&](size_t offsetInRecord, char byte) {
    std::string file = good;
    file[file.size() - 96 + offsetInRecord] = byte;
    return parseSealed(file);
  };
  EXPECT_EQ(parseSealed(good), "accepted");
  EXPECT_EQ(changed(0, 'N'), "does not end in a record");
  EXPECT_EQ(changed(8, 2), "layout version 2, expected 1");
  EXPECT_EQ(changed(12, 97), "record of 97 bytes, expected 96");
  const char *lengths = "lengths do not add up to the size of the file";
  EXPECT_EQ(changed(48, 3), lengths);
  EXPECT_EQ(changed(48, 100), lengths);
  EXPECT_EQ(changed(55, char(0xff)), lengths);
  EXPECT_EQ(changed(63, char(0xff)), lengths);
  for (size_t offset = 64; offset < 80; ++offset)
    EXPECT_EQ(changed(offset, 1), "reserved bytes are not zero");
}

TEST(CacheRecord, RefusesLengthsWhoseSumWrapsAround) {
  std::string file = encode("body", "metadata");
  std::string_view largest("\xff\xff\xff\xff\xff\xff\xff\xff", 8);
  std::string_view remainder("\x0d\0\0\0\0\0\0\0", 8); // 12 - (2^64 - 1)
  file.replace(file.size() - 96 + 48, 8, largest);
  file.replace(file.size() - 96 + 56, 8, remainder);
  EXPECT_EQ(parseSealed(file), "lengths do not add up to the size of the file");
}
