// ImageTest.cpp - reading images: whole, cut, altered and hostile ones.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Modules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nereid::test;
using nereid::vulkan::ArgumentPlace;
using nereid::vulkan::Image;
using nereid::vulkan::ImageFacts;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

static std::string problemOf(const std::string &bytes) {
  Image image;
  return nereid::vulkan::readImage(bytes, image);
}

/// The problem of a module with other facts.
static std::string problemOfFacts(const std::string &facts) {
  Words words = readModule("vector_add");
  setFacts(words, facts);
  return problemOf(bytesOf(words));
}

TEST(VulkanImage, ReadsWhatTheModuleSays) {
  Image image;
  ASSERT_THAT(nereid::vulkan::readImage(readImage("vector_add"), image),
              IsEmpty());
  EXPECT_EQ(image.entry, "vector_add");
  EXPECT_THAT(image.localSize, ElementsAre(64, 1, 1));
  EXPECT_EQ(image.facts.workgroup, 64u);
  EXPECT_EQ(image.facts.arguments, 32u);
  EXPECT_EQ(image.facts.pushConstants(), 56u);
  EXPECT_EQ(image.facts.place, ArgumentPlace::PushConstants);
  EXPECT_FALSE(image.canFold);
  EXPECT_THAT(image.capabilities, ElementsAre(1, 11, 5347, 5345));

  ASSERT_THAT(nereid::vulkan::readImage(readImage("vector_add_block"), image),
              IsEmpty());
  EXPECT_EQ(image.facts.place, ArgumentPlace::Block);
  EXPECT_EQ(image.facts.pushConstants(), 32u);
  ASSERT_THAT(nereid::vulkan::readImage(readImage("program_ids"), image),
              IsEmpty());
  EXPECT_TRUE(image.canFold);
}

TEST(VulkanImage, ReadsTheFactsThatItWrites) {
  ImageFacts facts;
  facts.workgroup = 64;
  facts.subgroup = 8;
  facts.shared = 4096;
  facts.arguments = 31;
  facts.place = ArgumentPlace::Block;
  facts.needsServices = true;
  facts.matrices = {"16x8x16/f16/f16/f32/f32", "8x8x8/i8/i8/i32/i32"};
  Words words = readModule("vector_add");
  setFacts(words, describe(facts) + " later=unknown");
  Image image;
  ASSERT_THAT(nereid::vulkan::readImage(sealed(words), image), IsEmpty());
  EXPECT_EQ(image.facts.subgroup, 8u);
  EXPECT_EQ(image.facts.shared, 4096u);
  EXPECT_EQ(image.facts.arguments, 31u);
  EXPECT_TRUE(image.facts.needsServices);
  EXPECT_EQ(image.facts.matrices, facts.matrices);
}

TEST(VulkanImage, FindsEveryAlteredByte) {
  std::string image = readImage("vector_add");
  for (size_t i = 0; i < image.size(); ++i) {
    std::string altered = image;
    altered[i] = static_cast<char>(altered[i] ^ 0x10);
    EXPECT_FALSE(problemOf(altered).empty()) << "byte " << i;
  }
}

TEST(VulkanImage, FindsEveryCut) {
  std::string image = readImage("vector_add");
  for (size_t size = 0; size < image.size(); ++size)
    EXPECT_FALSE(problemOf(image.substr(0, size)).empty()) << size;
  EXPECT_FALSE(problemOf(image + std::string(4, '\0')).empty());
  EXPECT_FALSE(problemOf(image + image).empty());
}

TEST(VulkanImage, RefusesAModuleThatIsNotSealed) {
  EXPECT_THAT(problemOf(bytesOf(readModule("vector_add"))),
              HasSubstr("are not those"));
}

TEST(VulkanImage, SaysWhichFactIsWrong) {
  const std::string start = "nereid.vulkan/1 digest=0000000000000000 ";
  EXPECT_THAT(problemOfFacts("something else"), HasSubstr("no facts"));
  EXPECT_THAT(problemOfFacts("nereid.vulkan/2 digest=0000000000000000 x=1"),
              HasSubstr("do not start with"));
  EXPECT_THAT(problemOfFacts("nereid.vulkan/1 digest=00"),
              HasSubstr("do not start with"));
  // A digest that is sealed would replace these facts.
  EXPECT_THAT(
      problemOfFacts("nereid.vulkan/1 digest=00 workgroup=64  subgroup=0 "
                     "shared=0 arguments=0 push=block services=0"),
      HasSubstr("do not start with"));
  EXPECT_THAT(problemOfFacts("nereid.vulkan/1 digest=00000000000000000"
                             "workgroup=64 subgroup=0"),
              HasSubstr("do not start with"));
  EXPECT_THAT(problemOfFacts(start + "subgroup=0"),
              HasSubstr("lack 'workgroup'"));
  EXPECT_THAT(problemOfFacts(start + "workgroup=0 subgroup=0 shared=0 "
                                     "arguments=0 push=block services=0"),
              HasSubstr("'workgroup' is '0', a number from 1 to 65536"));
  EXPECT_THAT(problemOfFacts(start + "workgroup=64 subgroup=12 shared=0 "
                                     "arguments=0 push=block services=0"),
              HasSubstr("a power of two was expected"));
  EXPECT_THAT(problemOfFacts(start + "workgroup=64 subgroup=0 shared=0 "
                                     "arguments=999999 push=block services=0"),
              HasSubstr("'arguments' is '999999'"));
  EXPECT_THAT(problemOfFacts(start + "workgroup=64 subgroup=0 shared=0 "
                                     "arguments=0 push=somewhere services=0"),
              HasSubstr("arguments or block was expected"));
}

TEST(VulkanImage, RefusesALocalSizeThatIsNotThatOfTheFacts) {
  Words words = readModule("vector_add");
  ImageFacts facts;
  facts.workgroup = 32;
  setFacts(words, describe(facts));
  EXPECT_THAT(problemOf(sealed(words)),
              HasSubstr("LocalSize does not have the 32 threads"));
}

TEST(VulkanImage, RefusesAHeaderThatIsNotOfSpirv) {
  Words words = readModule("vector_add");
  words[0] = 0x03022307;
  EXPECT_THAT(problemOf(bytesOf(words)), HasSubstr("magic"));
  words = readModule("vector_add");
  words[1] = 0x00010700;
  EXPECT_THAT(problemOf(bytesOf(words)), HasSubstr("version"));
  words = readModule("vector_add");
  words[3] = 0xffffffff;
  EXPECT_THAT(problemOf(bytesOf(words)), HasSubstr("bound"));
}
