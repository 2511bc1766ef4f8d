// affinity.cpp - scheduler affinity and cgroup limits.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "affinity.h"

#include "small_file.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <sched.h>
#include <sstream>

namespace nereid::cpu {

unsigned affinityCores() {
  // The kernel rejects a set smaller than its own: machines with more than 1024
  // cores need a larger one.
  for (int cores = 1024; cores <= 1 << 16; cores *= 4) {
    std::unique_ptr<cpu_set_t, void (*)(cpu_set_t *)> set(
        CPU_ALLOC(cores), [](cpu_set_t *set) { CPU_FREE(set); });
    size_t size = CPU_ALLOC_SIZE(cores);
    CPU_ZERO_S(size, set.get());
    if (sched_getaffinity(0, size, set.get()) == 0)
      return std::max(1, CPU_COUNT_S(size, set.get()));
  }
  return 1;
}

/// Cores of `quota` per `period` microseconds; 0 for no limit.
static unsigned coresOf(double quota, double period) {
  if (quota <= 0 || period <= 0)
    return 0;
  return static_cast<unsigned>(std::max(1.0, std::ceil(quota / period)));
}

/// Version 2: "max 100000" or "150000 100000".
static unsigned readVersion2(const std::string &folder) {
  std::string text = readSmallFile(folder + "/cpu.max");
  char *rest = text.data();
  double quota = std::strtod(rest, &rest); // 0 for "max"
  return coresOf(quota, std::strtod(rest, nullptr));
}

static unsigned readVersion1(const std::string &folder) {
  double quota =
      std::strtod(readSmallFile(folder + "/cpu.cfs_quota_us").c_str(), nullptr);
  if (quota <= 0)
    return 0;
  return coresOf(
      quota, std::strtod(readSmallFile(folder + "/cpu.cfs_period_us").c_str(),
                         nullptr));
}

static unsigned smallerLimit(unsigned a, unsigned b) {
  return !a ? b : !b ? a : std::min(a, b);
}

/// The smallest limit of `path` and its parents below `root`.
template <typename Read>
static unsigned limitUpwards(const std::string &root, std::string path,
                             Read read) {
  unsigned limit = 0;
  while (path.size() > 1) {
    limit = smallerLimit(limit, read(root + path));
    size_t slash = path.rfind('/');
    path.resize(slash == std::string::npos ? 0 : slash);
  }
  return smallerLimit(limit, read(root));
}

unsigned cgroupCores(const std::string &procCgroup, const std::string &mount) {
  std::istringstream file(readSmallFile(procCgroup));
  unsigned limit = 0;
  // Lines are "id:controllers:path"; version 2 has id 0 and no controllers.
  for (std::string line; std::getline(file, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::istringstream controllers(line.substr(first + 1, second - first - 1));
    std::string path = line.substr(second + 1);
    if (second == first + 1) {
      limit = smallerLimit(limit, limitUpwards(mount, path, readVersion2));
      continue;
    }
    for (std::string name; std::getline(controllers, name, ',');)
      if (name == "cpu")
        limit = smallerLimit(limit,
                             limitUpwards(mount + "/cpu", path, readVersion1));
  }
  return limit;
}

unsigned usableCores() {
  unsigned cores = affinityCores();
  if (cores == 1)
    return 1;
  unsigned limit = cgroupCores("/proc/self/cgroup", "/sys/fs/cgroup");
  return limit ? std::min(cores, limit) : cores;
}

} // namespace nereid::cpu
