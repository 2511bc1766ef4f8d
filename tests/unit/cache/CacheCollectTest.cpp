// CacheCollectTest.cpp - the size limit, leftovers and clearing.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CacheFixture.h"
#include "cache/CacheFile.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <thread>

using namespace nereid::host;

namespace {
class CacheCollect : public CacheFixture {
protected:
  /// Puts an entry of 1000 bytes, last used \p age ago.
  void putAged(Cache &cache, const std::string &name,
               std::chrono::minutes age) {
    cache.put(keyOf(name), {std::string(1000 - 96, 'b'), {}});
    std::filesystem::path path = pathOf(keyOf(name));
    std::filesystem::last_write_time(
        path, std::filesystem::last_write_time(path) - age);
  }
  bool exists(const std::string &name) {
    return std::filesystem::exists(pathOf(keyOf(name)));
  }
};
} // namespace

using std::chrono::minutes;

TEST_F(CacheCollect, RemovesTheLeastRecentlyUsed) {
  Cache cache(options);
  putAged(cache, "b", minutes(20));
  putAged(cache, "a", minutes(30));
  putAged(cache, "c", minutes(10));
  CacheRemoval removal = cache.collect(2000);
  EXPECT_EQ(removal.removed, 1u);
  EXPECT_EQ(removal.bytes, 1000u);
  EXPECT_FALSE(exists("a"));
  EXPECT_TRUE(exists("b"));
  EXPECT_TRUE(exists("c"));
  EXPECT_EQ(cache.stat().evicted, 1u);
}

TEST_F(CacheCollect, KeepsEntriesThatAHitHasRenewed) {
  Cache cache(options);
  putAged(cache, "a", minutes(30));
  putAged(cache, "b", minutes(20));
  cache.get(keyOf("a"));
  cache.collect(1000);
  EXPECT_TRUE(exists("a"));
  EXPECT_FALSE(exists("b"));
}

TEST_F(CacheCollect, RemovesNothingBelowTheLimit) {
  Cache cache(options);
  putAged(cache, "a", minutes(30));
  EXPECT_EQ(cache.collect(1000).removed, 0u);
  EXPECT_TRUE(exists("a"));
}

TEST_F(CacheCollect, HappensAfterPutsThatExceedTheLimit) {
  options.limit = 10'000;
  Cache cache(options);
  for (int i = 0; i < 30; ++i)
    putAged(cache, std::to_string(i), minutes(60 - i));
  CacheStat stat = cache.stat();
  EXPECT_LE(stat.bytes, 10'000u);
  EXPECT_GE(stat.bytes, 8'000u);
  EXPECT_TRUE(exists("29"));
  EXPECT_FALSE(exists("0"));
  EXPECT_GE(stat.evicted, 20u);
}

TEST_F(CacheCollect, HappensAfterAPutWhenItIsDue) {
  options.limit = 100'000;
  Cache writer(options);
  for (int i = 0; i < 3; ++i)
    putAged(writer, std::to_string(i), minutes(60));
  std::filesystem::path stamp =
      std::filesystem::path(options.directory) / "collected";
  ASSERT_TRUE(std::filesystem::exists(stamp));
  options.limit = 2'000;
  Cache(options).put(keyOf("small"), {"b", {}});
  EXPECT_TRUE(exists("0")) << "it was done lately, and little was added";
  auto old = std::filesystem::last_write_time(stamp) - minutes(11);
  std::filesystem::last_write_time(stamp, old);
  Cache(options).put(keyOf("small"), {"b", {}});
  EXPECT_LE(writer.stat().bytes, 2'000u);
  EXPECT_GT(std::filesystem::last_write_time(stamp), old);
}

TEST_F(CacheCollect, HappensAfterTheClockWasSetBack) {
  options.limit = 100'000;
  Cache writer(options);
  for (int i = 0; i < 3; ++i)
    putAged(writer, std::to_string(i), minutes(60));
  std::filesystem::path stamp =
      std::filesystem::path(options.directory) / "collected";
  auto future = std::filesystem::last_write_time(stamp) + std::chrono::years(9);
  std::filesystem::last_write_time(stamp, future);
  options.limit = 2'000;
  Cache(options).put(keyOf("small"), {"b", {}});
  EXPECT_LE(writer.stat().bytes, 2'000u);
  EXPECT_LT(std::filesystem::last_write_time(stamp), future);
}

TEST_F(CacheCollect, LeavesItToAnotherProcessThatIsCollecting) {
  options.limit = 2'000;
  std::filesystem::create_directory(options.directory);
  std::string stamp = options.directory + "/collected";
  int other = ::open(stamp.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  std::filesystem::permissions(options.directory,
                               std::filesystem::perms::owner_all);
  Cache cache(options);
  for (int i = 0; i < 5; ++i)
    putAged(cache, std::to_string(i), minutes(5));
  EXPECT_EQ(cache.stat().bytes, 5'000u);
  ::close(other);
  putAged(cache, "last", minutes(0));
  EXPECT_LE(cache.stat().bytes, 2'000u);
}

TEST_F(CacheCollect, RemovesLeftoversButNotFilesBeingWritten) {
  Cache cache(options);
  cache.put(keyOf("x"), {"body", {}});
  std::filesystem::path place = pathOf(keyOf("x")).parent_path();
  write(place / "tmp.dead00", "half an entry");
  write(place / "tmp.alive0", "half an entry");
  int writer = ::open((place / "tmp.alive0").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(writer, LOCK_EX), 0);
  EXPECT_EQ(cache.collect(UINT64_MAX).removed, 1u);
  EXPECT_EQ(files("tmp."),
            std::vector<std::filesystem::path>{place / "tmp.alive0"});
  ::close(writer);
  cache.collect(UINT64_MAX);
  EXPECT_TRUE(files("tmp.").empty());
  EXPECT_TRUE(exists("x"));
}

TEST_F(CacheCollect, TakesNoUnfinishedFileThatHasAName) {
  Cache cache(options);
  cache.put(keyOf("x"), {"body", {}});
  std::string place = pathOf(keyOf("x")).parent_path();
  int nameless = ::open(place.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (nameless < 0)
    GTEST_SKIP() << "the file system makes no files without a name";
  ::close(nameless);
  std::atomic<bool> isOver = false;
  std::thread collector([&] {
    while (!isOver)
      cache.collect(UINT64_MAX);
  });
  int failures = 0;
  for (int i = 0; i < 2000; ++i)
    failures +=
        publishFile(place, place + "/" + std::to_string(i), "body") != 0;
  isOver = true;
  collector.join();
  EXPECT_EQ(failures, 0);
  EXPECT_TRUE(files("tmp.").empty());
}

TEST_F(CacheCollect, ClearsEntriesAndLeavesOtherFilesAlone) {
  Cache cache(options);
  for (int i = 0; i < 20; ++i)
    putAged(cache, std::to_string(i), minutes(i));
  std::filesystem::path place = pathOf(keyOf("0")).parent_path();
  write(place / "notes.txt", "somebody's");
  write(std::filesystem::path(options.directory) / "README", "somebody's");
  CacheRemoval removal = cache.clear();
  EXPECT_EQ(removal.removed, 20u);
  EXPECT_EQ(removal.bytes, 20'000u);
  EXPECT_EQ(cache.stat().entries, 0u);
  EXPECT_TRUE(std::filesystem::exists(place / "notes.txt"));
  EXPECT_TRUE(std::filesystem::exists(options.directory + "/README"));
  EXPECT_TRUE(std::filesystem::exists(options.directory));
}

TEST_F(CacheCollect, OfACacheThatDoesNotExistIsNothing) {
  Cache cache(options);
  EXPECT_EQ(cache.collect(0).removed, 0u);
  EXPECT_EQ(cache.clear().removed, 0u);
  EXPECT_EQ(cache.verify().entries, 0u);
  EXPECT_EQ(cache.stat().entries, 0u);
  EXPECT_TRUE(warnings.empty());
}
