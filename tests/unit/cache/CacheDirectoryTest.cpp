// CacheDirectoryTest.cpp - where the cache lies and what it refuses.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CacheFixture.h"

#include <cstdlib>

#include <sys/stat.h>
#include <unistd.h>

using namespace nereid::host;

namespace {
class CacheDirectoryTest : public CacheFixture {
protected:
  CacheDirectoryTest() {
    ::unsetenv("XDG_CACHE_HOME");
    ::setenv("HOME", "/home/somebody", 1);
  }

  /// Expects that nothing is cached, without an error, and one warning.
  void expectRefused(const std::string &warning) {
    Cache cache(options);
    for (int i = 0; i < 3; ++i) {
      Result<CacheEntry> entry = cache.getOrCompute(
          keyOf("x"), [](const std::string &) -> Result<CacheValue> {
            return CacheValue{"body", {}};
          });
      ASSERT_TRUE(entry);
      EXPECT_EQ(entry->body, "body");
      EXPECT_EQ(entry->path, "");
    }
    EXPECT_FALSE(cache.get(keyOf("x")).entry);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0], warning + "; kernels are not cached");
  }
};
} // namespace

TEST_F(CacheDirectoryTest, DefaultsToTheUsersCache) {
  EXPECT_EQ(*defaultCacheDirectory(), "/home/somebody/.cache/nereid");
  ::setenv("XDG_CACHE_HOME", "/scratch", 1);
  EXPECT_EQ(*defaultCacheDirectory(), "/scratch/nereid");
}

TEST_F(CacheDirectoryTest, IgnoresARelativeXdgDirectory) {
  ::setenv("XDG_CACHE_HOME", "scratch", 1);
  EXPECT_EQ(*defaultCacheDirectory(), "/home/somebody/.cache/nereid");
}

TEST_F(CacheDirectoryTest, IsNoneWithoutAHome) {
  ::unsetenv("HOME");
  EXPECT_EQ(defaultCacheDirectory().failure().status, NEREID_UNAVAILABLE);
}

TEST_F(CacheDirectoryTest, CreatesMissingParents) {
  options.directory = folder / "a" / "b" / "c";
  EXPECT_NE(Cache(options).put(keyOf("x"), {"body", {}}).path, "");
}

TEST_F(CacheDirectoryTest, AcceptsOneThatOthersCanOnlyRead) {
  ASSERT_EQ(::mkdir(options.directory.c_str(), 0755), 0);
  EXPECT_NE(Cache(options).put(keyOf("x"), {"body", {}}).path, "");
}

TEST_F(CacheDirectoryTest, RefusesOneThatOthersCanWrite) {
  ASSERT_EQ(::mkdir(options.directory.c_str(), 0700), 0);
  ASSERT_EQ(::chmod(options.directory.c_str(), 0770), 0);
  expectRefused(options.directory +
                ": others can write it, expected mode 0700");
}

TEST_F(CacheDirectoryTest, RefusesOneThatOthersCanReplace) {
  std::filesystem::path open = folder / "open";
  ASSERT_EQ(::mkdir(open.c_str(), 0700), 0);
  ASSERT_EQ(::chmod(open.c_str(), 0777), 0);
  options.directory = open / "cache";
  expectRefused(options.directory + ": others can replace it: the directory '" +
                open.string() + "' has mode 0777 and group " +
                std::to_string(::getegid()) + ", so that others can write it");
}

TEST_F(CacheDirectoryTest, RefusesOneThatAForeignGroupCanReplace) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give a directory to a group it is not in";
  std::filesystem::path shared = folder / "shared";
  ASSERT_EQ(::mkdir(shared.c_str(), 0700), 0);
  ASSERT_EQ(::chown(shared.c_str(), 0, 12345), 0);
  ASSERT_EQ(::chmod(shared.c_str(), 0770), 0);
  options.directory = shared / "cache";
  expectRefused(options.directory + ": others can replace it: the directory '" +
                shared.string() +
                "' has mode 0770 and group 12345, so that others can write it");
}

TEST_F(CacheDirectoryTest, RefusesOneBelowADirectoryOfAnotherUser) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give a directory away";
  std::filesystem::path foreign = folder / "foreign";
  ASSERT_EQ(::mkdir(foreign.c_str(), 0755), 0);
  ASSERT_EQ(::chown(foreign.c_str(), 65534, 65534), 0);
  options.directory = foreign / "cache";
  expectRefused(options.directory + ": others can replace it: the directory '" +
                foreign.string() + "' belongs to user 65534, expected user 0");
}

TEST_F(CacheDirectoryTest, AcceptsOneBelowAStickyDirectory) {
  std::filesystem::path open = folder / "open";
  ASSERT_EQ(::mkdir(open.c_str(), 0700), 0);
  ASSERT_EQ(::chmod(open.c_str(), 01777), 0);
  options.directory = open / "cache";
  EXPECT_NE(Cache(options).put(keyOf("x"), {"body", {}}).path, "");
}

TEST_F(CacheDirectoryTest, RefusesOneOfAnotherUser) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give a directory away";
  ASSERT_EQ(::mkdir(options.directory.c_str(), 0700), 0);
  ASSERT_EQ(::chown(options.directory.c_str(), 65534, 65534), 0);
  expectRefused(options.directory + ": owned by user 65534, expected 0");
}

TEST_F(CacheDirectoryTest, RefusesAFile) {
  write(options.directory, "a file");
  expectRefused(options.directory + ": not a directory");
}

TEST_F(CacheDirectoryTest, NamesAFileInPlaceOfTheFolderOfAKey) {
  std::string inTheWay = pathOf(keyOf("x")).parent_path();
  ASSERT_EQ(::mkdir(options.directory.c_str(), 0700), 0);
  write(inTheWay, "a file");
  expectRefused(inTheWay +
                ": not a directory, as the cache needs here; remove it");
  // Other keys are cached all the same, and put() says the same as a compile.
  warnings.clear();
  Cache cache(options);
  EXPECT_EQ(cache.put(keyOf("x"), {"body", {}}).path, "");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(warnings[0].starts_with(inTheWay)) << warnings[0];
  EXPECT_NE(cache.put(keyOf("y"), {"body", {}}).path, "");
  CacheRemoval cleared = cache.clear();
  EXPECT_EQ(cleared.removed, 1u);
  EXPECT_EQ(cleared.failed, 0u) << cleared.reason;
  EXPECT_EQ(read(inTheWay), "a file");
}

TEST_F(CacheDirectoryTest, NamesAFileAboveTheDirectory) {
  write(folder / "file", "a file");
  options.directory = folder / "file" / "cache";
  expectRefused(options.directory + ": not a directory");
}

TEST_F(CacheDirectoryTest, RefusesARelativePath) {
  options.directory = "cache";
  expectRefused("'cache': not an absolute path");
}

TEST_F(CacheDirectoryTest, RefusesOneRecreatedByAnotherUser) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give a directory away";
  Cache cache(options);
  cache.put(keyOf("x"), {"body", {}});
  std::filesystem::remove_all(options.directory);
  ASSERT_EQ(::mkdir(options.directory.c_str(), 0700), 0);
  ASSERT_EQ(::chown(options.directory.c_str(), 65534, 65534), 0);
  EXPECT_EQ(cache.put(keyOf("x"), {"body", {}}).path, "");
  EXPECT_EQ(warnings.size(), 1u);
}
