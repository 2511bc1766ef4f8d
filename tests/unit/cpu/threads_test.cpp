// threads_test.cpp - the number of threads of a launch.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "streaming.h"

#include "gtest/gtest.h"

namespace nereid::cpu {

TEST(Threads, UsesOneForLittleWork) {
  nereid_cpu_kernel_t image = {};
  image.bytes_per_program = 4096;
  EXPECT_EQ(threadsFor(image, 16, 8), 1u);
}

TEST(Threads, SplitsMuchWork) {
  nereid_cpu_kernel_t image = {};
  image.bytes_per_program = 16 << 20;
  EXPECT_EQ(threadsFor(image, 16, 8), 8u);
}

TEST(Threads, AssumesMoreThanTheEstimateForALoopOfUnknownLength) {
  nereid_cpu_kernel_t image = {};
  image.bytes_per_program = 4096;
  image.flags = NEREID_CPU_KERNEL_ESTIMATED;
  EXPECT_GT(threadsFor(image, 16, 8), 1u);
  EXPECT_EQ(threadsFor(image, 1, 8), 1u);
}

TEST(Caches, HoldSmallResults) {
  nereid_cpu_kernel_t image = {};
  HostSizes sizes;
  sizes.l2Bytes = 1 << 20;
  sizes.l3Bytes = 32 << 20;
  sizes.l3Threads = 8;
  EXPECT_FALSE(exceedsCaches(image, 1 << 20, 1, sizes)); // it stores nothing
  image.streamed_bytes_per_program = 4096;
  EXPECT_FALSE(exceedsCaches(image, 1 << 10, 1, sizes));
  EXPECT_TRUE(exceedsCaches(image, 1 << 12, 8, sizes));
  EXPECT_TRUE(exceedsCaches(image, UINT64_MAX / 2, 8, sizes));
}

TEST(Caches, AreAsManyAsTheThreadsUse) {
  nereid_cpu_kernel_t image = {};
  image.streamed_bytes_per_program = 4096;
  HostSizes sizes;
  sizes.l2Bytes = 1 << 20;
  sizes.l3Bytes = 32 << 20;
  sizes.l3Threads = 8;
  EXPECT_FALSE(exceedsCaches(image, 1 << 12, 9, sizes));
  sizes.l3Bytes = 0;
  EXPECT_TRUE(exceedsCaches(image, 1 << 12, 9, sizes));
  EXPECT_FALSE(exceedsCaches(image, 1 << 10, 9, sizes));
}

} // namespace nereid::cpu
