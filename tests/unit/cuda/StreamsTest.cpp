// StreamsTest.cpp - streams and events.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "streams.h"
#include "CudaFixture.h"

namespace nereid::test {

using namespace cuda;

TEST_F(CudaTest, CreatesStreamsOfEveryPriority) {
  for (int32_t priority : {0, 1, 5, 100, INT32_MAX, -1, INT32_MIN}) {
    nereid_stream_t stream = createStream(0, priority);
    ASSERT_EQ(status, NEREID_OK) << errors();
    EXPECT_EQ(streams().destroy(state(), 0, stream, record.emplace()),
              NEREID_OK);
  }
}

TEST_F(CudaTest, DestroyingAStreamWaitsForItsWork) {
  nereid_stream_t stream = createStream();
  nereid_address_t address = allocate(64);
  uint8_t one = 1;
  nereid_fill_t fill = {sizeof fill, 1, stream, address, &one, 64};
  memory().fill(state(), 0, &fill, record.emplace());
  EXPECT_EQ(streams().destroy(state(), 0, stream, record.emplace()), NEREID_OK);
  EXPECT_EQ(*reinterpret_cast<uint8_t *>(address), 1);
  EXPECT_EQ(streams().destroy(state(), 0, stream, record.emplace()),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(streams().destroy(state(), 0, 0, record.emplace()), NEREID_OK);
  free(address);
}

TEST_F(CudaTest, TheEndOfThePluginEndsItsStreams) {
  createStream();
  createStream();
  close(); // the fixture looks for leaks
  EXPECT_EQ(fakeCudaCalls("cuStreamDestroy"), 3u); // and that of the pool
}

TEST_F(CudaTest, ImportsStreamsOfItsContext) {
  fakeCudaMachine().devices = 2;
  auto import = [&](uint64_t handle, uint32_t device,
                    const char *kind = "cuda.stream") {
    nereid_import_t object = {sizeof object, 0, text(kind), handle, 0};
    nereid_stream_t out = 77;
    status = interop().import_stream(state(), device, &object, &out,
                                     record.emplace());
    return out;
  };
  nereid_stream_t stream = createStream();
  createStream(1);
  EXPECT_EQ(import(stream, 0), stream);
  EXPECT_EQ(import(0, 0), 0u); // torch's default stream
  EXPECT_EQ(import(2, 0), 2u);
  import(stream, 1);
  EXPECT_EQ(status, NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(errors(), HasSubstr("another context"));
  import(0x1234, 0);
  EXPECT_EQ(status, NEREID_INVALID_ARGUMENT);
  import(stream, 0, "hip.stream");
  EXPECT_EQ(status, NEREID_UNIMPLEMENTED);
  EXPECT_EQ(interop().release_stream(state(), 0, stream, record.emplace()),
            NEREID_OK);
}

TEST_F(CudaTest, SynchronizingADeviceWaitsForAllStreams) {
  nereid_stream_t stream = createStream();
  nereid_address_t address = allocate(64);
  uint8_t one = 1;
  for (nereid_stream_t on : {stream, nereid_stream_t{0}}) {
    nereid_fill_t fill = {sizeof fill, 1, on, address + (on ? 1 : 0), &one, 1};
    memory().fill(state(), 0, &fill, record.emplace());
  }
  EXPECT_EQ(kDriver.synchronize_device(state(), 0, record.emplace()),
            NEREID_OK);
  EXPECT_EQ(*reinterpret_cast<uint16_t *>(address), 0x0101);
  free(address);
}

// -------------------------------------------------------------------- events

struct CudaEventTest : CudaTest {
  nereid_event_t *create(uint32_t device = 0, uint32_t flags = 0) {
    nereid_event_request_t request = {sizeof request, flags};
    nereid_event_t *event = nullptr;
    EXPECT_EQ(
        events().create(state(), device, &request, &event, record.emplace()),
        NEREID_OK);
    return event;
  }
  void destroy(nereid_event_t *event) {
    EXPECT_EQ(events().destroy(state(), event, record.emplace()), NEREID_OK);
  }
  bool isDone(nereid_event_t *event) {
    int32_t done = 0;
    EXPECT_EQ(events().query(state(), event, &done, record.emplace()),
              NEREID_OK);
    return done;
  }
  nereid_status_t elapsed(nereid_event_t *from, nereid_event_t *to,
                          double &time) {
    return events().elapsed(state(), from, to, &time, record.emplace());
  }
};

TEST_F(CudaEventTest, AnEventThatWasNeverRecordedIsReached) {
  nereid_event_t *event = create();
  EXPECT_TRUE(isDone(event));
  EXPECT_EQ(events().synchronize(state(), event, record.emplace()), NEREID_OK);
  EXPECT_EQ(events().wait(state(), 0, 0, event, record.emplace()), NEREID_OK);
  destroy(event);
  destroy(nullptr);
}

TEST_F(CudaEventTest, OrdersStreamsOfTwoDevices) {
  fakeCudaMachine().devices = 2;
  nereid_event_t *event = create();
  nereid_stream_t here = createStream(0), there = createStream(1);
  nereid_address_t address = allocate(64);
  uint8_t one = 1;
  nereid_fill_t fill = {sizeof fill, 1, here, address, &one, 1};
  memory().fill(state(), 0, &fill, record.emplace());
  EXPECT_EQ(events().record(state(), event, here, record.emplace()), NEREID_OK);
  EXPECT_FALSE(isDone(event));
  EXPECT_EQ(events().wait(state(), 1, there, event, record.emplace()),
            NEREID_OK);
  EXPECT_EQ(synchronize(there, 1), NEREID_OK);
  EXPECT_EQ(*reinterpret_cast<uint8_t *>(address), 1);
  EXPECT_TRUE(isDone(event));
  destroy(event);
  free(address);
}

TEST_F(CudaEventTest, MeasuresTheTimeBetweenEvents) {
  nereid_event_t *from = create(), *to = create(),
                 *timeless = create(0, NEREID_EVENT_NO_TIMING);
  double time = -1;
  EXPECT_EQ(elapsed(from, to, time), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(errors(), "the start event was never recorded");
  for (nereid_event_t *event : {from, to, timeless})
    events().record(state(), event, 0, record.emplace());
  EXPECT_EQ(elapsed(from, to, time), NEREID_OK) << errors();
  EXPECT_GE(time, 0);
  EXPECT_LT(time, 1e9);
  EXPECT_EQ(elapsed(from, timeless, time), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(errors(), HasSubstr("the end event has no time"));
  for (nereid_event_t *event : {from, to, timeless})
    destroy(event);
}

} // namespace nereid::test
