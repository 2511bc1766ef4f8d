// option_table_test.cpp - a table of options, apart from any plugin's.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/option_table.h"
#include "common/text.h"

#include <gtest/gtest.h>
#include <vector>

namespace nereid::plugin {
namespace {

struct Options {
  std::string mode, note;
  int64_t width = 0, warps = 0;
  bool fast = false;
};

constexpr std::string_view kModes[] = {"", "wide", "narrow", "mixed"};

constexpr OptionSpec<Options> kSpecs[] = {
    {{"fast", "true", "a flag"}, &Options::fast},
    {{"mode", "", "one of a few", 0, 0, kModes}, &Options::mode},
    {{"note", "none", "any text"}, &Options::note},
    {{"warps", "4", "without effect", 1, 8, {}, false}, &Options::warps},
    {{"width", "32", "a number", 8, 64}, &Options::width},
};
constexpr OptionTable<Options> kTable(kSpecs);

nereid_value_t string(const char *name, const char *given) {
  nereid_value_t value = {};
  value.name = text(name);
  value.type = NEREID_TYPE_STRING;
  value.text = text(given);
  return value;
}

nereid_value_t number(const char *name, nereid_type_t type, int64_t given) {
  nereid_value_t value = {};
  value.name = text(name);
  value.type = type;
  value.i64 = given;
  return value;
}

std::string parse(Options &out, std::vector<nereid_value_t> values) {
  return kTable.parse(values, out);
}

TEST(OptionTable, StoresDefaultsAndThenWhatIsGiven) {
  Options options;
  EXPECT_EQ(parse(options, {}), "");
  EXPECT_TRUE(options.fast);
  EXPECT_EQ(options.width, 32);
  EXPECT_EQ(options.note, "none");
  EXPECT_EQ(parse(options, {string("width", "16"), string("mode", "wide"),
                            number("fast", NEREID_TYPE_BOOL, 0)}),
            "");
  EXPECT_FALSE(options.fast);
  EXPECT_EQ(options.width, 16);
  EXPECT_EQ(options.mode, "wide");
}

TEST(OptionTable, SaysWhatIsWrong) {
  Options options;
  EXPECT_EQ(parse(options, {string("wide", "1")}),
            "unknown option 'wide', expected one of: fast, mode, note, warps, "
            "width");
  EXPECT_EQ(parse(options, {string("width", "7")}),
            "option width: 7 is not between 8 and 64");
  EXPECT_EQ(parse(options, {string("width", "1x")}),
            "option width: an integer was expected");
  EXPECT_EQ(parse(options, {string("mode", "other")}),
            "option mode: 'other' is not wide, narrow or mixed");
  EXPECT_EQ(parse(options, {string("fast", "maybe")}),
            "option fast: true or false was expected");
  EXPECT_EQ(parse(options, {string("note", "a;b")}),
            "option note: text without blanks, ';' and '=' was expected");
  EXPECT_EQ(parse(options, {number("note", NEREID_TYPE_I64, 1)}),
            "option note: a string was expected");
}

TEST(OptionTable, CanonicalTextLeavesOutWhatHasNoEffect) {
  Options options;
  parse(options, {string("warps", "8"), string("fast", "0")});
  EXPECT_EQ(kTable.canonicalText(options),
            "fast=false;mode=;note=none;width=32;");
}

TEST(OptionTable, TheSchemaHasTypesRangesAndChoices) {
  struct Seen {
    std::string names;
    uint64_t choices = 0;
    int64_t maximum = 0;
  } seen;
  nereid_option_sink_t sink = {};
  sink.struct_size = sizeof sink;
  sink.user = &seen;
  sink.add = [](const nereid_option_sink_t *self,
                const nereid_option_t *option) -> nereid_status_t {
    auto &seen = *static_cast<Seen *>(self->user);
    seen.names += std::string(view(option->name)) + ":" +
                  std::to_string(option->type) + " ";
    seen.choices += option->choice_count;
    seen.maximum = option->maximum;
    return NEREID_OK;
  };
  EXPECT_EQ(kTable.visit(&sink), NEREID_OK);
  auto type = [](nereid_type_t type) { return std::to_string(type) + " "; };
  EXPECT_EQ(seen.names, "fast:" + type(NEREID_TYPE_BOOL) +
                            "mode:" + type(NEREID_TYPE_STRING) +
                            "note:" + type(NEREID_TYPE_STRING) +
                            "warps:" + type(NEREID_TYPE_I64) +
                            "width:" + type(NEREID_TYPE_I64));
  EXPECT_EQ(seen.choices, 4u);
  EXPECT_EQ(seen.maximum, 64);
}

} // namespace
} // namespace nereid::plugin
