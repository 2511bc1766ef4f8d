// cooperative_test.cpp - programs that must run at the same time.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "harness.h"
#include "kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace nereid::cpu::test {
namespace {

/// Launches kernel `meet_kernel` with `flags` on as many programs.
nereid_status_t meet(const Plugin &plugin, uint32_t programs, uint32_t flags,
                     Messages &messages, const OptionList &options = {}) {
  nereid_module_t *module = plugin.load(meetKernel(), options);
  nereid_kernel_t *kernel = plugin.kernel(module, "meet_kernel");
  int64_t arrived = 0;
  struct {
    int64_t *arrived, programs;
  } arguments = {&arrived, programs};
  nereid_launch_t launch = makeLaunch(programs, &arguments, sizeof arguments);
  launch.flags = flags;
  nereid_status_t status =
      plugin.driver->launch(kernel, &launch, messages.call());
  EXPECT_EQ(arrived, status == NEREID_OK ? programs : 0);
  plugin.unload(module);
  return status;
}

// Each program waits for all: without a thread for each this does not end.
TEST(Launch, CooperativeProgramsRunAtTheSameTime) {
  setenv("NEREID_CPU_THREADS", "4", 1);
  {
    Plugin plugin;
    Messages messages;
    for (uint32_t programs : {1, 2, 4, 4, 3})
      EXPECT_EQ(meet(plugin, programs, NEREID_LAUNCH_COOPERATIVE, messages),
                NEREID_OK)
          << messages.errors();
  }
  unsetenv("NEREID_CPU_THREADS");
}

TEST(Launch, RefusesACooperativeLaunchOfMoreProgramsThanThreads) {
  setenv("NEREID_CPU_THREADS", "2", 1);
  {
    Plugin plugin;
    Messages messages;
    EXPECT_EQ(meet(plugin, 3, NEREID_LAUNCH_COOPERATIVE, messages),
              NEREID_OUT_OF_RESOURCES);
    EXPECT_EQ(messages.errors(),
              "a cooperative launch of 3 programs, which must run at the same "
              "time, but there are 2 threads\n");
    EXPECT_EQ(meet(plugin, 2, NEREID_LAUNCH_COOPERATIVE, messages,
                   {{"threads", "1"}}),
              NEREID_OUT_OF_RESOURCES);
    // Programs that cannot communicate cannot wait for each other.
    nereid_module_t *module = plugin.load(fmodKernel());
    float in[3] = {7.5f, -4.0f, 2.0f}, out[3];
    struct {
      float *in, *out;
    } arguments = {in, out};
    nereid_launch_t launch = makeLaunch(3, &arguments, sizeof arguments);
    launch.flags = NEREID_LAUNCH_COOPERATIVE;
    EXPECT_EQ(plugin.driver->launch(plugin.kernel(module, "fmod_kernel"),
                                    &launch, messages.call()),
              NEREID_OK);
    EXPECT_EQ(out[2], 2.0f);
    plugin.unload(module);
  }
  unsetenv("NEREID_CPU_THREADS");
}

TEST(Launch, CooperativeProgramsThatNeverWaitNeedNoThreadEach) {
  setenv("NEREID_CPU_THREADS", "2", 1);
  {
    Plugin plugin;
    Messages messages;
    nereid_module_t *module = plugin.load(orderKernel(/*neverWaits=*/true));
    std::vector<int64_t> order(40, -1);
    int64_t next = 0;
    struct {
      int64_t *order, *next;
    } arguments = {order.data(), &next};
    nereid_launch_t launch = makeLaunch(40, &arguments, sizeof arguments);
    launch.flags = NEREID_LAUNCH_COOPERATIVE;
    EXPECT_EQ(plugin.driver->launch(plugin.kernel(module, "order_kernel"),
                                    &launch, messages.call()),
              NEREID_OK)
        << messages.errors();
    EXPECT_EQ(next, 40);
    EXPECT_THAT(order, testing::Each(testing::Ge(0)));
    plugin.unload(module);
  }
  unsetenv("NEREID_CPU_THREADS");
}

} // namespace
} // namespace nereid::cpu::test
