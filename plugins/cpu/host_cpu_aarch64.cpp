// host_cpu_aarch64.cpp - HWCAP: features of a 64-bit Arm processor.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "host_cpu_arch.h"

#include <sys/auxv.h>

namespace nereid::cpu {

void detectArch(HostCpu &cpu) {
  cpu.arch = "aarch64";
  cpu.name = "generic";
  cpu.brand = "64-bit Arm";
  cpu.features = armFeatures(getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
}

} // namespace nereid::cpu
