// scratch.cpp - one arena per thread.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "scratch.h"

#include <algorithm>
#include <cstdlib>

namespace nereid::cpu {

namespace {
constexpr uint64_t kPage = 4096;

struct Arena {
  void *data = nullptr;
  uint64_t size = 0;
  ~Arena() { std::free(data); }
};
} // namespace

static thread_local Arena arena;

void *threadScratch(uint64_t size) {
  if (size <= arena.size && arena.data)
    return arena.data;
  std::free(arena.data);
  arena.size = std::max((size + kPage - 1) / kPage, uint64_t(1)) * kPage;
  arena.data = std::aligned_alloc(kPage, arena.size);
  if (!arena.data)
    arena.size = 0;
  return arena.data;
}

} // namespace nereid::cpu
