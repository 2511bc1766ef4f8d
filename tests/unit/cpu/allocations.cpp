// allocations.cpp - the functions of the C library, with a counter before them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "allocations.h"

#include <atomic>
#include <cstddef>

static std::atomic<uint64_t> count{0};

uint64_t nereid::cpu::test::allocationCount() { return count.load(); }

// Sanitizers bring functions of their own, which must not be replaced.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NEREID_HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NEREID_HAS_SANITIZER 1
#endif
#endif

#ifndef NEREID_HAS_SANITIZER
extern "C" {
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t align, size_t size);

void *malloc(size_t size) {
  count.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
  count.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(items, size);
}

void *realloc(void *block, size_t size) {
  count.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(block, size);
}

void *aligned_alloc(size_t align, size_t size) {
  count.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(align, size);
}
}
#endif
