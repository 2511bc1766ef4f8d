// pool_bench.cpp - two microseconds of work on one thread of the cpu plugin and
// on two: what a parallel region costs while its workers spin.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   pool_bench [--benchmark_...]

#include "pool.h"

#include <benchmark/benchmark.h>

using namespace nereid::cpu;

static constexpr uint64_t kChunks = 16;

/// A chain of multiplications: two threads of one core do not slow each other
/// down.
static bool runChunks(void *, uint64_t, uint64_t count) {
  uint64_t value = count;
  for (uint64_t i = 0; i < count * 400; ++i)
    benchmark::DoNotOptimize(value *= 3);
  return true;
}

static void work(benchmark::State &state) {
  Pool pool(2);
  for (auto _ : state)
    pool.run({runChunks, nullptr, kChunks, 1, false},
             static_cast<unsigned>(state.range(0)));
}
BENCHMARK(work)->Arg(1)->Arg(2)->UseRealTime();

BENCHMARK_MAIN();
