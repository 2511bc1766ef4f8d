// TextTest.cpp - tables, quantities and quantiles.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Text.h"
#include "Statistics.h"
#include "text/EscapeForTerminal.h"

#include <gtest/gtest.h>

using namespace nereid::tools;

TEST(TableTest, AlignsColumnsWithoutTrailingSpace) {
  Table table({"name", "time"});
  table.alignRight(1);
  table.add({"a", "1"});
  table.add({"größer", "100"});
  EXPECT_EQ(table.text(), "name    time\n"
                          "a          1\n"
                          "größer   100\n");
}

TEST(TableTest, IsAsWideAsWhatIsShown) {
  Table table({"a", "b"});
  table.add({"\x1b[31mred", "1"});
  table.add({"plain", "2"});
  EXPECT_EQ(table.text(), "a            b\n"
                          "\\x1b[31mred  1\n"
                          "plain        2\n");
}

TEST(TextTest, ControlCharactersAreVisible) {
  using nereid::escapeForTerminal;
  EXPECT_EQ(escapeForTerminal("größer, 东\n\tfe"), "größer, 东\n\tfe");
  EXPECT_EQ(escapeForTerminal("\x1b[2J\r\a"), "\\x1b[2J\\x0d\\x07");
  EXPECT_EQ(escapeForTerminal(std::string_view("\0\x7f", 2)), "\\x00\\x7f");
  // A control sequence introducer in UTF-8, and as a byte of its own.
  EXPECT_EQ(escapeForTerminal("\xc2\x9b"
                              "2J"),
            "\\xc2\\x9b2J");
  EXPECT_EQ(escapeForTerminal("\x9b"
                              "2J \xe4\xb8"),
            "\\x9b2J \\xe4\\xb8");
}

TEST(TextTest, ScalesUnits) {
  EXPECT_EQ(durationText(0), "0 ns");
  EXPECT_EQ(durationText(999.4), "999 ns");
  EXPECT_EQ(durationText(1234), "1.23 us");
  EXPECT_EQ(durationText(45.67e6), "45.7 ms");
  EXPECT_EQ(durationText(3e9), "3.00 s");
  EXPECT_EQ(bytesText(1023), "1023 B");
  EXPECT_EQ(bytesText(1536), "1.50 KiB");
  EXPECT_EQ(bytesText(uint64_t(5) << 30), "5.00 GiB");
}

TEST(StatisticsTest, InterpolatesQuantiles) {
  Statistics times = Statistics::of({50, 10, 40, 20, 30, 60});
  EXPECT_EQ(times.count, 6u);
  EXPECT_EQ(times.minimum, 10);
  EXPECT_EQ(times.p20, 20);
  EXPECT_EQ(times.median, 35);
  EXPECT_EQ(times.p80, 50);
  EXPECT_EQ(times.mean, 35);
  EXPECT_EQ(Statistics::of({7}).p80, 7);
  EXPECT_EQ(Statistics::of({}).count, 0u);
}
