// StreamsTest.cpp - streams, events and waits.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "VulkanFixture.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace nereid::test;
using testing::Each;
using testing::HasSubstr;

namespace {
class VulkanStreams : public VulkanTest {
protected:
  static constexpr uint32_t kCount = 1u << 20;

  /// Gives the stream work for a while: the sum in `out` is 2.
  AddArguments keepBusy(nereid_stream_t stream) {
    AddArguments arguments = {allocate(4 * kCount), allocate(4 * kCount),
                              allocate(4 * kCount), kCount};
    std::vector<float> ones(kCount, 1);
    EXPECT_EQ(upload(arguments.x, ones, stream), NEREID_OK) << error;
    EXPECT_EQ(upload(arguments.y, ones, stream), NEREID_OK) << error;
    nereid_kernel_t *add = kernel("vector_add");
    for (int i = 0; i < 100; ++i)
      EXPECT_EQ(launch(add, kCount / 64, &arguments, 32, stream), NEREID_OK)
          << error;
    return arguments;
  }

  int32_t isDone(nereid_stream_t stream) {
    const auto &streams =
        plugin->extension<nereid_streams_t>(NEREID_EXT_STREAM);
    int32_t done = -1, *out = &done;
    EXPECT_EQ(call(streams.query, plugin->state, 0u, stream, out), NEREID_OK)
        << error;
    return done;
  }
  nereid_status_t destroy(nereid_stream_t stream) {
    const auto &streams =
        plugin->extension<nereid_streams_t>(NEREID_EXT_STREAM);
    return call(streams.destroy, plugin->state, 0u, stream);
  }

  const nereid_events_t &events() {
    return plugin->extension<nereid_events_t>(NEREID_EXT_EVENT);
  }
  nereid_event_t *createEvent(uint32_t flags = 0) {
    nereid_event_request_t request = {sizeof request, flags};
    const nereid_event_request_t *in = &request;
    nereid_event_t *event = nullptr, **out = &event;
    EXPECT_EQ(call(events().create, plugin->state, 0u, in, out), NEREID_OK)
        << error;
    return event;
  }
  nereid_status_t record(nereid_event_t *event, nereid_stream_t stream) {
    return call(events().record, plugin->state, event, stream);
  }
  int32_t isReached(nereid_event_t *event) {
    int32_t done = -1, *out = &done;
    EXPECT_EQ(call(events().query, plugin->state, event, out), NEREID_OK);
    return done;
  }
  nereid_status_t elapsed(nereid_event_t *start, nereid_event_t *end,
                          double &nanoseconds) {
    double *out = &nanoseconds;
    return call(events().elapsed, plugin->state, start, end, out);
  }
};
} // namespace

TEST_F(VulkanStreams, ALaunchReturnsBeforeTheKernelEnds) {
  nereid_event_t *event = createEvent();
  // This thread may be interrupted for as long as the device is busy.
  bool isEarly = false;
  for (int attempt = 0; attempt < 20 && !isEarly; ++attempt) {
    AddArguments arguments = keepBusy(0);
    std::vector<float> sums(kCount);
    EXPECT_EQ(download(sums, arguments.out), NEREID_OK) << error;
    EXPECT_EQ(record(event, 0), NEREID_OK);
    isEarly = isReached(event) == 0 && isDone(0) == 0;
    EXPECT_EQ(synchronize(), NEREID_OK) << error;
    EXPECT_THAT(sums, Each(2.0f));
    EXPECT_EQ(isDone(0), 1);
    EXPECT_EQ(isReached(event), 1);
  }
  EXPECT_TRUE(isEarly);
  EXPECT_EQ(call(events().destroy, plugin->state, event), NEREID_OK);
}

TEST_F(VulkanStreams, WorkIsSubmittedWithoutAnotherCall) {
  // Given while the device is busy; the host sees its result in memory that
  // both access, without any call.
  alignas(4096) static std::atomic<float> seen[1024];
  const auto &interop = plugin->extension<nereid_interop_t>(NEREID_EXT_INTEROP);
  nereid_import_t object = {sizeof object, 0, text("host.pointer"),
                            reinterpret_cast<uintptr_t>(seen), sizeof seen};
  const nereid_import_t *in = &object;
  nereid_address_t address = 0, *out = &address;
  nereid_status_t status =
      call(interop.import_pointer, plugin->state, 0u, in, out);
  if (status == NEREID_UNIMPLEMENTED)
    GTEST_SKIP() << "this driver does not import host memory: " << error;
  ASSERT_EQ(status, NEREID_OK) << error;
  AddArguments last = keepBusy(0);
  last.out = address;
  last.n = 64;
  ASSERT_EQ(launch(kernel("vector_add"), 1, &last, 32), NEREID_OK) << error;
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(100);
  while (seen[63].load() != 2 && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  EXPECT_EQ(seen[63].load(), 2);
  EXPECT_EQ(synchronize(), NEREID_OK);
}

TEST_F(VulkanStreams, AStreamWaitsForAnEventOfAnother) {
  nereid_stream_t first = createStream(), second = createStream();
  constexpr uint32_t count = 50000;
  nereid_kernel_t *add = kernel("vector_add");
  nereid_address_t ones = allocate(4 * count), sum = allocate(4 * count),
                   copied = allocate(4 * count);
  ASSERT_EQ(upload(ones, std::vector<float>(count, 1), first), NEREID_OK);
  ASSERT_EQ(upload(sum, std::vector<float>(count, 0), first), NEREID_OK);
  AddArguments add_one = {ones, sum, sum, count};
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(launch(add, (count + 63) / 64, &add_one, 32, first), NEREID_OK);
  nereid_event_t *event = createEvent(NEREID_EVENT_NO_TIMING);
  ASSERT_EQ(record(event, first), NEREID_OK);
  ASSERT_EQ(call(events().wait, plugin->state, 0u, second, event), NEREID_OK)
      << error;
  std::vector<float> result(count);
  ASSERT_EQ(copy(NEREID_COPY_DEVICE_TO_DEVICE, copied, sum, 4 * count, second),
            NEREID_OK);
  ASSERT_EQ(download(result, copied, second), NEREID_OK);
  ASSERT_EQ(synchronize(second), NEREID_OK) << error;
  EXPECT_THAT(result, Each(100.0f));
  EXPECT_EQ(call(events().destroy, plugin->state, event), NEREID_OK);
  EXPECT_EQ(destroy(first), NEREID_OK);
  EXPECT_EQ(destroy(second), NEREID_OK);
}

TEST_F(VulkanStreams, ACopyToTheHostIsCompleteAfterAnEvent) {
  nereid_stream_t stream = createStream();
  nereid_address_t block = allocate(4000);
  std::vector<uint32_t> ones(1000, 1), first(1000), second(1000);
  ASSERT_EQ(upload(block, ones, stream), NEREID_OK);
  nereid_event_t *event = createEvent();
  ASSERT_EQ(download(first, block, stream), NEREID_OK);
  ASSERT_EQ(record(event, stream), NEREID_OK);
  ASSERT_EQ(call(events().synchronize, plugin->state, event), NEREID_OK);
  EXPECT_EQ(first, ones);
  // And for a stream that waited for it.
  ASSERT_EQ(download(second, block, stream), NEREID_OK);
  ASSERT_EQ(record(event, stream), NEREID_OK);
  ASSERT_EQ(call(events().wait, plugin->state, 0u, nereid_stream_t{0}, event),
            NEREID_OK);
  ASSERT_EQ(synchronize(0), NEREID_OK);
  EXPECT_EQ(second, ones);
  EXPECT_EQ(call(events().destroy, plugin->state, event), NEREID_OK);
  EXPECT_EQ(destroy(stream), NEREID_OK);
}

TEST_F(VulkanStreams, EventsMeasureTime) {
  nereid_event_t *start = createEvent(), *end = createEvent(),
                 *untimed = createEvent(NEREID_EVENT_NO_TIMING);
  double nanoseconds = -1;
  EXPECT_EQ(elapsed(start, end, nanoseconds), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(error, HasSubstr("the start event was never recorded"));
  EXPECT_EQ(isReached(start), 1);
  constexpr uint32_t count = 1u << 20;
  AddArguments arguments = {allocate(4 * count), allocate(4 * count),
                            allocate(4 * count), count};
  auto before = std::chrono::steady_clock::now();
  ASSERT_EQ(record(start, 0), NEREID_OK);
  ASSERT_EQ(launch(kernel("vector_add"), count / 64, &arguments, 32),
            NEREID_OK);
  ASSERT_EQ(record(end, 0), NEREID_OK);
  ASSERT_EQ(elapsed(start, end, nanoseconds), NEREID_OK) << error;
  std::chrono::duration<double, std::nano> wall =
      std::chrono::steady_clock::now() - before;
  EXPECT_GT(nanoseconds, 0);
  EXPECT_LE(nanoseconds, wall.count());
  ASSERT_EQ(record(untimed, 0), NEREID_OK);
  EXPECT_EQ(elapsed(start, untimed, nanoseconds), NEREID_INVALID_ARGUMENT);
  for (nereid_event_t *event : {start, end, untimed})
    EXPECT_EQ(call(events().destroy, plugin->state, event), NEREID_OK);
}

TEST_F(VulkanStreams, AnEndedStreamIsUnknown) {
  nereid_stream_t stream = createStream();
  EXPECT_EQ(synchronize(stream), NEREID_OK);
  EXPECT_EQ(destroy(stream), NEREID_OK);
  EXPECT_EQ(synchronize(stream), NEREID_INVALID_ARGUMENT);
  nereid_stream_t other = createStream();
  EXPECT_NE(stream, other);
  EXPECT_EQ(synchronize(stream), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(destroy(other), NEREID_OK);
  EXPECT_EQ(destroy(0), NEREID_OK);
  EXPECT_EQ(synchronize(0), NEREID_OK);
}

TEST_F(VulkanStreams, EightThreadsUseOneDevice) {
  nereid_kernel_t *add = kernel("vector_add");
  std::atomic<int> failures{0};
  auto work = [&](unsigned seed) {
    TestCall record;
    const nereid_driver_t &driver = plugin->driver();
    nereid_stream_request_t request = {sizeof request, 0, 0, 0};
    nereid_stream_t stream = 0;
    const auto &streams =
        plugin->extension<nereid_streams_t>(NEREID_EXT_STREAM);
    failures += streams.create(plugin->state, 0, &request, &stream, &record);
    nereid_allocation_t block = {sizeof block, 0, 4000, 0};
    for (int round = 0; round < 20; ++round) {
      AddArguments arguments = {0, 0, 0, 1000};
      for (nereid_address_t *address :
           {&arguments.x, &arguments.y, &arguments.out})
        failures += driver.allocate(plugin->state, 0, &block, address, &record);
      std::vector<float> x(1000, static_cast<float>(seed)), out(1000);
      for (nereid_address_t to : {arguments.x, arguments.y}) {
        nereid_copy_t up = {sizeof up,
                            NEREID_COPY_HOST_TO_DEVICE,
                            stream,
                            to,
                            reinterpret_cast<uintptr_t>(x.data()),
                            4000};
        failures += driver.copy(plugin->state, 0, &up, &record);
      }
      nereid_launch_t launch = {};
      launch.struct_size = sizeof launch;
      launch.grid[0] = 16;
      launch.grid[1] = launch.grid[2] = 1;
      launch.stream = stream;
      launch.arguments = &arguments;
      launch.arguments_size = 32;
      failures += driver.launch(add, &launch, &record);
      nereid_copy_t down = {
          sizeof down,   NEREID_COPY_DEVICE_TO_HOST,
          stream,        reinterpret_cast<uintptr_t>(out.data()),
          arguments.out, 4000};
      failures += driver.copy(plugin->state, 0, &down, &record);
      failures += driver.synchronize(plugin->state, 0, stream, &record);
      for (float value : out)
        failures += value != static_cast<float>(2 * seed);
      for (nereid_address_t address : {arguments.x, arguments.y, arguments.out})
        failures += driver.free(plugin->state, 0, address, &record);
    }
    failures += streams.destroy(plugin->state, 0, stream, &record);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 8; ++i)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures.load(), 0);
}

TEST_F(VulkanStreams, TheEndWaitsForWork) {
  AddArguments arguments = {allocate(4u << 20), allocate(4u << 20),
                            allocate(4u << 20), 1u << 20};
  nereid_kernel_t *add = kernel("vector_add");
  nereid_stream_t stream = createStream();
  for (int i = 0; i < 50; ++i)
    ASSERT_EQ(launch(add, 1u << 14, &arguments, 32, stream), NEREID_OK);
  EXPECT_EQ(destroy(stream), NEREID_OK);
  for (int i = 0; i < 50; ++i)
    ASSERT_EQ(launch(add, 1u << 14, &arguments, 32), NEREID_OK);
  // The memory is freed by shutdown here, after the work.
  EXPECT_EQ(call(plugin->driver().synchronize_device, plugin->state, 0u),
            NEREID_OK);
}
