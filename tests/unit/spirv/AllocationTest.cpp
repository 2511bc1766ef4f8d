// AllocationTest.cpp - building instructions does not allocate.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "SpirvFixture.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>

static std::atomic<size_t> allocations;

void *operator new(size_t size, const std::nothrow_t &) noexcept {
  ++allocations;
  return std::malloc(size);
}
void *operator new(size_t size) {
  if (void *memory = operator new(size, std::nothrow))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace nereid::spirv {
namespace {

TEST_F(SpirvTest, InstructionsAreAppendedWithoutAllocation) {
  constexpr uint32_t count = 10000;
  Id x = input(b.floatType(32)), i = input(b.intType(32));
  size_t before = allocations;
  auto start = std::chrono::steady_clock::now();
  for (uint32_t n = 0; n < count / 4; ++n) {
    x = b.fadd(b.fmul(x, x), x);
    i = b.iadd(i, b.u32(n % 64));
    x = b.select(b.slt(i, b.u32(7)), x, b.f32(0.5f));
  }
  std::chrono::duration<double, std::micro> time =
      std::chrono::steady_clock::now() - start;
  RecordProperty("microseconds", std::to_string(time.count()));
  EXPECT_LT(allocations - before, 64u); // vectors that double their size
  finish();
}

} // namespace
} // namespace nereid::spirv
