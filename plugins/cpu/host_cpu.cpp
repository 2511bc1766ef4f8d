// host_cpu.cpp - facts detected alike on all architectures: caches, memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "host_cpu.h"

#include "cpu_features.h"
#include "host_cpu_arch.h"
#include "small_file.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace nereid::cpu {

/// The bytes of a size as sysfs has it: "1024K".
static uint64_t sizeOf(const std::string &text) {
  char *end = nullptr;
  uint64_t size = std::strtoull(text.c_str(), &end, 10);
  return *end == 'K' ? size << 10 : *end == 'M' ? size << 20 : size;
}

/// sysconf is the last choice: glibc uses CPUID, which virtual machines often
/// report wrongly.
static uint64_t otherwise(uint64_t found, int name) {
  long size = found ? 0 : sysconf(name);
  return found ? found : size > 0 ? static_cast<uint64_t>(size) : 0;
}

unsigned countCpus(const std::string &list) {
  unsigned count = 0;
  for (const char *at = list.c_str(); *at >= '0' && *at <= '9';) {
    char *end = nullptr;
    unsigned long first = std::strtoul(at, &end, 10), last = first;
    if (*end == '-')
      last = std::strtoul(end + 1, &end, 10);
    if (last >= first)
      count += static_cast<unsigned>(last - first + 1);
    at = *end == ',' ? end + 1 : end;
  }
  return count;
}

HostCpu detectHostCpu() {
  HostCpu cpu;
  detectArch(cpu);
  return cpu;
}

HostSizes detectHostSizes() {
  HostSizes sizes;
  const std::string folder = "/sys/devices/system/cpu/cpu0/";
  for (int index = 0;; ++index) {
    std::string cache = folder + "cache/index" + std::to_string(index);
    int level = std::atoi(readSmallFile(cache + "/level").c_str());
    if (!level)
      break;
    uint64_t *out = level == 2   ? &sizes.l2Bytes
                    : level == 3 ? &sizes.l3Bytes
                                 : nullptr;
    if (out && !*out &&
        !readSmallFile(cache + "/type").starts_with("Instruction"))
      *out = sizeOf(readSmallFile(cache + "/size"));
    if (level == 3)
      sizes.l3Threads =
          std::max(1u, countCpus(readSmallFile(cache + "/shared_cpu_list")));
  }
  sizes.l2Bytes = otherwise(sizes.l2Bytes, _SC_LEVEL2_CACHE_SIZE);
  sizes.l3Bytes = otherwise(sizes.l3Bytes, _SC_LEVEL3_CACHE_SIZE);
  sizes.memoryBytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                      static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  sizes.clockKhz =
      std::atoll(readSmallFile(folder + "cpufreq/cpuinfo_max_freq").c_str());
  return sizes;
}

std::string armFeatures(uint64_t hwcap, uint64_t hwcap2) {
  std::string text;
  for (const ArmFeature &feature : kArmFeatures) {
    if ((hwcap & feature.hwcap) != feature.hwcap ||
        (hwcap2 & feature.hwcap2) != feature.hwcap2)
      continue;
    text += text.empty() ? "+" : ",+";
    text += feature.name;
  }
  return text;
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
