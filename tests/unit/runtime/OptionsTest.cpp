// OptionsTest.cpp - option values against a schema.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compile/Options.h"
#include "support/Json.h"
#include "text/Suggestions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nereid::host;
using testing::HasSubstr;

static std::vector<OptionSchema> schema() {
  OptionSchema warps{NEREID_TYPE_I64, "num_warps", "doc", "4", {}, 1, 32};
  OptionSchema level{NEREID_TYPE_STRING, "level", "", "O2", {"O0", "O2"}};
  OptionSchema scale{NEREID_TYPE_F64, "scale", "", "1", {}};
  OptionSchema check{NEREID_TYPE_BOOL, "check", "", "false", {}};
  OptionSchema sizes{NEREID_TYPE_I64_LIST, "sizes", "", "", {}};
  OptionSchema raw{NEREID_TYPE_BYTES, "raw", "", "", {}};
  OptionSchema future{99, "future", "", "", {}};
  return {warps, level, scale, check, sizes, raw, future};
}

static nereid_value_t textOption(const char *name, const char *value) {
  nereid_value_t option = {};
  option.name = borrow(name);
  option.type = NEREID_TYPE_STRING;
  option.text = borrow(value);
  return option;
}

// The converted value as JSON, or the error.
static std::string convert(const char *name, const char *text) {
  nereid_value_t option = textOption(name, text);
  Result<Values> values = convertOptions({&option, 1}, schema());
  return values ? values->json().dump() : values.failure().text;
}

TEST(OptionsTest, ConvertsTextToTheTypeOfTheOption) {
  EXPECT_EQ(convert("num_warps", "8"), R"({"num_warps":8})");
  EXPECT_EQ(convert("num_warps", "0x10"), R"({"num_warps":16})");
  EXPECT_EQ(convert("level", "O0"), R"({"level":"O0"})");
  EXPECT_EQ(convert("scale", "-1.5e2"), R"({"scale":-150.0})");
  EXPECT_EQ(convert("scale", "0x1.8"), R"({"scale":1.5})");
  EXPECT_EQ(convert("check", "on"), R"({"check":true})");
  EXPECT_EQ(convert("check", "0"), R"({"check":false})");
  EXPECT_EQ(convert("sizes", "1,-2,3"), R"({"sizes":[1,-2,3]})");
  EXPECT_EQ(convert("sizes", ""), R"({"sizes":[]})");
  EXPECT_EQ(convert("raw", "00fF"), R"({"raw":{"bytes":2}})");
  EXPECT_EQ(convert("future", "anything"), R"({"future":"anything"})");
}

TEST(OptionsTest, ReportsWhatWasFoundAndWhatIsLegal) {
  EXPECT_EQ(convert("num_warps", "33"),
            "option 'num_warps' is '33', expected an integer from 1 to 32");
  EXPECT_EQ(convert("num_warps", "many"),
            "option 'num_warps' is 'many', expected an integer from 1 to 32");
  EXPECT_EQ(convert("num_warps", "99999999999999999999"),
            "option 'num_warps' is '99999999999999999999', expected an "
            "integer from 1 to 32");
  EXPECT_EQ(convert("level", "O3"),
            "option 'level' is 'O3', expected one of 'O0', 'O2'");
  EXPECT_EQ(convert("check", "maybe"),
            "option 'check' is 'maybe', expected true or false");
  EXPECT_EQ(convert("scale", "1.5x"),
            "option 'scale' is '1.5x', expected a number");
  EXPECT_EQ(convert("sizes", "1,,2"),
            "option 'sizes' is '1,,2', expected integers separated by commas");
  EXPECT_EQ(convert("raw", "abc"),
            "option 'raw' is 'abc', expected hexadecimal digits, two a byte");
}

TEST(OptionsTest, SuggestsTheNearestNames) {
  EXPECT_EQ(convert("num_warp", "4"),
            "unknown option 'num_warp'; did you mean 'num_warps'");
  EXPECT_EQ(convert("num-warps", "4"),
            "unknown option 'num-warps'; did you mean 'num_warps'");
  EXPECT_THAT(convert("zzz", "4"), HasSubstr("known are 'num_warps', 'level'"));
}

TEST(OptionsTest, ListsEveryMistakeOfOneRequest) {
  nereid_value_t options[] = {textOption("num_warps", "0"),
                              textOption("levle", "O2"),
                              textOption("check", "yes")};
  Result<Values> values = convertOptions(options, schema());
  ASSERT_FALSE(values);
  EXPECT_EQ(values.failure().text,
            "option 'num_warps' is '0', expected an integer from 1 to 32\n"
            "unknown option 'levle'; did you mean 'level'");
}

TEST(OptionsTest, AcceptsTypedValuesAndRefusesOtherTypes) {
  nereid_value_t option = textOption("scale", "");
  option.type = NEREID_TYPE_I64;
  option.i64 = 3;
  Result<Values> values = convertOptions({&option, 1}, schema());
  ASSERT_TRUE(values);
  EXPECT_EQ(values->json().dump(), R"({"scale":3.0})");

  option.name = borrow("check");
  values = convertOptions({&option, 1}, schema());
  ASSERT_FALSE(values);
  EXPECT_EQ(values.failure().text,
            "option 'check' is 3, expected true or false");

  option.name = borrow("num_warps");
  option.type = NEREID_TYPE_F64;
  option.f64 = 2.5;
  values = convertOptions({&option, 1}, schema());
  ASSERT_FALSE(values);
  EXPECT_EQ(values.failure().text,
            "option 'num_warps' is 2.5, expected an integer from 1 to 32");
}

TEST(OptionsTest, ShowsTheSchemaWithTypedDefaults) {
  EXPECT_EQ(schemaJson({schema()[0], schema()[1]}).dump(),
            R"([{"name":"num_warps","type":"i64","default":4,"doc":"doc",)"
            R"("minimum":1,"maximum":32},{"name":"level","type":"string",)"
            R"("default":"O2","doc":"","choices":["O0","O2"]}])");
}

TEST(NearestTest, OrdersByDistanceAndReturnsAtMostThree) {
  EXPECT_THAT(
      nereid::nearestNames("cpu", {"gpu", "cpu1", "cpus", "cpux", "vulkan"}),
      testing::ElementsAre("gpu", "cpu1", "cpus"));
  EXPECT_THAT(nereid::nearestNames("", {"a"}), testing::IsEmpty());
  EXPECT_THAT(nereid::nearestNames(std::string(10000, 'x'), {"a"}),
              testing::IsEmpty());
}
