// memory_test.cpp - reuse of large blocks.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "memory.h"
#include "scratch.h"
#include "state.h"

#include <gtest/gtest.h>

#include <cstring>
#include <semaphore>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace nereid::cpu {
namespace {

constexpr uint64_t kMegabyte = 1 << 20;

TEST(Memory, IsAligned) {
  Memory memory(64 * kMegabyte);
  for (uint64_t size : {uint64_t(1), uint64_t(63), uint64_t(65), uint64_t(4097),
                        Memory::kLarge, 3 * kMegabyte + 5}) {
    void *block = memory.allocate(size);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % Memory::kAlign, 0u);
    std::memset(block, 1, size);
    memory.free(block);
  }
  memory.free(nullptr);
}

TEST(Memory, ReusesAFreedBlock) {
  Memory memory(64 * kMegabyte);
  void *first = memory.allocate(5 * kMegabyte);
  memory.free(first);
  EXPECT_GE(memory.kept(), 5 * kMegabyte);
  EXPECT_EQ(memory.allocate(5 * kMegabyte - 100), first);
  EXPECT_EQ(memory.kept(), 0u);
  memory.free(first);
}

TEST(CacheSweep, IsFreeInAChildThatIsForkedWhileAThreadFlushes) {
  Memory memory(64 * kMegabyte);
  CacheSweep sweep(memory);
  std::binary_semaphore holds{0}, forked{0};
  std::thread flushing([&] {
    std::lock_guard lock(sweep.mutex);
    holds.release();
    forked.acquire();
  });
  holds.acquire();
  pid_t child = fork();
  if (child == 0) {
    alarm(60); // a deadlock ends
    std::lock_guard lock(sweep.mutex);
    _exit(0);
  }
  forked.release();
  flushing.join();
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Memory, DoesNotCacheSmallBlocks) {
  Memory memory(64 * kMegabyte);
  memory.free(memory.allocate(1000));
  EXPECT_EQ(memory.kept(), 0u);
}

TEST(Memory, CachesNoMoreThanItsLimit) {
  Memory memory(8 * kMegabyte);
  void *blocks[6];
  for (void *&block : blocks)
    block = memory.allocate(2 * kMegabyte);
  for (void *block : blocks)
    memory.free(block);
  EXPECT_LE(memory.kept(), 8 * kMegabyte);
  EXPECT_GE(memory.kept(), 6 * kMegabyte);
  void *large = memory.allocate(16 * kMegabyte);
  memory.free(large);
  EXPECT_LE(memory.kept(), 8 * kMegabyte);
}

TEST(Memory, ReturnsNullIfTooLarge) {
  Memory memory(0);
  EXPECT_EQ(memory.allocate(UINT64_MAX), nullptr);
  EXPECT_EQ(memory.allocate(uint64_t(1) << 60), nullptr);
}

TEST(Scratch, GrowsAndIsReused) {
  void *small = threadScratch(100);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(small) % 4096, 0u);
  EXPECT_EQ(threadScratch(4096), small);
  void *large = threadScratch(kMegabyte);
  std::memset(large, 1, kMegabyte);
  EXPECT_EQ(threadScratch(10), large);
}

} // namespace
} // namespace nereid::cpu
