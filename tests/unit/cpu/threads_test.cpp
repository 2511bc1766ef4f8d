// threads_test.cpp - the number of threads of a launch.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "module.h"

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

} // namespace nereid::cpu
