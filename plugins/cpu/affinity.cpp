// affinity.cpp - scheduler affinity and cgroup limits.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "affinity.h"

#include <algorithm>
#include <cmath>
#include <fstream>
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
  std::ifstream file(folder + "/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max")
    return 0;
  return coresOf(std::strtod(quota.c_str(), nullptr), period);
}

static unsigned readVersion1(const std::string &folder) {
  std::ifstream quotaFile(folder + "/cpu.cfs_quota_us");
  std::ifstream periodFile(folder + "/cpu.cfs_period_us");
  double quota = 0, period = 0;
  if (!(quotaFile >> quota) || !(periodFile >> period))
    return 0;
  return coresOf(quota, period);
}

static unsigned smallerLimit(unsigned a, unsigned b) {
  return !a ? b : !b ? a : std::min(a, b);
}

/// The smallest limit of `path` and its parents below `root`.
template <typename Read>
static unsigned limitUpwards(const std::string &root, std::string path,
                             Read read) {
  unsigned limit = 0;
  for (;;) {
    limit = smallerLimit(limit, read(root + path));
    size_t slash = path.rfind('/');
    if (path.size() <= 1 || slash == std::string::npos)
      return smallerLimit(limit, read(root));
    path.resize(slash);
  }
}

unsigned cgroupCores(const std::string &procCgroup, const std::string &mount) {
  std::ifstream file(procCgroup);
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
  unsigned limit = cgroupCores("/proc/self/cgroup", "/sys/fs/cgroup");
  return limit ? std::min(cores, limit) : cores;
}

} // namespace nereid::cpu
