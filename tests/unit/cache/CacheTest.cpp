// CacheTest.cpp - reading and publishing entries.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CacheFixture.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <unistd.h>

using namespace nereid::host;

namespace {
class CacheTest : public CacheFixture {};
} // namespace

TEST_F(CacheTest, MissesEntriesThatWereNeverPut) {
  Cache cache(options);
  CacheLookup lookup = cache.get(keyOf("x"));
  EXPECT_FALSE(lookup.entry);
  EXPECT_EQ(lookup.missReason, "no entry");
  EXPECT_FALSE(std::filesystem::exists(options.directory))
      << "looking must not make anything";
}

TEST_F(CacheTest, ReturnsWhatWasPut) {
  Cache cache(options);
  CacheEntry put = cache.put(keyOf("x"), {"body", "metadata"});
  EXPECT_EQ(put.path, pathOf(keyOf("x")));
  EXPECT_FALSE(put.isFromCache);

  CacheLookup lookup = cache.get(keyOf("x"));
  ASSERT_TRUE(lookup.entry);
  EXPECT_EQ(lookup.entry->body, "body");
  EXPECT_EQ(lookup.entry->metadata, "metadata");
  EXPECT_EQ(lookup.entry->path, put.path);
  EXPECT_TRUE(lookup.entry->isFromCache);
  EXPECT_TRUE(read(put.path).starts_with("body"));
}

TEST_F(CacheTest, SharesEntriesWithAnotherCacheOnTheDirectory) {
  Cache(options).put(keyOf("x"), {"body", {}});
  EXPECT_TRUE(Cache(options).get(keyOf("x")).entry);
}

TEST_F(CacheTest, ReplacesAnEntryWithoutTouchingTheOldFile) {
  Cache cache(options);
  cache.put(keyOf("x"), {"old", {}});
  std::ifstream old(pathOf(keyOf("x")), std::ios::binary);
  cache.put(keyOf("x"), {"new", {}});
  EXPECT_EQ(cache.get(keyOf("x")).entry->body, "new");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(old), {}).substr(0, 3),
            "old");
}

TEST_F(CacheTest, KeepsTheBytesOfAnEntryThatIsRemoved) {
  Cache cache(options);
  cache.put(keyOf("x"), {std::string(100'000, 'b'), {}});
  CacheEntry entry = *cache.get(keyOf("x")).entry;
  cache.clear();
  EXPECT_EQ(entry.body, std::string(100'000, 'b'));
}

TEST_F(CacheTest, AlignsBodies) {
  Cache cache(options);
  for (size_t size : {1, 17, 4096, 100'001}) {
    CacheEntry put = cache.put(keyOf("x"), {std::string(size, 'b'), "m"});
    EXPECT_EQ(uintptr_t(put.body.data()) % 16, 0u);
    EXPECT_EQ(uintptr_t(cache.get(keyOf("x")).entry->body.data()) % 16, 0u);
  }
}

TEST_F(CacheTest, IsPrivate) {
  ::mode_t before = ::umask(0);
  Cache(options).put(keyOf("x"), {"body", {}});
  ::umask(before);
  auto modeOf = [](const std::filesystem::path &path) {
    struct stat facts = {};
    EXPECT_EQ(::stat(path.c_str(), &facts), 0);
    return facts.st_mode & 07777;
  };
  EXPECT_EQ(modeOf(options.directory), 0700u);
  EXPECT_EQ(modeOf(pathOf(keyOf("x")).parent_path()), 0700u);
  EXPECT_EQ(modeOf(pathOf(keyOf("x"))), 0400u);
}

TEST_F(CacheTest, RenewsTheStampOfUseOnlyWhenItIsOld) {
  Cache cache(options);
  cache.put(keyOf("x"), {"body", {}});
  std::filesystem::path path = pathOf(keyOf("x"));
  auto now = std::filesystem::last_write_time(path);

  auto recent = now - std::chrono::minutes(2);
  std::filesystem::last_write_time(path, recent);
  cache.get(keyOf("x"));
  EXPECT_EQ(std::filesystem::last_write_time(path), recent);

  std::filesystem::last_write_time(path, now - std::chrono::hours(1));
  cache.verify();
  EXPECT_EQ(std::filesystem::last_write_time(path), now - std::chrono::hours(1))
      << "verification is not a use";
  cache.get(keyOf("x"));
  EXPECT_GE(std::filesystem::last_write_time(path), now);
}

TEST_F(CacheTest, CountsWhatItDid) {
  Cache cache(options);
  cache.get(keyOf("x"));
  cache.put(keyOf("x"), {"body", {}});
  cache.get(keyOf("x"));
  cache.get(keyOf("x"));
  CacheStat stat = cache.stat();
  EXPECT_TRUE(stat.isEnabled);
  EXPECT_EQ(stat.directory, options.directory);
  EXPECT_EQ(stat.entries, 1u);
  EXPECT_EQ(stat.bytes, 4u + 96u);
  EXPECT_EQ(stat.limit, uint64_t(5) << 30);
  EXPECT_EQ(stat.hits, 2u);
  EXPECT_EQ(stat.misses, 1u);
  EXPECT_EQ(stat.repaired, 0u);
}

TEST_F(CacheTest, SurvivesTheRemovalOfItsDirectory) {
  Cache cache(options);
  for (int i = 0; i < 5; ++i) {
    EXPECT_NE(cache.put(keyOf("x"), {"body", {}}).path, "");
    EXPECT_TRUE(cache.get(keyOf("x")).entry);
    std::filesystem::remove_all(options.directory);
    EXPECT_EQ(cache.get(keyOf("x")).missReason, "no entry");
  }
  EXPECT_TRUE(warnings.empty());
}

TEST_F(CacheTest, WithoutADirectoryStillComputes) {
  options.directory.clear();
  Cache cache(options);
  EXPECT_FALSE(cache.stat().isEnabled);
  EXPECT_EQ(cache.put(keyOf("x"), {"body", {}}).path, "");
  EXPECT_FALSE(cache.get(keyOf("x")).entry);
  Result<CacheEntry> entry = cache.getOrCompute(
      keyOf("x"), [](const std::string &) -> Result<CacheValue> {
        return CacheValue{"body", "metadata"};
      });
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->body, "body");
  EXPECT_EQ(entry->metadata, "metadata");
  EXPECT_TRUE(warnings.empty()) << "it was switched off on purpose";
}

// Runs in a child because the limit cannot be raised again by everybody.
TEST_F(CacheTest, WithAFullDiskContinuesWithOneWarning) {
  pid_t child = ::fork();
  if (child == 0) {
    rlimit limit = {10'000, 10'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    Cache cache(options);
    std::string body(100'000, 'b');
    bool isGood = true;
    for (int i = 0; i < 3; ++i) {
      CacheEntry entry = cache.put(keyOf("x"), {body, {}});
      isGood &= entry.body == body && entry.path.empty();
    }
    isGood &= !cache.get(keyOf("x")).entry && warnings.size() == 1;
    isGood &= warnings[0] ==
              options.directory + ": file too large; kernels are not cached";
    isGood &= files("tmp.").empty();
    ::_exit(isGood ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
