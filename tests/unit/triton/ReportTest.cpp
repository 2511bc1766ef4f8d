// ReportTest.cpp - reading what MLIR prints.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "report.h"

#include <gtest/gtest.h>

using namespace nereid::triton;

static std::string read(std::string_view text) {
  std::string result;
  for (const Diagnostic &each : printedDiagnostics(text))
    result += std::to_string(each.severity) + " " + each.file + ":" +
              std::to_string(each.line) + ":" + std::to_string(each.column) +
              " " + each.message + "|";
  return result;
}

TEST(ReportTest, FindsDiagnosticsInOtherText) {
  EXPECT_EQ(read("/a b/k.py:3:14: error: bad thing\n    x = 1\n        ^\n"
                 "k:y.py:1:2: note: why\n"),
            "1 /a b/k.py:3:14 bad thing|3 k:y.py:1:2 why|");
  EXPECT_EQ(read("loc(\"k.py\":3:14): error: bad: 1:2: thing"),
            "1 k.py:3:14 bad: 1:2: thing|");
  EXPECT_EQ(read("\"k.py\":3:14: warning: slow"), "2 k.py:3:14 slow|");
  EXPECT_EQ(read("loc(unknown): error: failed\nerror: alone"),
            "1 :0:0 failed|1 :0:0 alone|");
  EXPECT_EQ(read("input.ttir:3:4: error: e"), "1 :3:4 e|");
}

TEST(ReportTest, IgnoresEverythingElse) {
  for (const char *text :
       {"", "\n\n", ":", ":1:2: error", "k.py:1: error: x", "loc(", "loc(\"",
        "loc(\"k\":1:2: error: x", "\"k:1:2: error: x", "an error: x",
        "k.py:99999999999:1: error: x"})
    EXPECT_EQ(read(text), "") << text;
}
