// compile_large_test.cpp - kernels with very many operations.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "harness.h"
#include "kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pthread.h>

namespace nereid::cpu::test {
namespace {

using ::testing::HasSubstr;

/// A kernel of `count` operations each of which uses the one before; `step`
/// makes %v1 from %v0, or %p1 from %p0.
std::string chainKernel(unsigned count, const std::string &step) {
  std::string kernel = R"(
  tt.func public @k(%p: !tt.ptr<f32>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %p0 = tt.addptr %s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %v0 = tt.load %p0 : tensor<64x!tt.ptr<f32>>
)";
  for (unsigned i = 0; i < count; ++i)
    for (char c : step)
      kernel += c == '0'   ? std::to_string(i)
                : c == '1' ? std::to_string(i + 1)
                           : std::string(1, c);
  std::string n = std::to_string(count);
  bool pointers = step.find("addptr") != std::string::npos;
  return kernel + "    tt.store %p" + (pointers ? n : "0") + ", %v" +
         (pointers ? "0" : n) +
         " : tensor<64x!tt.ptr<f32>>\n    tt.return\n  }\n";
}

constexpr const char *kSums =
    "    %v1 = arith.addf %v0, %v0 : tensor<64xf32>\n";

/// Compiles on a thread with little stack.
Compiled compileOnSmallStack(const Plugin &plugin, const std::string &kernel) {
  struct Job {
    const Plugin &plugin;
    const std::string &kernel;
    Compiled out;
  } job{plugin, kernel, {}};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, size_t(1) << 20);
  pthread_t thread;
  auto run = [](void *argument) -> void * {
    auto *job = static_cast<Job *>(argument);
    job->out = job->plugin.compile(job->kernel, "ttir", "so");
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, &attributes, run, &job), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return job.out;
}

TEST(CompileLarge, LongChainsNeedNoStackOfTheCaller) {
  Plugin plugin;
  for (unsigned count : {3000, 20000})
    for (const char *step :
         {kSums, "    %p1 = tt.addptr %p0, %r : tensor<64x!tt.ptr<f32>>, "
                 "tensor<64xi32>\n"}) {
      Compiled out = compileOnSmallStack(plugin, chainKernel(count, step));
      EXPECT_EQ(out.status, NEREID_OK) << out.errors;
    }
}

TEST(CompileLarge, RefusesTheLongestChains) {
  Plugin plugin;
  Compiled out = compileOnSmallStack(plugin, chainKernel(100000, kSums));
  EXPECT_EQ(out.status, NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(out.errors, HasSubstr(":100007:"));
  EXPECT_THAT(out.errors, HasSubstr("ends a chain of 100005 operations"));
}

TEST(CompileLarge, AnAddressMayUseAValueManyTimesOver) {
  std::string kernel = R"(
  tt.func public @k(%p: !tt.ptr<f32>, %n: i32) {
    %x = tt.load %p : !tt.ptr<f32>
    %v0 = tt.get_program_id x : i32
)";
  for (unsigned i = 0; i < 64; ++i) {
    std::string v = "%v" + std::to_string(i);
    kernel += "    %v" + std::to_string(i + 1) + " = arith.muli " + v + ", " +
              v + " : i32\n";
  }
  Compiled out = Plugin().compile(
      kernel + "    %q = tt.addptr %p, %v64 : !tt.ptr<f32>, i32\n"
               "    tt.store %q, %x : !tt.ptr<f32>\n    tt.return\n  }\n",
      "ttir", "so");
  EXPECT_EQ(out.status, NEREID_OK) << out.errors;
}

TEST(CompileLarge, LimitsWhatInliningMakes) {
  std::string kernel = "tt.func public @k() {\n  tt.call @f0() : () -> ()\n"
                       "  tt.return\n}\n";
  for (unsigned i = 0; i < 40; ++i) {
    std::string call =
        "  tt.call @f" + std::to_string(i + 1) + "() : () -> ()\n";
    kernel += "tt.func private @f" + std::to_string(i) + "() {\n" + call +
              call + "  tt.return\n}\n";
  }
  kernel += "tt.func private @f40() {\n  gpu.barrier\n  tt.return\n}\n";
  Compiled out = Plugin().compile(kernel, "ttir", "so");
  EXPECT_EQ(out.status, NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(out.errors,
              HasSubstr("@f25 has more than 200000 operations once its calls "
                        "are inlined"));
}

} // namespace
} // namespace nereid::cpu::test
