// DiscoveryTest.cpp - which files are considered, in which order, and which of
// two wins.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "LoaderFixture.h"

#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>

namespace nereid::host {
namespace {

class Discovery : public LoaderFixture {};

TEST_F(Discovery, LoadsThePluginsOfADirectory) {
  place("good");
  PluginRegistry &plugins = discover();
  ASSERT_THAT(loadedIds(), ElementsAre("fixture.good"));
  const Plugin &plugin = *plugins.backends().at(0);
  EXPECT_EQ(plugin.info.path, (root / "good.so").string());
  EXPECT_EQ(plugin.info.deviceType, "paper");
  EXPECT_EQ(plugin.info.buildId, "fixture build");
  EXPECT_TRUE(plugin.hasCompiler);
  EXPECT_TRUE(plugin.hasDriver);
  EXPECT_EQ(plugin.probe().reason, "a device of paper");
  EXPECT_EQ(line("good.so").code(), "loaded");
}

TEST_F(Discovery, GoesBytewiseByNameAndNotIntoFolders) {
  place("other", "b.so");
  place("good", "Z.so");
  place("older", "a.so");
  place("newer", "folder/c.so");
  place("newer", ".hidden.so");
  place("newer", "plugin.so.1");
  place("newer", ".so");
  discover();
  EXPECT_THAT(loadedIds(),
              ElementsAre("fixture.good", "fixture.older", "fixture.other"));
  EXPECT_EQ(registry->candidateCount(), 3u);
}

TEST_F(Discovery, TakesDirectoriesInTheirOrder) {
  place("good", "one/x.so");
  place("other", "two/x.so");
  options.pluginDirs =
      ";" + (root / "two").string() + ";;" + (root / "one").string() + ";";
  discover();
  EXPECT_THAT(loadedIds(), ElementsAre("fixture.other", "fixture.good"));
}

TEST_F(Discovery, RefusesPathsThatAreNotDirectories) {
  write("file", "x");
  options.pluginDirs = "relative;.;" + (root / "absent").string() + ";" +
                       (root / "file").string();
  PluginRegistry &plugins = discover();
  ASSERT_EQ(plugins.candidateCount(), 4u);
  EXPECT_EQ(line("relative").code(), "relative-directory");
  EXPECT_EQ(line(".").code(), "relative-directory");
  EXPECT_EQ(line("absent").code(), "missing-directory");
  EXPECT_EQ(line("file").code(), "not-a-directory");
}

TEST_F(Discovery, NeverSearchesTheCurrentDirectory) {
  place("good");
  fs::path before = fs::current_path();
  fs::current_path(root);
  options.pluginDirs = ";;";
  discover();
  fs::current_path(before);
  EXPECT_EQ(registry->candidateCount(), 0u);
}

TEST_F(Discovery, AVendorsCheckoutIsItsBackendFolder) {
  place("good", "my-vendor/backend/x.so");
  place("other", "my-vendor/not-considered.so");
  options.pluginDirs = (root / "my-vendor").string() + "/";
  discover();
  ASSERT_THAT(loadedIds(), ElementsAre("fixture.good"));
  EXPECT_EQ(registry->backends()[0]->info.name, "my-vendor");
  EXPECT_TRUE(registry->backend("my-vendor"));
}

TEST_F(Discovery, APluginBesideTheBackendFolderIsReported) {
  place("good", "vendor/backend/x.so");
  place("other", "vendor/too-high.so");
  place("no_note", "vendor/library.so");
  fs::create_symlink("backend/x.so", root / "vendor/link.so");
  options.pluginDirs = (root / "vendor").string();
  discover();
  EXPECT_THAT(loadedIds(), ElementsAre("fixture.good"));
  EXPECT_EQ(registry->candidateCount(), 2u);
  EXPECT_EQ(line("too-high.so").code(), "outside-backend");
  EXPECT_EQ(line("too-high.so").id, "fixture.other");
  EXPECT_EQ(line("too-high.so").name, "vendor");
  EXPECT_THAT(line("too-high.so").detail,
              HasSubstr((root / "vendor/backend").string()));
  EXPECT_THAT(registry->backend("fixture.other").failure().text,
              HasSubstr("move it into `backend`"));
  EXPECT_EQ(messages(), "") << "it may be meant to be there";
}

TEST_F(Discovery, NameConfNamesACheckout) {
  place("good", "checkout/backend/x.so");
  write("checkout/backend/name.conf", "  acme-npu \r\nsecond line\n");
  options.pluginDirs = (root / "checkout").string();
  discover();
  EXPECT_EQ(line("x.so").name, "acme-npu");
  write("checkout/backend/name.conf", "not a name\n");
  discover();
  EXPECT_EQ(line("x.so").name, "checkout");
}

TEST_F(Discovery, TheFirstOfTwoPluginsWithOneIdWins) {
  place("good", "a.so");
  place("duplicate_id", "b.so");
  discover();
  EXPECT_EQ(line("a.so").code(), "loaded");
  EXPECT_EQ(line("b.so").code(), "duplicate-id");
  EXPECT_EQ(line("b.so").winner, (root / "a.so").string());
  EXPECT_EQ(messages(), "") << "a duplicate is not a reason to warn";
}

TEST_F(Discovery, ARefusedPluginLeavesItsIdToTheNext) {
  place("good", "a.so");
  fs::permissions(root / "a.so", fs::perms(0777));
  place("duplicate_id", "b.so");
  discover();
  EXPECT_EQ(line("a.so").code(), "writable-by-others");
  EXPECT_EQ(line("b.so").code(), "loaded");
}

TEST_F(Discovery, OneFileUnderTwoNamesIsConsideredOnce) {
  place("good", "a.so");
  fs::create_symlink("a.so", root / "b.so");
  fs::create_hard_link(root / "a.so", root / "c.so");
  discover();
  EXPECT_EQ(line("b.so").code(), "duplicate-file");
  EXPECT_EQ(line("b.so").resolved, (root / "a.so").string());
  EXPECT_EQ(line("c.so").code(), "duplicate-file");
  EXPECT_EQ(line("c.so").winner, (root / "a.so").string());
}

TEST_F(Discovery, PatternsApplyToDiscoveryNotToExplicitLoads) {
  place("good");
  place("other");
  options.allow = "fixture.*";
  options.deny = "acme.*;*.oth?r";
  discover();
  EXPECT_THAT(loadedIds(), ElementsAre("fixture.good"));
  EXPECT_EQ(line("other.so").code(), "denied");
  EXPECT_THAT(line("other.so").detail, HasSubstr("'*.oth?r'"));
  EXPECT_TRUE(registry->load((root / "other.so").string()));
  options.allow = "acme.*";
  discover();
  EXPECT_EQ(line("good.so").code(), "denied");
}

TEST_F(Discovery, LoadingALoadedFileReturnsItsPlugin) {
  place("good");
  PluginRegistry &plugins = discover();
  Result<std::shared_ptr<Plugin>> again =
      plugins.load((root / "good.so").string());
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, plugins.backends().at(0));
  EXPECT_EQ(plugins.backends().size(), 1u);
}

TEST_F(Discovery, TheDefaultDirectoryIsBesideTheLibrary) {
  place("good", "lib/nereid/plugins/x.so");
  options.pluginDirs.clear();
  options.usesDefaultDirs = true;
  options.libraryDir = (root / "lib").string();
  options.allow = "fixture.*"; // and none that is installed on this machine
  discover();
  EXPECT_THAT(loadedIds(), ElementsAre("fixture.good"));
}

TEST_F(Discovery, TheReportIsJsonWithEveryFactOfEveryCandidate) {
  place("good", "a.so");
  place("duplicate_id", "b.so");
  write("c\xff\n.so", "x");
  nlohmann::json json = nlohmann::json::parse(discover().report());
  EXPECT_EQ(json["directories"], nlohmann::json({root.string()}));
  ASSERT_EQ(json["candidates"].size(), 3u);
  const nlohmann::json &loser = json["candidates"][1];
  EXPECT_EQ(loser["loaded"], false);
  EXPECT_EQ(loser["reason"], "duplicate-id");
  EXPECT_EQ(loser["winner"], (root / "a.so").string());
  EXPECT_EQ(loser["id"], "fixture.good");
  for (const char *key : {"path", "resolved", "name", "detail", "remedy"})
    EXPECT_TRUE(loser[key].is_string()) << key;
}

TEST_F(Discovery, AThousandPluginsAreAllReported) {
  std::string bytes = contents(fixture("good"));
  const std::string id = "fixture.good";
  for (int i = 0; i < 1000; ++i) {
    char other[16];
    std::snprintf(other, sizeof other, "number.%05d", i);
    std::string copy = bytes;
    for (size_t at = 0; (at = copy.find(id, at)) != std::string::npos;)
      copy.replace(at, id.size(), other);
    fs::permissions(write(std::string(other) + ".so", copy), fs::perms(0755));
  }
  discover();
  EXPECT_EQ(registry->candidateCount(), 1000u);
  EXPECT_EQ(registry->backends().size(), 1000u);
  EXPECT_EQ(registry->backends().at(999)->info.id, "number.00999");
}

} // namespace
} // namespace nereid::host
