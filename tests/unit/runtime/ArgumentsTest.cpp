// ArgumentsTest.cpp - where arguments lie, from good and malformed metadata.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "launch/Arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nereid::host;
using testing::HasSubstr;

static void addTypes(Values &metadata, const std::vector<std::string> &types,
                     const char *name = "argument_types") {
  std::vector<nereid_string_t> views;
  for (const std::string &type : types)
    views.push_back(borrow(type));
  nereid_value_t value = {};
  value.name = borrow(name);
  value.type = NEREID_TYPE_STRING_LIST;
  value.list = views.data();
  value.list_size = views.size();
  ASSERT_TRUE(metadata.add(value));
}

static void addOffsets(Values &metadata, std::vector<int64_t> offsets) {
  nereid_value_t value = {};
  value.name = borrow("argument_offsets");
  value.type = NEREID_TYPE_I64_LIST;
  value.list = offsets.data();
  value.list_size = offsets.size();
  ASSERT_TRUE(metadata.add(value));
}

static std::string layout(const Values &metadata) {
  Result<ArgumentLayout> read = ArgumentLayout::read(metadata);
  if (!read)
    return read.failure().text;
  std::string text;
  for (const Argument &argument : read->arguments)
    text += argument.name + '@' + std::to_string(argument.offset) + '+' +
            std::to_string(argument.size) + ' ';
  return text + "= " + std::to_string(read->size);
}

TEST(ArgumentsTest, NoMetadataMeansNoArguments) {
  EXPECT_EQ(layout(Values()), "= 0");
}

TEST(ArgumentsTest, LaysArgumentsOutAtMultiplesOfTheirSize) {
  Values metadata;
  addTypes(metadata, {"*f32", "i1", "f16", "i32", "i1", "f64", "i8"});
  EXPECT_EQ(layout(metadata),
            "0@0+8 1@8+1 2@10+2 3@12+4 4@16+1 5@24+8 6@32+1 = 40");
}

TEST(ArgumentsTest, UsesTheOffsetsOfThePlugin) {
  Values metadata;
  addTypes(metadata, {"i32", "*f32", "opaque"});
  addTypes(metadata, {"n", "x", "rest"}, "argument_names");
  addOffsets(metadata, {8, 0, 12});
  metadata.addInteger("argument_size", 32);
  EXPECT_EQ(layout(metadata), "n@8+4 x@0+8 rest@12+20 = 32");
}

TEST(ArgumentsTest, RefusesOffsetsThatOverlapOrAreOutOfBounds) {
  Values metadata;
  addTypes(metadata, {"*f32", "i32"});
  addOffsets(metadata, {0, 4});
  metadata.addInteger("argument_size", 16);
  EXPECT_THAT(layout(metadata),
              HasSubstr("past the next argument or the end of the block at 4"));
  addOffsets(metadata, {0, 14});
  EXPECT_THAT(layout(metadata), HasSubstr("occupies bytes 14 to 18"));
  addOffsets(metadata, {0, INT64_MAX});
  EXPECT_THAT(layout(metadata), HasSubstr("outside the block of 16 bytes"));
  addOffsets(metadata, {-8, 8});
  EXPECT_THAT(layout(metadata), HasSubstr("at offset -8, outside"));
}

TEST(ArgumentsTest, RefusesCountsSizesAndTypesThatDoNotFit) {
  Values metadata;
  addTypes(metadata, {"*f32", "i32"});
  addTypes(metadata, {"x"}, "argument_names");
  EXPECT_EQ(layout(metadata), "malformed metadata: 'argument_names' has 1 "
                              "items for 2 argument_types");
  addTypes(metadata, {"x", "n"}, "argument_names");
  metadata.addInteger("argument_size", 8);
  EXPECT_THAT(layout(metadata), HasSubstr("but the arguments take 16 bytes"));
  metadata.addInteger("argument_size", -1);
  EXPECT_THAT(layout(metadata), HasSubstr("argument_size is -1"));
  metadata.addInteger("argument_size", INT64_MAX);
  EXPECT_THAT(layout(metadata), HasSubstr("expected 0 to"));
  metadata.addString("argument_types", "i32");
  EXPECT_THAT(layout(metadata), HasSubstr("'argument_types' is a string"));
}

TEST(ArgumentsTest, AnUnknownTypeNeedsAnOffset) {
  Values metadata;
  addTypes(metadata, {"tensordesc"});
  EXPECT_THAT(layout(metadata), HasSubstr("must give argument_offsets"));
  addOffsets(metadata, {0});
  EXPECT_THAT(layout(metadata),
              HasSubstr("argument_offsets without argument_size"));
}
