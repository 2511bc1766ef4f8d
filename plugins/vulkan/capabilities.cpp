// capabilities.cpp - the tables of capabilities and float controls.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "capabilities.h"

#include "target.h"

#include <algorithm>

namespace nereid::vulkan {

namespace {
/// One capability of SPIR-V, and what the target calls it; null if every device
/// that this plugin accepts has it.
struct Capability {
  uint32_t number;
  const char *name;
  const char *feature = nullptr;
  bool (*has)(const PhysicalDevice &device) = nullptr;
};

/// One float control of a width.
struct FloatMode {
  uint32_t mode, width;
  const char *feature;
  bool KernelFeatures::*has;
};
} // namespace

template <bool KernelFeatures::*Feature>
static bool feature(const PhysicalDevice &device) {
  return device.features.*Feature;
}
template <VkSubgroupFeatureFlagBits Operation>
static bool subgroup(const PhysicalDevice &device) {
  return device.subgroupOperations & Operation;
}

// Kernels use atomics in memory alone: those in shared memory do not count. The
// capabilities of float controls cover all widths; kFloatModes has them apart.
static constexpr Capability kCapabilities[] = {
    {0, "Matrix"},
    {1, "Shader"},
    {9, "Float16", "f16", feature<&KernelFeatures::float16>},
    {10, "Float64", "f64", feature<&KernelFeatures::float64>},
    {11, "Int64", "i64", feature<&KernelFeatures::int64>},
    {12, "Int64Atomics", "atomic-i64", feature<&KernelFeatures::atomicInt64>},
    {22, "Int16", "i16", feature<&KernelFeatures::int16>},
    {39, "Int8", "i8", feature<&KernelFeatures::int8>},
    {61, "GroupNonUniform"},
    {62, "GroupNonUniformVote", "subgroup-vote",
     subgroup<VK_SUBGROUP_FEATURE_VOTE_BIT>},
    {63, "GroupNonUniformArithmetic", "subgroup-arithmetic",
     subgroup<VK_SUBGROUP_FEATURE_ARITHMETIC_BIT>},
    {64, "GroupNonUniformBallot", "subgroup-ballot",
     subgroup<VK_SUBGROUP_FEATURE_BALLOT_BIT>},
    {65, "GroupNonUniformShuffle", "subgroup-shuffle",
     subgroup<VK_SUBGROUP_FEATURE_SHUFFLE_BIT>},
    {66, "GroupNonUniformShuffleRelative", "subgroup-shuffle-relative",
     subgroup<VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT>},
    {67, "GroupNonUniformClustered", "subgroup-clustered",
     subgroup<VK_SUBGROUP_FEATURE_CLUSTERED_BIT>},
    {68, "GroupNonUniformQuad", "subgroup-quad",
     subgroup<VK_SUBGROUP_FEATURE_QUAD_BIT>},
    {4428, "WorkgroupMemoryExplicitLayoutKHR", "shared-layout",
     feature<&KernelFeatures::explicitShared>},
    {4429, "WorkgroupMemoryExplicitLayout8BitAccessKHR", "shared-layout8",
     feature<&KernelFeatures::explicitShared8>},
    {4430, "WorkgroupMemoryExplicitLayout16BitAccessKHR", "shared-layout16",
     feature<&KernelFeatures::explicitShared16>},
    {4433, "StorageBuffer16BitAccess", "storage16",
     feature<&KernelFeatures::storage16>},
    {4435, "StoragePushConstant16", "push16", feature<&KernelFeatures::push16>},
    {4448, "StorageBuffer8BitAccess", "storage8",
     feature<&KernelFeatures::storage8>},
    {4450, "StoragePushConstant8", "push8", feature<&KernelFeatures::push8>},
    {4464, "DenormPreserve"},
    {4465, "DenormFlushToZero"},
    {4466, "SignedZeroInfNanPreserve"},
    {4467, "RoundingModeRTE"},
    {5116, "BFloat16TypeKHR", "bf16", feature<&KernelFeatures::bfloat16>},
    {5117, "BFloat16DotProductKHR", "bf16-dot",
     feature<&KernelFeatures::bfloat16Dot>},
    {5118, "BFloat16CooperativeMatrixKHR", "bf16-matrix",
     feature<&KernelFeatures::bfloat16Matrix>},
    {5345, "VulkanMemoryModel"},
    {5346, "VulkanMemoryModelDeviceScope", "device-scope",
     feature<&KernelFeatures::deviceScope>},
    {5347, "PhysicalStorageBufferAddresses"},
    {5612, "AtomicFloat32MinMaxEXT", "atomic-f32-minmax",
     feature<&KernelFeatures::atomicFloat32MinMax>},
    {5613, "AtomicFloat64MinMaxEXT", "atomic-f64-minmax",
     feature<&KernelFeatures::atomicFloat64MinMax>},
    {5616, "AtomicFloat16MinMaxEXT", "atomic-f16-minmax",
     feature<&KernelFeatures::atomicFloat16MinMax>},
    {6016, "DotProductInputAll", "integer-dot",
     feature<&KernelFeatures::integerDot>},
    {6017, "DotProductInput4x8Bit", "integer-dot",
     feature<&KernelFeatures::integerDot>},
    {6018, "DotProductInput4x8BitPacked", "integer-dot",
     feature<&KernelFeatures::integerDot>},
    {6019, "DotProduct", "integer-dot", feature<&KernelFeatures::integerDot>},
    {6022, "CooperativeMatrixKHR", "matrix",
     feature<&KernelFeatures::cooperativeMatrix>},
    {6033, "AtomicFloat32AddEXT", "atomic-f32-add",
     feature<&KernelFeatures::atomicFloat32Add>},
    {6034, "AtomicFloat64AddEXT", "atomic-f64-add",
     feature<&KernelFeatures::atomicFloat64Add>},
    {6095, "AtomicFloat16AddEXT", "atomic-f16-add",
     feature<&KernelFeatures::atomicFloat16Add>},
};

static constexpr FloatMode kFloatModes[] = {
    {4459, 16, "denorm-preserve16", &KernelFeatures::denormPreserve16},
    {4459, 32, "denorm-preserve32", &KernelFeatures::denormPreserve32},
    {4459, 64, "denorm-preserve64", &KernelFeatures::denormPreserve64},
    {4460, 16, "denorm-flush16", &KernelFeatures::denormFlush16},
    {4460, 32, "denorm-flush32", &KernelFeatures::denormFlush32},
    {4460, 64, "denorm-flush64", &KernelFeatures::denormFlush64},
    {4461, 16, "nan-preserve16", &KernelFeatures::preserves16},
    {4461, 32, "nan-preserve32", &KernelFeatures::preserves32},
    {4461, 64, "nan-preserve64", &KernelFeatures::preserves64},
    {4462, 16, "round-even16", &KernelFeatures::roundsToEven16},
    {4462, 32, "round-even32", &KernelFeatures::roundsToEven32},
    {4462, 64, "round-even64", &KernelFeatures::roundsToEven64},
};

static std::string quoted(const char *feature) {
  return "feature '" + std::string(feature) + "'";
}

std::string missingFeature(const Image &image, const PhysicalDevice &device) {
  for (uint32_t number : image.capabilities) {
    const Capability *known =
        std::find_if(std::begin(kCapabilities), std::end(kCapabilities),
                     [&](const Capability &c) { return c.number == number; });
    if (known == std::end(kCapabilities))
      return "the SPIR-V capability number " + std::to_string(number);
    if (known->has && !known->has(device))
      return quoted(known->feature) + " (SPIR-V: " + known->name + ')';
  }
  for (auto [mode, width] : image.floatModes) {
    const FloatMode *known =
        std::find_if(std::begin(kFloatModes), std::end(kFloatModes),
                     [mode = mode, width = width](const FloatMode &row) {
                       return row.mode == mode && row.width == width;
                     });
    if (known == std::end(kFloatModes))
      return "the SPIR-V execution mode number " + std::to_string(mode);
    if (!(device.features.*known->has))
      return quoted(known->feature);
  }
  for (const std::string &shape : image.facts.matrices)
    if (std::none_of(
            device.matrices.begin(), device.matrices.end(),
            [&](const MatrixShape &has) { return shapeText(has) == shape; }))
      return quoted(("matrix=" + shape).c_str());
  return {};
}

} // namespace nereid::vulkan
