// TargetTest.cpp - targets in messages.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/Target.h"

#include <gtest/gtest.h>

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
