// target.cpp - names of features, and targets as text.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "target.h"

#include "common/text.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <numeric>

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

std::string shapeText(const MatrixShape &shape) {
  return std::to_string(shape.m) + 'x' + std::to_string(shape.n) + 'x' +
         std::to_string(shape.k) + '/' + shape.a + '/' + shape.b + '/' +
         shape.c + '/' + shape.result;
}

bool isFeature(std::string_view name) {
  return std::ranges::any_of(
             kNames, [&](const auto &row) { return row.name == name; }) ||
         std::ranges::any_of(kSubgroupNames, [&](const auto &row) {
           return row.first == name;
         });
}

/// Letters to insert, delete or replace to get from one text to the other,
/// which has small ones.
static size_t editDistance(std::string_view from, std::string_view to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < to.size(); ++j) {
      auto letter = std::tolower(static_cast<unsigned char>(from[i]));
      size_t replaced = diagonal + (letter != to[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string_view nearestFeature(std::string_view name) {
  std::string_view nearest;
  // Names with more letters may differ in more of them.
  size_t least = name.size() / 3 + 2;
  auto look = [&](std::string_view known) {
    size_t distance = editDistance(name, known);
    if (distance < least) {
      least = distance;
      nearest = known;
    }
  };
  for (const FeatureName &feature : kNames)
    look(feature.name);
  for (const auto &[known, operation] : kSubgroupNames)
    look(known);
  return nearest;
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
    text += ",matrix=" + shapeText(shape);
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
