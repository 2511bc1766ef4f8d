// YamlTest.cpp - YAML documents as trees: values, lines, anchors, limits.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "yaml/Node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nereid::ops;
using testing::HasSubstr;
using testing::StartsWith;

// The values of a document as Python would print them.
static std::string textOf(const yaml::Node &node) {
  if (node.isScalar())
    return node.value.repr();
  std::string text;
  for (const yaml::NodePtr &item : node.items)
    text += (text.empty() ? "" : ", ") + textOf(*item);
  for (const yaml::Entry &entry : node.entries)
    text += (text.empty() ? "" : ", ") + textOf(*entry.key) + ": " +
            textOf(*entry.value);
  return node.isSequence() ? "[" + text + "]" : "{" + text + "}";
}

static std::string read(std::string_view document) {
  auto root = yaml::parse(document, "t.yaml");
  return root ? textOf(**root) : root.failure().text;
}

TEST(OpsYamlTest, ScalarsAreThoseOfYaml11) {
  const std::pair<const char *, const char *> cases[] = {
      {"12", "12"},
      {"-1_000", "-1000"},
      {"010", "8"},
      {"08", "'08'"},
      {"0b101", "5"},
      {"0x1F", "31"},
      {"1:30", "90"},
      {"1:30.5", "90.5"},
      {"1:75", "'1:75'"},
      {"0o17", "'0o17'"},
      {"1e3", "'1e3'"},
      {"1.0e3", "'1.0e3'"},
      {"1.0e+3", "1000.0"},
      {".5", "0.5"},
      {"+.5", "'+.5'"},
      {"5.", "5.0"},
      {"-.inf", "-inf"},
      {".NaN", "nan"},
      {"yes", "True"},
      {"Off", "False"},
      {"y", "'y'"},
      {"~", "None"},
      {"", "None"},
      {"null", "None"},
      {"nULL", "'nULL'"},
      {"'12'", "'12'"},
      {"\"yes\"", "'yes'"},
      {"!!str 12", "'12'"},
      {"!!int '12'", "12"},
      {"!!float 1", "1.0"},
      {"! '12'", "12"},
      {"2024-01-02", "'2024-01-02'"},
      {"- a\n- b: 1\n", "['a', {'b': 1}]"},
      {"{a: [1, 2], 3: x}", "{'a': [1, 2], 3: 'x'}"},
      {"a: |\n  x\n  y\n", "{'a': 'x\\ny\\n'}"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"=: 1", "{'=': 1}"},
  };
  for (const auto &[document, expected] : cases)
    EXPECT_EQ(read(document), expected) << document;
}

TEST(OpsYamlTest, AnchorsAndMergeKeysRepeatWhatTheyName) {
  EXPECT_EQ(read("a: &x {n: 1, m: 2}\nb: *x\nc: {<<: *x, n: 3}\n"),
            "{'a': {'n': 1, 'm': 2}, 'b': {'n': 1, 'm': 2}, "
            "'c': {'n': 3, 'm': 2}}");
  EXPECT_EQ(read("a: &x {n: 1}\nb: &y {n: 2, m: 3}\nc: {<<: [*x, *y]}\n"),
            "{'a': {'n': 1}, 'b': {'n': 2, 'm': 3}, 'c': {'n': 1, 'm': 3}}");
}

TEST(OpsYamlTest, NodesKnowTheirPlace) {
  auto root = yaml::parse("a:\n  - 1\n  -   bc: 2\n", "t.yaml");
  ASSERT_TRUE(root);
  const yaml::Node &item = *(*root)->find("a")->items[1];
  EXPECT_EQ(item.line, 3u);
  EXPECT_EQ(item.column, 7u);
  EXPECT_EQ(item.find("bc")->line, 3u);
  EXPECT_EQ(item.find("bc")->column, 11u);
  EXPECT_EQ(item.find("b"), nullptr);
}

TEST(OpsYamlTest, ErrorsNameFileLineAndColumn) {
  const std::pair<std::string, const char *> cases[] = {
      {"a: 1\nb: 2\na: 3\n",
       "t.yaml:3:1: the key 'a' is there twice, first in line 1"},
      {"1: a\ntrue: b\n", "t.yaml:2:1: the key 'true' is there twice"},
      {"a: [1, 2\nb: 3\n", "t.yaml:2:2: did not find expected ',' or ']', "
                           "while parsing a flow sequence from line 1"},
      {"a: *b\n", "t.yaml:1:4: no anchor is called 'b'"},
      {"a: &b [*b]\n", "t.yaml:1:8: 'b' is inside itself"},
      {"a: &b 1\nc: &b 2\n", "t.yaml:2:4: a second anchor is called 'b'"},
      {"a: {<<: 1}\n", "t.yaml:1:9: '<<' of an integer, expected a mapping"},
      {"a: {<<: [1]}\n", "t.yaml:1:10: '<<' of a list with an integer"},
      {"- <<\n", "t.yaml:1:3: '<<' is a merge key, expected a value"},
      {"- =\n", "t.yaml:1:3: '=' is not a value"},
      {"? [1]\n: 2\n", "t.yaml:1:3: a key is a list, expected a word"},
      {"a: !!python/name:os.system x\n",
       "t.yaml:1:4: the tag 'tag:yaml.org,2002:python/name:os.system' is not "
       "supported"},
      {"!!set {a}\n", "t.yaml:1:1: the tag 'tag:yaml.org,2002:set' is not"},
      {"!!int x\n", "t.yaml:1:1: 'x' is not what its tag"},
      {"9223372036854775808\n", "t.yaml:1:1: '9223372036854775808' does not "
                                "fit an integer of 64 bits"},
      {"0b_\n", "t.yaml:1:1: '0b_' is not a number"},
      {"--- 1\n--- 2\n", "t.yaml:2:1: a second document, expected one"},
      {"a: 1\nb: \x01\n", "t.yaml:2:4: control characters are not allowed"},
      {std::string(100, '['), "t.yaml:1:65: more than 64 lists and mappings"},
  };
  for (const auto &[document, expected] : cases)
    EXPECT_THAT(read(document), StartsWith(expected)) << document;
}

TEST(OpsYamlTest, AnExpansionBombIsRefused) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j)
      bomb += (j ? ", " : "") + before;
    bomb += "]\n";
  }
  EXPECT_THAT(read(bomb), HasSubstr("more than 1048576 values"));
  std::string merges = "m0: &m0 {a: 1, b: 2}\n";
  for (int i = 1; i < 40; ++i) {
    std::string before = "*m" + std::to_string(i - 1);
    merges += "m" + std::to_string(i) + ": &m" + std::to_string(i) + " {<<: [" +
              before + ", " + before + "]}\n";
  }
  EXPECT_THAT(read(merges), HasSubstr("more than 1048576 values"));
}

TEST(OpsYamlTest, ManyKeysTakeTimeInTheirNumber) {
  std::string document;
  for (int i = 0; i < 100000; ++i)
    document += "k" + std::to_string(i) + ": 1\n";
  auto root = yaml::parse(document, "t.yaml");
  ASSERT_TRUE(root);
  EXPECT_EQ((*root)->entries.size(), 100000u);
}
