// GlobTest.cpp - patterns of plugin ids.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "support/Glob.h"

#include <gtest/gtest.h>

namespace nereid::host {
namespace {

TEST(Glob, MatchesTheWholeText) {
  EXPECT_TRUE(matchesGlob("cpu", "cpu"));
  EXPECT_FALSE(matchesGlob("cpu", "cpu2"));
  EXPECT_FALSE(matchesGlob("cpu2", "cpu"));
  EXPECT_TRUE(matchesGlob("", ""));
  EXPECT_FALSE(matchesGlob("", "a"));
}

TEST(Glob, AStarIsAnyNumberOfCharactersAndAQuestionMarkOne) {
  EXPECT_TRUE(matchesGlob("*", ""));
  EXPECT_TRUE(matchesGlob("a*c", "ac"));
  EXPECT_TRUE(matchesGlob("a*b*c", "aXbXbXc"));
  EXPECT_FALSE(matchesGlob("a*b*c", "aXbXbX"));
  EXPECT_TRUE(matchesGlob("?pu", "cpu"));
  EXPECT_FALSE(matchesGlob("?", ""));
  EXPECT_TRUE(matchesGlob("a**", "a"));
  EXPECT_FALSE(matchesGlob("[a]", "a")) << "brackets have no meaning";
}

TEST(Glob, AHostilePatternTakesNoTime) {
  std::string pattern, text(5000, 'a');
  for (int i = 0; i < 500; ++i)
    pattern += "a*";
  EXPECT_FALSE(matchesGlob(pattern + "b", text));
}

TEST(Glob, TheFirstOfAListThatMatchesIsNamed) {
  EXPECT_EQ(firstMatch("x;c*;cpu", "cpu"), "c*");
  EXPECT_EQ(firstMatch(";;", "cpu"), "");
  EXPECT_EQ(firstMatch("", "cpu"), "");
  EXPECT_EQ(firstMatch("a;b;", "b"), "b");
}

} // namespace
} // namespace nereid::host
