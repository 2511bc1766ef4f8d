// host_cpu.h - detects this machine's processor and its features, without LLVM.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_HOST_CPU_H
#define NEREID_CPU_HOST_CPU_H

#include <cstdint>
#include <string>
#include <string_view>

namespace nereid::cpu {

struct HostCpu {
  std::string arch;     ///< "x86_64" or "aarch64"
  std::string name;     ///< LLVM's name of the CPU, to tune for: "znver4"
  std::string features; ///< its features: "+adx,+aes,..."; sorted as the tables
  std::string brand;    ///< human-readable: "AMD EPYC 9654"

  /// The name and the features as one text: a target's `features`.
  std::string targetFeatures() const { return name + "," + features; }
};

/// Detects the processor; cheap, but call it once.
HostCpu detectHostCpu();

/// The features that these values of AT_HWCAP and AT_HWCAP2 report on 64-bit
/// Arm.
std::string armFeatures(uint64_t hwcap, uint64_t hwcap2);

/// Facts that only properties and benchmarks need. They are in some 25 files,
/// so that a process that launches one kernel does not read them.
struct HostSizes {
  uint64_t l2Bytes = 0; ///< of one core
  uint64_t l3Bytes = 0; ///< 0 if there is none
  unsigned l3Threads = 1; ///< hardware threads that share it
  uint64_t memoryBytes = 0;
  int64_t clockKhz = 0; ///< highest; 0 if unknown
};

HostSizes detectHostSizes();

/// The number of CPUs in a list as sysfs has it: "0-7,64-71".
unsigned countCpus(const std::string &list);

/// The first of the features `needed` ("+a,+b") that is not in `present`; empty
/// if all are.
std::string_view missingFeature(std::string_view needed,
                                std::string_view present);

} // namespace nereid::cpu

#endif // NEREID_CPU_HOST_CPU_H
