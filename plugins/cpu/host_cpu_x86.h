// host_cpu_x86.h - an x86-64 processor as CPUID describes it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_HOST_CPU_X86_H
#define NEREID_CPU_HOST_CPU_X86_H

#include "host_cpu.h"

namespace nereid::cpu {

struct CpuidLeaf {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};
using ReadCpuid = CpuidLeaf (*)(uint32_t leaf, uint32_t subleaf);

/// The instruction.
CpuidLeaf readCpuid(uint32_t leaf, uint32_t subleaf);

/// Sets arch, name, features and brand; calls \p read once for each leaf.
void detectX86(HostCpu &cpu, ReadCpuid read);

} // namespace nereid::cpu

#endif // NEREID_CPU_HOST_CPU_X86_H
