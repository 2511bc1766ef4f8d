// GoldenTest.cpp - archives of older versions are read for ever.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Kernels.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace nereid::host;

static std::string readGolden(const std::string &name) {
  std::ifstream file(NEREID_SOURCE_DIR "/tests/data/archive/" + name,
                     std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

// Format 1.0. This file is never written again: a later version of the format
// gets another one beside it.
TEST(GoldenArchive, IsReadAsItWasWritten) {
  std::string bytes = readGolden("version-1.0.nra");
  ASSERT_EQ(problemOf(bytes), "");
  std::shared_ptr<const Archive> archive = *openBytes(bytes);
  EXPECT_EQ(archive->counts().kernels, 2u);
  uint32_t sum = *archive->find("sum");
  EXPECT_EQ(hexText(archive->header().contract),
            "d73bb531e09a02be83d759332a0cb9a8");
  VariantRecord special = archive->variant(archive->kernel(sum).variants.first);
  EXPECT_EQ(archive->read(special.ttir)->bytes, "special ttir of sum");
  EXPECT_EQ(archive->read(archive->image(special.images.first).blob)->bytes,
            "acme image of sum");
}

TEST(GoldenArchive, IsStillWrittenAlike) {
  // Not EXPECT_EQ, which would print both.
  EXPECT_TRUE(archiveOf({sampleKernel("sum"), sampleKernel("add")}) ==
              readGolden("version-1.0.nra"));
}

TEST(GoldenArchive, HasTheDocumentedHeader) {
  std::string bytes = readGolden("version-1.0.nra");
  ASSERT_GT(bytes.size(), 128u);
  EXPECT_EQ(bytes.substr(0, 8), "nereidAR");
  EXPECT_EQ(bytes.substr(8, 8), std::string("\1\0\0\0\x80\0\0\0", 8));
  EXPECT_EQ(getLittle<uint64_t>(&bytes[16]), bytes.size());
  EXPECT_EQ(getLittle<uint64_t>(&bytes[24]), 128u);
  EXPECT_EQ(bytes.substr(56, 8), std::string(8, '\0'));
  EXPECT_EQ(bytes.substr(80, 32), std::string(32, '\0'));
}
