// TargetTest.cpp - targets in messages.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/Target.h"
#include "text/ShortTarget.h"

#include <gtest/gtest.h>

using nereid::shortTarget;
using nereid::host::Target;

TEST(Target, ShortensLongFeaturesInMessages) {
  Target target = {"cpu", "x86_64", "zen,+avx2", 1};
  EXPECT_EQ(target.shortText(), "cpu:x86_64:zen,+avx2:1");
  EXPECT_EQ(target.description(), "target 'cpu:x86_64:zen,+avx2:1'");

  // The last feature that fits ends at 60.
  target.features = "zen," + std::string(56, 'a') + ",b";
  EXPECT_EQ(target.shortText(),
            "cpu:x86_64:zen," + std::string(56, 'a') + ",...:1");
  target.features = "zen," + std::string(57, 'a') + ",b";
  EXPECT_EQ(target.shortText(), "cpu:x86_64:zen,...:1");
  EXPECT_EQ(target.description(), "target 'cpu:x86_64:zen,...:1'");
  // One long word.
  target.features = std::string(100, 'c');
  EXPECT_EQ(target.shortText(),
            "cpu:x86_64:" + std::string(60, 'c') + ",...:1");
}

TEST(Target, ShortensTextsOfAnyForm) {
  const std::string many(100, 'a');
  for (std::string text : {std::string(), std::string("cpu"), many,
                           "cpu:" + many, "cpu:x86_64:" + std::string(60, 'a'),
                           "cpu:x86_64:a:" + many, std::string("a\\")})
    EXPECT_EQ(shortTarget(text), text);
  // A colon of a name does not end its field.
  EXPECT_EQ(shortTarget("hip:gfx90a\\:xnack+:b," + many + ":64"),
            "hip:gfx90a\\:xnack+:b,...:64");
  // What protects a colon goes with it.
  EXPECT_EQ(shortTarget("a:b:" + std::string(59, 'c') + "\\:d"),
            "a:b:" + std::string(59, 'c') + ",...");
}
