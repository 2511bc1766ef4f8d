// SelectionTest.cpp - lists of devices, and which capabilities they have.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "selection.h"
#include "capabilities.h"
#include "target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

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

static std::string missing(std::vector<uint32_t> capabilities,
                           const PhysicalDevice &device) {
  Image image;
  image.capabilities = std::move(capabilities);
  return missingFeature(image, device);
}

TEST(VulkanCapabilities, NamesTheFirstThatIsMissing) {
  PhysicalDevice device;
  device.features.int64 = true;
  EXPECT_THAT(missing({1, 11, 5347}, device), IsEmpty());
  EXPECT_EQ(missing({1, 10}, device), "feature 'f64' (SPIR-V: Float64)");
  EXPECT_EQ(missing({99999}, device), "the SPIR-V capability number 99999");
}

// llvmpipe adds floats in shared memory, but not at addresses.
TEST(VulkanCapabilities, AtomicsInSharedMemoryAreNotThoseInMemory) {
  PhysicalDevice device;
  device.features.sharedAtomicFloat32Add = true;
  device.features.sharedAtomicInt64 = true;
  EXPECT_THAT(missing({6033}, device), HasSubstr("'atomic-f32-add'"));
  EXPECT_THAT(missing({12}, device), HasSubstr("'atomic-i64'"));
  device.features.atomicFloat32Add = true;
  EXPECT_THAT(missing({6033}, device), IsEmpty());
}

// Of 16 bits on an H200, of all widths on an Xe2.
TEST(VulkanCapabilities, FloatControlsHaveAWidth) {
  PhysicalDevice device;
  device.features.denormPreserve16 = true;
  Image image;
  image.capabilities = {4464};
  image.floatModes = {{4459, 16}};
  EXPECT_THAT(missingFeature(image, device), IsEmpty());
  image.floatModes.emplace_back(4459, 32);
  EXPECT_EQ(missingFeature(image, device), "feature 'denorm-preserve32'");
}

// All devices with matrices have the same capability.
TEST(VulkanCapabilities, MatricesHaveAShape) {
  PhysicalDevice device;
  device.features.cooperativeMatrix = true;
  device.matrices.push_back({8, 8, 8, "f16", "f16", "f32", "f32"});
  Image image;
  image.capabilities = {6022};
  image.facts.matrices = {"8x8x8/f16/f16/f32/f32"};
  EXPECT_THAT(missingFeature(image, device), IsEmpty());
  image.facts.matrices.emplace_back("16x16x16/f16/f16/f32/f32");
  EXPECT_EQ(missingFeature(image, device),
            "feature 'matrix=16x16x16/f16/f16/f32/f32'");
}

static std::set<std::string> listOf(std::string_view features) {
  std::set<std::string> list;
  std::stringstream text{std::string(features)};
  for (std::string feature; std::getline(text, feature, ',');)
    list.insert(feature);
  return list;
}

TEST(VulkanTarget, ProfilesHaveKnownFeatures) {
  for (const Profile &profile : profiles())
    for (const std::string &feature : listOf(profile.features))
      EXPECT_TRUE(isFeature(feature) || feature.find('=') != feature.npos)
          << profile.name << ": " << feature;
}

// As the driver of an H200 reported it.
TEST(VulkanTarget, AnH200HasWhatTheProfileOfHopperPromises) {
  std::set<std::string> has = listOf(
      "vendor=0x10de,subgroup=32-32,threads=1024,shared=49152,push=256,i8,i16,"
      "i64,f16,f64,bf16,bf16-matrix,storage8,storage16,push8,push16,"
      "shared-layout,shared-layout8,shared-layout16,atomic-i64,atomic-f32-add,"
      "atomic-f64-add,shared-atomic-i64,shared-atomic-f32-add,"
      "shared-atomic-f64-add,device-scope,integer-dot,denorm-preserve16,"
      "nan-preserve16,nan-preserve32,nan-preserve64,round-even16,round-even32,"
      "round-even64,subgroup-vote,subgroup-arithmetic,subgroup-ballot,"
      "subgroup-shuffle,subgroup-shuffle-relative,subgroup-clustered,"
      "matrix=16x16x16/f16/f16/f16/f16,matrix=16x8x16/f16/f16/f16/f16,"
      "matrix=16x8x8/f16/f16/f16/f16,matrix=16x16x16/f16/f16/f32/f32,"
      "matrix=16x8x16/f16/f16/f32/f32,matrix=16x8x8/f16/f16/f32/f32,"
      "matrix=16x16x32/u8/u8/u32/u32,matrix=16x16x32/i8/i8/i32/i32,"
      "matrix=16x8x32/u8/u8/u32/u32,matrix=16x8x32/i8/i8/i32/i32,"
      "matrix=16x16x16/bf16/bf16/f32/f32");
  for (const Profile &profile : profiles())
    if (profile.name == "nvidia-hopper")
      for (const std::string &feature : listOf(profile.features))
        EXPECT_TRUE(has.contains(feature)) << feature;
}

TEST(VulkanTarget, ProfilesFitDevicesByVendorAndName) {
  auto profile = [](uint32_t vendor, std::string name) {
    PhysicalDevice device;
    device.vendor = vendor;
    device.name = std::move(name);
    return profileOf(device);
  };
  EXPECT_EQ(profile(0x10de, "NVIDIA H200"), "nvidia-hopper");
  EXPECT_EQ(profile(0x10de, "NVIDIA GeForce RTX 4090"), "nvidia-ada");
  EXPECT_EQ(profile(0x10de, "NVIDIA L40S"), "nvidia-ada");
  EXPECT_EQ(profile(0x10de, "NVIDIA RTX 4000 Ada Generation"), "nvidia-ada");
  EXPECT_EQ(profile(0x10de, "Quadro RTX 4000"), "minimal-1.3");
  EXPECT_EQ(profile(0x1002, "AMD Radeon RX 7900 XTX (RADV NAVI31)"),
            "amd-rdna3");
  EXPECT_EQ(profile(0x1002, "AMD Radeon Graphics (RADV PHOENIX)"), "amd-rdna3");
  EXPECT_EQ(profile(0x1002, "AMD Radeon RX 6800 (RADV NAVI21)"), "minimal-1.3");
  EXPECT_EQ(profile(0x8086, "Intel(R) Arc(tm) B580 Graphics (BMG G21)"),
            "intel-xe2");
  EXPECT_EQ(profile(0x8086, "Intel(R) Arc(tm) A770 Graphics (DG2)"),
            "minimal-1.3");
  EXPECT_EQ(profile(0x13b5, "Mali-G710"), "arm-mali");
}

TEST(VulkanTarget, SuggestsTheNearestFeature) {
  EXPECT_EQ(nearestFeature("int64"), "i64");
  EXPECT_EQ(nearestFeature("F16"), "f16");
  EXPECT_EQ(nearestFeature("subgroup-shufle"), "subgroup-shuffle");
  EXPECT_EQ(nearestFeature("atomic_f32_add"), "atomic-f32-add");
  EXPECT_EQ(nearestFeature("tensor cores"), "");
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
