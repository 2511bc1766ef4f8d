// CorruptionTest.cpp - every damage to a file of the cache is found before its
// bytes reach anybody, and repaired by the next computation.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CacheFixture.h"

#include "cache/CacheRecord.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace nereid::host;

namespace {
class Corruption : public CacheFixture {
protected:
  Corruption() : cache(options) {
    for (int i = 0; i < 2000; ++i)
      value.body += char(i * 7);
    value.metadata = "{\"name\": \"kernel\"}";
    good = entryBytes();
  }

  std::string entryBytes() {
    cache.put(key, value);
    return read(pathOf(key));
  }

  /// Puts \p bytes in the place of the entry and reads it.
  void expectCaught(const std::string &bytes, const std::string &what) {
    write(pathOf(key), bytes);
    uint64_t repaired = cache.stat().repaired;
    CacheLookup lookup = cache.get(key);
    EXPECT_FALSE(lookup.entry) << what;
    EXPECT_TRUE(lookup.missReason.starts_with("entry is damaged: "))
        << what << ": " << lookup.missReason;
    EXPECT_FALSE(std::filesystem::exists(pathOf(key))) << what;
    EXPECT_EQ(cache.stat().repaired, repaired + 1) << what;
  }

  Cache cache;
  Digest key = keyOf("a kernel");
  CacheValue value;
  std::string good;
};
} // namespace

TEST_F(Corruption, OfEveryBitOfTheRecord) {
  size_t start = (good.size() - cacheRecordSize) * 8;
  for (size_t bit = start; bit < good.size() * 8; ++bit) {
    std::string bytes = good;
    bytes[bit / 8] = char(bytes[bit / 8] ^ (1 << (bit % 8)));
    expectCaught(bytes,
                 "bit " + std::to_string(bit - start) + " of the record");
  }
}

TEST_F(Corruption, OfABitOfEveryByteOfBodyAndMetadata) {
  for (size_t byte = 0; byte < good.size() - cacheRecordSize; ++byte) {
    std::string bytes = good;
    bytes[byte] = char(bytes[byte] ^ (1 << (byte % 8)));
    expectCaught(bytes, "byte " + std::to_string(byte));
  }
}

TEST_F(Corruption, ByTruncationToEveryLength) {
  for (size_t size = 0; size < good.size(); ++size)
    expectCaught(good.substr(0, size), std::to_string(size) + " bytes");
}

TEST_F(Corruption, ByZeros) {
  expectCaught(std::string(good.size(), '\0'), "all zeros");
  for (size_t from = 0; from < good.size(); from += 256) {
    std::string bytes = good;
    std::fill(bytes.begin() + from, bytes.end(), '\0');
    expectCaught(bytes, "zeros from " + std::to_string(from));
  }
}

TEST_F(Corruption, BySwappedEntries) {
  Digest other = keyOf("another kernel");
  cache.put(other, {"another body", {}});
  std::filesystem::path spare = folder / "spare";
  std::filesystem::rename(pathOf(key), spare);
  std::filesystem::rename(pathOf(other), pathOf(key));
  std::filesystem::rename(spare, pathOf(other));

  EXPECT_EQ(cache.get(key).missReason,
            "entry is damaged: it is the entry " + other.hex());
  EXPECT_EQ(cache.get(other).missReason,
            "entry is damaged: it is the entry " + key.hex());
}

TEST_F(Corruption, IsRepairedByTheNextComputation) {
  std::string bytes = good;
  bytes[10] ^= 1;
  write(pathOf(key), bytes);
  std::string reason;
  Result<CacheEntry> entry =
      cache.getOrCompute(key, [&](const std::string &why) {
        reason = why;
        return Result<CacheValue>(value);
      });
  ASSERT_TRUE(entry);
  EXPECT_EQ(reason, "entry is damaged: digest does not match the contents");
  EXPECT_EQ(read(pathOf(key)), good);
  EXPECT_TRUE(cache.get(key).entry);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(Corruption, ByThingsThatAreNotFiles) {
  auto expectUnfit = [&](const std::string &why) {
    EXPECT_EQ(cache.get(key).missReason, "entry is damaged: " + why);
    EXPECT_FALSE(std::filesystem::is_symlink(pathOf(key))) << why;
  };
  std::filesystem::remove(pathOf(key));
  std::filesystem::create_symlink("/etc/passwd", pathOf(key));
  expectUnfit("a symbolic link");
  ASSERT_EQ(::mkfifo(pathOf(key).c_str(), 0600), 0);
  expectUnfit("not a regular file");
  write(pathOf(key), good);
  ASSERT_EQ(::chmod(pathOf(key).c_str(), 0666), 0);
  expectUnfit("others can write it");
}

TEST_F(Corruption, ByAnotherOwner) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give a file away";
  ASSERT_EQ(::chown(pathOf(key).c_str(), 65534, 65534), 0);
  EXPECT_EQ(cache.get(key).missReason, "entry is damaged: owned by user 65534");
}

TEST_F(Corruption, ByADirectoryInTheEntrysPlaceIsNotAnError) {
  std::filesystem::remove(pathOf(key));
  std::filesystem::create_directory(pathOf(key));
  EXPECT_EQ(cache.get(key).missReason, "entry is damaged: not a regular file");
  Result<CacheEntry> entry = cache.getOrCompute(
      key, [&](const std::string &) { return Result<CacheValue>(value); });
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->body, value.body);
  EXPECT_EQ(entry->path, pathOf(key));
  EXPECT_TRUE(warnings.empty());
}

TEST_F(Corruption, IsListedAndRemovedByVerify) {
  for (int i = 0; i < 10; ++i)
    cache.put(keyOf(std::to_string(i)), value);
  std::string bytes = good;
  bytes.back() ^= 1;
  write(pathOf(key), bytes);
  CacheVerification verification = cache.verify();
  EXPECT_EQ(verification.entries, 11u);
  ASSERT_EQ(verification.damaged.size(), 1u);
  EXPECT_EQ(verification.damaged[0].file, pathOf(key));
  EXPECT_EQ(verification.damaged[0].reason,
            "entry is damaged: digest does not match the contents");
  EXPECT_TRUE(verification.damaged[0].isRemoved);
  EXPECT_EQ(cache.verify().damaged.size(), 0u);
  EXPECT_EQ(cache.stat().entries, 10u);
}

TEST_F(Corruption, ADirectoryIsRemovedWithItsContentsButNotLinkTargets) {
  std::filesystem::path other = folder / "other";
  std::filesystem::create_directory(other);
  write(other / "file", "somebody's");
  std::filesystem::remove(pathOf(key));
  std::filesystem::create_directories(pathOf(key) / "inner");
  write(pathOf(key) / "inner" / "file", "x");
  std::filesystem::create_directory_symlink(other, pathOf(key) / "link");
  CacheVerification verification = cache.verify();
  ASSERT_EQ(verification.damaged.size(), 1u);
  EXPECT_EQ(verification.damaged[0].reason,
            "entry is damaged: not a regular file");
  EXPECT_TRUE(verification.damaged[0].isRemoved);
  EXPECT_FALSE(std::filesystem::exists(pathOf(key)));
  EXPECT_TRUE(std::filesystem::exists(other / "file"));
}
