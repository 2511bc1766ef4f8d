// host_cpu.cpp - what every machine tells in the same way: caches, memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "host_cpu.h"

#include "host_cpu_arch.h"

#include <cstdio>
#include <fstream>
#include <unistd.h>

namespace nereid::cpu {

static uint64_t cacheBytes(int name) {
  long size = sysconf(name);
  return size > 0 ? static_cast<uint64_t>(size) : 0;
}

static int64_t maximumClock() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
  int64_t khz = 0;
  file >> khz;
  return file ? khz : 0;
}

HostCpu detectHostCpu() {
  HostCpu cpu;
  detectArch(cpu);
  cpu.l2Bytes = cacheBytes(_SC_LEVEL2_CACHE_SIZE);
  cpu.l3Bytes = cacheBytes(_SC_LEVEL3_CACHE_SIZE);
  cpu.memoryBytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                    static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  cpu.clockKhz = maximumClock();
  return cpu;
}

static bool contains(std::string_view list, std::string_view item) {
  for (size_t at = 0; at < list.size();) {
    size_t end = std::min(list.find(',', at), list.size());
    if (list.substr(at, end - at) == item)
      return true;
    at = end + 1;
  }
  return false;
}

std::string_view missingFeature(std::string_view needed,
                                std::string_view present) {
  for (size_t at = 0; at < needed.size();) {
    size_t end = std::min(needed.find(',', at), needed.size());
    std::string_view item = needed.substr(at, end - at);
    if (item.starts_with('+') && !contains(present, item))
      return item.substr(1);
    at = end + 1;
  }
  return {};
}

} // namespace nereid::cpu
