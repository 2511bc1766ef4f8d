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

// Adds 1 to a block of 128 columns of one of four rows of 256.
constexpr char kAddRow[] = R"(
tt.func public @add_row(%table: !tt.ptr<f32>) {
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %rows = arith.constant 4 : i32
  %length = arith.constant 256 : i32
  %width = arith.constant 128 : i32
  %row = arith.remui %x, %rows : i32
  %start = arith.muli %row, %length : i32
  %first = arith.muli %y, %width : i32
  %base = arith.addi %start, %first : i32
  %index = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %bases = tt.splat %base : i32 -> tensor<128xi32>
  %offsets = arith.addi %bases, %index : tensor<128xi32>
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %tables = tt.splat %table : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %places = tt.addptr %tables, %offsets : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %old = tt.atomic_rmw fadd, acq_rel, gpu, %places, %one : (tensor<128x!tt.ptr<f32>>, tensor<128xf32>) -> tensor<128xf32>
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
  bool run(uint32_t programs, const Arguments &arguments,
           uint32_t along_y = 1) const {
    nereid_launch_t launch = makeLaunch(programs, &arguments, sizeof arguments);
    launch.grid[1] = along_y;
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

// Threads take programs of different columns, without locks; launches of
// others with locks begin meanwhile.
TEST(ExclusiveLaunch, ThreadsOfDisjointProgramsLoseNoUpdate) {
  constexpr int kLaunches = 200, kPrograms = 512;
  Plugin plugin;
  Kernel plain(plugin, kAddRow, "add_row", {{"threads", "2"}});
  Kernel locked(plugin, kAddRow, "add_row",
                {{"threads", "2"}, {"fast_paths", "none"}});
  alignas(64) float table[4][256] = {};
  float *argument = &table[0][0];
  std::thread other([&] {
    for (int launch = 0; launch < kLaunches; ++launch)
      EXPECT_TRUE(locked.run(kPrograms, argument, 2));
  });
  for (int launch = 0; launch < kLaunches; ++launch)
    EXPECT_TRUE(plain.run(kPrograms, argument, 2));
  other.join();
  for (const auto &row : table)
    for (float sum : row)
      EXPECT_EQ(sum, 2 * kLaunches * kPrograms / 4);
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
