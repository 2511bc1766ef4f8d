// WriterTest.cpp - what the writer refuses, and that it writes the same bytes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Kernels.h"

#include <gmock/gmock.h>

using namespace nereid::host;
using testing::HasSubstr;

static std::string refusal(NewKernel kernel) {
  ArchiveWriter writer;
  Outcome added = writer.add(std::move(kernel));
  if (!added)
    return added.failure().text;
  Result<std::string> bytes = writer.finish(Compression::None);
  return bytes ? std::string() : bytes.failure().text;
}

TEST(ArchiveWriter, WritesTheSameBytesInWhateverOrderKernelsCome) {
  EXPECT_EQ(
      archiveOf({sampleKernel("a"), sampleKernel("b"), sampleKernel("c")}),
      archiveOf({sampleKernel("c"), sampleKernel("a"), sampleKernel("b")}));
  NewKernel turned = sampleKernel("a");
  std::swap(turned.variants[0].images[0], turned.variants[0].images[1]);
  EXPECT_EQ(archiveOf({sampleKernel("a")}), archiveOf({turned}));
}

TEST(ArchiveWriter, StoresEqualImagesOnce) {
  NewKernel kernel = sampleKernel("a");
  kernel.variants[0].images[0].bytes = kernel.variants[1].images[0].bytes;
  std::string bytes = archiveOf({kernel});
  std::shared_ptr<const Archive> archive = *openBytes(bytes);
  EXPECT_EQ(archive->image(1).blob, archive->image(2).blob);
}

TEST(ArchiveWriter, FilesMakeItVersion11) {
  ArchiveWriter writer;
  ASSERT_TRUE(writer.add(sampleKernel("a")));
  std::string before = *writer.finish(Compression::None);
  EXPECT_EQ((*openBytes(before))->header().minor, 0);
  ASSERT_TRUE(writer.addFile("pack.json", "{}"));
  ASSERT_TRUE(writer.addFile("a.txt", std::string(5000, 'x')));
  ASSERT_TRUE(writer.addFile("a.txt", std::string(5000, 'x')));
  Outcome twice = writer.addFile("a.txt", "y");
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.failure().text, HasSubstr("with different bytes"));
  EXPECT_FALSE(writer.addFile("", "y"));
  std::string bytes = *writer.finish(Compression::None);
  std::shared_ptr<const Archive> archive = *openBytes(bytes);
  EXPECT_EQ(archive->header().minor, 1);
  EXPECT_EQ(archive->readNamed("pack.json")->bytes, "{}");
  EXPECT_EQ(archive->readNamed("a.txt")->bytes, std::string(5000, 'x'));
  EXPECT_TRUE(archive->verify());
  auto missing = archive->readNamed("pack.jso");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.failure().text, HasSubstr("did you mean 'pack.json'"));
  // They go along when archives are merged.
  ArchiveWriter merged;
  ASSERT_TRUE(merged.addArchive(*archive));
  EXPECT_EQ(*merged.finish(Compression::None), bytes);
  // A reader of 1.0 does not know them.
  putLittle<uint16_t>(&bytes[10], 0);
  std::ranges::copy(integrityOf(std::string_view(bytes).substr(0, 112)),
                    bytes.begin() + 112);
  auto old = openBytes(bytes);
  ASSERT_FALSE(old);
  EXPECT_THAT(old.failure().text, HasSubstr("2 files do not fit its version"));
}

TEST(ArchiveWriter, RefusesAKernelWithoutAGeneralVariant) {
  NewKernel kernel = sampleKernel("a");
  kernel.variants.pop_back();
  EXPECT_THAT(refusal(kernel), HasSubstr("its last variant must have no "
                                         "conditions"));
  kernel.variants.clear();
  EXPECT_THAT(refusal(kernel), HasSubstr("its last variant"));
}

TEST(ArchiveWriter, RefusesAnArgumentThatIsNeitherPassedNorKnown) {
  NewKernel kernel = sampleKernel("a");
  kernel.variants[1].parameters = {0, 2};
  EXPECT_THAT(refusal(kernel), HasSubstr("argument 'n' is neither passed"));
}

TEST(ArchiveWriter, RefusesConditionsThatNoArgumentCanHave) {
  NewKernel kernel = sampleKernel("a");
  kernel.variants[0].conditions.push_back({2, ConditionKind::DivisibleBy, 16});
  EXPECT_THAT(refusal(kernel),
              HasSubstr("argument 'scale' of type 'f32' cannot have"));
  kernel = sampleKernel("a");
  kernel.variants[0].conditions.push_back({0, ConditionKind::EqualTo, 0});
  EXPECT_THAT(refusal(kernel), HasSubstr("argument 'x' of type '*f32'"));
  kernel = sampleKernel("a");
  kernel.variants[0].conditions.push_back({1, ConditionKind::DivisibleBy, 0});
  EXPECT_THAT(refusal(kernel), HasSubstr("argument 'n' of type 'i32'"));
  kernel = sampleKernel("a");
  kernel.variants[0].conditions.push_back({9, ConditionKind::EqualTo, 0});
  EXPECT_THAT(refusal(kernel), HasSubstr("a condition on argument 9 of 3"));
}

TEST(ArchiveWriter, RefusesUnknownTypesAndRepeatedNames) {
  NewKernel kernel = sampleKernel("a");
  kernel.arguments[1].second = "int";
  EXPECT_THAT(refusal(kernel), HasSubstr("argument 'n' has type 'int'"));
  kernel = sampleKernel("a");
  kernel.arguments[1].first = "x";
  EXPECT_THAT(refusal(kernel), HasSubstr("two arguments are called 'x'"));
  ArchiveWriter writer;
  EXPECT_TRUE(writer.add(sampleKernel("a")));
  EXPECT_THAT(writer.add(sampleKernel("a")).failure().text,
              HasSubstr("there is one of that name already"));
  EXPECT_THAT(
      writer.addImage("a", 0, imageFor("cpu", "x86_64", "b")).failure().text,
      HasSubstr("a second image for target 'cpu:x86_64"));
  EXPECT_THAT(
      writer.addImage("b", 0, imageFor("cpu", "x86_64", "b")).failure().text,
      HasSubstr("no kernel 'b' was added"));
}

TEST(ArchiveWriter, RefusesMoreArgumentsThanALaunchCanMove) {
  NewKernel kernel = sampleKernel("a");
  kernel.variants = {NewVariant()};
  kernel.arguments.clear();
  for (uint32_t i = 0; i < 513; ++i) {
    kernel.arguments.emplace_back("p" + std::to_string(i), "*f32");
    kernel.variants[0].parameters.push_back(i);
  }
  EXPECT_THAT(refusal(kernel), HasSubstr("its arguments take 4104 bytes"));
}

TEST(ArchiveWriter, MergesTargetsOfEqualKernels) {
  NewKernel there = sampleKernel("a");
  there.variants[1].images = {imageFor("acme", "a1", "general acme image")};
  std::string first = archiveOf({sampleKernel("a")});
  std::string second = archiveOf({there, sampleKernel("b")});
  ArchiveWriter writer;
  ASSERT_TRUE(writer.addArchive(**openBytes(first)));
  Outcome added = writer.addArchive(**openBytes(second));
  ASSERT_TRUE(added) << added.failure().text;
  std::string merged = *writer.finish(Compression::None);
  std::shared_ptr<const Archive> archive = *openBytes(merged);
  EXPECT_TRUE(archive->verify());
  EXPECT_EQ(archive->counts().kernels, 2u);
  EXPECT_EQ(archive->variant(1).images.count, 2u);

  // Nothing is lost when an archive is merged with itself.
  ArchiveWriter again;
  ASSERT_TRUE(again.addArchive(*archive));
  ASSERT_TRUE(again.addArchive(*archive));
  EXPECT_EQ(*again.finish(Compression::None), merged);
}

TEST(ArchiveWriter, RefusesToMergeDifferentKernelsOfOneName) {
  NewKernel other = sampleKernel("a");
  other.variants[1].ttirDigest = sha256("changed");
  std::string first = archiveOf({sampleKernel("a")});
  std::string second = archiveOf({other});
  ArchiveWriter writer;
  ASSERT_TRUE(writer.addArchive(**openBytes(first)));
  EXPECT_THAT(writer.addArchive(**openBytes(second)).failure().text,
              HasSubstr("k.nra: kernel 'a' is another one"));
  other = sampleKernel("a");
  other.variants[1].images[0].bytes = "other bytes";
  second = archiveOf({other});
  EXPECT_THAT(writer.addArchive(**openBytes(second)).failure().text,
              HasSubstr("kernel 'a' has another image for"));
}
