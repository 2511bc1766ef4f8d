// PathSafetyTest.cpp - files that another user could change are not loaded.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "LoaderFixture.h"

#include "support/PathSafety.h"

#include <unistd.h>

namespace nereid::host {
namespace {

class PathSafetyTest : public LoaderFixture {
protected:
  /// The reason why the plugin that lies two folders deep is not loaded.
  std::string_view code() {
    options.pluginDirs = (root / "above/plugins").string();
    discover();
    // A directory's line ends the matter for its files.
    return registry->candidate(0)->code();
  }
  void SetUp() override {
    LoaderFixture::SetUp();
    plugin = place("good", "above/plugins/good.so");
  }
  fs::path plugin;
};

TEST_F(PathSafetyTest, AFileThatOnlyTheUserCanWriteIsLoaded) {
  EXPECT_EQ(code(), "loaded");
}

TEST_F(PathSafetyTest, AFileThatAllCanWriteIsRefusedBeforeItRuns) {
  fs::permissions(plugin, fs::perms(0666));
  EXPECT_EQ(code(), "writable-by-others");
  EXPECT_THAT(registry->candidate(0)->detail, HasSubstr("mode 0666"));
  EXPECT_FALSE(ranCode());
}

TEST_F(PathSafetyTest, ADirectoryThatAllCanWriteIsRefusedEvenIfSticky) {
  fs::permissions(plugin.parent_path(), fs::perms(0777));
  EXPECT_EQ(code(), "writable-by-others");
  EXPECT_EQ(registry->candidate(0)->path, plugin.parent_path().string());
  fs::permissions(plugin.parent_path(), fs::perms(01777));
  EXPECT_EQ(code(), "writable-by-others");
}

TEST_F(PathSafetyTest, ADirectoryAboveMayBeWritableOnlyIfSticky) {
  fs::permissions(root / "above", fs::perms(01777));
  EXPECT_EQ(code(), "loaded");
  fs::permissions(root / "above", fs::perms(0777));
  EXPECT_EQ(code(), "writable-by-others");
  fs::permissions(root / "above", fs::perms(0755));
}

TEST_F(PathSafetyTest, ExplicitLoadsAreCheckedToo) {
  fs::permissions(root / "above", fs::perms(0777));
  Result<std::shared_ptr<Plugin>> loaded = make().load(plugin.string());
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.failure().status, NEREID_IO_ERROR);
  EXPECT_THAT(loaded.failure().text, HasSubstr((root / "above").string()));
}

TEST_F(PathSafetyTest, TheTargetOfALinkIsChecked) {
  fs::path hidden = place("good", "elsewhere/good.so");
  fs::permissions(hidden.parent_path(), fs::perms(0777));
  fs::remove(plugin);
  fs::create_symlink(hidden, plugin);
  EXPECT_EQ(code(), "writable-by-others");
  EXPECT_EQ(registry->candidate(0)->resolved, hidden.string());
}

TEST_F(PathSafetyTest, TheHostProgramCanAllowIt) {
  fs::permissions(plugin, fs::perms(0777));
  fs::permissions(plugin.parent_path(), fs::perms(0777));
  options.loader.allowsWritable = true;
  EXPECT_EQ(code(), "loaded");
}

TEST_F(PathSafetyTest, AnotherUsersFileIsRefused) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a file away";
  ASSERT_EQ(chown(plugin.c_str(), 12345, 0), 0);
  EXPECT_EQ(code(), "foreign-owner");
  EXPECT_THAT(registry->candidate(0)->detail, HasSubstr("user 12345"));
}

TEST_F(PathSafetyTest, AnotherUsersDirectoryAboveIsRefused) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a directory away";
  ASSERT_EQ(chown((root / "above").c_str(), 12345, 0), 0);
  EXPECT_EQ(code(), "foreign-owner");
}

/// A checkout of user 12345 that root works in: libnereid and plugins are both
/// in `above`.
class ForeignCheckout : public PathSafetyTest {
protected:
  void SetUp() override {
    PathSafetyTest::SetUp();
    if (geteuid() != 0)
      GTEST_SKIP() << "only root can give files away";
    options.libraryDir = (root / "above/lib").string();
    fs::create_directory(options.libraryDir);
    give("above", 12345, 12345);
  }
  void give(const std::string &name, uid_t user, gid_t group) {
    ASSERT_EQ(chown((root / name).c_str(), user, group), 0);
  }
};

TEST_F(ForeignCheckout, AFileBuiltByTheUserIsLoaded) {
  EXPECT_EQ(code(), "loaded");
}

TEST_F(ForeignCheckout, AFileBuiltByItsOwnerIsLoaded) {
  give("above/plugins", 12345, 12345);
  give("above/plugins/good.so", 12345, 12345);
  fs::permissions(plugin.parent_path(), fs::perms(0775));
  EXPECT_EQ(code(), "loaded");
}

TEST_F(ForeignCheckout, AThirdUsersFileIsRefused) {
  give("above/plugins/good.so", 54321, 54321);
  EXPECT_EQ(code(), "foreign-owner");
  EXPECT_THAT(registry->candidate(0)->detail,
              HasSubstr("user 54321, expected user 0 or 12345"));
}

TEST_F(ForeignCheckout, AFileElsewhereIsTrustedAsItsOwnerIs) {
  fs::path elsewhere = place("good", "elsewhere/good.so");
  give("elsewhere/good.so", 12345, 12345);
  EXPECT_TRUE(make().load(elsewhere.string()));
  give("elsewhere/good.so", 54321, 54321);
  EXPECT_FALSE(make().load(elsewhere.string()));
}

TEST_F(PathSafetyTest, DirectoriesAboveLibnereidAreNotChecked) {
  options.libraryDir = (root / "above/lib").string();
  fs::create_directory(options.libraryDir);
  fs::permissions(root / "above", fs::perms(0777));
  EXPECT_EQ(code(), "loaded");
}

TEST_F(PathSafetyTest, APluginsOwnDirectoryIsCheckedEvenAboveLibnereid) {
  options.libraryDir = (root / "above/plugins/lib").string();
  fs::create_directory(options.libraryDir);
  fs::permissions(plugin.parent_path(), fs::perms(0777));
  EXPECT_EQ(code(), "writable-by-others");
}

TEST_F(PathSafetyTest, AForeignGroupMayNotWriteButRootsGroupMay) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a file to a group it is not in";
  fs::permissions(plugin, fs::perms(0775));
  ASSERT_EQ(chown(plugin.c_str(), 0, 0), 0);
  EXPECT_EQ(code(), "loaded");
  ASSERT_EQ(chown(plugin.c_str(), 0, 12345), 0);
  EXPECT_EQ(code(), "writable-by-others");
}

} // namespace
} // namespace nereid::host
