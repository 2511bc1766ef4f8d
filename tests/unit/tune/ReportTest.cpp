// ReportTest.cpp - the page is well-formed, alone, small, and has the numbers.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "StoreFixture.h"

#include "report/Markup.h"
#include "report/Report.h"

#include <regex>
#include <set>

using namespace nereid::ops;
using testing::HasSubstr;
using testing::Not;

// What is not well-formed in `page`; empty if nothing. Tags must be closed in
// order, and & and < must be escaped.
static std::string malformed(const std::string &page) {
  std::vector<std::string> open;
  size_t at = page.find('>') + 1; // after the document type
  while (at < page.size()) {
    size_t tag = std::min(page.find('<', at), page.size());
    static const std::regex loose("&(?!(amp|lt|gt|quot);)");
    std::string content = page.substr(at, tag - at);
    if (std::regex_search(content, loose) || content.find('>') != content.npos)
      return "in '" + content.substr(0, 100) + "'";
    if (tag == page.size())
      break;
    size_t end = page.find('>', tag);
    if (end == page.npos)
      return "an open tag at the end";
    std::string text = page.substr(tag + 1, end - tag - 1);
    static const std::regex form(
        R"re(/?[a-z][a-z0-9]*( [a-zA-Z0-9-]+="[^"<]*")*\s*/?)re");
    if (!std::regex_match(text, form))
      return "tag '" + text + "'";
    std::string name = text.substr(0, text.find_first_of(" /", 1));
    if (text[0] == '/') {
      if (open.empty() || "/" + open.back() != text)
        return "'" + text + "' closes nothing";
      open.pop_back();
    } else if (!text.ends_with('/')) {
      open.push_back(name);
    }
    at = end + 1;
  }
  return open.empty() ? "" : "'" + open.back() + "' is not closed";
}

static void expectGood(const std::string &page) {
  EXPECT_EQ(malformed(page), "");
  EXPECT_LE(page.size(), reportLimit);
  for (const char *word : {"http", "src=", "href", "url(", "@import", "<script",
                           "<link", "<iframe"})
    EXPECT_THAT(page, Not(HasSubstr(word)));
  // Each figure has a name, a description, and its numbers.
  auto count = [&](const char *word) {
    size_t found = 0;
    for (size_t at = page.find(word); at != page.npos;
         at = page.find(word, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("<svg"), count("role=\"img\""));
  EXPECT_EQ(count("<svg"), count("<desc"));
  EXPECT_EQ(count("<svg"), count("<details>"));
  EXPECT_EQ(count("<th"), count("scope=") + count("<thead"));
  static const std::regex id("id=\"([^\"]*)\"");
  std::set<std::string> ids;
  for (std::sregex_iterator i(page.begin(), page.end(), id), end; i != end; ++i)
    EXPECT_TRUE(ids.insert((*i)[1]).second) << (*i)[1];
}

// Two configurations for each of some shapes, on two architectures.
static std::vector<TunedResult> landscape() {
  std::vector<TunedResult> rows;
  for (int n : {256, 1024, 4096, 16384})
    for (int block : {64, 128, 256})
      for (int warps : {2, 4}) {
        TunedResult row = resultOf(n, n * 1.37 * (1 + block / 512.0) / warps);
        row.configuration = R"({"BLOCK":)" + std::to_string(block) +
                            R"(,"num_warps":)" + std::to_string(warps) + "}";
        rows.push_back(row);
        row.device.architecture = "sm_90a";
        row.device.name = "H200";
        row.median /= 10;
        if (n != 256)
          rows.push_back(row);
      }
  return rows;
}

TEST(ReportTest, HasFiguresAndTheirNumbers) {
  std::string page = reportHtml({"/home/x/tuned.db", landscape(), {}, {}});
  expectGood(page);
  for (const char *word :
       {"/home/x/tuned.db", "Coverage by shape and architecture",
        "softmax: time over n", "znver4", "sm_90a", "BLOCK", "num_warps",
        "<polyline", "color-scheme:light dark", "prefers-color-scheme:dark"})
    EXPECT_THAT(page, HasSubstr(word));
  // The winner for n = 1024 on the CPU: 1024 * 1.37 * 1.125 / 4.
  EXPECT_THAT(page, HasSubstr("<td>395 ns</td>"));
  EXPECT_THAT(page, HasSubstr("<td>42</td>"));
  // A hole, and what is no hole.
  EXPECT_THAT(page, HasSubstr("<td>hole</td>"));
  EXPECT_THAT(page, HasSubstr("<td>tuned</td>"));
}

TEST(ReportTest, AnEmptyStoreHasAReport) {
  std::string page = reportHtml({"tuned.db", {}, {}, {}});
  expectGood(page);
  EXPECT_THAT(page, HasSubstr("<td>0</td>"));
  EXPECT_THAT(page, Not(HasSubstr("<svg")));
}

TEST(ReportTest, ComparesTwoStores) {
  std::vector<TunedResult> before = landscape();
  for (TunedResult &row : before)
    if (row.key == R"({"n":4096})")
      row.median *= 2;
  std::string page = reportHtml({"new.db", landscape(), "old.db", before});
  expectGood(page);
  EXPECT_THAT(page, HasSubstr("Results compared with old.db"));
  EXPECT_THAT(page, HasSubstr("<td>0.5</td><td>faster</td>"));
  EXPECT_THAT(page, HasSubstr(">12</td>")); // configurations that are faster
}

TEST(ReportTest, NamesOfOthersAreEscapedAndCut) {
  std::vector<TunedResult> rows = landscape();
  for (TunedResult &row : rows) {
    row.operatorName = "<script>alert('x')</script> & \"co\" \x1b[31m";
    row.variant = std::string(5000, 'v');
    row.device.name = "</svg><b>";
    row.key = R"({"n":)" + row.key.substr(5, row.key.size() - 6) +
              R"(,"type":"<a href='x'>"})";
    row.bucket = row.key;
  }
  std::string page = reportHtml({"a<b>&\xff.db", rows, "<i>", rows});
  EXPECT_EQ(malformed(page), "");
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<a ")));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
  EXPECT_LT(page.size(), 150'000u);
}

TEST(ReportTest, ALargeStoreIsCutToTheLimitAndSaysSo) {
  std::vector<TunedResult> rows;
  for (int name = 0; name < 300; ++name)
    for (TunedResult row : landscape()) {
      row.operatorName = "operator" + std::to_string(name);
      rows.push_back(row);
    }
  std::string page = reportHtml({"tuned.db", rows, "old.db", rows});
  expectGood(page);
  EXPECT_GT(page.size(), reportLimit * 9 / 10);
  EXPECT_THAT(page, HasSubstr("more figures or tables are left out"));
  EXPECT_THAT(page, HasSubstr("more shapes are left out"));
}

TEST(ReportTest, OddValuesDoNotBreakIt) {
  std::vector<TunedResult> rows;
  auto add = [&](const char *key, double median, const char *status = "ok") {
    TunedResult row = resultOf(1, median);
    row.key = row.bucket = key;
    row.status = status;
    rows.push_back(row);
  };
  add("{}", 0);
  add(R"({"n":0})", 1e-3);
  add(R"({"n":-5})", 1e15);
  add(R"({"n":1e300})", 5);
  add(R"({"n":"text"})", 5);
  add(R"({"n":true,"m":null})", 5, "failed");
  TunedResult bare = resultOf(7);
  bare.variant.clear();
  bare.configuration = "{}";
  bare.device = {};
  bare.compiler = {};
  bare.protocol.clear();
  rows.push_back(bare);
  expectGood(reportHtml({"", rows, "x", rows}));
}

TEST(ReportTest, TimesHaveThreeDigits) {
  EXPECT_EQ(timeText(0), "0 ns");
  EXPECT_EQ(timeText(999.4), "999 ns");
  EXPECT_EQ(timeText(999.6), "1 us");
  EXPECT_EQ(timeText(1234567), "1.23 ms");
  EXPECT_EQ(timeText(5e12), "5000 s");
  EXPECT_EQ(numberText(16384), "16384");
  EXPECT_EQ(shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten("abcdefg", 6), "abcde\xe2\x80\xa6");
  EXPECT_EQ(shorten("\xc3\xa4\xc3\xb6\xc3\xbc", 2), "\xc3\xa4\xe2\x80\xa6");
}

TEST(ReportTest, ScalesHaveRoundTicksWithin) {
  for (auto [least, most] : {std::pair(1.0, 1000.0),
                             {3.0, 3.0},
                             {0.0, 7.0},
                             {-5.0, 5.0},
                             {1.1, 1.2},
                             {1e-3, 1e15},
                             {0.0, 0.0}}) {
    Scale scale(least, most, 0, 100);
    EXPECT_GE(scale(least), -1e-6);
    EXPECT_LE(scale(most), 100 + 1e-6);
    for (bool isBinary : {false, true}) {
      EXPECT_FALSE(scale.ticks(isBinary).empty());
      EXPECT_LE(scale.ticks(isBinary).size(), 20u);
    }
  }
}
