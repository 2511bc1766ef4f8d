// host_cpu_test.cpp - detection of this machine's processor.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "host_cpu.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace nereid::cpu {
namespace {

TEST(HostCpu, AgreesWithTheKernel) {
  HostCpu cpu = detectHostCpu();
  EXPECT_FALSE(cpu.name.empty());
  EXPECT_GT(cpu.memoryBytes, 0u);
  std::ifstream file("/proc/cpuinfo");
  std::stringstream all;
  all << file.rdbuf();
  // Names with the same spelling in both.
  for (const char *name : {"avx2", "avx512f", "fma", "bmi2", "f16c"}) {
    bool known = all.str().find(std::string(" ") + name) != std::string::npos;
    EXPECT_EQ(missingFeature(std::string("+") + name, cpu.features).empty(),
              known)
        << name;
  }
}

TEST(HostCpu, ReportsTheCachesThatTheKernelReports) {
  std::map<int, std::set<uint64_t>> sizes;
  for (int index = 0; index < 16; ++index) {
    std::string cache = "/sys/devices/system/cpu/cpu0/cache/index" +
                        std::to_string(index) + '/';
    int level = 0;
    uint64_t kilobytes = 0;
    std::ifstream(cache + "level") >> level;
    std::ifstream(cache + "size") >> kilobytes;
    sizes[level].insert(kilobytes << 10);
  }
  if (sizes.count(2))
    EXPECT_TRUE(sizes[2].count(detectHostCpu().l2Bytes));
  if (sizes.count(3))
    EXPECT_TRUE(sizes[3].count(detectHostCpu().l3Bytes));
}

TEST(HostCpu, MissingFeature) {
  EXPECT_EQ(missingFeature("", "+avx"), "");
  EXPECT_EQ(missingFeature("+avx,+avx2", "+avx,+avx2,+fma"), "");
  EXPECT_EQ(missingFeature("+avx,+avx2", "+avx,+avx2vl"), "avx2");
  EXPECT_EQ(missingFeature("-avx", ""), "");
}

} // namespace
} // namespace nereid::cpu
