// affinity_test.cpp - cores by affinity and by cgroup.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "affinity.h"

#include "temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sched.h>
#include <thread>

namespace nereid::cpu {
namespace {

namespace fs = std::filesystem;

/// A folder that stands for /sys/fs/cgroup, and a file for /proc/self/cgroup.
class Cgroups : public ::testing::Test {
protected:
  void put(const std::string &file, const std::string &text) {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  }
  unsigned cores() const {
    return cgroupCores((root / "self").string(), (root / "fs").string());
  }
  nereid::test::TemporaryFolder folder;
  const fs::path root = folder.path;
};

TEST_F(Cgroups, NoLimit) {
  put("self", "0::/user.slice/app\n");
  put("fs/user.slice/app/cpu.max", "max 100000\n");
  EXPECT_EQ(cores(), 0u);
}

TEST_F(Cgroups, NoFiles) { EXPECT_EQ(cores(), 0u); }

TEST_F(Cgroups, Version2RoundsUp) {
  put("self", "0::/app\n");
  put("fs/app/cpu.max", "250000 100000\n");
  EXPECT_EQ(cores(), 3u);
}

TEST_F(Cgroups, AParentMayBeTighter) {
  put("self", "0::/slice/app\n");
  put("fs/slice/app/cpu.max", "800000 100000\n");
  put("fs/slice/cpu.max", "200000 100000\n");
  EXPECT_EQ(cores(), 2u);
}

TEST_F(Cgroups, TheRootOfAContainer) {
  put("self", "0::/docker/0123456789\n");
  put("fs/cpu.max", "50000 100000\n");
  EXPECT_EQ(cores(), 1u);
}

TEST_F(Cgroups, Version1) {
  put("self", "4:memory:/app\n3:cpu,cpuacct:/app\n0::/\n");
  put("fs/cpu/app/cpu.cfs_quota_us", "400000\n");
  put("fs/cpu/app/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cores(), 4u);
}

TEST_F(Cgroups, Version1WithoutLimit) {
  put("self", "3:cpu,cpuacct:/app\n");
  put("fs/cpu/app/cpu.cfs_quota_us", "-1\n");
  put("fs/cpu/app/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cores(), 0u);
}

TEST(Affinity, OneCoreMeansOne) {
  // In a thread of its own, so that the test program keeps its cores.
  unsigned cores = 0;
  std::thread([&] {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    int first = 0;
    while (!CPU_ISSET(first, &set))
      ++first;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    sched_setaffinity(0, sizeof set, &set);
    cores = usableCores();
  }).join();
  EXPECT_EQ(cores, 1u);
}

} // namespace
} // namespace nereid::cpu
