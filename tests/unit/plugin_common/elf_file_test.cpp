// elf_file_test.cpp - ELF files that are cut off or damaged.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/elf_file.h"

#include <fstream>
#include <gtest/gtest.h>

namespace nereid::plugin {
namespace {

TEST(ElfFile, RefusesWhatIsNoElfFile) {
  EXPECT_NE(elfProblem(""), "");
  EXPECT_NE(elfProblem("#!/bin/sh\n"), "");
  EXPECT_EQ(elfBuildId(""), "");
  EXPECT_EQ(elfBuildIdOfFile("/nonexistent"), "");
}

TEST(ElfFile, SurvivesEveryTruncationAndFlip) {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::string head(4096, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  for (size_t size = 0; size < 1024; ++size) {
    elfProblem(head.substr(0, size));
    elfBuildId(head.substr(0, size));
    elfFirstSegment(head.substr(0, size));
  }
  for (size_t bit = 0; bit < 1024 * 8; ++bit) {
    std::string flipped = head;
    flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
    elfBuildId(flipped);
    EXPECT_LE(elfFirstSegment(flipped), flipped.size());
  }
}

} // namespace
} // namespace nereid::plugin
