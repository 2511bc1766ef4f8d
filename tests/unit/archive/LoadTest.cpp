// LoadTest.cpp - which image a launch uses, and when it is loaded.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ArchiveFixture.h"

#include <gmock/gmock.h>

#include <thread>

using testing::HasSubstr;

namespace {
class ArchiveLoadTest : public ArchiveFixture {};
} // namespace

TEST_F(ArchiveLoadTest, LoadsAnImageOnTheFirstLaunchThatNeedsIt) {
  std::string bytes = archiveOf({storing("a"), storing("b")});
  nereid_archive_t *archive = open(bytes);
  nereid_archive_device_t *device = loadFor(archive);
  EXPECT_EQ(fake_counts().loads, 0);
  alignas(16) float values[4] = {};
  EXPECT_EQ(start(device, 1, values, 5), NEREID_OK) << lastError();
  EXPECT_EQ(values[0], 5);
  EXPECT_EQ(fake_counts().loads, 1);
  EXPECT_EQ(start(device, 1, values, 6), NEREID_OK);
  EXPECT_EQ(fake_counts().loads, 1);
  // A misaligned pointer is not a failure: the general variant takes it.
  EXPECT_EQ(start(device, 1, values + 1, 7), NEREID_OK) << lastError();
  EXPECT_EQ(values[1], 7);
  EXPECT_EQ(fake_counts().loads, 2);
  nereid_archive_destroy(archive); // the device keeps what it needs
  EXPECT_EQ(start(device, 0, values, 8), NEREID_OK);
  EXPECT_EQ(values[0], 8);
  nereid_archive_device_destroy(device);
  EXPECT_EQ(fake_counts().unloads, 3);
}

TEST_F(ArchiveLoadTest, MovesArgumentsWhereAVariantLacksOne) {
  Kernel kernel = {"k",
                   {{"x", "*f32"}, {"stride", "i32"}, {"n", "i32"}},
                   {{{equals(1, 1)}, {0, 2}}, {{}, {0, 1, 2}, "general", {}}}};
  std::string bytes = archiveOf({kernel});
  nereid_archive_t *archive = open(bytes);
  nereid_archive_device_t *device = loadFor(archive);
  struct {
    alignas(64) float *x;
    int32_t stride, n;
  } block;
  float value = 0;
  block = {&value, 1, 42};
  EXPECT_EQ(start(device, 0, &block, 16), NEREID_OK) << lastError();
  EXPECT_EQ(value, 42);
  block = {&value, 2, 43};
  EXPECT_EQ(start(device, 0, &block, 16), NEREID_INCOMPATIBLE);
  EXPECT_EQ(value, 42);
  block = {&value, -1, 43};
  EXPECT_EQ(start(device, 0, &block, 16), NEREID_INCOMPATIBLE);
  nereid_archive_device_destroy(device);
  nereid_archive_destroy(archive);
}

TEST_F(ArchiveLoadTest, RefusesAnImageThatTakesOtherArguments) {
  Kernel kernel = {
      "k", {{"x", "*f32"}, {"n", "i64"}}, {{{}, {0, 1}, "general"}}};
  std::string bytes = archiveOf({kernel});
  nereid_archive_t *archive = open(bytes);
  nereid_archive_device_t *device = loadFor(archive);
  EXPECT_EQ(nereid_archive_prepare(device, 0), NEREID_INCOMPATIBLE);
  EXPECT_THAT(lastError(), HasSubstr("the image takes argument 'n' as 'i32', "
                                     "the archive declares 'i64'"));
  EXPECT_EQ(fake_counts().loads, fake_counts().unloads);
  nereid_archive_device_destroy(device);
  nereid_archive_destroy(archive);
}

TEST_F(ArchiveLoadTest, ChecksTheSizeOfTheArguments) {
  std::string bytes = archiveOf({storing("a")});
  nereid_archive_t *archive = open(bytes);
  nereid_archive_device_t *device = loadFor(archive);
  Block block = {nullptr, 1};
  EXPECT_EQ(start(device, 0, &block, 24), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(lastError(), "error: a: the arguments are 24 bytes, expected 16 "
                         "bytes for 2 arguments");
  EXPECT_EQ(start(device, 0, static_cast<const void *>(nullptr), uint64_t{16}),
            NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("the arguments are a null pointer"));
  EXPECT_EQ(start(device, 9, &block, 16), NEREID_NOT_FOUND);
  EXPECT_THAT(lastError(), HasSubstr("no kernel 9, it has 1"));
  nereid_launch_t old = {};
  old.struct_size = 8;
  EXPECT_EQ(nereid_archive_launch(device, 0, &old), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(nereid_archive_launch(nullptr, 0, &old), NEREID_INVALID_ARGUMENT);
  nereid_archive_device_destroy(device);
  nereid_archive_destroy(archive);
}

TEST_F(ArchiveLoadTest, PrefersTheExactImageAndTellsWhy) {
  Kernel kernel = storing("a");
  kernel.variants.erase(kernel.variants.begin());
  kernel.variants[0].targets = {"fake:f0", "fake:f1", "other:f1"};
  std::string bytes = archiveOf({kernel});
  nereid_archive_t *archive = open(bytes);
  nereid_archive_device_t *device = loadFor(archive);
  nlohmann::json json = jsonOf([&](nereid_buffer_t **out) {
    return nereid_archive_explain(device, 0, out);
  });
  const nlohmann::json &images = json["variants"][0]["images"];
  ASSERT_EQ(images.size(), 3u) << json.dump(2);
  EXPECT_FALSE(images[0]["used"]);
  EXPECT_THAT(images[0]["reason"].get<std::string>(),
              HasSubstr("another fits better"));
  EXPECT_TRUE(images[1]["used"]);
  EXPECT_EQ(images[1]["reason"], "exact");
  EXPECT_EQ(images[2]["reason"], "for device type 'other'");
  EXPECT_TRUE(json["launchable"]);
  nereid_archive_device_destroy(device);
  nereid_archive_destroy(archive);
}

TEST_F(ArchiveLoadTest, ListsTheImagesWhereNoneFits) {
  Kernel kernel = storing("a");
  for (Variant &variant : kernel.variants)
    variant.targets = {"other:x1", "other:x2"};
  std::string bytes = archiveOf({kernel});
  nereid_archive_t *archive = open(bytes);
  nereid_archive_device_t *device = loadFor(archive);
  float value = 0;
  EXPECT_EQ(start(device, 0, &value, 1), NEREID_INCOMPATIBLE);
  EXPECT_EQ(lastError(),
            "error: k.nra: kernel 'a' has no image for the device, whose "
            "target is 'fake:f1::1'\n"
            "note: image for 'other:x1::0': for device type 'other'\n"
            "note: image for 'other:x2::0': for device type 'other'\n"
            "note: build the archive for this target too");
  nereid_archive_device_destroy(device);
  nereid_archive_destroy(archive);
}

TEST_F(ArchiveLoadTest, CompilesEmbeddedTtirOnlyIfAllowed) {
  Kernel kernel = storing("a");
  for (Variant &variant : kernel.variants) {
    variant.targets = {"other:x1"};
    variant.embedsTtir = true;
  }
  std::string bytes = archiveOf({kernel});
  nereid_archive_t *archive = open(bytes);
  float value = 0;
  nereid_archive_device_t *device = loadFor(archive);
  EXPECT_EQ(start(device, 0, &value, 1), NEREID_INCOMPATIBLE);
  EXPECT_THAT(lastError(), HasSubstr("its TTIR is embedded: allow compiling"));
  nereid_archive_device_destroy(device);

  device = loadFor(archive, NEREID_ARCHIVE_COMPILE);
  EXPECT_EQ(start(device, 0, &value, 3), NEREID_OK) << lastError();
  EXPECT_EQ(value, 3);
  nereid_archive_device_destroy(device);
  nereid_archive_destroy(archive);
}

TEST_F(ArchiveLoadTest, LoadsOnceWhenThreadsLaunchTogether) {
  std::string bytes = archiveOf({storing("a")});
  nereid_archive_t *archive = open(bytes);
  nereid_archive_device_t *device = loadFor(archive);
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      alignas(16) float value = 0;
      for (int n = 0; n < 200; ++n)
        failures += start(device, 0, &value, n) != NEREID_OK || value != n;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(fake_counts().loads, 1);
  nereid_archive_device_destroy(device);
  nereid_archive_destroy(archive);
}

TEST_F(ArchiveLoadTest, FindsADamagedImageBeforeItIsUsed) {
  std::string bytes = archiveOf({storing("a"), storing("b")});
  size_t at = bytes.rfind("packed lowered general b");
  ASSERT_NE(at, bytes.npos);
  bytes[at + 10] ^= 1;
  nereid_archive_t *archive = open(bytes);
  nereid_archive_device_t *device = loadFor(archive);
  alignas(16) float values[2] = {};
  EXPECT_EQ(start(device, 1, values + 1, 1), NEREID_IO_ERROR);
  EXPECT_THAT(lastError(), HasSubstr("damaged archive: the digest of blob"));
  EXPECT_EQ(fake_counts().loads, 0);
  EXPECT_EQ(start(device, 1, values, 1), NEREID_OK) << lastError();
  EXPECT_EQ(start(device, 0, values + 1, 1), NEREID_OK) << lastError();
  EXPECT_EQ(nereid_archive_verify(archive), NEREID_IO_ERROR);
  nereid_archive_device_destroy(device);
  nereid_archive_destroy(archive);
}

TEST_F(ArchiveLoadTest, TriesAgainAfterAFailure) {
  std::string bytes = archiveOf({storing("a")});
  nereid_archive_t *archive = open(bytes);
  nereid_archive_device_t *device = loadFor(archive);
  alignas(16) float value = 0;
  fake_withhold(1, 0);
  EXPECT_EQ(start(device, 0, &value, 1), NEREID_INTERNAL);
  fake_withhold(0, 0);
  EXPECT_EQ(start(device, 0, &value, 1), NEREID_OK) << lastError();
  nereid_archive_device_destroy(device);
  nereid_archive_destroy(archive);
}

TEST_F(ArchiveLoadTest, KeepsItsBackendRegistered) {
  std::string bytes = archiveOf({storing("a")});
  nereid_archive_t *archive = open(bytes);
  nereid_archive_device_t *device = loadFor(archive);
  EXPECT_NE(nereid_runtime_unregister(runtime, backend), NEREID_OK);
  nereid_archive_device_destroy(device);
  EXPECT_EQ(nereid_runtime_unregister(runtime, backend), NEREID_OK)
      << lastError();
  nereid_archive_destroy(archive);
}
