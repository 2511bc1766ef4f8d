//===- limits.cpp - what this machine can do at most
//------------------------===//
//
// limits THREADS [SECONDS]
//
// Prints, as JSON, the sizes of the caches and what all threads reach together:
// fused multiply-adds of f32, dot products of bf16 where the CPU has them,
// reads from each cache and from memory, and additions of arrays in memory with
// and without non-temporal stores. Each figure is the best of short
// repetitions, which take about that many seconds; the calibration between the
// rows of a benchmark takes few.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

using Clock = std::chrono::steady_clock;

namespace {

/// The vectors of the widest registers that the functions below are built for.
typedef float Floats __attribute__((vector_size(64)));
constexpr int64_t kLanes = sizeof(Floats) / sizeof(float);
/// Independent chains: enough for two units with a latency of four cycles.
constexpr int kChains = 16;

// A repetition takes a millisecond or so: a thread that another process delays
// does not spoil them all.
constexpr int64_t kFmaRounds = 1 << 18;
constexpr int kLeastRounds = 5;

template <typename T> void keep(T &value) { asm volatile("" : "+m"(value)); }

} // namespace

// Every function once for each kind of machine; the body is the same.
#define NEREID_FMA_BODY                                                        \
  Floats sums[kChains];                                                        \
  for (int i = 0; i < kChains; ++i)                                            \
    sums[i] = Floats{} + static_cast<float>(i);                                \
  Floats a = Floats{} + 0.999f, b = Floats{} + 1e-3f;                          \
  keep(a);                                                                     \
  keep(b);                                                                     \
  for (int64_t round = 0; round < kFmaRounds; ++round)                         \
    for (int i = 0; i < kChains; ++i)                                          \
      sums[i] = sums[i] * a + b;                                               \
  for (int i = 0; i < kChains; ++i)                                            \
    keep(sums[i]);

#define NEREID_READ_BODY                                                       \
  Floats sums[8] = {};                                                         \
  for (int64_t at = 0; at < count; at += 8 * kLanes)                           \
    for (int i = 0; i < 8; ++i)                                                \
      sums[i] += *reinterpret_cast<const Floats *>(data + at + i * kLanes);    \
  for (int i = 0; i < 8; ++i)                                                  \
    keep(sums[i]);

#define NEREID_ADD_BODY(STORE)                                                 \
  for (int64_t at = 0; at < count; at += kLanes) {                             \
    Floats sum = *reinterpret_cast<const Floats *>(a + at) +                   \
                 *reinterpret_cast<const Floats *>(b + at);                    \
    STORE;                                                                     \
  }

#if __has_builtin(__builtin_nontemporal_store)
#define NEREID_STREAM                                                          \
  __builtin_nontemporal_store(sum, reinterpret_cast<Floats *>(out + at))
#else
#define NEREID_STREAM *reinterpret_cast<Floats *>(out + at) = sum
#endif

#define NEREID_LEVEL(NAME, ATTRIBUTE)                                          \
  namespace NAME {                                                             \
  ATTRIBUTE static void multiplyAdd(){NEREID_FMA_BODY} ATTRIBUTE               \
      static void read(const float *data,                                      \
                       int64_t count){NEREID_READ_BODY} ATTRIBUTE              \
      static void add(const float *a, const float *b, float *out,              \
                      int64_t count){NEREID_ADD_BODY(                          \
          *reinterpret_cast<Floats *>(out + at) = sum)} ATTRIBUTE              \
      static void stream(const float *a, const float *b, float *out,           \
                         int64_t count) {                                      \
    NEREID_ADD_BODY(NEREID_STREAM)                                             \
  }                                                                            \
  }

NEREID_LEVEL(anyCpu, )
#if defined(__x86_64__)
NEREID_LEVEL(avx2, __attribute__((target("avx2,fma"))))
NEREID_LEVEL(avx512, __attribute__((target("avx512f"))))

__attribute__((target("avx512f,avx512bf16"))) static void dotPairs() {
  __m512 sums[kChains] = {};
  __m512bh a, b;
  __builtin_memset(&a, 0x3f, sizeof(a));
  __builtin_memset(&b, 0x3f, sizeof(b));
  keep(a);
  keep(b);
  for (int64_t round = 0; round < kFmaRounds; ++round)
    for (int i = 0; i < kChains; ++i)
      sums[i] = _mm512_dpbf16_ps(sums[i], a, b);
  for (int i = 0; i < kChains; ++i)
    keep(sums[i]);
}
#endif

namespace {

struct Functions {
  void (*multiplyAdd)() = anyCpu::multiplyAdd;
  void (*read)(const float *, int64_t) = anyCpu::read;
  void (*add)(const float *, const float *, float *, int64_t) = anyCpu::add;
  void (*stream)(const float *, const float *, float *,
                 int64_t) = anyCpu::stream;
  void (*dotPairs)() = nullptr;
};

Functions functionsOfThisCpu() {
  Functions found;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    found = {avx512::multiplyAdd, avx512::read, avx512::add, avx512::stream};
  else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    found = {avx2::multiplyAdd, avx2::read, avx2::add, avx2::stream};
  if (__builtin_cpu_supports("avx512bf16"))
    found.dotPairs = dotPairs;
#endif
  return found;
}

/// The amount of work that `threads` threads do in a second, at best. `run`
/// does `amount` of it in the thread whose number it gets.
template <typename Run>
double best(int threads, double seconds, double amount, const Run &run) {
  std::atomic<int> ready = 0, done = 0;
  std::atomic<int> round = 0;
  std::atomic<bool> end = false;
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i)
    others.emplace_back([&, i] {
      run(i); // touches its memory
      ready.fetch_add(1);
      for (int seen = 0;;) {
        while (round.load(std::memory_order_acquire) == seen) {
          if (end.load(std::memory_order_relaxed))
            return;
          std::this_thread::yield();
        }
        ++seen;
        run(i);
        done.fetch_add(1, std::memory_order_acq_rel);
      }
    });
  run(0);
  while (ready.load() != threads - 1)
    std::this_thread::yield();
  double least = 1e30;
  Clock::time_point limit =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(seconds));
  for (int repetition = 0; repetition < kLeastRounds || Clock::now() < limit;
       ++repetition) {
    done.store(0);
    Clock::time_point start = Clock::now();
    round.fetch_add(1, std::memory_order_acq_rel);
    run(0);
    while (done.load(std::memory_order_acquire) != threads - 1)
      std::this_thread::yield();
    least = std::min(
        least, std::chrono::duration<double>(Clock::now() - start).count());
  }
  end.store(true);
  for (std::thread &thread : others)
    thread.join();
  return threads * amount / least;
}

/// The size of a level that holds data, as Linux describes the first core; what
/// the C library says counts all of a socket.
int64_t cacheSize(int level, int64_t otherwise) {
  for (int index = 0; index < 8; ++index) {
    std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" +
                         std::to_string(index) + "/";
    auto word = [&](const char *name) {
      std::string text;
      std::ifstream(folder + name) >> text;
      return text;
    };
    if (word("level") == std::to_string(level) && word("type") != "Instruction")
      return std::atoll(word("size").c_str()) << 10;
  }
  return otherwise;
}

class Memory {
public:
  explicit Memory(int64_t bytes)
      : data(static_cast<float *>(std::aligned_alloc(4096, bytes))) {
    std::fill(data, data + bytes / sizeof(float), 1.0f);
  }
  ~Memory() { std::free(data); }
  Memory(const Memory &) = delete;
  float *data;
};

} // namespace

int main(int argc, char **argv) {
  int threads = argc > 1 ? std::atoi(argv[1]) : 0;
  double seconds = argc > 2 ? std::atof(argv[2]) : 2.0;
  if (threads < 1 || seconds <= 0) {
    std::fprintf(stderr, "usage: limits THREADS [SECONDS]\n");
    return 2;
  }
  Functions functions = functionsOfThisCpu();
  int64_t l1 = cacheSize(1, 32 << 10);
  int64_t l2 = cacheSize(2, 1 << 20);
  int64_t l3 = cacheSize(3, 16 << 20);
  constexpr int kFigures = 7;
  double each = seconds / kFigures;

  double flops = 2.0 * kFmaRounds * kChains * kLanes;
  std::printf("{\"threads\": %d, \"l1_bytes\": %lld, \"l2_bytes\": %lld, "
              "\"l3_bytes\": %lld",
              threads, static_cast<long long>(l1), static_cast<long long>(l2),
              static_cast<long long>(l3));
  auto print = [](const char *name, double value) {
    std::printf(", \"%s\": %.4g", name, value / 1e9);
  };
  print("fma_gflops",
        best(threads, each, flops, [&](int) { functions.multiplyAdd(); }));
  if (functions.dotPairs)
    print("bf16_gflops",
          best(threads, each, 2 * flops, [&](int) { functions.dotPairs(); }));

  // A level of its own for each thread but the last, which they share; memory
  // of four times the last cache holds none of it.
  int64_t memoryBytes =
      std::min<int64_t>(std::max<int64_t>(4 * l3, 64 << 20), 512 << 20);
  int64_t part = memoryBytes / threads / 4096 * 4096;
  Memory memory(part * threads);
  auto readLevel = [&](const char *name, int64_t bytes) {
    int64_t size = std::min(part, bytes / 4096 * 4096);
    // As long as a read of the first level would be too short to be timed.
    int64_t times = std::max<int64_t>(1, (64 << 20) / size);
    print(name,
          best(threads, each, static_cast<double>(size * times), [&](int i) {
            for (int64_t t = 0; t < times; ++t)
              functions.read(memory.data + i * (part / 4), size / 4);
          }));
  };
  readLevel("l1_gbs", std::max<int64_t>(l1 / 2, 4096));
  readLevel("l2_gbs", l2 / 2);
  readLevel("l3_gbs", std::max(l2, l3 / 2 / threads));
  readLevel("memory_gbs", part);

  int64_t third = part / 3 / 4096 * 4096;
  auto addition = [&](const char *name, auto function) {
    print(name, best(threads, each, 3.0 * third, [&](int i) {
            float *a = memory.data + i * (part / 4);
            function(a, a + third / 4, a + 2 * (third / 4), third / 4);
          }));
  };
  addition("add_gbs", functions.add);
  addition("stream_gbs", functions.stream);
  std::printf("}\n");
}
