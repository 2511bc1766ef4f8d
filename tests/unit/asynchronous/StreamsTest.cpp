// StreamsTest.cpp - the order of work on the asynchronous devices: streams,
// events, threads and the end.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "AsynchronousFixture.h"
#include "forked_child.h"

#include <thread>

using namespace nereid::test;

namespace {
// Writes `value` to the only element. It is a list, not TTIR: these tests need
// no compiler, and so run under ThreadSanitizer too.
std::string writeValue(uint32_t device) {
  return std::string("asynchronous 1\narch ") + (device ? "a2" : "a1") +
         R"(
warps 4
kernel "write"
file "write.py"
argument "p" *i32 written
argument "value" i32
%0 = argument ptr x1 #0 @1
%1 = argument i32 x1 #1 @1
%2 = store i32 x1 %0 %1 @2
%3 = return none x1 @3
)";
}
struct alignas(64) WriteArguments {
  nereid_address_t address;
  int32_t value;
};
constexpr uint32_t manyPrograms = 100000; // milliseconds of work

class AsynchronousStreams : public AsynchronousTest {
protected:
  nereid_function_t *loadWrite(uint32_t device) {
    return load(device, writeValue(device), {}, "image");
  }
  nereid_status_t write(nereid_function_t *function, nereid_stream_t stream,
                        nereid_address_t address, int32_t value,
                        uint32_t programs = manyPrograms) {
    WriteArguments arguments = {address, value};
    return launch(function, stream, programs, &arguments, 16);
  }
};

TEST_F(AsynchronousStreams, AnEventOrdersStreamsOfTwoDevices) {
  nereid_function_t *function = loadWrite(0);
  ASSERT_NE(function, nullptr);
  nereid_address_t here = allocate(0, 4), there = allocate(1, 4);
  nereid_stream_t first = createStream(0), second = createStream(0);
  nereid_event_t *written = createEvent(0), *again = createEvent(0);
  ASSERT_EQ(write(function, first, here, 1), NEREID_OK) << lastError();
  ASSERT_EQ(nereid_backend_record_event(backend, written, first), NEREID_OK);
  ASSERT_EQ(nereid_backend_wait_event(backend, 0, second, written), NEREID_OK);
  ASSERT_EQ(write(function, second, here, 2), NEREID_OK);
  ASSERT_EQ(nereid_backend_record_event(backend, again, second), NEREID_OK);
  ASSERT_EQ(nereid_backend_wait_event(backend, 1, 0, again), NEREID_OK);
  nereid_copy_peer_t peer = {sizeof peer, 0, 0, there, here, 4};
  ASSERT_EQ(nereid_backend_copy_peer(backend, 1, &peer), NEREID_OK);
  std::vector<int32_t> result(1);
  ASSERT_EQ(download(1, 0, result, there), NEREID_OK);
  ASSERT_EQ(synchronize(1, 0), NEREID_OK) << lastError();
  EXPECT_EQ(result[0], 2);
  nereid_backend_destroy_event(backend, written);
  nereid_backend_destroy_event(backend, again);
  nereid_function_destroy(function);
}

TEST_F(AsynchronousStreams, AWaitIsForTheEventAsItIsRecordedNow) {
  nereid_function_t *function = loadWrite(0);
  ASSERT_NE(function, nullptr);
  nereid_address_t memory = allocate(0, 4);
  nereid_stream_t first = createStream(0), second = createStream(0);
  nereid_event_t *event = createEvent(0);
  ASSERT_EQ(nereid_backend_wait_event(backend, 0, second, event), NEREID_OK);
  EXPECT_EQ(synchronize(0, second), NEREID_OK); // never recorded: reached
  ASSERT_EQ(nereid_backend_record_event(backend, event, first), NEREID_OK);
  ASSERT_EQ(nereid_backend_wait_event(backend, 0, second, event), NEREID_OK);
  ASSERT_EQ(write(function, first, memory, 1), NEREID_OK);
  ASSERT_EQ(nereid_backend_record_event(backend, event, first), NEREID_OK);
  EXPECT_EQ(synchronize(0, second), NEREID_OK);
  EXPECT_EQ(nereid_backend_synchronize_event(backend, event), NEREID_OK);
  int32_t done = 0;
  EXPECT_EQ(nereid_backend_query_event(backend, event, &done), NEREID_OK);
  EXPECT_EQ(done, 1);
  EXPECT_EQ(nereid_backend_query_stream(backend, 0, first, &done), NEREID_OK);
  EXPECT_EQ(done, 1);
  nereid_backend_destroy_event(backend, event);
  nereid_function_destroy(function);
}

TEST_F(AsynchronousStreams, EventsMeasureTheWorkBetweenThem) {
  nereid_function_t *function = loadWrite(0);
  ASSERT_NE(function, nullptr);
  nereid_address_t memory = allocate(0, 4);
  nereid_event_t *start = createEvent(0), *end = createEvent(0);
  nereid_event_t *untimed = createEvent(0, NEREID_EVENT_NO_TIMING);
  double time = 0;
  EXPECT_EQ(nereid_backend_elapsed(backend, start, end, &time),
            NEREID_INVALID_ARGUMENT);
  ASSERT_EQ(nereid_backend_record_event(backend, start, 0), NEREID_OK);
  ASSERT_EQ(write(function, 0, memory, 1), NEREID_OK);
  ASSERT_EQ(nereid_backend_record_event(backend, end, 0), NEREID_OK);
  ASSERT_EQ(nereid_backend_record_event(backend, untimed, 0), NEREID_OK);
  ASSERT_EQ(nereid_backend_elapsed(backend, start, end, &time), NEREID_OK)
      << lastError();
  EXPECT_GT(time, 1000);
  EXPECT_EQ(nereid_backend_elapsed(backend, start, untimed, &time),
            NEREID_INVALID_ARGUMENT);
  // An event may end once it is reached.
  EXPECT_EQ(nereid_backend_synchronize_event(backend, untimed), NEREID_OK);
  for (nereid_event_t *event : {start, end, untimed})
    nereid_backend_destroy_event(backend, event);
  nereid_function_destroy(function);
}

TEST_F(AsynchronousStreams, AFaultDoesNotHoldUpThoseWhoWait) {
  nereid_function_t *function = loadWrite(0);
  ASSERT_NE(function, nullptr);
  nereid_stream_t first = createStream(0), second = createStream(0);
  nereid_event_t *event = createEvent(0);
  ASSERT_EQ(write(function, first, 0, 1), NEREID_OK);
  ASSERT_EQ(nereid_backend_record_event(backend, event, first), NEREID_OK);
  ASSERT_EQ(nereid_backend_wait_event(backend, 0, second, event), NEREID_OK);
  EXPECT_EQ(synchronize(0, second), NEREID_OK);
  EXPECT_EQ(nereid_backend_synchronize_event(backend, event), NEREID_OK);
  EXPECT_EQ(nereid_backend_destroy_stream(backend, 0, first),
            NEREID_DEVICE_FAULT);
  EXPECT_EQ(synchronize(0, first), NEREID_INVALID_ARGUMENT);
  nereid_backend_destroy_event(backend, event);
  nereid_function_destroy(function);
}

TEST_F(AsynchronousStreams, MoreLaunchesThanAQueueHoldsRunInOrder) {
  nereid_function_t *function = loadWrite(0);
  ASSERT_NE(function, nullptr);
  nereid_address_t memory = allocate(0, 4);
  for (int32_t i = 0; i < 1000; ++i)
    ASSERT_EQ(write(function, 0, memory, i, 10), NEREID_OK);
  std::vector<int32_t> result(1);
  ASSERT_EQ(download(0, 0, result, memory), NEREID_OK);
  ASSERT_EQ(synchronize(0, 0), NEREID_OK);
  EXPECT_EQ(result[0], 999);
  EXPECT_EQ(nereid_backend_free(backend, 0, memory), NEREID_OK);
  nereid_function_destroy(function);
}

TEST_F(AsynchronousStreams, HandsOutEveryStreamOnceAndAgainAfterItsEnd) {
  std::vector<nereid_stream_t> streams;
  for (int i = 0; i < 63; ++i)
    streams.push_back(createStream(1));
  auto request = nereid::detail::sized<nereid_stream_request_t>();
  nereid_stream_t none = 0;
  EXPECT_EQ(nereid_backend_create_stream(backend, 1, &request, &none),
            NEREID_OUT_OF_RESOURCES);
  EXPECT_EQ(nereid_backend_destroy_stream(backend, 1, streams[7]), NEREID_OK);
  EXPECT_EQ(createStream(1), streams[7]);
}

TEST_F(AsynchronousStreams, WorksForEightThreadsAtOnce) {
  nereid_function_t *functions[] = {loadWrite(0), loadWrite(1)};
  ASSERT_TRUE(functions[0] && functions[1]);
  std::vector<std::thread> threads;
  for (int32_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      uint32_t device = t % 2;
      EXPECT_EQ(nereid_backend_set_current_device(backend, device), NEREID_OK);
      nereid_stream_t stream = createStream(device), current = 0;
      EXPECT_EQ(nereid_backend_set_current_stream(backend, device, stream),
                NEREID_OK);
      nereid_address_t memory = allocate(device, 4);
      std::vector<int32_t> result(1);
      for (int32_t i = 0; i < 50; ++i) {
        EXPECT_EQ(write(functions[device], stream, memory, t * 100 + i, 5),
                  NEREID_OK);
        EXPECT_EQ(download(device, stream, result, memory), NEREID_OK);
        EXPECT_EQ(synchronize(device, stream), NEREID_OK);
        EXPECT_EQ(result[0], t * 100 + i);
      }
      uint32_t seen = 2;
      EXPECT_EQ(nereid_backend_get_current_device(backend, &seen), NEREID_OK);
      EXPECT_EQ(seen, device);
      EXPECT_EQ(nereid_backend_get_current_stream(backend, device, &current),
                NEREID_OK);
      EXPECT_EQ(current, stream);
      EXPECT_EQ(nereid_backend_free(backend, device, memory), NEREID_OK);
      EXPECT_EQ(nereid_backend_destroy_stream(backend, device, stream),
                NEREID_OK);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (nereid_function_t *function : functions)
    nereid_function_destroy(function);
}

TEST_F(AsynchronousStreams, TheEndWaitsForPendingWork) {
  nereid_function_t *function = loadWrite(0);
  ASSERT_NE(function, nullptr);
  nereid_address_t memory = allocate(0, 4);
  std::vector<int32_t> results[2] = {{0}, {0}};
  nereid_stream_t stream = createStream(0);
  nereid_event_t *event = createEvent(0);
  ASSERT_EQ(write(function, stream, memory, 7), NEREID_OK);
  ASSERT_EQ(nereid_backend_record_event(backend, event, stream), NEREID_OK);
  ASSERT_EQ(nereid_backend_wait_event(backend, 0, 0, event), NEREID_OK);
  ASSERT_EQ(download(0, 0, results[0], memory), NEREID_OK);
  ASSERT_EQ(download(0, stream, results[1], memory), NEREID_OK);
  ASSERT_EQ(nereid_backend_destroy_stream(backend, 0, stream), NEREID_OK);
  EXPECT_EQ(results[1][0], 7);
  ASSERT_EQ(synchronize(0, 0), NEREID_OK);
  nereid_backend_destroy_event(backend, event);
  nereid_function_destroy(function);
  ASSERT_EQ(download(0, 0, results[0], memory), NEREID_OK);
  nereid_runtime_destroy(runtime);
  runtime = nullptr;
  EXPECT_EQ(results[0][0], 7);
}

TEST_F(AsynchronousStreams, AChildIsRefusedAndItsParentGoesOn) {
  nereid_function_t *function = loadWrite(0);
  ASSERT_NE(function, nullptr);
  nereid_address_t memory = allocate(0, 4);
  ASSERT_EQ(write(function, 0, memory, 1), NEREID_OK);
  EXPECT_TRUE(succeedsInChild([&] {
    bool isRefused = synchronize(0, 0) == NEREID_UNAVAILABLE &&
                     write(function, 0, memory, 2) == NEREID_UNAVAILABLE;
    nereid_function_destroy(function);
    nereid_runtime_destroy(runtime);
    return isRefused;
  }));
  EXPECT_EQ(synchronize(0, 0), NEREID_OK);
  nereid_function_destroy(function);
}
} // namespace
