// DriverTest.cpp - the extension plugin: launches, streams, events, memory and
// imports.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ExtensionFixture.h"
#include "extension/record.h"

#include <gmock/gmock.h>

#include <cstring>

// A sanitizer's allocator ends the program where malloc returns null.
extern "C" const char *__asan_default_options() {
  return "allocator_may_return_null=1";
}
extern "C" const char *__tsan_default_options() {
  return "allocator_may_return_null=1";
}

namespace nereid::test {
namespace {

class ExtensionDriver : public ExtensionTest {};

// ---------------------------------------------------------------- launch
nereid_import_t object(const char *kind, uint64_t handle, uint64_t size = 0) {
  return {sizeof(nereid_import_t), 0, borrow(kind), handle, size};
}

TEST_F(ExtensionDriver, RecordsLaunches) {
  const auto &record =
      table<nereid_extension_record_t>(NEREID_EXT_EXTENSION_RECORD);
  const auto &interop = table<nereid_interop_t>(NEREID_EXT_INTEROP);
  Loaded add = load(plugin, compile(plugin, vectorAdd).output, 1);
  ASSERT_EQ(add.status, NEREID_OK) << add.why;
  nereid_stream_t stream = 0;
  nereid_import_t queue = object("extension.stream", 77);
  ASSERT_EQ(interop.import_stream(state, 1, &queue, &stream, &call), NEREID_OK);
  unsigned char arguments[32];
  for (int i = 0; i < 32; ++i)
    arguments[i] = static_cast<unsigned char>(i);
  nereid_launch_t launch = {sizeof(launch),
                            {2, 3, 4},
                            stream,
                            arguments,
                            32,
                            0x5000,
                            4096,
                            NEREID_LAUNCH_COOPERATIVE,
                            {2, 1, 1}};
  for (int i = 0; i < 70; ++i)
    ASSERT_EQ(driver.launch(add.kernel, &launch, nullptr), NEREID_OK);
  launch.arguments_size = 24;
  EXPECT_EQ(driver.launch(add.kernel, &launch, &call), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(call.text(), "the argument block has 24 bytes, expected 32");

  EXPECT_EQ(record.count(state), 70u);
  nereid_extension_launch_t kept = {};
  kept.struct_size = sizeof(kept);
  EXPECT_EQ(record.get(state, 5, &kept), NEREID_NOT_FOUND);
  EXPECT_EQ(record.get(state, 70, &kept), NEREID_NOT_FOUND);
  ASSERT_EQ(record.get(state, 69, &kept), NEREID_OK);
  EXPECT_THAT(kept.grid, testing::ElementsAre(2, 3, 4));
  EXPECT_EQ(kept.device, 1u);
  EXPECT_EQ(kept.stream, stream);
  EXPECT_EQ(kept.stream_handle, 77u);
  EXPECT_EQ(view(kept.kernel), "add");
  EXPECT_EQ(kept.flags, uint32_t(NEREID_LAUNCH_COOPERATIVE));
  EXPECT_THAT(kept.cluster, testing::ElementsAre(2, 1, 1));
  EXPECT_EQ(kept.scratch, 0x5000u);
  EXPECT_EQ(kept.scratch_size, 4096u);
  ASSERT_EQ(kept.arguments.size, 32u);
  EXPECT_EQ(std::memcmp(kept.arguments.data, arguments, 32), 0);
  EXPECT_EQ(interop.release_stream(state, 1, stream, &call), NEREID_OK);
  unload(plugin, add.module);
}

TEST_F(ExtensionDriver, FailsWhereItIsAskedTo) {
  EXPECT_EQ(compile(plugin, vectorAdd, {text("fault", "compile")}).status,
            NEREID_INTERNAL);
  EXPECT_EQ(
      load(plugin, compile(plugin, vectorAdd, {text("fault", "load")}).output)
          .status,
      NEREID_OUT_OF_RESOURCES);
  unsigned char arguments[32] = {};
  nereid_launch_t launch = makeLaunch(arguments, 32);
  Loaded add = load(
      plugin, compile(plugin, vectorAdd, {text("fault", "launch")}).output);
  EXPECT_EQ(driver.launch(add.kernel, &launch, &call), NEREID_DEVICE_FAULT);
  unload(plugin, add.module);
}

// ---------------------------------------------------------------- streams
/// A kernel on device 1 that fails once it runs.
class FailedWork : public ExtensionTest {
protected:
  unsigned char arguments[32] = {};
  Loaded add = load(
      plugin, compile(plugin, vectorAdd, {text("fault", "synchronize")}).output,
      1);
  ~FailedWork() override { unload(plugin, add.module); }

  void failOn(nereid_stream_t stream) {
    nereid_launch_t launch = makeLaunch(arguments, 32, stream);
    EXPECT_EQ(driver.launch(add.kernel, &launch, &call), NEREID_OK);
  }
};

TEST_F(FailedWork, IsReportedOnceByItsStream) {
  nereid_stream_t stream = createStream(1);
  failOn(stream);
  EXPECT_EQ(driver.synchronize(state, 1, 0, &call), NEREID_OK);
  EXPECT_EQ(driver.synchronize(state, 0, stream, &call), NEREID_OK);
  EXPECT_EQ(driver.synchronize(state, 1, stream, &call), NEREID_DEVICE_FAULT);
  EXPECT_EQ(driver.synchronize(state, 1, stream, &call), NEREID_OK);
  EXPECT_EQ(streams.destroy(state, 1, stream, &call), NEREID_OK);
}

TEST_F(FailedWork, IsReportedOnceByItsDevice) {
  nereid_stream_t stream = createStream(1);
  failOn(stream);
  failOn(0);
  EXPECT_EQ(driver.synchronize_device(state, 0, &call), NEREID_OK);
  EXPECT_EQ(driver.synchronize_device(state, 1, &call), NEREID_DEVICE_FAULT);
  EXPECT_EQ(driver.synchronize(state, 1, stream, &call), NEREID_OK);
  EXPECT_EQ(driver.synchronize_device(state, 1, &call), NEREID_OK);
  EXPECT_EQ(streams.destroy(state, 1, stream, &call), NEREID_OK);
}

TEST_F(FailedWork, IsReportedByTheEndOfItsStreamAndEndsWithIt) {
  nereid_stream_t stream = createStream(1);
  failOn(stream);
  EXPECT_EQ(streams.destroy(state, 1, stream, &call), NEREID_DEVICE_FAULT);
  stream = createStream(1);
  EXPECT_EQ(driver.synchronize(state, 1, stream, &call), NEREID_OK);
  EXPECT_EQ(streams.destroy(state, 1, stream, &call), NEREID_OK);
}

TEST_F(ExtensionDriver, MakesStreamsUpToItsLimit) {
  nereid_stream_request_t request = {sizeof(request), 0, 1, 0};
  std::vector<nereid_stream_t> made;
  nereid_stream_t stream = 0;
  while (streams.create(state, 0, &request, &stream, &call) == NEREID_OK)
    made.push_back(stream);
  EXPECT_EQ(made.size(), 255u);
  EXPECT_EQ(call.text(), "device 0 has 255 streams, the most there can be");
  EXPECT_EQ(createStream(1), made.front()); // each device has its own
  int32_t done = 0;
  EXPECT_EQ(streams.query(state, 0, made.back(), &done, &call), NEREID_OK);
  EXPECT_EQ(done, 1);
  for (nereid_stream_t one : made)
    EXPECT_EQ(streams.destroy(state, 0, one, &call), NEREID_OK);
  EXPECT_EQ(streams.destroy(state, 0, 0, &call), NEREID_OK);
  createStream(0);
}

TEST_F(ExtensionDriver, OrdersAndTimesByEvents) {
  const auto &events = table<nereid_events_t>(NEREID_EXT_EVENT);
  nereid_event_request_t request = {sizeof(request), 0};
  nereid_event_t *start = nullptr, *end = nullptr;
  ASSERT_EQ(events.create(state, 0, &request, &start, &call), NEREID_OK);
  ASSERT_EQ(events.create(state, 0, &request, &end, &call), NEREID_OK);
  int32_t done = 0;
  EXPECT_EQ(events.query(state, start, &done, &call), NEREID_OK);
  EXPECT_EQ(done, 1) << "an event that was never recorded counts as reached";
  double nanoseconds = -1;
  EXPECT_EQ(events.record(state, start, 0, &call), NEREID_OK);
  EXPECT_EQ(events.elapsed(state, start, end, &nanoseconds, &call),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(call.text(), "the end event was never recorded");
  nereid_stream_t stream = createStream(1);
  EXPECT_EQ(events.wait(state, 1, stream, start, &call), NEREID_OK);
  EXPECT_EQ(events.record(state, end, 0, &call), NEREID_OK);
  EXPECT_EQ(events.synchronize(state, end, &call), NEREID_OK);
  EXPECT_EQ(events.elapsed(state, start, end, &nanoseconds, &call), NEREID_OK);
  EXPECT_GE(nanoseconds, 0);
  EXPECT_EQ(events.destroy(state, start, &call), NEREID_OK);
  EXPECT_EQ(events.destroy(state, end, &call), NEREID_OK);
  EXPECT_EQ(events.destroy(state, nullptr, &call), NEREID_OK);
}

// ---------------------------------------------------------------- memory
TEST_F(ExtensionDriver, AllocatesAligned) {
  nereid_address_t address = 0;
  for (uint64_t alignment : {0, 1, 64, 4096}) {
    ASSERT_EQ(allocate(1, alignment, address), NEREID_OK);
    EXPECT_EQ(address % (alignment ? alignment : 64), 0u);
    EXPECT_EQ(driver.free(state, 0, address, &call), NEREID_OK);
  }
  EXPECT_EQ(allocate(1, 48, address), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(call.text(), "the alignment is 48, expected a power of two");
  EXPECT_EQ(allocate(UINT64_MAX / 2, 0, address), NEREID_OUT_OF_RESOURCES);
  EXPECT_EQ(allocate(UINT64_MAX, 0, address), NEREID_OUT_OF_RESOURCES);
  EXPECT_EQ(driver.free(state, 0, 0, &call), NEREID_OK);
}

nereid_address_t addressOf(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

TEST_F(ExtensionDriver, FillsAndCopiesRectangles) {
  const auto &memory = table<nereid_memory_t>(NEREID_EXT_MEMORY);
  uint16_t values[12] = {}, pattern = 0x1234;
  nereid_fill_t fill = {sizeof(fill), 2, 0, addressOf(values), &pattern, 5};
  EXPECT_EQ(memory.fill(state, 0, &fill, &call), NEREID_OK);
  EXPECT_EQ(values[4], pattern);
  EXPECT_EQ(values[5], 0);
  fill.pattern_size = 3;
  EXPECT_EQ(memory.fill(state, 0, &fill, &call), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(call.text(), "the pattern has 3 bytes, expected 1, 2, 4 or 8");

  const char from[] = "abcdefghi"; // 3 rows of 2 from a pitch of 3 to one of 4
  char to[] = "............";
  nereid_copy_2d_t rows = {sizeof(rows),
                           NEREID_COPY_HOST_TO_DEVICE,
                           0,
                           addressOf(to),
                           4,
                           addressOf(from),
                           3,
                           2,
                           3};
  EXPECT_EQ(memory.copy_2d(state, 0, &rows, &call), NEREID_OK);
  EXPECT_STREQ(to, "ab..de..gh..");
  nereid_copy_peer_t peer = {sizeof(peer),    1, 0, addressOf(to),
                             addressOf(from), 9};
  EXPECT_EQ(memory.copy_peer(state, 0, &peer, &call), NEREID_OK);
  EXPECT_STREQ(to, "abcdefghih..");
  EXPECT_EQ(memory.allocate_host, nullptr);
}

TEST_F(ExtensionDriver, ImportsWhatItKnows) {
  const auto &interop = table<nereid_interop_t>(NEREID_EXT_INTEROP);
  int value = 0;
  nereid_address_t address = 0;
  nereid_import_t pointer = object("host.pointer", addressOf(&value), 4);
  ASSERT_EQ(interop.import_pointer(state, 0, &pointer, &address, &call),
            NEREID_OK);
  EXPECT_EQ(address, addressOf(&value));
  EXPECT_EQ(interop.release_pointer(state, 0, address, &call), NEREID_OK);
  pointer = object("cuda.pointer", 1, 4);
  EXPECT_EQ(interop.import_pointer(state, 0, &pointer, &address, &call),
            NEREID_UNIMPLEMENTED);
  EXPECT_EQ(call.text(),
            "cannot import a 'cuda.pointer', expected a 'host.pointer'");
}

TEST_F(ExtensionDriver, ImportsAContextBeforeUseOnly) {
  const auto &interop = table<nereid_interop_t>(NEREID_EXT_INTEROP);
  nereid_import_t context = object("extension.context", 5);
  EXPECT_EQ(interop.import_context(state, 0, &context, &call), NEREID_OK);
  nereid_address_t address = 0;
  ASSERT_EQ(allocate(1, 0, address), NEREID_OK);
  EXPECT_EQ(interop.import_context(state, 0, &context, &call),
            NEREID_UNAVAILABLE);
  EXPECT_EQ(driver.free(state, 0, address, &call), NEREID_OK);
  context = object("vk.device", 5);
  EXPECT_EQ(interop.import_context(state, 1, &context, &call),
            NEREID_UNIMPLEMENTED);
}

// ---------------------------------------------------------------- extensions
TEST_F(ExtensionDriver, DeclaresItsAbiItsVendorAndItsFrontend) {
  EXPECT_EQ(plugin.plugin->abi_major, uint32_t(NEREID_ABI_MAJOR));
  EXPECT_EQ(plugin.plugin->abi_revision, uint32_t(NEREID_ABI_REVISION));
  EXPECT_EQ(view(table<nereid_vendor_t>(NEREID_EXT_VENDOR).device_name),
            "extension");
  TestValues facts;
  EXPECT_EQ(table<nereid_frontend_t>(NEREID_EXT_FRONTEND)
                .visit_facts(state, nullptr, &facts, &call),
            NEREID_OK);
  EXPECT_EQ(facts.values["min_dot_size"], "[1,1,1]");
  EXPECT_EQ(facts.values["default_dot_precision"], "ieee");
  EXPECT_EQ(plugin.extension(NEREID_EXT_BENCHMARK), nullptr);
  EXPECT_EQ(plugin.extension("other/1"), nullptr);
}

// ---------------------------------------------------------------- halves
TEST(ExtensionHalves, OneCompilesAndTheOtherRuns) {
  PluginFile compiler(EXTENSION_COMPILER_PLUGIN);
  PluginFile driver(EXTENSION_DRIVER_PLUGIN);
  EXPECT_EQ(compiler.plugin->driver, nullptr);
  EXPECT_EQ(driver.plugin->compiler, nullptr);
  EXPECT_EQ(compiler.extension(NEREID_EXT_EVENT), nullptr);
  EXPECT_EQ(driver.extension(NEREID_EXT_FRONTEND), nullptr);
  Compiled image = compile(compiler, vectorAdd);
  ASSERT_EQ(image.status, NEREID_OK) << image.why;
  Loaded add = load(driver, image.output);
  EXPECT_EQ(add.status, NEREID_OK) << add.why;
  unload(driver, add.module);
}

} // namespace
} // namespace nereid::test
