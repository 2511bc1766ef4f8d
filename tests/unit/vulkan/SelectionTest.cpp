// SelectionTest.cpp - lists of devices, and which capabilities they have.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "selection.h"
#include "capabilities.h"
#include "target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nereid::vulkan;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

static PhysicalDevice makeDevice(std::string name, VkPhysicalDeviceType type,
                                 char digit) {
  PhysicalDevice device;
  device.name = std::move(name);
  device.type = type;
  device.uuid = std::string(32, digit);
  return device;
}

static std::vector<std::string> select(std::string_view list,
                                       std::string &problem) {
  std::vector<PhysicalDevice> devices = {
      makeDevice("llvmpipe", VK_PHYSICAL_DEVICE_TYPE_CPU, 'a'),
      makeDevice("Acme Integrated", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
                 'b'),
      makeDevice("NVIDIA H200", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, 'c'),
      makeDevice("NVIDIA H200", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, 'd'),
  };
  problem.clear();
  std::vector<std::string> out;
  for (const PhysicalDevice &device :
       selectDevices(std::move(devices), list, problem))
    out.push_back(device.uuid.substr(0, 1));
  return out;
}

TEST(VulkanSelection, PutsGpusFirstAndProcessorsLast) {
  std::string problem;
  EXPECT_THAT(select("", problem), ElementsAre("c", "d", "b", "a"));
}

TEST(VulkanSelection, KnowsIndexNameTypeAndUuid) {
  std::string problem;
  EXPECT_THAT(select("3,0", problem), ElementsAre("d", "a"));
  EXPECT_THAT(select("h200", problem), ElementsAre("c", "d"));
  EXPECT_THAT(select("integrated,CPU", problem), ElementsAre("b", "a"));
  EXPECT_THAT(select("dddddddd-dddd-dddd-dddd-dddddddddddd", problem),
              ElementsAre("d"));
  EXPECT_THAT(select("2,nvidia,,2", problem), ElementsAre("c", "d"));
  EXPECT_THAT(problem, IsEmpty());
}

TEST(VulkanSelection, SaysWhatIsNotFound) {
  std::string problem;
  EXPECT_THAT(select("4,cpu", problem), ElementsAre("a"));
  EXPECT_THAT(problem, HasSubstr("names '4', which none of 4 devices is"));
}

TEST(VulkanCapabilities, NamesTheFirstThatIsMissing) {
  PhysicalDevice device;
  device.features.int64 = true;
  EXPECT_THAT(missingCapability(std::vector<uint32_t>{1, 11, 5347}, device),
              IsEmpty());
  EXPECT_EQ(missingCapability(std::vector<uint32_t>{1, 10}, device), "Float64");
  EXPECT_EQ(missingCapability(std::vector<uint32_t>{99999}, device),
            "number 99999");
}

TEST(VulkanTarget, ListsWhatADeviceHas) {
  PhysicalDevice device;
  device.vendor = 0x10de;
  device.name = "NVIDIA H200";
  device.subgroupSize = device.minSubgroup = device.maxSubgroup = 32;
  device.canRequireSubgroup = true;
  device.maxThreads = 1024;
  device.sharedBytes = 49152;
  device.pushBytes = 256;
  device.features.float16 = device.features.atomicFloat32Add = true;
  device.subgroupOperations = VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  device.matrices.push_back({16, 8, 16, "f16", "f16", "f32", "f32"});
  EXPECT_EQ(profileOf(device), "nvidia-hopper");
  EXPECT_EQ(featuresOf(device),
            "vendor=0x10de,subgroup=32-32,threads=1024,shared=49152,push=256,"
            "f16,atomic-f32-add,subgroup-shuffle,"
            "matrix=16x8x16/f16/f16/f32/f32");
}
