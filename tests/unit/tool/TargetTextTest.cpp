// TargetTextTest.cpp - targets in full on the command line.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "TargetText.h"

#include <gtest/gtest.h>

using namespace nereid::tools;

TEST(TargetTextTest, ANumberAfterTheTypeIsADevice) {
  for (const char *text : {"", "cpu", "cpu:0", "vulkan:12", "gfx90a\\:x"})
    EXPECT_FALSE(TargetText::isInFull(text)) << text;
  for (const char *text : {"cpu:x86_64", "cpu:1x", "cpu:", "cuda:90:", "a::"})
    EXPECT_TRUE(TargetText::isInFull(text)) << text;
}

TEST(TargetTextTest, ReadsEachField) {
  auto target = TargetText::parse("cpu:x86_64:znver4,+avx2:1");
  ASSERT_TRUE(target) << target.error().text;
  EXPECT_EQ(target->deviceType, "cpu");
  EXPECT_EQ(target->arch, "x86_64");
  EXPECT_EQ(target->features, "znver4,+avx2");
  EXPECT_EQ(target->warpSize, 1);
}

TEST(TargetTextTest, FeaturesAndWarpMayBeMissing) {
  for (const char *text : {"acme:v2", "acme:v2:", "acme:v2::"}) {
    auto target = TargetText::parse(text);
    ASSERT_TRUE(target) << target.error().text;
    EXPECT_EQ(target->arch, "v2");
    EXPECT_EQ(target->features, "");
    EXPECT_EQ(target->warpSize, 0);
  }
}

TEST(TargetTextTest, ABackslashProtectsAColon) {
  auto target = TargetText::parse("hip:gfx90a\\:sramecc+:\\\\x:64");
  ASSERT_TRUE(target) << target.error().text;
  EXPECT_EQ(target->arch, "gfx90a:sramecc+");
  EXPECT_EQ(target->features, "\\x");
  EXPECT_EQ(target->warpSize, 64);
}

TEST(TargetTextTest, RefusesWhatIsNotATarget) {
  for (const char *text :
       {"cpu:", ":x86_64", "cpu::", "cpu:x86_64:a:b", "cpu:x86_64::-1",
        "cpu:x86_64::1:2", "cpu:x86_64::99999999999"}) {
    auto target = TargetText::parse(text);
    ASSERT_FALSE(target) << text;
    EXPECT_NE(target.error().text.find("expected TYPE:ARCH"), std::string::npos)
        << target.error().text;
  }
}
