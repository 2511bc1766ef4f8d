// CorruptionTest.cpp - no change to an archive goes unnoticed, and none is
// dangerous.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Kernels.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>

using namespace nereid::host;
using testing::HasSubstr;

TEST(ArchiveCorruption, CatchesEveryFlippedByte) {
  std::string bytes = archiveOf({sampleKernel("sum")});
  ASSERT_EQ(problemOf(bytes), "");
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = char(changed[at] ^ 0x41);
    EXPECT_NE(problemOf(changed), "") << "byte " << at;
  }
}

TEST(ArchiveCorruption, CatchesEveryBitOfHeaderAndIndex) {
  std::string bytes = archiveOf({sampleKernel("sum")});
  size_t end = 128 + (*openBytes(bytes))->header().indexSize;
  for (size_t bit = 0; bit < end * 8; ++bit) {
    std::string changed = bytes;
    changed[bit / 8] = char(changed[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(openBytes(changed)) << "bit " << bit;
  }
}

TEST(ArchiveCorruption, CatchesEveryTruncation) {
  std::string bytes = archiveOf({sampleKernel("sum")});
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(openBytes(std::string_view(bytes).substr(0, size)))
        << "size " << size;
  EXPECT_THAT(problemOf(bytes + '\0'), HasSubstr("truncated or extended"));
  EXPECT_THAT(problemOf(bytes.substr(0, bytes.size() - 1)),
              HasSubstr("truncated or extended archive: "));
}

TEST(ArchiveCorruption, NamesWhatAForeignFileIsNot) {
  EXPECT_THAT(problemOf("\177ELF and more"),
              HasSubstr("k.nra: not an archive of kernels"));
  EXPECT_THAT(problemOf(""), HasSubstr("not an archive of kernels"));
}

// The digests of header and index made right again.
static void seal(std::string &bytes) {
  auto indexSize = getLittle<uint64_t>(bytes.data() + 32);
  Integrity index = integrityOf(std::string_view(bytes).substr(128, indexSize));
  std::ranges::copy(index, bytes.begin() + 40);
  Integrity header = integrityOf(std::string_view(bytes).substr(0, 112));
  std::ranges::copy(header, bytes.begin() + 112);
}

TEST(ArchiveCorruption, RefusesOtherVersions) {
  std::string bytes = archiveOf({sampleKernel("sum")});
  std::string newer = bytes;
  newer[8] = 2;
  seal(newer);
  EXPECT_THAT(problemOf(newer),
              HasSubstr("archive of format 2.0, this libnereid reads 1.0 to"));
  newer = bytes;
  newer[10] = 2;
  seal(newer);
  EXPECT_EQ(openBytes(newer).failure().status, NEREID_INCOMPATIBLE);
}

// With right digests, only the checks of the records are left. Whatever they
// accept must be safe to read.
static void surviveSealedChanges(const std::string &bytes) {
  size_t end = 128 + (*openBytes(bytes))->header().indexSize;
  for (size_t at = 128; at < end; ++at)
    for (uint8_t value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = char(value);
      seal(changed);
      Result<std::shared_ptr<const Archive>> archive = openBytes(changed);
      if (!archive)
        continue;
      (void)(*archive)->verify();
      for (uint32_t i = 0; i < (*archive)->counts().kernels; ++i)
        (void)(*archive)->argumentsOf(i);
      (void)(*archive)->find("sum");
      (void)(*archive)->readNamed("pack.json");
    }
}

TEST(ArchiveCorruption, SurvivesEverySealedChangeOfTheIndex) {
  surviveSealedChanges(archiveOf({sampleKernel("sum"), sampleKernel("add")}));
}

TEST(ArchiveCorruption, SurvivesEverySealedChangeOfFiles) {
  ArchiveWriter writer;
  ASSERT_TRUE(writer.addFile("pack.json", "{}"));
  ASSERT_TRUE(writer.addFile("more", "text"));
  surviveSealedChanges(*writer.finish(Compression::None));
}

TEST(ArchiveCorruption, SurvivesEverySealedWordOfTheHeader) {
  std::string bytes = archiveOf({sampleKernel("sum")});
  for (size_t at = 8; at < 112; ++at)
    for (uint8_t value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = char(value);
      // The size of the index may be nonsense, so only the header is sealed.
      Integrity header = integrityOf(std::string_view(changed).substr(0, 112));
      std::ranges::copy(header, changed.begin() + 112);
      EXPECT_EQ(problemOf(changed).empty(), changed == bytes) << at;
    }
}
