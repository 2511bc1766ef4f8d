// DeviceModel.cpp - reads the features of a target.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "DeviceModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"

#include <algorithm>

namespace nereid::vulkan {

namespace {
struct FeatureCapability {
  llvm::StringLiteral feature;
  spv::Capability capability;
};
} // namespace

using spv::Capability;

// What each feature lets a module declare.
static constexpr FeatureCapability kCapabilities[] = {
    {"i8", Capability::Int8},
    {"i16", Capability::Int16},
    {"i64", Capability::Int64},
    {"f16", Capability::Float16},
    {"f64", Capability::Float64},
    {"storage8", Capability::StorageBuffer8BitAccess},
    {"storage16", Capability::StorageBuffer16BitAccess},
    {"shared-layout", Capability::WorkgroupMemoryExplicitLayoutKHR},
    {"shared-layout8", Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR},
    {"shared-layout16",
     Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR},
    {"atomic-i64", Capability::Int64Atomics},
    {"atomic-f16-add", Capability::AtomicFloat16AddEXT},
    {"atomic-f32-add", Capability::AtomicFloat32AddEXT},
    {"atomic-f64-add", Capability::AtomicFloat64AddEXT},
    {"atomic-f16-minmax", Capability::AtomicFloat16MinMaxEXT},
    {"atomic-f32-minmax", Capability::AtomicFloat32MinMaxEXT},
    {"atomic-f64-minmax", Capability::AtomicFloat64MinMaxEXT},
    {"bf16", spirv::newer::BFloat16TypeKHR},
    {"bf16-matrix", spirv::newer::BFloat16CooperativeMatrixKHR},
    {"matrix", spirv::newer::CooperativeMatrixKHR},
    {"shared-layout", Capability::WorkgroupMemoryExplicitLayoutKHR},
    {"device-scope", Capability::VulkanMemoryModelDeviceScope},
    {"subgroup-vote", Capability::GroupNonUniformVote},
    {"subgroup-arithmetic", Capability::GroupNonUniformArithmetic},
    {"subgroup-ballot", Capability::GroupNonUniformBallot},
    {"subgroup-shuffle", Capability::GroupNonUniformShuffle},
    {"subgroup-shuffle-relative", Capability::GroupNonUniformShuffleRelative},
    {"subgroup-clustered", Capability::GroupNonUniformClustered},
    {"denorm-preserve16", Capability::DenormPreserve},
    {"denorm-preserve32", Capability::DenormPreserve},
    {"denorm-preserve64", Capability::DenormPreserve},
    {"nan-preserve16", Capability::SignedZeroInfNanPreserve},
    {"nan-preserve32", Capability::SignedZeroInfNanPreserve},
    {"nan-preserve64", Capability::SignedZeroInfNanPreserve},
    {"round-even16", Capability::RoundingModeRTE},
    {"round-even32", Capability::RoundingModeRTE},
    {"round-even64", Capability::RoundingModeRTE},
};

// What every device with Vulkan 1.3 and device addresses has.
static constexpr Capability kAlways[] = {
    Capability::Shader, Capability::PhysicalStorageBufferAddresses,
    Capability::VulkanMemoryModel, Capability::GroupNonUniform};

static llvm::Error badFeature(llvm::StringRef feature) {
  return llvm::createStringError("the target's feature '" + feature +
                                 "' has no number that it can have");
}

/// Reads "16x8x16/f16/f16/f32/f32". None if a kernel cannot use it: unsigned
/// integers, or different types of operands, or of sums.
static std::optional<MatrixUnit> parseMatrix(llvm::StringRef text) {
  using spirv::Scalar;
  auto scalar = [](llvm::StringRef name) {
    return llvm::StringSwitch<Scalar>(name)
        .Case("f16", Scalar::F16)
        .Case("bf16", Scalar::BFloat16)
        .Case("f32", Scalar::F32)
        .Case("i8", Scalar::I8)
        .Case("i32", Scalar::I32)
        .Default(Scalar::None);
  };
  llvm::SmallVector<llvm::StringRef> parts, sizes;
  text.split(parts, '/');
  if (parts.size() != 5 || parts[1] != parts[2] || parts[3] != parts[4])
    return std::nullopt;
  parts[0].split(sizes, 'x');
  MatrixUnit unit;
  unit.operand = scalar(parts[1]);
  unit.sum = scalar(parts[3]);
  auto readSize = [&](unsigned index, uint32_t &size) {
    return !sizes[index].getAsInteger(10, size) && llvm::has_single_bit(size);
  };
  bool isUsable = sizes.size() == 3 && readSize(0, unit.rows) &&
                  readSize(1, unit.columns) && readSize(2, unit.depth) &&
                  unit.operand != Scalar::None && unit.sum != Scalar::None;
  return isUsable ? std::optional(unit) : std::nullopt;
}

std::string MatrixUnit::text() const {
  std::string operands = std::string("/") + spirv::nameOf(operand);
  std::string sums = std::string("/") + spirv::nameOf(sum);
  return std::to_string(rows) + 'x' + std::to_string(columns) + 'x' +
         std::to_string(depth) + operands + operands + sums + sums;
}

llvm::Expected<DeviceModel> DeviceModel::parse(llvm::StringRef text) {
  DeviceModel model;
  for (Capability capability : kAlways)
    model.accepted.add(capability);
  llvm::SmallVector<llvm::StringRef> list;
  text.split(list, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef feature : list) {
    auto [name, value] = feature.split('=');
    model.features.insert(name);
    for (const FeatureCapability &row : kCapabilities)
      if (row.feature == name)
        model.accepted.add(row.capability);
    unsigned *number = llvm::StringSwitch<unsigned *>(name)
                           .Case("threads", &model.maxThreads)
                           .Case("shared", &model.sharedBytes)
                           .Case("push", &model.pushBytes)
                           .Default(nullptr);
    if (number && (value.getAsInteger(10, *number) || *number == 0))
      return badFeature(feature);
    if (feature == "vendor=0x10de")
      model.hasExactFma = model.hasExactExp2 = model.ordersZeros = true;
    if (feature == "vendor=0x10005") {
      model.comparesExtendedWrongly = model.foldsZeros = model.endsLoops = true;
      model.unrolledProducts = 128;
      model.repeatedAccesses = 4;
      model.loopedUpdates = 8;
    }
    if (name == "matrix")
      if (std::optional<MatrixUnit> unit = parseMatrix(value))
        model.matrices.push_back(*unit);
    if (name != "subgroup")
      continue;
    unsigned least, most;
    auto [low, high] = value.split('-');
    if (low.getAsInteger(10, least) || high.getAsInteger(10, most) ||
        !llvm::has_single_bit(least) || !llvm::has_single_bit(most) ||
        least > most || most > 128)
      return badFeature(feature);
    // Triton's own size where the device allows it.
    model.subgroupSize = std::clamp(32u, least, most);
  }
  auto hasType = [&](spirv::Scalar scalar) {
    switch (scalar) {
    case spirv::Scalar::I8:
      return model.has("i8");
    // Both are staged as numbers of 16 bits.
    case spirv::Scalar::F16:
      return model.has("f16") && model.has("i16");
    case spirv::Scalar::BFloat16:
      return model.has("bf16") && model.has("bf16-matrix") && model.has("i16");
    default:
      return true;
    }
  };
  llvm::erase_if(model.matrices, [&](const MatrixUnit &unit) {
    return !hasType(unit.operand) || !hasType(unit.sum);
  });
  return model;
}

} // namespace nereid::vulkan
