// exclusive_test.cpp - kernels with atomic operations that several threads
// launch at the same time.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "harness.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace nereid::cpu::test {
namespace {

// Adds 1 to 64 floats and, element by element, to 32 integers twice.
constexpr char kAdd[] = R"(
tt.func public @add(%floats: !tt.ptr<f32>, %counts: !tt.ptr<i32>) {
  %index = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %ones = arith.constant dense<1> : tensor<64xi32>
  %fs = tt.splat %floats : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %fp = tt.addptr %fs, %index : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %f = tt.atomic_rmw fadd, acq_rel, gpu, %fp, %one : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) -> tensor<64xf32>
  %half = arith.shrsi %index, %ones : tensor<64xi32>
  %cs = tt.splat %counts : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %cp = tt.addptr %cs, %half : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %c = tt.atomic_rmw add, acq_rel, gpu, %cp, %ones : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  tt.return
}
)";

// Waits until the number is `most` at least.
constexpr char kWait[] = R"(
tt.func public @wait(%number: !tt.ptr<i32>, %most: i32) {
  %zero = arith.constant 0 : i32
  %true = arith.constant true
  scf.while : () -> () {
    %now = tt.atomic_rmw add, acq_rel, gpu, %number, %zero, %true : (!tt.ptr<i32>, i32, i1) -> i32
    %less = arith.cmpi slt, %now, %most : i32
    scf.condition(%less)
  } do {
    scf.yield
  }
  tt.return
}
)";

/// A kernel that is compiled from TTIR.
class Kernel {
public:
  Kernel(const Plugin &plugin, const std::string &ttir, const char *name,
         const OptionList &options)
      : plugin(plugin) {
    Messages messages;
    Compiled compiled = plugin.compile(ttir, "ttir", "so", options, false);
    EXPECT_EQ(plugin.loadImage(compiled, "", &module, messages), NEREID_OK)
        << compiled.errors << messages.errors();
    kernel = plugin.kernel(module, name);
  }
  ~Kernel() { plugin.unload(module); }
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  template <typename Arguments>
  bool run(uint32_t programs, const Arguments &arguments) const {
    nereid_launch_t launch = makeLaunch(programs, &arguments, sizeof arguments);
    return plugin.driver->launch(kernel, &launch, nullptr) == NEREID_OK;
  }

private:
  const Plugin &plugin;
  nereid_module_t *module = nullptr;
  nereid_kernel_t *kernel = nullptr;
};

struct AddArguments {
  float *floats;
  int32_t *counts;
};

TEST(ExclusiveLaunch, ThreadsThatLaunchLoseNoUpdate) {
  constexpr int kThreads = 4, kLaunches = 300, kPrograms = 16;
  Plugin plugin;
  Kernel one(plugin, kAdd, "add", {{"threads", "1"}});
  Kernel two(plugin, kAdd, "add",
             {{"threads", "2"}, {"fast_paths", "all,-exclusive-launches"}});
  alignas(64) float floats[64] = {};
  alignas(64) int32_t counts[32] = {};
  AddArguments arguments = {floats, counts};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (int launch = 0; launch < kLaunches; ++launch)
        EXPECT_TRUE((thread == 0 && launch % 8 == 0 ? two : one)
                        .run(kPrograms, arguments));
    });
  for (std::thread &thread : threads)
    thread.join();
  for (float sum : floats)
    EXPECT_EQ(sum, kThreads * kLaunches * kPrograms);
  for (int32_t count : counts)
    EXPECT_EQ(count, 2 * kThreads * kLaunches * kPrograms);
}

// What waits is running, or starts while the others run.
TEST(ExclusiveLaunch, AKernelWaitsForOthers) {
  constexpr int kLaunches = 200;
  struct {
    int32_t *number;
    int32_t most;
  } arguments = {nullptr, 2 * kLaunches};
  Plugin plugin;
  Kernel add(plugin, kAdd, "add", {{"threads", "1"}});
  Kernel wait(plugin, kWait, "wait", {});
  for (bool isFirst : {true, false}) {
    float floats[64] = {};
    int32_t counts[32] = {};
    arguments.number = counts;
    std::atomic<bool> starts{!isFirst};
    std::thread waiting([&] {
      starts = true;
      EXPECT_TRUE(wait.run(1, arguments));
    });
    while (!starts)
      std::this_thread::yield();
    for (int launch = 0; launch < kLaunches; ++launch)
      EXPECT_TRUE(add.run(1, AddArguments{floats, counts}));
    waiting.join();
    EXPECT_EQ(counts[0], 2 * kLaunches);
  }
}

} // namespace
} // namespace nereid::cpu::test
