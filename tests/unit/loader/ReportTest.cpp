// ReportTest.cpp - the documented reasons are the ones in the code.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/LoadReport.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace nereid::host {
namespace {

/// The rows "| `code` | meaning | remedy |" below "Reasons" in
/// docs/load-report.md.
std::vector<std::string> documentedRows() {
  std::ifstream file(NEREID_SOURCE_DIR "/docs/load-report.md");
  std::vector<std::string> rows;
  bool isThere = false;
  for (std::string line; std::getline(file, line);) {
    isThere |= line == "## Reasons";
    if (isThere && line.starts_with("| `"))
      rows.push_back(line);
  }
  return rows;
}

TEST(LoadReport, TheDocumentedTableIsTheOneInTheCode) {
  std::vector<std::string> rows;
  for (const ReasonInfo &info : reasonTable()) {
    std::string remedy(info.remedy.empty() ? "nothing" : info.remedy);
    rows.push_back("| `" + std::string(info.code) + "` | " +
                   std::string(info.meaning) + " | " + remedy + " |");
  }
  std::vector<std::string> documented = documentedRows();
  ASSERT_EQ(documented.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i)
    EXPECT_EQ(documented[i], rows[i]);
}

TEST(LoadReport, CodesAreDistinctAndSpelledAlike) {
  std::set<std::string_view> codes;
  for (const ReasonInfo &info : reasonTable()) {
    EXPECT_TRUE(codes.insert(info.code).second) << info.code;
    EXPECT_TRUE(std::regex_match(std::string(info.code),
                                 std::regex("[a-z]+(-[a-z]+)*")))
        << info.code;
    EXPECT_EQ(&infoOf(info.reason), &info);
  }
}

TEST(LoadReport, AdviceEndsWithTheRemedy) {
  Candidate candidate;
  candidate.reason = Reason::DuplicateId;
  candidate.path = "/a.so";
  candidate.detail = "found";
  candidate.winner = "/b.so";
  EXPECT_EQ(candidate.text(), "/a.so: found; '/b.so' is used");
  EXPECT_EQ(candidate.advice(),
            candidate.text() + "; " + std::string(candidate.remedy()));
}

} // namespace
} // namespace nereid::host
