// LaunchTest.cpp - loading and launching through the C interface.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include <gmock/gmock.h>

using testing::HasSubstr;

namespace {
class LaunchTest : public RuntimeFixture {
protected:
  void SetUp() override {
    RuntimeFixture::SetUp();
    function = load();
    ASSERT_NE(function, nullptr);
  }
  void TearDown() override {
    nereid_function_destroy(function);
    RuntimeFixture::TearDown();
  }

  nereid_status_t launch(uint32_t x, uint32_t y, uint32_t z) {
    nereid_launch_t launch = launchOf(x, y, z, &arguments, sizeof arguments);
    launch.stream = 3;
    return nereid_function_launch(function, &launch);
  }

  nereid_function_t *function = nullptr;
  float result = 0;
  struct {
    nereid_address_t out;
    int32_t value, padding;
  } arguments = {reinterpret_cast<uintptr_t>(&result), 42, 0};
};
} // namespace

TEST_F(LaunchTest, DescribesTheKernelAndItsArguments) {
  nereid_function_info_t info = {};
  info.struct_size = sizeof info;
  ASSERT_EQ(nereid_function_info(function, &info), NEREID_OK);
  EXPECT_EQ(string(info.name), "fake");
  EXPECT_EQ(info.argument_count, 2u);
  EXPECT_EQ(info.arguments_size, 16u);
  EXPECT_EQ(info.resources->registers, 7);
  EXPECT_EQ(info.resources->spills, -1);
  nereid_argument_t argument = {};
  argument.struct_size = sizeof argument;
  ASSERT_EQ(nereid_function_argument(function, 1, &argument), NEREID_OK);
  EXPECT_EQ(string(argument.name), "value");
  EXPECT_EQ(string(argument.type), "i32");
  EXPECT_EQ(argument.offset, 8u);
  EXPECT_EQ(argument.size, 4u);
  EXPECT_EQ(nereid_function_argument(function, 2, &argument), NEREID_NOT_FOUND);
  EXPECT_EQ(lastError(), "error: fake: no argument 2, the kernel has 2");
}

TEST_F(LaunchTest, AsksTheDriverForTheOccupancy) {
  nereid_function_info_t info = {};
  info.struct_size = sizeof info;
  ASSERT_EQ(nereid_function_info(function, &info), NEREID_OK);
  EXPECT_EQ(info.resources->resident_programs, 0u); // unknown
  fake_set_resident_programs(24);
  nereid_function_t *other = load();
  ASSERT_EQ(nereid_function_info(other, &info), NEREID_OK);
  EXPECT_EQ(info.resources->resident_programs, 24u);
  nereid_function_destroy(other);
}

TEST_F(LaunchTest, PassesGridStreamAndArguments) {
  ASSERT_EQ(launch(2, 3, 4), NEREID_OK) << lastError();
  fake_launch_t seen = fake_last_launch();
  EXPECT_EQ(seen.grid[0], 2u);
  EXPECT_EQ(seen.grid[1], 3u);
  EXPECT_EQ(seen.grid[2], 4u);
  EXPECT_EQ(seen.stream, 3u);
  EXPECT_EQ(seen.arguments_size, 16u);
  EXPECT_EQ(result, 42);
}

TEST_F(LaunchTest, AGridWithAZeroIsANoOp) {
  EXPECT_EQ(launch(0, 1, 1), NEREID_OK);
  EXPECT_EQ(launch(1, 0, 1), NEREID_OK);
  EXPECT_EQ(launch(1, 1, 0), NEREID_OK);
  EXPECT_EQ(launch(0, UINT32_MAX, UINT32_MAX), NEREID_OK) << lastError();
  EXPECT_EQ(fake_counts().launches, 0);
}

TEST_F(LaunchTest, AGridBeyondTheDevicesLimitIsRefused) {
  EXPECT_EQ(launch(1000000, 65535, 1), NEREID_OK);
  EXPECT_EQ(launch(1, 65536, 1), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(lastError(), "error: fake: the grid is 1 x 65536 x 1, which "
                         "exceeds the limit of 1000000 x 65535 x 65535 or "
                         "2^63 programs");
  EXPECT_EQ(fake_counts().launches, 1);
}

TEST_F(LaunchTest, ABlockOfTheWrongSizeIsRefused) {
  EXPECT_EQ(::launch(function, 1, 1, 1, &arguments, 12),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(lastError(), "error: fake: the arguments are 12 bytes, expected "
                         "16 for 2 arguments");
  EXPECT_EQ(::launch(function, 1, 1, 1, nullptr, 16), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(lastError(), "error: fake: the arguments are a null pointer");
}

TEST_F(LaunchTest, AFailingLaunchReportsItsReason) {
  fake_fail_launches(NEREID_DEVICE_FAULT, 1);
  EXPECT_EQ(launch(1, 1, 1), NEREID_DEVICE_FAULT);
  EXPECT_EQ(lastError(),
            "error: fake: plugin 'test.fake': the device is on fire");
  fake_fail_launches(NEREID_UNAVAILABLE, 0);
  EXPECT_EQ(launch(1, 1, 1), NEREID_UNAVAILABLE);
  EXPECT_THAT(lastError(), HasSubstr("launch failed with unavailable and "
                                     "gave no reason"));
  fake_fail_launches(NEREID_OK, 0);
  EXPECT_EQ(launch(1, 1, 1), NEREID_OK);
}

TEST_F(LaunchTest, ADeviceThatDoesNotExistIsRefused) {
  nereid_artifact_t *artifact = compile(request());
  ASSERT_NE(artifact, nullptr) << lastError();
  int64_t loads = fake_counts().loads;
  nereid_function_t *other = nullptr;
  EXPECT_EQ(nereid_function_load(backend, 9, artifact, &other),
            NEREID_NOT_FOUND);
  EXPECT_EQ(lastError(),
            "error: plugin 'test.fake' has no device 9, expected 0 to 0");
  EXPECT_EQ(other, nullptr);
  EXPECT_EQ(fake_counts().loads, loads);
  nereid_backend_t *compiler = nullptr;
  EXPECT_EQ(nereid_backend_compiler(backend, 7, &compiler), NEREID_NOT_FOUND);
  EXPECT_EQ(compiler, nullptr);
  EXPECT_EQ(nereid_backend_compiler(backend, 0, &compiler), NEREID_OK);
  EXPECT_EQ(compiler, backend);
  nereid_artifact_destroy(artifact);
}

// Nothing is to be done, but not by nobody.
TEST_F(LaunchTest, ACopyOfNothingNeedsABackend) {
  EXPECT_EQ(::copy(nullptr, NEREID_COPY_HOST_TO_DEVICE, 0, 0, 0),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(::fill(nullptr, 0, nullptr, 1, 0), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(::copy(backend, NEREID_COPY_HOST_TO_DEVICE, 0, 0, 0), NEREID_OK)
      << lastError();
}

TEST_F(LaunchTest, UnloadsWhatItLoaded) {
  nereid_function_destroy(function);
  function = nullptr;
  EXPECT_EQ(fake_counts().loads, 1);
  EXPECT_EQ(fake_counts().unloads, 1);
}

TEST_F(LaunchTest, MalformedMetadataIsRefusedBeforeTheImageIsLoaded) {
  nereid_artifact_t *artifact = compile(request(), {{"break", "offsets"}});
  nereid_function_t *other = nullptr;
  EXPECT_EQ(nereid_function_load(backend, 0, artifact, &other),
            NEREID_INTERNAL);
  EXPECT_EQ(lastError(),
            "error: k.ttir: plugin 'test.fake': malformed metadata: argument "
            "'out' occupies bytes 0 to 8, past the next argument or the end of "
            "the block at 4");
  EXPECT_EQ(fake_counts().loads, 1);
  nereid_artifact_destroy(artifact);
}

TEST_F(LaunchTest, ADriverThatReturnsNothingIsReported) {
  nereid_artifact_t *artifact = compile(request());
  nereid_function_t *other = nullptr;
  int64_t unloads = fake_counts().unloads;
  fake_withhold(1, 0);
  EXPECT_EQ(nereid_function_load(backend, 0, artifact, &other),
            NEREID_INTERNAL);
  EXPECT_EQ(lastError(),
            "error: k.ttir: plugin 'test.fake': load_image returned ok but "
            "no module, which is a fault of the plugin");
  EXPECT_EQ(fake_counts().unloads, unloads);
  fake_withhold(0, 1);
  EXPECT_EQ(nereid_function_load(backend, 0, artifact, &other),
            NEREID_INTERNAL);
  EXPECT_EQ(lastError(),
            "error: k.ttir: plugin 'test.fake': get_kernel returned ok but "
            "no kernel, which is a fault of the plugin");
  EXPECT_EQ(fake_counts().unloads, unloads + 1);
  EXPECT_EQ(other, nullptr);
  nereid_artifact_destroy(artifact);
}

TEST_F(LaunchTest, AnImageThatTheDriverRefusesIsReported) {
  nereid_replacement_t replacement = {};
  replacement.struct_size = sizeof replacement;
  replacement.stage = text("pack");
  replacement.replacement = {"garbage", 7};
  nereid_compile_request_t changed = request();
  changed.replacements = &replacement;
  changed.replacement_count = 1;
  nereid_artifact_t *artifact = compile(changed);
  nereid_function_t *other = nullptr;
  EXPECT_EQ(nereid_function_load(backend, 0, artifact, &other),
            NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("no 'name' of the kernel"));
  nereid_artifact_destroy(artifact);
  EXPECT_EQ(nereid_function_load(backend, 3, nullptr, &other),
            NEREID_INVALID_ARGUMENT);
}
