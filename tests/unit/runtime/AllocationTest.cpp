// AllocationTest.cpp - a launch allocates nothing: every allocation of the
// process is counted where it is made.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include <atomic>
#include <cstdlib>

static std::atomic<bool> isCounting;
static std::atomic<int> allocations;

// glibc lets a program replace malloc, and keeps its own under these names.
extern "C" {
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size) {
  allocations += isCounting;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  allocations += isCounting;
  return __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
  allocations += isCounting;
  return __libc_realloc(memory, size);
}
}

namespace {
class AllocationTest : public RuntimeFixture {
protected:
  /// The allocations of `count` launches on a grid of `rows` rows.
  int countLaunches(nereid_function_t *function, uint32_t rows, int count) {
    struct {
      nereid_address_t out;
      int32_t value, padding;
    } block = {};
    allocations = 0;
    isCounting = true;
    for (int i = 0; i < count; ++i)
      status = ::launch(function, 8, rows, 1, &block, sizeof block);
    isCounting = false;
    return allocations;
  }
};
} // namespace

TEST_F(AllocationTest, ALaunchAllocatesNothingNotEvenTheFirst) {
  nereid_function_t *function = load();
  EXPECT_EQ(countLaunches(function, 1, 1), 0);
  EXPECT_EQ(countLaunches(function, 1, 1000), 0);
  EXPECT_EQ(status, NEREID_OK);
  EXPECT_EQ(fake_counts().launches, 1001);
  nereid_function_destroy(function);
}

TEST_F(AllocationTest, TheCounterDoesCount) {
  nereid_function_t *function = load();
  EXPECT_GT(countLaunches(function, 65536, 1), 0); // makes an error text
  EXPECT_EQ(status, NEREID_INVALID_ARGUMENT);
  nereid_function_destroy(function);
}
