// capabilities.cpp - the table of capabilities.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "capabilities.h"

#include <algorithm>

namespace nereid::vulkan {

namespace {
struct Capability {
  uint32_t number;
  const char *name;
  bool (*has)(const PhysicalDevice &device);
};
} // namespace

template <bool KernelFeatures::*Feature>
static bool feature(const PhysicalDevice &device) {
  return device.features.*Feature;
}
template <bool KernelFeatures::*One, bool KernelFeatures::*Other>
static bool either(const PhysicalDevice &device) {
  return device.features.*One || device.features.*Other;
}
template <bool KernelFeatures::*F16, bool KernelFeatures::*F32,
          bool KernelFeatures::*F64>
static bool anyWidth(const PhysicalDevice &device) {
  return device.features.*F16 || device.features.*F32 || device.features.*F64;
}
template <VkSubgroupFeatureFlagBits Operation>
static bool subgroup(const PhysicalDevice &device) {
  return device.subgroupOperations & Operation;
}
/// Of every device with Vulkan 1.3 that this plugin accepts.
static bool always(const PhysicalDevice &) { return true; }

// A capability that covers several widths is present with any of them: which
// width an instruction needs is the compiler's part.
static constexpr Capability kCapabilities[] = {
    {0, "Matrix", always},
    {1, "Shader", always},
    {9, "Float16", feature<&KernelFeatures::float16>},
    {10, "Float64", feature<&KernelFeatures::float64>},
    {11, "Int64", feature<&KernelFeatures::int64>},
    {12, "Int64Atomics",
     either<&KernelFeatures::atomicInt64, &KernelFeatures::sharedAtomicInt64>},
    {22, "Int16", feature<&KernelFeatures::int16>},
    {39, "Int8", feature<&KernelFeatures::int8>},
    {61, "GroupNonUniform", always},
    {62, "GroupNonUniformVote", subgroup<VK_SUBGROUP_FEATURE_VOTE_BIT>},
    {63, "GroupNonUniformArithmetic",
     subgroup<VK_SUBGROUP_FEATURE_ARITHMETIC_BIT>},
    {64, "GroupNonUniformBallot", subgroup<VK_SUBGROUP_FEATURE_BALLOT_BIT>},
    {65, "GroupNonUniformShuffle", subgroup<VK_SUBGROUP_FEATURE_SHUFFLE_BIT>},
    {66, "GroupNonUniformShuffleRelative",
     subgroup<VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT>},
    {67, "GroupNonUniformClustered",
     subgroup<VK_SUBGROUP_FEATURE_CLUSTERED_BIT>},
    {68, "GroupNonUniformQuad", subgroup<VK_SUBGROUP_FEATURE_QUAD_BIT>},
    {4428, "WorkgroupMemoryExplicitLayoutKHR",
     feature<&KernelFeatures::explicitShared>},
    {4429, "WorkgroupMemoryExplicitLayout8BitAccessKHR",
     feature<&KernelFeatures::explicitShared8>},
    {4430, "WorkgroupMemoryExplicitLayout16BitAccessKHR",
     feature<&KernelFeatures::explicitShared16>},
    {4433, "StorageBuffer16BitAccess", feature<&KernelFeatures::storage16>},
    {4435, "StoragePushConstant16", feature<&KernelFeatures::push16>},
    {4448, "StorageBuffer8BitAccess", feature<&KernelFeatures::storage8>},
    {4450, "StoragePushConstant8", feature<&KernelFeatures::push8>},
    {4464, "DenormPreserve",
     anyWidth<&KernelFeatures::denormPreserve16,
              &KernelFeatures::denormPreserve32,
              &KernelFeatures::denormPreserve64>},
    {4465, "DenormFlushToZero",
     anyWidth<&KernelFeatures::denormFlush16, &KernelFeatures::denormFlush32,
              &KernelFeatures::denormFlush64>},
    {4466, "SignedZeroInfNanPreserve",
     anyWidth<&KernelFeatures::preserves16, &KernelFeatures::preserves32,
              &KernelFeatures::preserves64>},
    {4467, "RoundingModeRTE",
     anyWidth<&KernelFeatures::roundsToEven16, &KernelFeatures::roundsToEven32,
              &KernelFeatures::roundsToEven64>},
    {5116, "BFloat16TypeKHR", feature<&KernelFeatures::bfloat16>},
    {5117, "BFloat16DotProductKHR", feature<&KernelFeatures::bfloat16Dot>},
    {5118, "BFloat16CooperativeMatrixKHR",
     feature<&KernelFeatures::bfloat16Matrix>},
    {5345, "VulkanMemoryModel", always},
    {5346, "VulkanMemoryModelDeviceScope",
     feature<&KernelFeatures::deviceScope>},
    {5347, "PhysicalStorageBufferAddresses", always},
    {5612, "AtomicFloat32MinMaxEXT",
     either<&KernelFeatures::atomicFloat32MinMax,
            &KernelFeatures::sharedAtomicFloat32MinMax>},
    {5613, "AtomicFloat64MinMaxEXT",
     either<&KernelFeatures::atomicFloat64MinMax,
            &KernelFeatures::sharedAtomicFloat64MinMax>},
    {5616, "AtomicFloat16MinMaxEXT",
     either<&KernelFeatures::atomicFloat16MinMax,
            &KernelFeatures::sharedAtomicFloat16MinMax>},
    {6016, "DotProductInputAll", feature<&KernelFeatures::integerDot>},
    {6017, "DotProductInput4x8Bit", feature<&KernelFeatures::integerDot>},
    {6018, "DotProductInput4x8BitPacked", feature<&KernelFeatures::integerDot>},
    {6019, "DotProduct", feature<&KernelFeatures::integerDot>},
    {6022, "CooperativeMatrixKHR", feature<&KernelFeatures::cooperativeMatrix>},
    {6033, "AtomicFloat32AddEXT",
     either<&KernelFeatures::atomicFloat32Add,
            &KernelFeatures::sharedAtomicFloat32Add>},
    {6034, "AtomicFloat64AddEXT",
     either<&KernelFeatures::atomicFloat64Add,
            &KernelFeatures::sharedAtomicFloat64Add>},
    {6095, "AtomicFloat16AddEXT",
     either<&KernelFeatures::atomicFloat16Add,
            &KernelFeatures::sharedAtomicFloat16Add>},
};

std::string missingCapability(std::span<const uint32_t> capabilities,
                              const PhysicalDevice &device) {
  for (uint32_t number : capabilities) {
    const Capability *known =
        std::find_if(std::begin(kCapabilities), std::end(kCapabilities),
                     [&](const Capability &c) { return c.number == number; });
    if (known == std::end(kCapabilities))
      return "number " + std::to_string(number);
    if (!known->has(device))
      return known->name;
  }
  return {};
}

} // namespace nereid::vulkan
