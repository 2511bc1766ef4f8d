// PluginPathsTest.cpp - lists of directories and names of checkouts.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/PluginPaths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nereid::host {
namespace {

using testing::ElementsAre;

std::vector<std::string> paths(std::string_view list) {
  std::vector<std::string> paths;
  for (const PluginDir &dir : splitPluginDirs(list).dirs)
    paths.push_back(dir.path);
  return paths;
}

TEST(PluginPaths, AreSeparatedBySemicolons) {
  EXPECT_THAT(paths("/a;/b:c;/d e"), ElementsAre("/a", "/b:c", "/d e"));
  EXPECT_THAT(paths(""), ElementsAre());
  EXPECT_THAT(paths("/"), ElementsAre("/"));
}

TEST(PluginPaths, EmptyElementsMeanNothing) {
  EXPECT_THAT(paths(";;/a;;"), ElementsAre("/a"));
  EXPECT_TRUE(splitPluginDirs(";").refused.empty());
}

TEST(PluginPaths, RelativeElementsAreReported) {
  PluginDirs dirs = splitPluginDirs("a;./b;../c; /d;~/e");
  EXPECT_TRUE(dirs.dirs.empty());
  ASSERT_EQ(dirs.refused.size(), 5u);
  EXPECT_EQ(dirs.refused[3].path, " /d");
  for (const Candidate &line : dirs.refused)
    EXPECT_EQ(line.code(), "relative-directory");
}

TEST(PluginPaths, ANameIsTheFirstLineWithoutBlanks) {
  EXPECT_EQ(parseNameConf("acme"), "acme");
  EXPECT_EQ(parseNameConf(" \tacme-npu.2 \r\nmore"), "acme-npu.2");
  EXPECT_EQ(parseNameConf(""), "");
  EXPECT_EQ(parseNameConf("\nacme"), "");
  EXPECT_EQ(parseNameConf("two words"), "");
  EXPECT_EQ(parseNameConf("../up"), "");
  EXPECT_EQ(parseNameConf(std::string(64, 'a')), "");
}

} // namespace
} // namespace nereid::host
