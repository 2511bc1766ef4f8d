// ArchiveTest.cpp - what a reader finds in an archive.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Kernels.h"

#include "archive/ArchiveTarget.h"
#include "archive/Compress.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

using namespace nereid::host;
using testing::HasSubstr;

static std::shared_ptr<const Archive> open(const std::string &bytes) {
  Result<std::shared_ptr<const Archive>> archive = openBytes(bytes);
  EXPECT_TRUE(archive) << archive.failure().text;
  return archive ? *archive : nullptr;
}

TEST(Archive, HasWhatWasWritten) {
  std::string bytes = archiveOf({sampleKernel("sum"), sampleKernel("add")});
  auto archive = open(bytes);
  ASSERT_TRUE(archive);
  EXPECT_EQ(archive->counts().kernels, 2u);
  EXPECT_EQ(archive->counts().targets, 2u);
  EXPECT_EQ(archive->kernelName(0), "add");
  EXPECT_EQ(archive->kernelName(1), "sum");
  KernelRecord kernel = archive->kernel(1);
  EXPECT_EQ(archive->text(kernel.group), "sums");
  EXPECT_EQ(kernel.grid[0], 7u);
  EXPECT_EQ(archive->text(archive->constant(kernel.constants.first).value),
            "1024");
  VariantRecord special = archive->variant(kernel.variants.first);
  EXPECT_EQ(special.conditions.count, 2u);
  EXPECT_EQ(archive->condition(special.conditions.first + 1).value, 1);
  EXPECT_EQ(archive->parameter(special.parameters.first + 1), 2u);
  EXPECT_EQ(archive->read(special.ttir)->bytes, "special ttir of sum");
  // Sorted by target: acme comes before cpu.
  ImageRecord image = archive->image(special.images.first);
  EXPECT_EQ(targetOf(*archive, image.target).text(), "acme:a1::0");
  EXPECT_EQ(archive->read(image.blob)->bytes, "acme image of sum");
  EXPECT_EQ(archive->metadata(image)->string("name"), "kernel");
  EXPECT_TRUE(archive->verify());
}

TEST(Archive, LaysArgumentsOutInTheStandardWay) {
  std::string bytes = archiveOf({sampleKernel("sum")});
  Result<ArgumentLayout> layout = open(bytes)->argumentsOf(0);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->size, 16u);
  EXPECT_EQ(layout->arguments[1].offset, 8u);
  EXPECT_EQ(layout->arguments[2].offset, 12u);
}

TEST(Archive, FindsKernelsByName) {
  std::vector<NewKernel> kernels;
  for (int i = 0; i < 20; ++i)
    kernels.push_back(sampleKernel("kernel_" + std::to_string(i)));
  std::string bytes = archiveOf(std::move(kernels));
  auto archive = open(bytes);
  for (uint32_t i = 0; i < 20; ++i)
    EXPECT_EQ(*archive->find(archive->kernelName(i)), i);
  EXPECT_THAT(archive->find("kernel_7x").failure().text,
              HasSubstr("no kernel 'kernel_7x'; did you mean"));
  EXPECT_EQ(archive->find("").failure().status, NEREID_NOT_FOUND);
}

TEST(Archive, FindsKernelsByGroup) {
  std::string bytes =
      archiveOf({sampleKernel("a", "first"), sampleKernel("b", "second"),
                 sampleKernel("c", "first")});
  auto archive = open(bytes);
  Result<std::span<const uint32_t>> group = archive->group("first");
  ASSERT_TRUE(group);
  EXPECT_THAT(*group, testing::ElementsAre(0u, 2u));
  EXPECT_THAT(archive->group("secnd").failure().text,
              HasSubstr("did you mean 'second'"));
}

TEST(Archive, StartsImagesAtPages) {
  std::string bytes = archiveOf({sampleKernel("sum"), sampleKernel("add")});
  auto archive = open(bytes);
  for (uint32_t i = 0; i < archive->counts().images; ++i)
    EXPECT_EQ(archive->blob(archive->image(i).blob).offset % 4096, 0u);
}

TEST(Archive, ReadsFilesAndKeepsThemWhenTheyAreReplaced) {
  nereid::test::TemporaryFolder folder;
  std::string path = folder.file("k.nra");
  std::string bytes = archiveOf({sampleKernel("sum")});
  std::ofstream(path) << bytes;
  ArchiveSource source;
  source.path = path;
  Result<std::shared_ptr<const Archive>> archive = Archive::open(source);
  ASSERT_TRUE(archive) << archive.failure().text;
  std::filesystem::remove(path);
  std::ofstream(path) << "another file";
  EXPECT_TRUE((*archive)->verify());
  std::filesystem::remove(path);
  EXPECT_EQ(Archive::open(source).failure().text,
            path + ": no such file or directory");
  EXPECT_EQ(Archive::open(source).failure().status, NEREID_NOT_FOUND);
}

TEST(Archive, ReportsAFileThatShrinksWhileItIsOpen) {
  nereid::test::TemporaryFolder folder;
  std::string path = folder.file("k.nra");
  std::ofstream(path) << archiveOf({sampleKernel("sum")});
  ArchiveSource source;
  source.path = path;
  Result<std::shared_ptr<const Archive>> archive = Archive::open(source);
  ASSERT_TRUE(archive) << archive.failure().text;
  std::filesystem::resize_file(path, 100);
  Outcome verified = (*archive)->verify();
  ASSERT_FALSE(verified);
  EXPECT_THAT(verified.failure().text, HasSubstr("are no longer there"));
}

TEST(Archive, RefusesWhatIsNotARegularFile) {
  ArchiveSource source;
  source.path = testing::TempDir();
  EXPECT_THAT(Archive::open(source).failure().text,
              HasSubstr("is a directory, expected an archive of kernels"));
}

TEST(Archive, RefusesAHeaderOfAnotherBuild) {
  std::string bytes = archiveOf({sampleKernel("sum")});
  ArchiveSource source;
  source.memory = bytes;
  source.name = "k.nra";
  source.contract = open(bytes)->header().contract;
  EXPECT_TRUE(Archive::open(source));
  (*source.contract)[0] ^= 1;
  Failure failure = Archive::open(source).failure();
  EXPECT_EQ(failure.status, NEREID_INCOMPATIBLE);
  EXPECT_THAT(failure.text, HasSubstr(hexText(*source.contract)));
  EXPECT_THAT(failure.text, HasSubstr(hexText(open(bytes)->header().contract)));
}

TEST(Archive, HasAContractOfNamesAndArguments) {
  auto contractOf = [](NewKernel kernel) {
    std::string bytes = archiveOf({std::move(kernel)});
    return open(bytes)->header().contract;
  };
  Integrity contract = contractOf(sampleKernel("sum"));
  NewKernel same = sampleKernel("sum");
  same.variants.erase(same.variants.begin());
  same.constants.clear();
  EXPECT_EQ(contractOf(same), contract);
  NewKernel other = sampleKernel("sum");
  other.arguments[2].second = "i32";
  EXPECT_NE(contractOf(other), contract);
  other = sampleKernel("sum");
  other.arguments[2].first = "factor";
  EXPECT_NE(contractOf(other), contract);
  EXPECT_NE(contractOf(sampleKernel("sum2")), contract);
}

TEST(Archive, CompressesWhereThatIsSmaller) {
  if (!hasZstd())
    GTEST_SKIP() << "built without zstd";
  NewKernel kernel = sampleKernel("sum");
  kernel.variants[0].images[0].bytes = std::string(100000, 'x');
  kernel.variants[0].images[0].bytes += "end";
  std::string plain = archiveOf({kernel});
  std::string packed = archiveOf({kernel}, Compression::Zstd);
  EXPECT_LT(packed.size(), plain.size() / 10);
  auto archive = open(packed);
  ASSERT_TRUE(archive->verify()) << archive->verify().failure().text;
  VariantRecord variant = archive->variant(0);
  ImageRecord image = archive->image(variant.images.first + 1);
  EXPECT_EQ(archive->read(image.blob)->bytes,
            kernel.variants[0].images[0].bytes);
}
