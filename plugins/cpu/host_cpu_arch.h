// host_cpu_arch.h - the part of HostCpu that differs between architectures.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_HOST_CPU_ARCH_H
#define NEREID_CPU_HOST_CPU_ARCH_H

#include "host_cpu.h"

namespace nereid::cpu {

/// Sets arch, name, features and brand. One definition per architecture.
void detectArch(HostCpu &cpu);

} // namespace nereid::cpu

#endif // NEREID_CPU_HOST_CPU_ARCH_H
