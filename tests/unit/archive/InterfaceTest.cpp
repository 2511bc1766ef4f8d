// InterfaceTest.cpp - the functions of nereid/host/archive.h that only read.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ArchiveFixture.h"

#include "nereid/host/archive.hpp"

#include <gmock/gmock.h>

using testing::ElementsAre;
using testing::HasSubstr;

namespace {
class ArchiveInterfaceTest : public ArchiveFixture {
protected:
  void SetUp() override {
    ArchiveFixture::SetUp();
    Kernel first = storing("a"), second = storing("b");
    first.group = "stores";
    second.variants[0].embedsTtir = true;
    bytes = archiveOf({first, second});
    archive = open(bytes);
    ASSERT_NE(archive, nullptr);
  }
  void TearDown() override {
    nereid_archive_destroy(archive);
    ArchiveFixture::TearDown();
  }
  std::string bytes;
  nereid_archive_t *archive = nullptr;
};
} // namespace

TEST_F(ArchiveInterfaceTest, ListsKernelsAndArguments) {
  nereid_archive_info_t info = {};
  info.struct_size = sizeof info;
  ASSERT_EQ(nereid_archive_info(archive, &info), NEREID_OK);
  EXPECT_EQ(info.kernel_count, 2u);
  EXPECT_EQ(info.target_count, 1u);
  EXPECT_EQ(info.image_count, 4u);
  EXPECT_EQ(info.size, bytes.size());
  EXPECT_EQ(info.contract.size, 16u);
  nereid_archive_kernel_t kernel = {};
  kernel.struct_size = sizeof kernel;
  ASSERT_EQ(nereid_archive_kernel(archive, 0, &kernel), NEREID_OK);
  EXPECT_EQ(string(kernel.name), "a");
  EXPECT_EQ(string(kernel.group), "stores");
  EXPECT_EQ(kernel.arguments_size, 16u);
  EXPECT_EQ(kernel.variant_count, 2u);
  nereid_argument_t argument = {};
  argument.struct_size = sizeof argument;
  ASSERT_EQ(nereid_archive_argument(archive, 0, 1, &argument), NEREID_OK);
  EXPECT_EQ(string(argument.name), "n");
  EXPECT_EQ(string(argument.type), "i32");
  EXPECT_EQ(argument.offset, 8u);
  EXPECT_EQ(nereid_archive_argument(archive, 0, 2, &argument),
            NEREID_NOT_FOUND);
  EXPECT_EQ(lastError(), "error: k.nra: kernel 'a' has no argument 2, it has "
                         "2");
  EXPECT_EQ(nereid_archive_kernel(archive, 2, &kernel), NEREID_NOT_FOUND);
  nereid_string_t name, value;
  ASSERT_EQ(nereid_archive_constant(archive, 0, 0, &name, &value), NEREID_OK);
  EXPECT_EQ(string(name) + "=" + string(value), "BLOCK=1024");
  EXPECT_EQ(nereid_archive_constant(archive, 0, 1, &name, &value),
            NEREID_NOT_FOUND);
}

TEST_F(ArchiveInterfaceTest, FindsByNameAndGroup) {
  uint32_t place = 9;
  EXPECT_EQ(nereid_archive_find(archive, text("b"), &place), NEREID_OK);
  EXPECT_EQ(place, 1u);
  EXPECT_EQ(nereid_archive_find(archive, text("c"), &place), NEREID_NOT_FOUND);
  EXPECT_THAT(lastError(), HasSubstr("no kernel 'c'"));
  const uint32_t *members = nullptr;
  uint64_t count = 0;
  ASSERT_EQ(nereid_archive_group(archive, text("stores"), &members, &count),
            NEREID_OK);
  EXPECT_THAT(std::vector(members, members + count), ElementsAre(0u));
  EXPECT_EQ(nereid_archive_group(archive, text("store"), &members, &count),
            NEREID_NOT_FOUND);
  EXPECT_THAT(lastError(), HasSubstr("did you mean 'stores'"));
}

TEST_F(ArchiveInterfaceTest, DescribesItselfAsJson) {
  nlohmann::json all = jsonOf([&](nereid_buffer_t **out) {
    return nereid_archive_describe(archive, out);
  });
  EXPECT_EQ(all["format"], "1.0");
  EXPECT_EQ(all["kernels"][1]["name"], "b");
  EXPECT_EQ(all["kernels"][1]["images"], 2);
  EXPECT_EQ(all["targets"], nlohmann::json({"fake:f1::0"}));
  nlohmann::json one = jsonOf([&](nereid_buffer_t **out) {
    return nereid_archive_describe_kernel(archive, 1, out);
  });
  EXPECT_EQ(one["arguments"][0]["type"], "*f32");
  EXPECT_EQ(one["constants"][0]["value"], 1024);
  EXPECT_EQ(one["variants"][0]["conditions"][0]["divisible_by"], 16);
  EXPECT_EQ(one["variants"][0]["options"], "num_warps=8\n");
  EXPECT_EQ(one["variants"][0]["embeds_ttir"], true);
  EXPECT_EQ(one["variants"][1]["images"][0]["compiler"], "test.fake");
}

TEST_F(ArchiveInterfaceTest, GivesImagesAndTtir) {
  nereid_artifact_t *artifact = nullptr;
  ASSERT_EQ(nereid_archive_image(archive, 1, 1, text("fake:f1::0"), &artifact),
            NEREID_OK)
      << lastError();
  EXPECT_EQ(output(artifact), "packed lowered general b");
  EXPECT_EQ(string(info(artifact).kind).empty(), false);
  nereid_artifact_destroy(artifact);
  EXPECT_EQ(nereid_archive_image(archive, 1, 1, text("fake"), &artifact),
            NEREID_NOT_FOUND);
  EXPECT_THAT(lastError(), HasSubstr("only for 'fake:f1::0'"));
  EXPECT_EQ(nereid_archive_image(archive, 1, 2, text("fake"), &artifact),
            NEREID_NOT_FOUND);
  nereid_buffer_t *buffer = nullptr;
  ASSERT_EQ(nereid_archive_ttir(archive, 1, 0, &buffer), NEREID_OK);
  nereid_bytes_t ttir = nereid_buffer_bytes(buffer);
  EXPECT_EQ(std::string(static_cast<const char *>(ttir.data), ttir.size),
            "aligned b");
  nereid_buffer_destroy(buffer);
  EXPECT_EQ(nereid_archive_ttir(archive, 0, 0, &buffer), NEREID_NOT_FOUND);
  EXPECT_THAT(lastError(), HasSubstr("the TTIR of kernel 'a' is not embedded"));
}

TEST_F(ArchiveInterfaceTest, RefusesNullsAndUnknownFlags) {
  nereid_archive_t *none = nullptr;
  nereid_archive_open_t empty = {};
  empty.struct_size = sizeof empty;
  EXPECT_EQ(nereid_archive_open(&empty, &none), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("neither a path nor memory"));
  EXPECT_EQ(nereid_archive_open(nullptr, &none), NEREID_INVALID_ARGUMENT);
  empty.memory = {bytes.data(), bytes.size()};
  empty.contract = {bytes.data(), 3};
  EXPECT_EQ(nereid_archive_open(&empty, &none), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("the contract is 3 bytes, expected 16"));
  EXPECT_EQ(nereid_archive_verify(nullptr), NEREID_INVALID_ARGUMENT);
  nereid_archive_device_t *device = nullptr;
  EXPECT_EQ(nereid_archive_load(archive, backend, 0, 2, &device),
            NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("unknown flags 2"));
  EXPECT_EQ(nereid_archive_load(archive, backend, 7, 0, &device),
            NEREID_NOT_FOUND);
  EXPECT_EQ(nereid_archive_load(archive, nullptr, 0, 0, &device),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(device, nullptr);
  nereid_archive_destroy(nullptr);
  nereid_archive_device_destroy(nullptr);
  nereid_archive_writer_destroy(nullptr);
}

TEST_F(ArchiveInterfaceTest, MergesThroughTheWriter) {
  nereid_archive_writer_t *writer = nullptr;
  ASSERT_EQ(nereid_archive_writer_create(&writer), NEREID_OK);
  ASSERT_EQ(nereid_archive_writer_add_archive(writer, archive), NEREID_OK);
  nereid_buffer_t *buffer = nullptr;
  ASSERT_EQ(nereid_archive_writer_finish(writer, 0, &buffer), NEREID_OK);
  nereid_bytes_t again = nereid_buffer_bytes(buffer);
  EXPECT_EQ(std::string(static_cast<const char *>(again.data), again.size),
            bytes);
  nereid_buffer_destroy(buffer);
  EXPECT_EQ(nereid_archive_writer_finish(writer, 8, &buffer),
            NEREID_INVALID_ARGUMENT);
  nereid_archive_writer_destroy(writer);
}

TEST_F(ArchiveInterfaceTest, IsOpenedAndLaunchedFromCpp) {
  nereid::Expected<nereid::Archive> opened = nereid::Archive::openMemory(bytes);
  ASSERT_TRUE(opened) << opened.error().text;
  EXPECT_THAT(opened->kernels(), ElementsAre("a", "b"));
  EXPECT_THAT(*opened->group("stores"), ElementsAre(0u));
  EXPECT_TRUE(opened->verify());
  EXPECT_THAT(opened->find("c").error().text, HasSubstr("no kernel 'c'"));
  EXPECT_EQ(nereid::Archive::open("/nonexistent.nra").error().status,
            NEREID_NOT_FOUND);
  nereid::Expected<nereid::ArchiveDevice> kernels =
      opened->load(nereid::Backend(backend));
  ASSERT_TRUE(kernels) << kernels.error().text;
  *opened = nereid::Archive(nullptr); // the device keeps what it needs
  nereid::Expected<nereid::ArchiveKernel> kernel = kernels->kernel("a");
  ASSERT_TRUE(kernel) << kernel.error().text;
  EXPECT_EQ(kernel->arguments()[1].type, "i32");
  float value = 0;
  auto address =
      static_cast<nereid_address_t>(reinterpret_cast<uintptr_t>(&value));
  EXPECT_TRUE(kernel->prepare());
  EXPECT_TRUE(kernel->launch({1}, 0, address, int32_t{9}));
  EXPECT_EQ(value, 9);
  EXPECT_EQ(kernel->launch({1}, 0, address).error().text,
            "error: 1 arguments given, the kernel has 2");
  EXPECT_EQ(kernel->launch({1}, 0, address, int64_t{9}).error().text,
            "error: argument 'n' of type 'i32' takes 4 bytes, 8 were given");
  EXPECT_THAT(kernels->kernel(5u).error().text, HasSubstr("no kernel 5"));
  EXPECT_THAT(*kernel->explain(), HasSubstr("\"launchable\": true"));
}
