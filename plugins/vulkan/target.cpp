// target.cpp - names of features, and profiles.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "target.h"

#include "common/text.h"

#include <algorithm>
#include <cstdio>

namespace nereid::vulkan {

namespace {
struct FeatureName {
  std::string_view name;
  bool KernelFeatures::*has;
};
} // namespace

// In the order of the text.
static constexpr FeatureName kNames[] = {
    {"i8", &KernelFeatures::int8},
    {"i16", &KernelFeatures::int16},
    {"i64", &KernelFeatures::int64},
    {"f16", &KernelFeatures::float16},
    {"f64", &KernelFeatures::float64},
    {"bf16", &KernelFeatures::bfloat16},
    {"bf16-dot", &KernelFeatures::bfloat16Dot},
    {"bf16-matrix", &KernelFeatures::bfloat16Matrix},
    {"storage8", &KernelFeatures::storage8},
    {"storage16", &KernelFeatures::storage16},
    {"push8", &KernelFeatures::push8},
    {"push16", &KernelFeatures::push16},
    {"shared-layout", &KernelFeatures::explicitShared},
    {"shared-layout8", &KernelFeatures::explicitShared8},
    {"shared-layout16", &KernelFeatures::explicitShared16},
    {"atomic-i64", &KernelFeatures::atomicInt64},
    {"atomic-f16-add", &KernelFeatures::atomicFloat16Add},
    {"atomic-f32-add", &KernelFeatures::atomicFloat32Add},
    {"atomic-f64-add", &KernelFeatures::atomicFloat64Add},
    {"atomic-f16-minmax", &KernelFeatures::atomicFloat16MinMax},
    {"atomic-f32-minmax", &KernelFeatures::atomicFloat32MinMax},
    {"atomic-f64-minmax", &KernelFeatures::atomicFloat64MinMax},
    {"shared-atomic-i64", &KernelFeatures::sharedAtomicInt64},
    {"shared-atomic-f16-add", &KernelFeatures::sharedAtomicFloat16Add},
    {"shared-atomic-f32-add", &KernelFeatures::sharedAtomicFloat32Add},
    {"shared-atomic-f64-add", &KernelFeatures::sharedAtomicFloat64Add},
    {"shared-atomic-f16-minmax", &KernelFeatures::sharedAtomicFloat16MinMax},
    {"shared-atomic-f32-minmax", &KernelFeatures::sharedAtomicFloat32MinMax},
    {"shared-atomic-f64-minmax", &KernelFeatures::sharedAtomicFloat64MinMax},
    {"device-scope", &KernelFeatures::deviceScope},
    {"integer-dot", &KernelFeatures::integerDot},
    {"denorm-preserve16", &KernelFeatures::denormPreserve16},
    {"denorm-preserve32", &KernelFeatures::denormPreserve32},
    {"denorm-preserve64", &KernelFeatures::denormPreserve64},
    {"denorm-flush16", &KernelFeatures::denormFlush16},
    {"denorm-flush32", &KernelFeatures::denormFlush32},
    {"denorm-flush64", &KernelFeatures::denormFlush64},
    {"nan-preserve16", &KernelFeatures::preserves16},
    {"nan-preserve32", &KernelFeatures::preserves32},
    {"nan-preserve64", &KernelFeatures::preserves64},
    {"round-even16", &KernelFeatures::roundsToEven16},
    {"round-even32", &KernelFeatures::roundsToEven32},
    {"round-even64", &KernelFeatures::roundsToEven64},
};

// Operations of subgroups beyond the basic ones.
static constexpr std::pair<std::string_view, VkSubgroupFeatureFlagBits>
    kSubgroupNames[] = {
        {"subgroup-vote", VK_SUBGROUP_FEATURE_VOTE_BIT},
        {"subgroup-arithmetic", VK_SUBGROUP_FEATURE_ARITHMETIC_BIT},
        {"subgroup-ballot", VK_SUBGROUP_FEATURE_BALLOT_BIT},
        {"subgroup-shuffle", VK_SUBGROUP_FEATURE_SHUFFLE_BIT},
        {"subgroup-shuffle-relative", VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT},
        {"subgroup-clustered", VK_SUBGROUP_FEATURE_CLUSTERED_BIT},
};

// What every driver of these kinds reports, with the lower number where they
// differ. Matrix shapes beyond these are found on the device itself.
static constexpr Profile kProfiles[] = {
    {"amd-rdna3", 32,
     "vendor=0x1002,subgroup=32-64,threads=1024,shared=65536,push=128,i8,i16,"
     "i64,f16,f64,storage8,storage16,shared-layout,atomic-i64,"
     "atomic-f32-add,shared-atomic-i64,shared-atomic-f32-add,device-scope,"
     "integer-dot,"
     "subgroup-vote,subgroup-arithmetic,subgroup-ballot,subgroup-shuffle,"
     "subgroup-shuffle-relative,subgroup-clustered,matrix=16x16x16/f16/f16/f16/"
     "f16,matrix=16x16x16/f16/f16/f32/f32"},
    {"arm-mali", 16,
     "vendor=0x13b5,subgroup=16-16,threads=512,shared=32768,push=128,i8,i16,"
     "f16,storage8,storage16,device-scope,subgroup-vote,subgroup-arithmetic,"
     "subgroup-ballot,subgroup-shuffle,subgroup-shuffle-relative"},
    {"intel-xe2", 32,
     "vendor=0x8086,subgroup=16-32,threads=1024,shared=65536,push=128,i8,i16,"
     "i64,f16,storage8,storage16,atomic-i64,atomic-f32-add,"
     "shared-atomic-f32-add,device-scope,integer-dot,subgroup-vote,"
     "subgroup-arithmetic,subgroup-ballot,subgroup-shuffle,"
     "subgroup-shuffle-relative,subgroup-clustered,matrix=8x16x16/f16/f16/f32/"
     "f32"},
    {"lavapipe", 8,
     "vendor=0x10005,subgroup=8-8,threads=1024,shared=32768,push=128,i8,i16,"
     "i64,f16,f64,storage8,storage16,device-scope,subgroup-vote,"
     "subgroup-arithmetic,subgroup-ballot"},
    {"minimal-1.3", 0,
     "vendor=0x0,subgroup=1-128,threads=128,shared=16384,push=128,"
     "device-scope"},
    {"nvidia-ada", 32,
     "vendor=0x10de,subgroup=32-32,threads=1024,shared=49152,push=256,i8,i16,"
     "i64,f16,f64,storage8,storage16,shared-layout,shared-layout8,"
     "shared-layout16,atomic-i64,atomic-f32-add,atomic-f64-add,"
     "shared-atomic-i64,shared-atomic-f32-add,shared-atomic-f64-add,"
     "device-scope,integer-dot,subgroup-vote,subgroup-arithmetic,"
     "subgroup-ballot,subgroup-shuffle,subgroup-shuffle-relative,"
     "subgroup-clustered,matrix=16x16x16/f16/f16/f16/f16,"
     "matrix=16x16x16/f16/f16/f32/f32,matrix=16x8x16/f16/f16/f32/f32"},
    {"nvidia-hopper", 32,
     "vendor=0x10de,subgroup=32-32,threads=1024,shared=49152,push=256,i8,i16,"
     "i64,f16,f64,bf16,bf16-matrix,storage8,storage16,shared-layout,"
     "shared-layout8,shared-layout16,atomic-i64,"
     "atomic-f32-add,atomic-f64-add,shared-atomic-i64,shared-atomic-f32-add,"
     "shared-atomic-f64-add,device-scope,integer-dot,subgroup-vote,"
     "subgroup-arithmetic,subgroup-ballot,subgroup-shuffle,"
     "subgroup-shuffle-relative,subgroup-clustered,"
     "matrix=16x16x16/f16/f16/f16/f16,matrix=16x16x16/f16/f16/f32/f32,"
     "matrix=16x8x16/f16/f16/f32/f32,matrix=16x16x16/bf16/bf16/f32/f32,"
     "matrix=16x16x32/i8/i8/i32/i32"},
};

std::span<const Profile> profiles() { return kProfiles; }

static bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

std::string_view profileOf(const PhysicalDevice &device) {
  constexpr uint32_t kNvidia = 0x10de, kAmd = 0x1002, kIntel = 0x8086,
                     kArm = 0x13b5;
  if (device.driver == VK_DRIVER_ID_MESA_LLVMPIPE)
    return "lavapipe";
  switch (device.vendor) {
  case kNvidia:
    for (const char *name : {"H100", "H200", "H800", "H20", "GH200", "Hopper"})
      if (contains(device.name, name))
        return "nvidia-hopper";
    for (const char *name : {"RTX 40", "Ada", "L40", "L4"})
      if (contains(device.name, name))
        return "nvidia-ada";
    break;
  case kAmd:
    for (const char *name : {"GFX11", "RX 7", "NAVI3", "780M", "W7"})
      if (contains(device.name, name))
        return "amd-rdna3";
    break;
  case kIntel:
    for (const char *name : {"LNL", "BMG", "B580", "B570", "140V"})
      if (contains(device.name, name))
        return "intel-xe2";
    break;
  case kArm:
    return "arm-mali";
  }
  return "minimal-1.3";
}

bool isFeature(std::string_view name) {
  return std::ranges::any_of(
             kNames, [&](const auto &row) { return row.name == name; }) ||
         std::ranges::any_of(kSubgroupNames, [&](const auto &row) {
           return row.first == name;
         });
}

std::string featuresOf(const PhysicalDevice &device) {
  char vendor[24];
  std::snprintf(vendor, sizeof vendor, "vendor=0x%x", device.vendor);
  std::string text = vendor;
  auto number = [&](std::string_view name, uint64_t value) {
    text += ',' + std::string(name) + '=' + std::to_string(value);
  };
  // Without control over the size kernels get the default one.
  uint32_t least =
      device.canRequireSubgroup ? device.minSubgroup : device.subgroupSize;
  uint32_t most =
      device.canRequireSubgroup ? device.maxSubgroup : device.subgroupSize;
  text += ",subgroup=" + std::to_string(least) + '-' + std::to_string(most);
  number("threads", device.maxThreads);
  number("shared", device.sharedBytes);
  number("push", device.pushBytes);
  for (const FeatureName &feature : kNames)
    if (device.features.*feature.has)
      text += ',' + std::string(feature.name);
  for (auto [name, operation] : kSubgroupNames)
    if (device.subgroupOperations & operation)
      text += ',' + std::string(name);
  for (const MatrixShape &shape : device.matrices)
    text += ",matrix=" + std::to_string(shape.m) + 'x' +
            std::to_string(shape.n) + 'x' + std::to_string(shape.k) + '/' +
            shape.a + '/' + shape.b + '/' + shape.c + '/' + shape.result;
  return text;
}

std::string featuresFor(const nereid_target_t *target) {
  if (!target)
    return {};
  if (target->features.size)
    return std::string(plugin::view(target->features));
  for (const Profile &profile : profiles())
    if (profile.name == plugin::view(target->arch))
      return std::string(profile.features);
  return {};
}

} // namespace nereid::vulkan
