// TuneConfigsTest.cpp - search spaces: what they expand to, and what is wrong
// with them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/TuneConfigs.h"
#include "support/Json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nereid::ops;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

struct ReadConfigs {
  TuneConfigs configs;
  std::vector<std::string> problems;
};

} // namespace

static ReadConfigs read(std::string_view text,
                        const std::vector<std::string> &options = {}) {
  auto root = yaml::parse(text, "t.yaml");
  EXPECT_TRUE(root) << root.failure().text;
  std::vector<Problem> list;
  Problems problems("t.yaml", list);
  ReadConfigs result{TuneConfigs::read(**root, options, problems), {}};
  for (const Problem &problem : list)
    result.problems.push_back(problem.message());
  return result;
}

static std::vector<std::string> expandedTo(const TuneConfigs &configs,
                                           const char *op,
                                           Search search = Search::Usual,
                                           const Environment *call = nullptr) {
  const TunedOperator *found = configs.find(op);
  if (!found)
    return {"no operator"};
  auto list = expand(*found, search, call);
  if (!list)
    return {list.failure().text};
  std::vector<std::string> texts;
  for (const Configuration &configuration : *list) {
    std::string text;
    for (const auto *settings :
         {&configuration.constants, &configuration.options})
      for (const Setting &setting : *settings)
        text += (text.empty() ? "" : " ") + setting.name + "=" +
                setting.value.repr();
    texts.push_back(text);
  }
  return texts;
}

TEST(OpsTuneConfigsTest, PlainConfigurationsDoNotLeakIntoEachOther) {
  ReadConfigs read = ::read("mm:\n"
                            "- META: {BLOCK: 16, pipeline: base}\n"
                            "  num_warps: 8\n"
                            "- META: {BLOCK: 32, pipeline: tle}\n"
                            "  maxnreg: 96\n");
  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_THAT(expandedTo(read.configs, "mm"),
              ElementsAre("BLOCK=16 pipeline='base' num_warps=8",
                          "BLOCK=32 pipeline='tle' maxnreg=96"));
}

TEST(OpsTuneConfigsTest, AGeneratorIsAllCombinations) {
  ReadConfigs read = ::read("mm:\n"
                            "- gen: true\n"
                            "  param_map:\n"
                            "    META: {A: a, B: 7, C: [true, x]}\n"
                            "    num_warps: warps\n"
                            "    num_stages: 3\n"
                            "  a: [1, 2]\n"
                            "  warps: [4]\n"
                            "- META: {A: 9, B: 9, C: 9}\n");
  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_THAT(expandedTo(read.configs, "mm"),
              ElementsAre("A=1 B=7 C=True num_warps=4 num_stages=3",
                          "A=1 B=7 C='x' num_warps=4 num_stages=3",
                          "A=2 B=7 C=True num_warps=4 num_stages=3",
                          "A=2 B=7 C='x' num_warps=4 num_stages=3",
                          "A=9 B=9 C=9"));
}

TEST(OpsTuneConfigsTest, MetaMayBeAListOfLinkedConstants) {
  ReadConfigs read = ::read("bwd:\n"
                            "- gen: true\n"
                            "  param_map: {META: blocks, num_warps: warps}\n"
                            "  blocks: [{M: 1, N: 2}, {M: 3, N: 4}]\n"
                            "  warps: [4, 8]\n");
  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_THAT(expandedTo(read.configs, "bwd"),
              ElementsAre("M=1 N=2 num_warps=4", "M=1 N=2 num_warps=8",
                          "M=3 N=4 num_warps=4", "M=3 N=4 num_warps=8"));
}

TEST(OpsTuneConfigsTest, AnExpandedSpaceIsForALongSearch) {
  ReadConfigs read = ::read("mm:\n"
                            "- META: {A: 0}\n"
                            "- config:\n"
                            "  param_map: {META: {A: a}}\n"
                            "  a: [1, 2]\n"
                            "- strategy: {M: log, K: default}\n");
  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_THAT(expandedTo(read.configs, "mm"), ElementsAre("A=0"));
  EXPECT_THAT(expandedTo(read.configs, "mm", Search::Expanded),
              ElementsAre("A=1", "A=2"));
  EXPECT_THAT(
      read.configs.find("mm")->strategy,
      ElementsAre(testing::Pair("M", "log"), testing::Pair("K", "default")));
}

TEST(OpsTuneConfigsTest, ConditionsDropAndDefinitionsDerive) {
  ReadConfigs read =
      ::read("mm:\n"
             "- gen: true\n"
             "  param_map: {META: {A: a, B: b}, num_warps: w}\n"
             "  a: [1, 2]\n"
             "  b: [1, 2]\n"
             "  w: [1, 4]\n"
             "  let: {G: 'A * H', H: 'B + 1'}\n"
             "  where: [A * B < 4, num_warps > A, bytes < most]\n"
             "  \n");
  EXPECT_THAT(read.problems, IsEmpty());
  // The last condition needs a call.
  EXPECT_THAT(expandedTo(read.configs, "mm"),
              ElementsAre("A=1 B=1 G=2 H=2 num_warps=4",
                          "A=1 B=2 G=3 H=3 num_warps=4",
                          "A=2 B=1 G=4 H=2 num_warps=4"));
  Names call;
  call.set("bytes", 3);
  call.set("most", 2);
  EXPECT_THAT(expandedTo(read.configs, "mm", Search::Usual, &call), IsEmpty());
  Names incomplete;
  EXPECT_THAT(expandedTo(read.configs, "mm", Search::Usual, &incomplete),
              ElementsAre(HasSubstr("the configurations of 'mm', line 8: "
                                    "expression 'bytes < most', column 1: "
                                    "unknown name 'bytes'")));
}

TEST(OpsTuneConfigsTest, TheOptionsOfAVendorAreKnownByName) {
  const char *text = "mm:\n- META: {A: 1}\n  num_ldmatrixes: 1\n";
  EXPECT_THAT(read(text).problems,
              ElementsAre(HasSubstr("t.yaml:3:3: unknown key "
                                    "'num_ldmatrixes'")));
  ReadConfigs read = ::read(text, {"num_ldmatrixes"});
  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_THAT(expandedTo(read.configs, "mm"),
              ElementsAre("A=1 num_ldmatrixes=1"));
}

TEST(OpsTuneConfigsTest, ATableIsReadByDeviceKeyAndNearestRow) {
  ReadConfigs read = ::read(
      "mm:\n"
      "- table: {key: [N, K], by: M, values: [BLOCK, num_warps]}\n"
      "  fallback: {H800: H100}\n"
      "  devices:\n"
      "    H100:\n"
      "      '256,7168': {'64': [128, 8], '1': [16, 4], '16': [32, 4]}\n");
  EXPECT_THAT(read.problems, IsEmpty());
  const DeviceTable &table = read.configs.find("mm")->tables.at(0);
  EXPECT_EQ(table.find("A100", "256,7168", 1), nullptr);
  EXPECT_EQ(table.find("H100", "256,1", 1), nullptr);
  for (auto [by, expected] :
       {std::pair(1, 16), {8, 16}, {9, 32}, {1000, 128}, {-5, 16}}) {
    const DeviceTable::Row *row = table.find("H800", "256,7168", by);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->values[0].integer(), expected) << by;
  }
  EXPECT_EQ(
      jsonOf(table.configurationOf(*table.find("H100", "256,7168", 1))).dump(),
      R"({"constants":{"BLOCK":16},"options":{"num_warps":4}})");
}

TEST(OpsTuneConfigsTest, ProblemsNameTheLineAndTheNearestName) {
  const std::pair<const char *, const char *> cases[] = {
      {"mm:\n- META: {A: 1}\n  nstags: 3\n",
       "t.yaml:3:3: unknown key 'nstags'"},
      {"mm:\n- META: {A: 1}\n  num_stags: 3\n",
       "t.yaml:3:3: unknown key 'num_stags'; did you mean 'num_stages'"},
      {"mm:\n- gen: true\n  parm_map: {META: {A: a}}\n  a: [1]\n",
       "t.yaml:2:3: the search space of 'mm' has no 'param_map'"},
      {"mm:\n- gen: true\n  param_map: {META: {A: blok}}\n  block: [1]\n",
       "t.yaml:3:25: 'A': unknown list 'blok'; did you mean 'block'"},
      {"mm:\n- gen: true\n  param_map: {META: {A: 1}, num_wraps: 2}\n",
       "t.yaml:3:29: unknown key 'num_wraps'; did you mean 'num_warps' or "
       "'num_ctas', in 'param_map' of 'mm'"},
      {"mm:\n- gen: true\n  param_map: {META: {A: 1}}\n  num_stages: 2\n",
       "t.yaml:4:3: unknown key 'num_stages'"},
      {"mm:\n- gen: no\n  param_map: {META: {A: 1}}\n",
       "t.yaml:2:8: 'gen' is no, expected true"},
      {"mm:\n- gen: true\n  param_map: {META: {A: a}}\n  a: []\n",
       "t.yaml:4:6: 'a' is empty"},
      {"mm:\n- META: [1]\n",
       "t.yaml:2:9: 'META' of 'mm' is a list, expected a mapping"},
      {"mm:\n- META: {A: [1]}\n", "t.yaml:2:13: 'A' is a list, expected a "},
      {"mm:\n- META: {a-b: 1}\n", "t.yaml:2:10: 'a-b' cannot be the name"},
      {"mm:\n- {}\n", "t.yaml:2:3: a configuration of 'mm' has no 'META'"},
      {"mm:\n- META: {A: 1}\n  num_warps: 0\n",
       "t.yaml:3:14: 'num_warps' is 0, expected a positive integer"},
      {"mm:\n- META: {A: 1}\n  num_warps: four\n",
       "t.yaml:3:14: 'num_warps' is 'four', expected a positive integer"},
      {"mm: {META: {A: 1}}\n", "t.yaml:1:5: 'mm' is a mapping, expected a "
                               "list of configurations"},
      {"mm:\n- 1\n", "t.yaml:2:3: a configuration of 'mm' is an integer"},
      {"- 1\n", "t.yaml:1:1: found a list, expected a mapping of operators"},
      {"mm:\n- strategy: {M: logg}\n",
       "t.yaml:2:17: unknown strategy 'logg'; did you mean 'log'"},
      {"mm:\n- META: {A: 1}\n  where: A <\n",
       "t.yaml:3:10: expression 'A <', column 4: found the end"},
      {"mm:\n- META: {A: 1}\n  let: {B: C, C: B}\n",
       "t.yaml:3:8: 'let' of 'mm' needs itself: B -> C -> B"},
      {"mm:\n- table: {key: [N], by: M, values: [A, B]}\n"
       "  devices: {D: {'1': {'2': [3]}}}\n",
       "t.yaml:3:28: found 1 values, expected 2: 'A', 'B'"},
      {"mm:\n- table: {key: [N], by: M, values: [A]}\n"
       "  devices: {D: {'1,2': {'2': [3]}}}\n",
       "t.yaml:3:17: '1,2' has 2 values, expected 1: 'N'"},
      {"mm:\n- table: {key: [N], by: M, values: [A]}\n"
       "  devices: {D: {'1': {x: [3]}}}\n",
       "t.yaml:3:23: 'x' is not an integer, expected 'M'"},
  };
  for (const auto &[text, expected] : cases) {
    ReadConfigs read = ::read(text);
    EXPECT_THAT(read.problems, testing::Contains(HasSubstr(expected))) << text;
    EXPECT_EQ(read.configs.find("mm"), nullptr) << text;
  }
}

TEST(OpsTuneConfigsTest, AProblemOfOneOperatorLeavesTheOthers) {
  ReadConfigs read = ::read("bad:\n- x: 1\ngood:\n- META: {A: 1}\n");
  EXPECT_EQ(read.configs.find("bad"), nullptr);
  EXPECT_THAT(expandedTo(read.configs, "good"), ElementsAre("A=1"));
}

TEST(OpsTuneConfigsTest, TooManyConfigurationsAreRefused) {
  std::string text = "mm:\n- gen: true\n  param_map: {META: {";
  for (char name = 'A'; name < 'Q'; ++name)
    text += std::string(name == 'A' ? "" : ", ") + name + ": v";
  text += "}}\n  v: [1, 2, 3, 4]\n";
  EXPECT_THAT(read(text).problems,
              ElementsAre(HasSubstr("t.yaml:2:3: 'mm' has more than 65536 "
                                    "configurations")));
}
