// host_cpu.cpp - facts detected alike on all architectures: caches, memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "host_cpu.h"

#include "host_cpu_arch.h"

#include <cstdio>
#include <fstream>
#include <string>
#include <unistd.h>

namespace nereid::cpu {

static uint64_t readSize(std::ifstream file) {
  uint64_t size = 0;
  char unit = 0;
  file >> size >> unit;
  return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : size;
}

/// The size of one data or unified cache of this level. sysconf is the last
/// choice: glibc uses CPUID, which virtual machines often report wrongly.
static uint64_t cacheBytes(int level, int name) {
  std::string caches = "/sys/devices/system/cpu/cpu0/cache/index";
  for (int index = 0;; ++index) {
    std::string cache = caches + std::to_string(index);
    int found = 0;
    std::string type;
    std::ifstream(cache + "/level") >> found;
    std::ifstream(cache + "/type") >> type;
    if (!found)
      break;
    if (found == level && type != "Instruction")
      return readSize(std::ifstream(cache + "/size"));
  }
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
  cpu.l2Bytes = cacheBytes(2, _SC_LEVEL2_CACHE_SIZE);
  cpu.l3Bytes = cacheBytes(3, _SC_LEVEL3_CACHE_SIZE);
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
