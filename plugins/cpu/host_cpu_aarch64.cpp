// host_cpu_aarch64.cpp - HWCAP: features of a 64-bit Arm processor.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "host_cpu_arch.h"

#include <asm/hwcap.h>
#include <sys/auxv.h>

namespace nereid::cpu {

namespace {
struct ArmFeature {
  const char *name;
  unsigned long type, bit;
};
constexpr ArmFeature kArmFeatures[] = {
    {"fp-armv8", AT_HWCAP, HWCAP_FP},      {"neon", AT_HWCAP, HWCAP_ASIMD},
    {"aes", AT_HWCAP, HWCAP_AES},          {"sha2", AT_HWCAP, HWCAP_SHA2},
    {"crc", AT_HWCAP, HWCAP_CRC32},        {"lse", AT_HWCAP, HWCAP_ATOMICS},
    {"fullfp16", AT_HWCAP, HWCAP_ASIMDHP}, {"rdm", AT_HWCAP, HWCAP_ASIMDRDM},
    {"rcpc", AT_HWCAP, HWCAP_LRCPC},       {"dotprod", AT_HWCAP, HWCAP_ASIMDDP},
    {"fp16fml", AT_HWCAP, HWCAP_ASIMDFHM}, {"sve", AT_HWCAP, HWCAP_SVE},
    {"sve2", AT_HWCAP2, HWCAP2_SVE2},      {"i8mm", AT_HWCAP2, HWCAP2_I8MM},
    {"bf16", AT_HWCAP2, HWCAP2_BF16},
};
} // namespace

void detectArch(HostCpu &cpu) {
  cpu.arch = "aarch64";
  cpu.name = "generic";
  cpu.brand = "64-bit Arm";
  for (const ArmFeature &feature : kArmFeatures) {
    if (!(getauxval(feature.type) & feature.bit))
      continue;
    cpu.features += cpu.features.empty() ? "+" : ",+";
    cpu.features += feature.name;
  }
}

} // namespace nereid::cpu
