// faults_test.cpp - how a launch that fails is reported.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "harness.h"
#include "kernels.h"

#include <gtest/gtest.h>

namespace nereid::cpu::test {
namespace {

TEST(Launch, AnAssertionIsReportedAtOnce) {
  Plugin plugin;
  nereid_module_t *module = plugin.load(assertKernel());
  nereid_kernel_t *kernel = plugin.kernel(module, "assert_kernel");
  int64_t which = 70;
  nereid_launch_t launch = makeLaunch(100, &which, sizeof which);
  Messages messages;
  EXPECT_EQ(plugin.driver->launch(kernel, &launch, messages.call()),
            NEREID_DEVICE_FAULT);
  EXPECT_EQ(
      messages.errors(),
      "kernel 'assert_kernel': program (70, 0, 0): element is negative\n");
  EXPECT_EQ(plugin.driver->synchronize(plugin.state, 0, 0, messages.call()),
            NEREID_OK);
  which = 1000;
  EXPECT_EQ(plugin.driver->launch(kernel, &launch, messages.call()), NEREID_OK);
  plugin.unload(module);
}

TEST(Launch, WithoutARecordSynchronizeReportsTheFault) {
  Plugin plugin;
  nereid_module_t *module = plugin.load(assertKernel());
  nereid_kernel_t *kernel = plugin.kernel(module, "assert_kernel");
  int64_t which = 0;
  nereid_launch_t launch = makeLaunch(100, &which, sizeof which);
  Messages messages;
  launch.stream = plugin.createStream();
  EXPECT_EQ(plugin.driver->launch(kernel, &launch, nullptr),
            NEREID_DEVICE_FAULT);
  EXPECT_EQ(plugin.driver->synchronize(plugin.state, 0, 0, messages.call()),
            NEREID_OK);
  EXPECT_EQ(plugin.driver->synchronize(plugin.state, 0, launch.stream,
                                       messages.call()),
            NEREID_DEVICE_FAULT);
  EXPECT_EQ(messages.errors(),
            "kernel 'assert_kernel': program (0, 0, 0): element is negative\n");
  EXPECT_EQ(plugin.driver->synchronize(plugin.state, 0, launch.stream,
                                       messages.call()),
            NEREID_OK);
  plugin.unload(module);
}

TEST(Launch, TheDeviceReportsTheFaultsOfItsStreamsOnce) {
  Plugin plugin;
  nereid_module_t *module = plugin.load(assertKernel());
  nereid_kernel_t *kernel = plugin.kernel(module, "assert_kernel");
  int64_t which = 0;
  nereid_launch_t launch = makeLaunch(1, &which, sizeof which);
  for (nereid_stream_t stream : {nereid_stream_t(0), plugin.createStream()}) {
    launch.stream = stream;
    EXPECT_EQ(plugin.driver->launch(kernel, &launch, nullptr),
              NEREID_DEVICE_FAULT);
  }
  Messages messages;
  EXPECT_EQ(plugin.driver->synchronize_device(plugin.state, 0, messages.call()),
            NEREID_DEVICE_FAULT);
  EXPECT_EQ(messages.errors(),
            "kernel 'assert_kernel': program (0, 0, 0): element is negative\n"
            "kernel 'assert_kernel': program (0, 0, 0): element is negative\n");
  EXPECT_EQ(plugin.driver->synchronize_device(plugin.state, 0, messages.call()),
            NEREID_OK);
  EXPECT_EQ(plugin.driver->synchronize(plugin.state, 0, launch.stream,
                                       messages.call()),
            NEREID_OK);
  plugin.unload(module);
}

TEST(Launch, TheEndOfAStreamReportsItsFault) {
  Plugin plugin;
  const auto &streams = plugin.extension<nereid_streams_t>(NEREID_EXT_STREAM);
  nereid_module_t *module = plugin.load(assertKernel());
  nereid_kernel_t *kernel = plugin.kernel(module, "assert_kernel");
  int64_t which = 0;
  nereid_launch_t launch = makeLaunch(1, &which, sizeof which);
  launch.stream = plugin.createStream();
  EXPECT_EQ(plugin.driver->launch(kernel, &launch, nullptr),
            NEREID_DEVICE_FAULT);
  Messages messages;
  int32_t done = 0;
  EXPECT_EQ(
      streams.query(plugin.state, 0, launch.stream, &done, messages.call()),
      NEREID_OK);
  EXPECT_EQ(done, 1);
  EXPECT_EQ(streams.destroy(plugin.state, 0, launch.stream, messages.call()),
            NEREID_DEVICE_FAULT);
  EXPECT_EQ(streams.destroy(plugin.state, 0, 0, messages.call()), NEREID_OK);
  plugin.unload(module);
}

} // namespace
} // namespace nereid::cpu::test
