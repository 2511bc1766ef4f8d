// LaunchTest.cpp - kernels and their arguments.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "VulkanFixture.h"

#include <numeric>

using namespace nereid::test;
using testing::Each;
using testing::HasSubstr;

namespace {
class VulkanLaunch : public VulkanTest {
protected:
  /// Elements i, 2 i and room for their sums.
  AddArguments prepare(uint32_t count) {
    std::vector<float> x(count), y(count);
    for (uint32_t i = 0; i < count; ++i) {
      x[i] = static_cast<float>(i);
      y[i] = static_cast<float>(2 * i);
    }
    AddArguments arguments = {allocate(4 * count), allocate(4 * count),
                              allocate(4 * count), count};
    EXPECT_EQ(upload(arguments.x, x), NEREID_OK) << error;
    EXPECT_EQ(upload(arguments.y, y), NEREID_OK) << error;
    return arguments;
  }
  void expectSums(const AddArguments &arguments) {
    std::vector<float> sums = contents<float>(arguments.out, arguments.n);
    for (uint32_t i = 0; i < arguments.n; ++i)
      ASSERT_EQ(sums[i], static_cast<float>(3 * i)) << i;
  }
  static uint32_t programs(uint32_t count) { return (count + 63) / 64; }
};
} // namespace

TEST_F(VulkanLaunch, AddsVectors) {
  nereid_kernel_t *add = kernel("vector_add");
  for (uint32_t count : {1u, 64u, 1000u, 100000u}) {
    AddArguments arguments = prepare(count);
    ASSERT_EQ(launch(add, programs(count), &arguments, 32), NEREID_OK) << error;
    expectSums(arguments);
  }
}

TEST_F(VulkanLaunch, PassesArgumentsInABlock) {
  nereid_kernel_t *add = kernel("vector_add_block");
  // More launches than one piece of staging memory holds blocks.
  AddArguments arguments = prepare(1000);
  for (int i = 0; i < 5000; ++i)
    ASSERT_EQ(launch(add, 1, &arguments, 32), NEREID_OK) << error;
  ASSERT_EQ(launch(add, programs(1000), &arguments, 32), NEREID_OK) << error;
  expectSums(arguments);
}

TEST_F(VulkanLaunch, RunsManyLaunchesInOrder) {
  nereid_kernel_t *add = kernel("vector_add");
  constexpr uint32_t count = 100;
  nereid_address_t ones = allocate(4 * count), sum = allocate(4 * count);
  ASSERT_EQ(upload(ones, std::vector<float>(count, 1)), NEREID_OK);
  ASSERT_EQ(upload(sum, std::vector<float>(count, 0)), NEREID_OK);
  AddArguments arguments = {ones, sum, sum, count};
  for (int i = 0; i < 3000; ++i)
    ASSERT_EQ(launch(add, 2, &arguments, 32), NEREID_OK) << error;
  EXPECT_THAT(contents<float>(sum, count), Each(3000.0f));
}

TEST_F(VulkanLaunch, NumbersThePrograms) {
  nereid_kernel_t *ids = kernel("program_ids");
  alignas(64) nereid_address_t out = allocate(4 * 24);
  ASSERT_EQ(launchGrid(ids, 4, 3, 2, &out, 8), NEREID_OK) << error;
  std::vector<uint32_t> expected(24);
  std::iota(expected.begin(), expected.end(), 0u);
  EXPECT_EQ(contents<uint32_t>(out, 24), expected);
}

TEST_F(VulkanLaunch, FoldsGridsBeyondTheLimitsOfTheDevice) {
  nereid_kernel_t *ids = kernel("program_ids");
  // Devices have at least 65535 programs along each axis; many have no more
  // along y and z.
  const uint32_t grids[][3] = {{70001, 1, 1},
                               {1, 70001, 1},
                               {1, 1, 70001},
                               {2, 70001, 2},
                               {3, 2, 65536}};
  for (const auto &grid : grids) {
    uint32_t programs = grid[0] * grid[1] * grid[2];
    alignas(64) nereid_address_t out = allocate(4 * uint64_t{programs});
    ASSERT_EQ(launchGrid(ids, grid[0], grid[1], grid[2], &out, 8), NEREID_OK)
        << error;
    std::vector<uint32_t> expected(programs);
    std::iota(expected.begin(), expected.end(), 0u);
    EXPECT_EQ(contents<uint32_t>(out, programs), expected)
        << grid[0] << ' ' << grid[1] << ' ' << grid[2];
    free(out);
  }
}

TEST_F(VulkanLaunch, RefusesAGridThatCannotBeFolded) {
  nereid_kernel_t *ids = kernel("program_ids");
  alignas(64) nereid_address_t out = allocate(4);
  EXPECT_EQ(launchGrid(ids, 1u << 30, 1u << 30, 16, &out, 8),
            NEREID_OUT_OF_RESOURCES);
  EXPECT_THAT(error, HasSubstr("1073741824 x 1073741824 x 16 programs"));
  nereid_kernel_t *add = kernel("vector_add");
  AddArguments arguments = {out, out, out, 1};
  EXPECT_EQ(launchGrid(add, 1, 1u << 30, 1, &arguments, 32),
            NEREID_OUT_OF_RESOURCES);
  EXPECT_THAT(error, HasSubstr("cannot be folded"));
}

TEST_F(VulkanLaunch, RefusesWrongArguments) {
  nereid_kernel_t *add = kernel("vector_add");
  AddArguments arguments = prepare(10);
  EXPECT_EQ(launch(add, 1, &arguments, 24), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(error, "the block of arguments has 24 bytes, the kernel's has 32");
  EXPECT_EQ(launch(add, 1, &arguments, 32, 77), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(error, HasSubstr("stream 77 does not exist"));
}

TEST_F(VulkanLaunch, RefusesPointersThatAreNotDeviceAddresses) {
  const nereid_string_t types[] = {text("*f32"), text("*f32"), text("*f32"),
                                   text("i32")};
  nereid_value_t metadata = {};
  metadata.name = text("argument_types");
  metadata.type = NEREID_TYPE_STRING_LIST;
  metadata.list = types;
  metadata.list_size = 4;
  nereid_kernel_t *add =
      kernelOf(readImage("vector_add"), "vector_add", {metadata});
  AddArguments arguments = prepare(10), bad = arguments;
  bad.y = 0x1234;
  EXPECT_EQ(launch(add, 1, &bad, 32), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(error, HasSubstr("the pointer at byte 8 of the arguments is "
                               "0x1234, which is not an address of device"));
  ASSERT_EQ(launch(add, 1, &arguments, 32), NEREID_OK) << error;
  expectSums(arguments);
}

TEST_F(VulkanLaunch, LaunchesWithoutARecordOfTheCall) {
  nereid_kernel_t *add = kernel("vector_add");
  AddArguments arguments = prepare(10);
  nereid_launch_t request = {};
  request.struct_size = sizeof request;
  request.grid[0] = request.grid[1] = request.grid[2] = 1;
  request.arguments = &arguments;
  request.arguments_size = 8;
  EXPECT_EQ(plugin->driver().launch(add, &request, nullptr),
            NEREID_INVALID_ARGUMENT);
  request.arguments_size = 32;
  EXPECT_EQ(plugin->driver().launch(add, &request, nullptr), NEREID_OK);
  expectSums(arguments);
}

TEST_F(VulkanLaunch, RefusesWhatVulkanDoesNotHave) {
  nereid_kernel_t *add = kernel("vector_add");
  AddArguments arguments = prepare(10);
  nereid_launch_t request = {};
  request.struct_size = sizeof request;
  request.grid[0] = 2;
  request.grid[1] = request.grid[2] = 1;
  request.arguments = &arguments;
  request.arguments_size = 32;
  request.flags = NEREID_LAUNCH_COOPERATIVE;
  const nereid_launch_t *in = &request;
  EXPECT_EQ(call(plugin->driver().launch, add, in), NEREID_UNIMPLEMENTED);
  request.flags = 0;
  request.cluster[1] = 2;
  EXPECT_EQ(call(plugin->driver().launch, add, in), NEREID_UNIMPLEMENTED);
}
