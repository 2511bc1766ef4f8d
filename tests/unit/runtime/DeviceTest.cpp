// DeviceTest.cpp - streams, events, memory and launches of a loaded plugin,
// through the C interface.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"
#include "record.h"

#include <gmock/gmock.h>

#include <cstring>
#include <thread>

using testing::HasSubstr;

namespace {
/// The runtime's fake plugin has no extensions; `device` is the backend of
/// plugin `extension`, whose devices have most of them.
class DeviceTest : public RuntimeFixture {
protected:
  void SetUp() override {
    RuntimeFixture::SetUp();
    ASSERT_EQ(
        nereid_runtime_load(runtime, text(NEREID_EXTENSION_PLUGIN), &device),
        NEREID_OK)
        << lastError();
  }

  nereid_address_t allocated(nereid_backend_t *where, uint32_t index,
                             uint64_t size) {
    nereid_address_t address = 0;
    EXPECT_EQ(allocate(where, index, size, &address), NEREID_OK) << lastError();
    return address;
  }

  /// The kernel `k(*f32, i32)` of plugin `extension` on its device 0.
  nereid_function_t *kernel(const OptionTexts &options) {
    nereid_compile_request_t wanted =
        request("module { tt.func public @k(%p: !tt.ptr<f32>, %n: i32) { "
                "tt.return } }");
    std::swap(backend, device);
    nereid_artifact_t *artifact = compile(wanted, options);
    std::swap(backend, device);
    EXPECT_NE(artifact, nullptr) << lastError();
    nereid_function_t *function = nullptr;
    EXPECT_EQ(nereid_function_load(device, 0, artifact, &function), NEREID_OK)
        << lastError();
    nereid_artifact_destroy(artifact);
    return function;
  }

  /// The last launch that plugin `extension` was given.
  nereid_extension_launch_t lastLaunch() {
    auto *record = static_cast<const nereid_extension_record_t *>(
        nereid_backend_extension(device, text(NEREID_EXT_EXTENSION_RECORD)));
    nereid_state_t *state = nereid_backend_state(device);
    nereid_extension_launch_t launch = {};
    launch.struct_size = sizeof launch;
    EXPECT_EQ(record->get(state, record->count(state) - 1, &launch), NEREID_OK);
    return launch;
  }

  nereid_backend_t *device = nullptr;
};
} // namespace

// ---- Streams.

TEST_F(DeviceTest, StreamsAreMadeQueriedAndDestroyed) {
  nereid_stream_t first = 0, second = 0;
  nereid_stream_request_t request = {};
  request.struct_size = sizeof request;
  request.priority = 3;
  ASSERT_EQ(nereid_backend_create_stream(device, 0, nullptr, &first),
            NEREID_OK);
  ASSERT_EQ(nereid_backend_create_stream(device, 0, &request, &second),
            NEREID_OK);
  EXPECT_NE(first, 0u);
  EXPECT_NE(first, second);
  int32_t done = -1;
  EXPECT_EQ(nereid_backend_query_stream(device, 0, first, &done), NEREID_OK);
  EXPECT_EQ(done, 1);
  EXPECT_EQ(nereid_backend_synchronize_device(device, 0), NEREID_OK);
  EXPECT_EQ(nereid_backend_destroy_stream(device, 0, first), NEREID_OK);
  EXPECT_EQ(nereid_backend_destroy_stream(device, 0, second), NEREID_OK);
  EXPECT_EQ(nereid_backend_destroy_stream(device, 0, 0), NEREID_OK);
}

TEST_F(DeviceTest, QueriesWaitOnADriverWithoutStreams) {
  int32_t done = -1;
  EXPECT_EQ(nereid_backend_query_stream(backend, 0, 0, &done), NEREID_OK);
  EXPECT_EQ(done, 1);
}

TEST_F(DeviceTest, CurrentDevicesAndStreamsBelongToAThread) {
  nereid_stream_t stream = 0, found = 9;
  ASSERT_EQ(nereid_backend_create_stream(device, 1, nullptr, &stream),
            NEREID_OK);
  EXPECT_EQ(nereid_backend_set_current_device(device, 1), NEREID_OK);
  EXPECT_EQ(nereid_backend_set_current_stream(device, 1, stream), NEREID_OK);
  auto current = [&](uint32_t &index) {
    EXPECT_EQ(nereid_backend_get_current_device(device, &index), NEREID_OK);
    EXPECT_EQ(nereid_backend_get_current_stream(device, 1, &found), NEREID_OK);
    return found;
  };
  uint32_t index = 9;
  EXPECT_EQ(current(index), stream);
  EXPECT_EQ(index, 1u);
  std::thread([&] {
    uint32_t other = 9;
    EXPECT_EQ(current(other), 0u);
    EXPECT_EQ(other, 0u);
  }).join();
  // Not of another backend, and not after its end.
  EXPECT_EQ(nereid_backend_get_current_stream(backend, 0, &found), NEREID_OK);
  EXPECT_EQ(found, 0u);
  EXPECT_EQ(nereid_backend_destroy_stream(device, 1, stream), NEREID_OK);
  EXPECT_EQ(current(index), 0u);
  EXPECT_EQ(nereid_backend_set_current_device(device, 99), NEREID_NOT_FOUND);
}

// ---- Events.

TEST_F(DeviceTest, EventsOrderStreamsAndMeasure) {
  nereid_stream_t stream = 0;
  ASSERT_EQ(nereid_backend_create_stream(device, 0, nullptr, &stream),
            NEREID_OK);
  nereid_event_t *start = nullptr, *end = nullptr;
  ASSERT_EQ(nereid_backend_create_event(device, 0, nullptr, &start), NEREID_OK);
  ASSERT_EQ(nereid_backend_create_event(device, 0, nullptr, &end), NEREID_OK);
  int32_t done = -1;
  EXPECT_EQ(nereid_backend_query_event(device, start, &done), NEREID_OK);
  EXPECT_EQ(done, 1) << "an event that was never recorded counts as reached";
  double nanoseconds = -1;
  EXPECT_EQ(nereid_backend_elapsed(device, start, end, &nanoseconds),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(nereid_backend_record_event(device, start, 0), NEREID_OK);
  EXPECT_EQ(nereid_backend_wait_event(device, 0, stream, start), NEREID_OK);
  EXPECT_EQ(nereid_backend_record_event(device, end, stream), NEREID_OK);
  EXPECT_EQ(nereid_backend_synchronize_event(device, end), NEREID_OK);
  EXPECT_EQ(nereid_backend_elapsed(device, start, end, &nanoseconds), NEREID_OK)
      << lastError();
  EXPECT_GE(nanoseconds, 0);
  EXPECT_EQ(nereid_backend_wait_event(device, 99, 0, start), NEREID_NOT_FOUND);
  EXPECT_EQ(nereid_backend_destroy_event(device, start), NEREID_OK);
  EXPECT_EQ(nereid_backend_destroy_event(device, end), NEREID_OK);
  EXPECT_EQ(nereid_backend_destroy_event(device, nullptr), NEREID_OK);
  EXPECT_EQ(nereid_backend_destroy_stream(device, 0, stream), NEREID_OK);
}

TEST_F(DeviceTest, AnEventOfAnotherBackendIsRefused) {
  nereid_event_t *event = nullptr;
  ASSERT_EQ(nereid_backend_create_event(device, 0, nullptr, &event), NEREID_OK);
  EXPECT_EQ(nereid_backend_record_event(backend, event, 0),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(lastError(), "error: record_event: the event is of plugin "
                         "'extension', expected one of plugin 'test.fake'");
  EXPECT_EQ(nereid_backend_destroy_event(device, event), NEREID_OK);
  EXPECT_EQ(nereid_backend_create_event(backend, 0, nullptr, &event),
            NEREID_UNIMPLEMENTED);
  EXPECT_THAT(lastError(), HasSubstr("does not implement event.create"));
}

// ---- Memory.

// With the driver's own copy, and row by row.
TEST_F(DeviceTest, RectanglesAreCopied) {
  const uint8_t source[] = {1, 2, 3, 0, 4, 5, 6, 0};
  for (nereid_backend_t *where : {device, backend}) {
    nereid_address_t address = allocated(where, 0, 16);
    const uint8_t empty[16] = {};
    ASSERT_EQ(::copy(where, NEREID_COPY_HOST_TO_DEVICE, address,
                     reinterpret_cast<uintptr_t>(empty), sizeof empty),
              NEREID_OK);
    nereid_copy_2d_t request = {};
    request.struct_size = sizeof request;
    request.direction = NEREID_COPY_HOST_TO_DEVICE;
    request.destination = address;
    request.destination_pitch = 8;
    request.source = reinterpret_cast<uintptr_t>(source);
    request.source_pitch = 4;
    request.width = 3;
    request.height = 2;
    EXPECT_EQ(nereid_backend_copy_2d(where, 0, &request), NEREID_OK)
        << lastError();
    uint8_t found[16];
    EXPECT_EQ(::copy(where, NEREID_COPY_DEVICE_TO_HOST,
                     reinterpret_cast<uintptr_t>(found), address, sizeof found),
              NEREID_OK);
    EXPECT_EQ(nereid_backend_synchronize(where, 0, 0), NEREID_OK);
    const uint8_t expected[16] = {1, 2, 3, 0, 0, 0, 0, 0, 4, 5, 6};
    EXPECT_EQ(std::memcmp(found, expected, sizeof found), 0);
    request.source_pitch = 2;
    EXPECT_EQ(nereid_backend_copy_2d(where, 0, &request),
              NEREID_INVALID_ARGUMENT);
    EXPECT_THAT(lastError(), HasSubstr("source_pitch is 2"));
    EXPECT_EQ(nereid_backend_free(where, 0, address), NEREID_OK);
  }
}

// With the driver's own copy, and through the host.
TEST_F(DeviceTest, DevicesCopyToEachOther) {
  for (auto [where, other] : {std::pair(device, 1u), std::pair(backend, 0u)}) {
    const double sent[3] = {1, 2, 3};
    nereid_address_t from = allocated(where, 0, sizeof sent);
    nereid_address_t to = allocated(where, other, sizeof sent);
    ASSERT_EQ(::copy(where, NEREID_COPY_HOST_TO_DEVICE, from,
                     reinterpret_cast<uintptr_t>(sent), sizeof sent),
              NEREID_OK);
    nereid_copy_peer_t request = {};
    request.struct_size = sizeof request;
    request.source_device = 0;
    request.destination = to;
    request.source = from;
    request.size = sizeof sent;
    EXPECT_EQ(nereid_backend_copy_peer(where, other, &request), NEREID_OK)
        << lastError();
    double found[3] = {};
    nereid_copy_t back = {};
    back.struct_size = sizeof back;
    back.direction = NEREID_COPY_DEVICE_TO_HOST;
    back.destination = reinterpret_cast<uintptr_t>(found);
    back.source = to;
    back.size = sizeof found;
    EXPECT_EQ(nereid_backend_copy(where, other, &back), NEREID_OK);
    EXPECT_EQ(nereid_backend_synchronize(where, other, 0), NEREID_OK);
    EXPECT_EQ(found[2], 3);
    request.source_device = 99;
    EXPECT_EQ(nereid_backend_copy_peer(where, other, &request),
              NEREID_NOT_FOUND);
    EXPECT_EQ(nereid_backend_free(where, other, to), NEREID_OK);
    EXPECT_EQ(nereid_backend_free(where, 0, from), NEREID_OK);
  }
}

TEST_F(DeviceTest, HostMemoryIsOrdinaryWhereTheDriverHasNone) {
  nereid_allocation_t request = {sizeof request, 0, 100, 4096};
  void *pointer = nullptr;
  ASSERT_EQ(nereid_backend_allocate_host(backend, 0, &request, &pointer),
            NEREID_OK)
      << lastError();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) % 4096, 0u);
  EXPECT_EQ(nereid_backend_free_host(backend, 0, pointer), NEREID_OK);
  EXPECT_EQ(nereid_backend_free_host(backend, 0, nullptr), NEREID_OK);
  request.alignment = 48;
  EXPECT_EQ(nereid_backend_allocate_host(backend, 0, &request, &pointer),
            NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("alignment is 48"));
  request = {sizeof request, 0, uint64_t(1) << 62, 64};
  EXPECT_EQ(nereid_backend_allocate_host(backend, 0, &request, &pointer),
            NEREID_OUT_OF_RESOURCES);
  EXPECT_THAT(lastError(), HasSubstr("libnereid has no memory"));
  nereid_memory_info_t info = {};
  info.struct_size = sizeof info;
  EXPECT_EQ(nereid_backend_memory_info(backend, 0, &info),
            NEREID_UNIMPLEMENTED);
  EXPECT_THAT(lastError(), HasSubstr("does not implement memory.get_info"));
}

TEST_F(DeviceTest, AFillIsAlignedToItsPattern) {
  uint32_t pattern = 7;
  EXPECT_EQ(::fill(device, 66, &pattern, 4, 1), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("not aligned to the pattern's 4 bytes"));
}

// ---- Launches.

TEST_F(DeviceTest, ScratchMemoryIsCheckedAndPassedOn) {
  nereid_function_t *function = kernel({{"scratch_size", "24"}});
  nereid_function_info_t info = {};
  info.struct_size = sizeof info;
  ASSERT_EQ(nereid_function_info(function, &info), NEREID_OK);
  EXPECT_EQ(info.scratch_size, 24u);
  EXPECT_EQ(info.scratch_alignment, 64u);
  alignas(64) char block[16] = {};
  nereid_launch_t launch = launchOf(2, 3, 1, block, sizeof block);
  EXPECT_EQ(nereid_function_launch(function, &launch), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("expected 24 for each of 6 programs"));
  launch.scratch = 6400;
  launch.scratch_size = 6 * 24;
  EXPECT_EQ(nereid_function_launch(function, &launch), NEREID_OK)
      << lastError();
  EXPECT_EQ(lastLaunch().scratch, 6400u);
  EXPECT_EQ(lastLaunch().scratch_size, 144u);
  launch.scratch = 6432;
  EXPECT_EQ(nereid_function_launch(function, &launch), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("aligned to 64"));
  nereid_function_destroy(function);
}

TEST_F(DeviceTest, FlagsAndClustersReachTheDriver) {
  nereid_function_t *function = kernel({{"cooperative", "true"}});
  alignas(64) char block[16] = {};
  nereid_launch_t launch = launchOf(2, 1, 1, block, sizeof block);
  launch.flags = NEREID_LAUNCH_PROGRAMMATIC;
  launch.cluster[0] = 2;
  EXPECT_EQ(nereid_function_launch(function, &launch), NEREID_OK)
      << lastError();
  nereid_extension_launch_t seen = lastLaunch();
  EXPECT_EQ(seen.flags, NEREID_LAUNCH_PROGRAMMATIC | NEREID_LAUNCH_COOPERATIVE);
  EXPECT_EQ(seen.cluster[0], 2u);
  nereid_function_destroy(function);
}

// ---- Facts.

TEST_F(DeviceTest, FactsForTheFrontendAreJson) {
  nlohmann::json facts = jsonOf([&](nereid_buffer_t **out) {
    return nereid_backend_frontend(device, nullptr, out);
  });
  EXPECT_EQ(facts["min_dot_size"].size(), 3u) << facts;
  EXPECT_TRUE(jsonOf([&](nereid_buffer_t **out) {
                return nereid_backend_frontend(backend, nullptr, out);
              }).empty());
}

TEST_F(DeviceTest, FactsOfTheVendorComeFromItsExtension) {
  nereid_backend_info_t info = {};
  info.struct_size = sizeof info;
  ASSERT_EQ(nereid_backend_info(device, &info), NEREID_OK);
  EXPECT_NE(string(info.vendor_name), "");
  ASSERT_EQ(nereid_backend_info(backend, &info), NEREID_OK);
  EXPECT_EQ(string(info.vendor_name), "");
}
