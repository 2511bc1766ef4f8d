// host_cpu_test.cpp - detection of this machine's processor.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "host_cpu.h"

#ifdef __x86_64__
#include "host_cpu_x86.h"
#endif

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace nereid::cpu {
namespace {

TEST(HostCpu, AgreesWithTheKernel) {
  HostCpu cpu = detectHostCpu();
  EXPECT_FALSE(cpu.name.empty());
  EXPECT_GT(detectHostSizes().memoryBytes, 0u);
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
    EXPECT_TRUE(sizes[2].count(detectHostSizes().l2Bytes));
  if (sizes.count(3))
    EXPECT_TRUE(sizes[3].count(detectHostSizes().l3Bytes));
}

TEST(HostCpu, CountsTheCpusOfAList) {
  EXPECT_EQ(countCpus("0\n"), 1u);
  EXPECT_EQ(countCpus("0-7,64-71\n"), 16u);
  EXPECT_EQ(countCpus("3,5,9-10"), 4u);
  EXPECT_EQ(countCpus(""), 0u);
  EXPECT_GE(detectHostSizes().l3Threads, 1u);
}

#ifdef __x86_64__
// In a virtual machine each one takes 5 us and more.
TEST(HostCpu, ReadsEachCpuidLeafOnce) {
  static std::map<std::pair<uint32_t, uint32_t>, int> reads;
  reads.clear();
  HostCpu counted;
  detectX86(counted, [](uint32_t leaf, uint32_t subleaf) {
    ++reads[{leaf, subleaf}];
    return readCpuid(leaf, subleaf);
  });
  HostCpu here = detectHostCpu();
  EXPECT_EQ(counted.features, here.features);
  EXPECT_EQ(counted.name, here.name);
  EXPECT_EQ(counted.brand, here.brand);
  EXPECT_TRUE(reads.count({1, 0}));
  EXPECT_LE(reads.size(), 10u);
  for (const auto &[leaf, count] : reads)
    EXPECT_EQ(count, 1) << std::hex << leaf.first << ' ' << leaf.second;
}

// What is above the last leaf of a range must not be read: Intel's processors
// return the data of another leaf.
TEST(HostCpu, ReadsNoLeafThatTheProcessorLacks) {
  HostCpu cpu;
  detectX86(cpu, [](uint32_t leaf, uint32_t) -> CpuidLeaf {
    constexpr uint32_t kAll = 0xffffffff;
    if (leaf == 0)
      return {1, 0, 0, 0};
    if (leaf == 0x80000000)
      return {0x80000000, 0, 0, 0};
    if (leaf == 1) // no operating system support for AVX
      return {0, 0, 1u << 20 | 1u << 23, 0};
    ADD_FAILURE() << std::hex << leaf;
    return {kAll, kAll, kAll, kAll};
  });
  EXPECT_EQ(cpu.features, "+sse4.2,+popcnt");
  EXPECT_EQ(cpu.name, "x86-64-v2");
  EXPECT_EQ(cpu.brand, "");
}
#endif

// The values of Linux on a Neoverse N1.
TEST(HostCpu, ReadsTheFeaturesOfAnArmProcessor) {
  EXPECT_EQ(armFeatures(0x119fff, 0),
            "+fp-armv8,+neon,+aes,+sha2,+crc,+lse,+fullfp16,+rdm,+rcpc,"
            "+dotprod");
  // PMULL alone is not what LLVM calls "aes".
  EXPECT_EQ(armFeatures(0x13, 0), "+fp-armv8,+neon");
  EXPECT_EQ(armFeatures(0x400003, 0x4002), "+fp-armv8,+neon,+sve,+sve2,+bf16");
}

TEST(HostCpu, MissingFeature) {
  EXPECT_EQ(missingFeature("", "+avx"), "");
  EXPECT_EQ(missingFeature("+avx,+avx2", "+avx,+avx2,+fma"), "");
  EXPECT_EQ(missingFeature("+avx,+avx2", "+avx,+avx2vl"), "avx2");
  EXPECT_EQ(missingFeature("-avx", ""), "");
}

} // namespace
} // namespace nereid::cpu
