// profiles.cpp - kinds of devices that kernels can be compiled for without one,
// and which of them a device is.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A profile has what every driver of its devices reports for them, with the
// lower number where they differ: the compiler has to rely on it. More, such as
// further shapes of matrices, is found on the device itself. Each states its
// source.

#include "target.h"

#include <array>

namespace nereid::vulkan {

static constexpr Profile kProfiles[] = {
    // Mesa 25.1, radv_physical_device.c, for GFX11: subgroups, atomics, 8 and
    // 16 bits, layouts of shared memory; its list of matrices has 2 shapes of
    // f16 and 12 of i8 and u8, all 16x16x16 (a Radeon RX 7900 XTX reports 14).
    // Push constants have been 256 bytes for some versions only.
    {"amd-rdna3", 32,
     "vendor=0x1002,subgroup=32-64,threads=1024,shared=65536,push=128,i8,i16,"
     "i64,f16,f64,storage8,storage16,push8,push16,shared-layout,"
     "shared-layout8,shared-layout16,atomic-i64,atomic-f32-add,"
     "shared-atomic-i64,shared-atomic-f32-add,shared-atomic-f32-minmax,"
     "shared-atomic-f64-minmax,device-scope,integer-dot,subgroup-vote,"
     "subgroup-arithmetic,subgroup-ballot,subgroup-shuffle,"
     "subgroup-shuffle-relative,subgroup-clustered,"
     "matrix=16x16x16/f16/f16/f16/f16,matrix=16x16x16/f16/f16/f32/f32,"
     "matrix=16x16x16/i8/i8/i32/i32,matrix=16x16x16/u8/u8/u32/u32"},
    // Mesa 26, panvk_vX_physical_device.c, for Valhall (v10) and later: no f64,
    // no additions of floats in memory, no matrices, 32 KiB of shared memory
    // backed by the device's. The threads are those of the smallest GPUs, and
    // what Arm's own driver may lack (i64, layouts of shared memory) is left
    // out.
    {"arm-mali", 16,
     "vendor=0x13b5,subgroup=16-16,threads=512,shared=32768,push=128,i8,i16,"
     "f16,storage8,storage16,device-scope,integer-dot,subgroup-vote,"
     "subgroup-arithmetic,subgroup-ballot,subgroup-shuffle,"
     "subgroup-shuffle-relative"},
    // Mesa 26, anv_physical_device.c, for version 20: f32 is not added in
    // shared memory, i64 has no atomics there, f64 depends on the device. An
    // Arc Pro B50 with Mesa 26.1 reports 49152 bytes of shared memory, others
    // 65536; an Arc B570 has matrices of 8x16x16 (f16 to f32).
    {"intel-xe2", 32,
     "vendor=0x8086,subgroup=16-32,threads=1024,shared=49152,push=128,i8,i16,"
     "i64,f16,storage8,storage16,push8,push16,shared-layout,shared-layout8,"
     "shared-layout16,atomic-i64,atomic-f32-add,atomic-f16-minmax,"
     "atomic-f32-minmax,shared-atomic-f16-minmax,shared-atomic-f32-minmax,"
     "device-scope,integer-dot,denorm-preserve16,denorm-preserve32,"
     "denorm-preserve64,nan-preserve16,nan-preserve32,nan-preserve64,"
     "round-even16,round-even32,round-even64,subgroup-vote,"
     "subgroup-arithmetic,subgroup-ballot,subgroup-shuffle,"
     "subgroup-shuffle-relative,subgroup-clustered,matrix=8x16x16/f16/f16/f32/"
     "f32"},
    // As llvmpipe of Mesa 22.3.6 (Debian 12) reports on x86-64 with AVX2; Mesa
    // 26.2.6 reports the same and more.
    {"lavapipe", 8,
     "vendor=0x10005,subgroup=8-8,threads=1024,shared=32768,push=128,i8,i16,"
     "i64,f16,f64,storage8,storage16,push8,push16,atomic-i64,"
     "atomic-f32-minmax,shared-atomic-i64,shared-atomic-f32-add,"
     "shared-atomic-f32-minmax,device-scope,integer-dot,nan-preserve16,"
     "nan-preserve32,nan-preserve64,round-even16,round-even32,round-even64,"
     "subgroup-vote,subgroup-arithmetic,subgroup-ballot,subgroup-shuffle,"
     "subgroup-shuffle-relative"},
    // What Vulkan 1.3 requires of every device: the minimum of each limit, and
    // of these features vulkanMemoryModelDeviceScope and
    // shaderIntegerDotProduct.
    {"minimal-1.3", 0,
     "vendor=0x0,subgroup=1-128,threads=128,shared=16384,push=128,"
     "device-scope,integer-dot"},
    // A GeForce RTX 4070 reports subgroups of 32, 49152 bytes of shared memory
    // and integer dot products; the rest as for Hopper, whose driver is the
    // same. Float controls and bfloat16 are left to the device.
    {"nvidia-ada", 32,
     "vendor=0x10de,subgroup=32-32,threads=1024,shared=49152,push=256,i8,i16,"
     "i64,f16,f64,storage8,storage16,push8,push16,shared-layout,"
     "shared-layout8,shared-layout16,atomic-i64,atomic-f32-add,atomic-f64-add,"
     "shared-atomic-i64,shared-atomic-f32-add,shared-atomic-f64-add,"
     "device-scope,integer-dot,subgroup-vote,subgroup-arithmetic,"
     "subgroup-ballot,subgroup-shuffle,subgroup-shuffle-relative,"
     "subgroup-clustered,matrix=16x16x16/f16/f16/f16/f16,"
     "matrix=16x8x16/f16/f16/f16/f16,matrix=16x8x8/f16/f16/f16/f16,"
     "matrix=16x16x16/f16/f16/f32/f32,matrix=16x8x16/f16/f16/f32/f32,"
     "matrix=16x8x8/f16/f16/f32/f32,matrix=16x16x32/i8/i8/i32/i32,"
     "matrix=16x8x32/i8/i8/i32/i32"},
    // As an H200 reports; the driver has to be one with
    // VK_KHR_shader_bfloat16.
    {"nvidia-hopper", 32,
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
     "matrix=16x16x16/bf16/bf16/f32/f32"},
};

std::span<const Profile> profiles() { return kProfiles; }

static bool containsAny(std::string_view text,
                        std::span<const std::string_view> parts) {
  for (std::string_view part : parts)
    if (text.find(part) != text.npos)
      return true;
  return false;
}

std::string_view profileOf(const PhysicalDevice &device) {
  constexpr uint32_t kNvidia = 0x10de, kAmd = 0x1002, kIntel = 0x8086,
                     kArm = 0x13b5;
  static constexpr auto kHopper = std::to_array<std::string_view>(
      {"H100", "H200", "H800", "H20", "GH200", "Hopper"});
  static constexpr auto kAda =
      std::to_array<std::string_view>({"RTX 40", "Ada", "L40", "L4"});
  // Names of older devices that have such parts: a Quadro RTX 4000 is a Turing.
  static constexpr auto kOlder =
      std::to_array<std::string_view>({"Quadro", "FirePro"});
  static constexpr auto kRdna3 = std::to_array<std::string_view>(
      {"GFX11", "RX 7", "NAVI3", "PHOENIX", "STRIX", "780M", "760M", "890M",
       "8060S", "W7"});
  static constexpr auto kXe2 = std::to_array<std::string_view>(
      {"LNL", "BMG", "B580", "B570", "B50", "140V", "130V"});
  auto is = [&](uint32_t vendor, std::span<const std::string_view> names) {
    return device.vendor == vendor && containsAny(device.name, names) &&
           !containsAny(device.name, kOlder);
  };
  if (device.driver == VK_DRIVER_ID_MESA_LLVMPIPE)
    return "lavapipe";
  if (is(kNvidia, kHopper))
    return "nvidia-hopper";
  if (is(kNvidia, kAda))
    return "nvidia-ada";
  if (is(kAmd, kRdna3))
    return "amd-rdna3";
  if (is(kIntel, kXe2))
    return "intel-xe2";
  if (device.vendor == kArm)
    return "arm-mali";
  return "minimal-1.3";
}

} // namespace nereid::vulkan
