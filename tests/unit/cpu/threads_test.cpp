// threads_test.cpp - the work of a launch and its number of threads.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "streaming.h"
#include "work.h"

#include "gtest/gtest.h"

namespace nereid::cpu {

static Threads threadsOf(const nereid_cpu_kernel_t &image, uint64_t programs,
                         unsigned most) {
  const uint32_t grid[3] = {1, 1, 1};
  return threadsFor(image, workOf(image, nullptr, grid), programs, most);
}

TEST(Threads, UsesOneForLittleWork) {
  nereid_cpu_kernel_t image = {};
  image.bytes_per_program = 4096;
  EXPECT_EQ(threadsOf(image, 16, 8).count, 1u);
}

TEST(Threads, SplitsMuchWork) {
  nereid_cpu_kernel_t image = {};
  image.bytes_per_program = 16 << 20;
  EXPECT_EQ(threadsOf(image, 16, 8).count, 8u);
  EXPECT_FALSE(threadsOf(image, 16, 8).isShort);
}

TEST(Threads, WakesNoThreadForAFewMicroseconds) {
  nereid_cpu_kernel_t image = {};
  image.bytes_per_program = 60 * 1000; // a microsecond
  EXPECT_EQ(threadsOf(image, 6, 8).count, 3u);
  EXPECT_TRUE(threadsOf(image, 6, 8).isShort);
}

TEST(Threads, NoMoreThanPrograms) {
  nereid_cpu_kernel_t image = {};
  image.bytes_per_program = 16 << 20;
  EXPECT_EQ(threadsOf(image, 3, 8).count, 3u);
}

TEST(Threads, AssumesMoreThanTheEstimateForALoopOfUnknownLength) {
  nereid_cpu_kernel_t image = {};
  image.bytes_per_program = 4096;
  image.flags = NEREID_CPU_KERNEL_ESTIMATED;
  EXPECT_GT(threadsOf(image, 16, 8).count, 1u);
  EXPECT_EQ(threadsOf(image, 1, 8).count, 1u);
}

TEST(Threads, DividesProgramsAmongThreadsWithoutOne) {
  nereid_cpu_kernel_t image = {};
  image.bytes_per_program = 16 << 20;
  image.parts = 10;
  EXPECT_EQ(threadsOf(image, 1, 16).count, 10u);
  EXPECT_EQ(threadsOf(image, 4, 16).count, 16u);
  EXPECT_EQ(partsFor(image, 1, 10), 10u);
  EXPECT_EQ(partsFor(image, 1, 2), 2u);
  EXPECT_EQ(partsFor(image, 4, 16), 4u);
  EXPECT_EQ(partsFor(image, 16, 16), 1u);
  image.parts = 0;
  EXPECT_EQ(partsFor(image, 1, 16), 1u);
}

TEST(Threads, DividesProgramsWhoseConditionHolds) {
  // An argument minus the program's id along y is not negative.
  const nereid_work_step_t steps[] = {{NEREID_WORK_ARGUMENT, 0, 4},
                                      {NEREID_WORK_PROGRAM_ID, 1, 0},
                                      {NEREID_WORK_SUBTRACT, 0, 1}};
  nereid_cpu_kernel_t image = {};
  image.parts = 2;
  const uint32_t grid[3] = {1, 8, 1};
  const int32_t argument = 3;
  const uint32_t third[3] = {0, 3, 0}, fourth[3] = {0, 4, 0};
  EXPECT_FALSE(isDivisible(image, &argument, grid, third));
  image.parts_condition = steps;
  image.parts_condition_count = std::size(steps);
  EXPECT_TRUE(isDivisible(image, &argument, grid, third));
  EXPECT_FALSE(isDivisible(image, &argument, grid, fourth));
}

TEST(Threads, EvaluatesAFormula) {
  // 100 * ceil(n / 32) bytes; a program along y times 7 operations.
  const nereid_work_step_t steps[] = {
      {NEREID_WORK_ARGUMENT, 8, 4},    {NEREID_WORK_CONSTANT, 32, 0},
      {NEREID_WORK_CEIL_DIVIDE, 0, 1}, {NEREID_WORK_CONSTANT, 100, 0},
      {NEREID_WORK_PROGRAM_ID, 1, 0},  {NEREID_WORK_CONSTANT, 7, 0},
      {NEREID_WORK_MULTIPLY, 2, 3},    {NEREID_WORK_MULTIPLY, 4, 5}};
  nereid_cpu_kernel_t image = {};
  image.work = steps;
  image.work_count = std::size(steps);
  const int32_t arguments[] = {0, 0, 65};
  const uint32_t grid[3] = {1, 11, 1};
  ProgramWork work = workOf(image, arguments, grid);
  EXPECT_EQ(work.bytes, 300);
  EXPECT_EQ(work.flops, 35);
}

TEST(Threads, AFormulaMayDivideByZero) {
  const nereid_work_step_t steps[] = {
      {NEREID_WORK_GRID_SIZE, 0, 0},   {NEREID_WORK_SUBTRACT, 0, 0},
      {NEREID_WORK_CEIL_DIVIDE, 0, 1}, {NEREID_WORK_DIVIDE, 0, 1},
      {NEREID_WORK_REMAINDER, 0, 1},   {NEREID_WORK_MAX, 2, 3}};
  nereid_cpu_kernel_t image = {};
  image.work = steps;
  image.work_count = std::size(steps);
  const uint32_t grid[3] = {4, 1, 1};
  ProgramWork work = workOf(image, nullptr, grid);
  EXPECT_EQ(work.bytes, 0);
  EXPECT_EQ(work.flops, 0);
}

TEST(Threads, CountsStreamedBytes) {
  const nereid_work_step_t steps[] = {{NEREID_WORK_ARGUMENT, 0, 4},
                                      {NEREID_WORK_CONSTANT, 4096, 0},
                                      {NEREID_WORK_MULTIPLY, 0, 1},
                                      {NEREID_WORK_CONSTANT, 0, 0},
                                      {NEREID_WORK_CONSTANT, 0, 0}};
  nereid_cpu_kernel_t image = {};
  const int32_t iterations = 5;
  const uint32_t grid[3] = {2, 3, 4};
  EXPECT_EQ(streamedBytesOf(image, &iterations, grid), 0);
  image.streamed_bytes_per_program = 4096;
  EXPECT_EQ(streamedBytesOf(image, &iterations, grid), 24 * 4096);
  image.streamed_step = 2;
  EXPECT_EQ(streamedBytesOf(image, &iterations, grid), 24 * 4096); // no formula
  image.work = steps;
  image.work_count = std::size(steps);
  EXPECT_EQ(streamedBytesOf(image, &iterations, grid), 24 * 5 * 4096);
  image.streamed_bytes_per_program = 0; // no store can stream
  EXPECT_EQ(streamedBytesOf(image, &iterations, grid), 0);
}

TEST(Threads, CountsAtomicOperations) {
  const nereid_work_step_t steps[] = {{NEREID_WORK_ARGUMENT, 0, 4},
                                      {NEREID_WORK_CONSTANT, 16, 0},
                                      {NEREID_WORK_MULTIPLY, 0, 1},
                                      {NEREID_WORK_CONSTANT, 0, 0},
                                      {NEREID_WORK_CONSTANT, 0, 0}};
  nereid_cpu_kernel_t image = {};
  const int32_t iterations = 5;
  const uint32_t grid[3] = {1, 1, 1};
  image.atomics_per_program = 7;
  EXPECT_EQ(workOf(image, &iterations, grid).atomics, 7);
  image.work = steps;
  image.work_count = std::size(steps);
  EXPECT_EQ(workOf(image, &iterations, grid).atomics, 7);
  image.atomics_step = 2;
  EXPECT_EQ(workOf(image, &iterations, grid).atomics, 80);
  image.atomics_step = 5; // no step
  EXPECT_EQ(workOf(image, &iterations, grid).atomics, 7);
}

TEST(Threads, UsesOneWhereLocksWouldTakeLonger) {
  nereid_cpu_kernel_t image = {};
  image.atomics_per_program = 1 << 20;
  EXPECT_EQ(threadsOf(image, 16, 2).count, 2u);
  image.flags = NEREID_CPU_KERNEL_PLAIN_ATOMICS;
  EXPECT_EQ(threadsOf(image, 16, 2).count, 1u);
  EXPECT_EQ(threadsOf(image, 16, 16).count, 16u);
  image.flags |= NEREID_CPU_KERNEL_ATOMIC_NEIGHBOURS;
  EXPECT_EQ(threadsOf(image, 16, 8).count, 1u);
  EXPECT_EQ(threadsOf(image, 16, 16).count, 16u);
  image.bytes_per_program = 1;
  EXPECT_EQ(threadsWithin(image, {0, 0, 4096}, 8, 1).count, 1u);
  EXPECT_EQ(threadsWithin(image, {0, 0, 4096}, 16, 1).count, 16u);
  EXPECT_EQ(threadsWithin(image, {1 << 20, 0, 4096}, 2, 1).count, 2u);
  image.flops_per_program = uint64_t(1) << 30; // of which they are little
  EXPECT_EQ(threadsOf(image, 16, 2).count, 2u);
}

TEST(Threads, NeedNoLocksForDisjointPrograms) {
  // step * id + 128 <= row
  const nereid_work_step_t steps[] = {
      {NEREID_WORK_ARGUMENT, 0, 4},   {NEREID_WORK_PROGRAM_ID, 1, 0},
      {NEREID_WORK_CONSTANT, 128, 0}, {NEREID_WORK_MULTIPLY, 1, 2},
      {NEREID_WORK_ADD, 3, 2},        {NEREID_WORK_SUBTRACT, 0, 4}};
  nereid_cpu_kernel_t image = {};
  image.flags =
      NEREID_CPU_KERNEL_PLAIN_ATOMICS | NEREID_CPU_KERNEL_ATOMIC_NEIGHBOURS;
  image.bytes_per_program = 1;
  const ProgramWork work = {1000, 0, 4096}, small = {1, 0, 1};
  const uint32_t grid[3] = {64, 6, 1};
  int32_t row = 6 * 128;
  EXPECT_EQ(disjointIds(image, work, &row, grid), 1u); // no condition
  image.disjoint_condition = steps;
  image.disjoint_condition_count = std::size(steps);
  image.disjoint_axis = 1;
  EXPECT_EQ(disjointIds(image, work, &row, grid), 6u);
  EXPECT_EQ(disjointIds(image, small, &row, grid), 1u);
  --row; // the last id's columns are the first id's in the next row
  EXPECT_EQ(disjointIds(image, work, &row, grid), 1u);

  Threads threads = threadsFor(image, work, 64 * 6, 4, 6);
  EXPECT_TRUE(threads.isDisjoint);
  EXPECT_EQ(threads.count, 4u);
  EXPECT_EQ(threadsFor(image, work, 64 * 6, 16, 6).count, 6u);
  EXPECT_FALSE(threadsFor(image, work, 64 * 6, 4, 1).isDisjoint);
  EXPECT_TRUE(threadsWithin(image, work, 2, 6).isDisjoint);
  EXPECT_EQ(threadsWithin(image, work, 2, 6).count, 2u);
  EXPECT_FALSE(threadsWithin(image, work, 1, 6).isDisjoint);
  // Two ids for many threads are slower than locks.
  EXPECT_FALSE(threadsWithin(image, work, 64, 2).isDisjoint);
  image.flags = 0;
  EXPECT_FALSE(threadsFor(image, work, 64 * 6, 4, 6).isDisjoint);
}

TEST(Caches, HoldSmallResults) {
  HostSizes sizes;
  sizes.l2Bytes = 1 << 20;
  sizes.l3Bytes = 32 << 20;
  sizes.l3Threads = 8;
  EXPECT_FALSE(exceedsCaches(0, 1, sizes));
  EXPECT_FALSE(exceedsCaches(31 << 20, 1, sizes));
  EXPECT_TRUE(exceedsCaches(32 << 20, 8, sizes));
  EXPECT_TRUE(exceedsCaches(1e20, 8, sizes));
}

TEST(Caches, AreAsManyAsTheThreadsUse) {
  HostSizes sizes;
  sizes.l2Bytes = 1 << 20;
  sizes.l3Bytes = 32 << 20;
  sizes.l3Threads = 8;
  EXPECT_FALSE(exceedsCaches(32 << 20, 9, sizes));
  sizes.l3Bytes = 0;
  EXPECT_TRUE(exceedsCaches(32 << 20, 9, sizes));
  EXPECT_FALSE(exceedsCaches(4 << 20, 9, sizes));
}

} // namespace nereid::cpu
