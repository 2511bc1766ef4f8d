// host_cpu_x86.cpp - CPUID: name and features of an x86-64 processor.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "host_cpu_x86.h"

#include "cpu_features.h"
#include "host_cpu_arch.h"

#include <cpuid.h>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace nereid::cpu {

static uint32_t valueOf(const CpuidLeaf &leaf, Register reg) {
  switch (reg) {
  case Register::Eax:
    return leaf.eax;
  case Register::Ebx:
    return leaf.ebx;
  case Register::Ecx:
    return leaf.ecx;
  case Register::Edx:
    return leaf.edx;
  }
  return 0;
}

namespace {
/// What CPUID returned, each leaf read once: in a virtual machine the
/// instruction is emulated, which takes 5 us and more.
class Leaves {
public:
  explicit Leaves(ReadCpuid read) : read(read) {}

  /// All zero if the processor has no such leaf.
  CpuidLeaf get(uint32_t leaf, uint32_t subleaf) {
    constexpr uint32_t kExtended = 0x80000000;
    // Of the first leaf of both ranges, eax is the last leaf; of leaf 7's first
    // subleaf, the last subleaf.
    if (leaf & ~kExtended && leaf > fetch(leaf & kExtended, 0).eax)
      return {};
    if (leaf == 7 && subleaf > 0 && subleaf > fetch(7, 0).eax)
      return {};
    return fetch(leaf, subleaf);
  }

private:
  struct Known {
    uint32_t leaf, subleaf;
    CpuidLeaf value;
  };

  CpuidLeaf fetch(uint32_t leaf, uint32_t subleaf) {
    for (const Known &one : known)
      if (one.leaf == leaf && one.subleaf == subleaf)
        return one.value;
    known.push_back({leaf, subleaf, read(leaf, subleaf)});
    return known.back().value;
  }

  ReadCpuid read;
  std::vector<Known> known;
};
} // namespace

/// Requests tile registers from the operating system, which saves them only for
/// processes that did. It refuses if a thread's signal stack is too small for
/// them.
static bool requestTiles() {
  constexpr unsigned long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

/// What the operating system saves on a context switch.
static Saves savedByTheSystem(Leaves &leaves) {
  constexpr uint32_t kOsXsave = 1u << 27;
  constexpr uint32_t kYmm = 0x6, kZmm = 0xe6, kTiles = 0x600e6;
  if (!(leaves.get(1, 0).ecx & kOsXsave))
    return Saves::Nothing;
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & kTiles) == kTiles && requestTiles())
    return Saves::Tiles;
  if ((low & kZmm) == kZmm)
    return Saves::Zmm;
  return (low & kYmm) == kYmm ? Saves::Ymm : Saves::Nothing;
}

static std::string readFeatures(Leaves &leaves) {
  Saves saved = savedByTheSystem(leaves);
  std::string text;
  for (const X86Feature &feature : kX86Features) {
    if (feature.saves > saved)
      continue;
    uint32_t word =
        valueOf(leaves.get(feature.leaf, feature.subleaf), feature.reg);
    if (!(word >> feature.bit & 1))
      continue;
    text += text.empty() ? "+" : ",+";
    text += feature.name;
    // LLVM has a separate feature for 512-bit registers.
    if (!std::strcmp(feature.name, "avx512f"))
      text += ",+evex512";
  }
  return text;
}

static const char *amdName(uint32_t family, uint32_t model) {
  switch (family) {
  case 0x17:
    return model < 0x30 ? "znver1" : "znver2";
  case 0x19:
    if ((model >= 0x10 && model <= 0x1f) || (model >= 0x60 && model <= 0x7f) ||
        (model >= 0xa0 && model <= 0xaf))
      return "znver4";
    return "znver3";
  case 0x1a:
    return "znver5";
  default:
    return nullptr;
  }
}

static const char *intelName(uint32_t model) {
  switch (model) {
  case 0x3c:
  case 0x3f:
  case 0x45:
  case 0x46:
    return "haswell";
  case 0x3d:
  case 0x47:
  case 0x4f:
  case 0x56:
    return "broadwell";
  case 0x4e:
  case 0x5e:
  case 0x8e:
  case 0x9e:
  case 0xa5:
  case 0xa6:
    return "skylake";
  case 0x55:
    return "skylake-avx512";
  case 0x6a:
  case 0x6c:
    return "icelake-server";
  case 0x7d:
  case 0x7e:
    return "icelake-client";
  case 0x8c:
  case 0x8d:
    return "tigerlake";
  case 0x97:
  case 0x9a:
  case 0xb7:
  case 0xba:
  case 0xbf:
    return "alderlake";
  case 0x8f:
    return "sapphirerapids";
  case 0xcf:
    return "emeraldrapids";
  case 0xad:
  case 0xae:
    return "graniterapids";
  default:
    return nullptr;
  }
}

/// The CPU to tune for. An unknown processor gets the x86-64 level that its
/// features reach.
static std::string readName(Leaves &leaves, const std::string &features) {
  CpuidLeaf vendor = leaves.get(0, 0), version = leaves.get(1, 0);
  uint32_t family = version.eax >> 8 & 0xf, model = version.eax >> 4 & 0xf;
  if (family == 6 || family == 0xf)
    model |= (version.eax >> 16 & 0xf) << 4;
  if (family == 0xf)
    family += version.eax >> 20 & 0xff;
  const char *name = nullptr;
  if (vendor.ebx == signature_AMD_ebx)
    name = amdName(family, model);
  else if (vendor.ebx == signature_INTEL_ebx && family == 6)
    name = intelName(model);
  if (name)
    return name;
  if (missingFeature("+avx512f,+avx512bw,+avx512vl,+avx512dq", features)
          .empty())
    return "x86-64-v4";
  if (missingFeature("+avx2,+fma,+bmi2", features).empty())
    return "x86-64-v3";
  return missingFeature("+sse4.2,+popcnt", features).empty() ? "x86-64-v2"
                                                             : "x86-64";
}

static std::string readBrand(Leaves &leaves) {
  char text[49] = {};
  for (uint32_t i = 0; i < 3; ++i) {
    CpuidLeaf part = leaves.get(0x80000002 + i, 0);
    std::memcpy(text + i * 16, &part, sizeof part);
  }
  std::string brand = text;
  brand.erase(brand.find_last_not_of(' ') + 1);
  return brand;
}

void detectX86(HostCpu &cpu, ReadCpuid read) {
  Leaves leaves(read);
  cpu.arch = "x86_64";
  cpu.features = readFeatures(leaves);
  cpu.name = readName(leaves, cpu.features);
  cpu.brand = readBrand(leaves);
}

CpuidLeaf readCpuid(uint32_t leaf, uint32_t subleaf) {
  CpuidLeaf out;
  __cpuid_count(leaf, subleaf, out.eax, out.ebx, out.ecx, out.edx);
  return out;
}

void detectArch(HostCpu &cpu) { detectX86(cpu, readCpuid); }

} // namespace nereid::cpu
