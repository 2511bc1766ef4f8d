// device_test.cpp - the device's properties and memory, and the extensions.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "harness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <unistd.h>

namespace nereid::cpu::test {
namespace {

TEST(Device, ProbeTargetAndProperties) {
  Plugin plugin;
  Messages messages;
  nereid_probe_t probe = {};
  probe.struct_size = sizeof probe;
  nereid_writer_t writer = {};
  writer.struct_size = sizeof writer;
  writer.write = [](const nereid_writer_t *, const void *,
                    uint64_t) -> nereid_status_t { return NEREID_OK; };
  ASSERT_EQ(
      plugin.driver->probe(plugin.state, &probe, &writer, messages.call()),
      NEREID_OK);
  EXPECT_EQ(probe.struct_size, sizeof probe);
  EXPECT_GT(probe.score, 0);
  EXPECT_EQ(probe.flags, NEREID_PROBE_IS_HOST_CPU);
  EXPECT_EQ(probe.device_count, 1u);
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  plugin.driver->get_target(plugin.state, 0, &target, messages.call());
  EXPECT_EQ(text(target.backend), "cpu");
  EXPECT_EQ(target.warp_size, 1);
  int32_t score = 0;
  plugin.compiler->score_target(plugin.state, &target, &score, messages.call());
  EXPECT_EQ(score, 100);
  target.backend = {"vulkan", 6};
  plugin.compiler->score_target(plugin.state, &target, &score, messages.call());
  EXPECT_EQ(score, 0);
}

nereid_address_t addressOf(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

nereid_status_t allocate(const Plugin &plugin, uint64_t size,
                         uint64_t alignment, nereid_address_t &address,
                         Messages &messages) {
  nereid_allocation_t request = {sizeof request, 0, size, alignment};
  return plugin.driver->allocate(plugin.state, 0, &request, &address,
                                 messages.call());
}

TEST(Device, AllocatesAlignedMemory) {
  Plugin plugin;
  Messages messages;
  nereid_address_t address = 0;
  for (uint64_t size : {1, 4000, 5 << 20})
    for (uint64_t alignment : {0, 1, 64, 256, 1 << 16}) {
      ASSERT_EQ(allocate(plugin, size, alignment, address, messages), NEREID_OK)
          << messages.errors();
      EXPECT_EQ(address % (alignment ? alignment : 64), 0u);
      EXPECT_EQ(plugin.driver->free(plugin.state, 0, address, messages.call()),
                NEREID_OK);
    }
  EXPECT_EQ(allocate(plugin, 1, 48, address, messages),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(messages.errors(),
            "the alignment is 48, a power of two was expected\n");
  EXPECT_EQ(allocate(plugin, UINT64_MAX, 0, address, messages),
            NEREID_OUT_OF_RESOURCES);
  EXPECT_EQ(allocate(plugin, 1, uint64_t(1) << 63, address, messages),
            NEREID_OUT_OF_RESOURCES);
  EXPECT_EQ(plugin.driver->free(plugin.state, 0, 0, messages.call()),
            NEREID_OK);
}

TEST(Device, CopiesAndFills) {
  Plugin plugin;
  const auto &memory = plugin.extension<nereid_memory_t>(NEREID_EXT_MEMORY);
  Messages messages;
  nereid_address_t address = 0;
  ASSERT_EQ(allocate(plugin, 4000, 0, address, messages), NEREID_OK);
  int32_t pattern = 0x01020304, out[1000];
  nereid_fill_t fill = {sizeof fill, 4, 0, address, &pattern, 1000};
  ASSERT_EQ(memory.fill(plugin.state, 0, &fill, messages.call()), NEREID_OK);
  nereid_copy_t copy = {sizeof copy, NEREID_COPY_DEVICE_TO_HOST,
                        0,           addressOf(out),
                        address,     sizeof out};
  ASSERT_EQ(plugin.driver->copy(plugin.state, 0, &copy, messages.call()),
            NEREID_OK);
  EXPECT_EQ(out[999], pattern);
  fill.pattern_size = 3;
  EXPECT_EQ(memory.fill(plugin.state, 0, &fill, messages.call()),
            NEREID_INVALID_ARGUMENT);
  plugin.driver->free(plugin.state, 0, address, messages.call());
}

TEST(Device, CopiesRectanglesAndWithinItself) {
  Plugin plugin;
  const auto &memory = plugin.extension<nereid_memory_t>(NEREID_EXT_MEMORY);
  Messages messages;
  const char from[] = "abcdefghi"; // 3 rows of 2 from a pitch of 3 to one of 4
  char to[] = "............";
  nereid_copy_2d_t rows = {sizeof rows,
                           NEREID_COPY_HOST_TO_DEVICE,
                           0,
                           addressOf(to),
                           4,
                           addressOf(from),
                           3,
                           2,
                           3};
  EXPECT_EQ(memory.copy_2d(plugin.state, 0, &rows, messages.call()), NEREID_OK);
  EXPECT_STREQ(to, "ab..de..gh..");
  nereid_copy_peer_t peer = {sizeof peer,     0, 0, addressOf(to),
                             addressOf(from), 9};
  EXPECT_EQ(memory.copy_peer(plugin.state, 0, &peer, messages.call()),
            NEREID_OK);
  EXPECT_STREQ(to, "abcdefghih..");
}

TEST(Device, KnowsItsFreeMemory) {
  Plugin plugin;
  const auto &memory = plugin.extension<nereid_memory_t>(NEREID_EXT_MEMORY);
  Messages messages;
  nereid_memory_info_t info = {};
  info.struct_size = sizeof info;
  EXPECT_EQ(memory.get_info(plugin.state, 0, &info, messages.call()),
            NEREID_OK);
  EXPECT_GT(info.free, 0u);
  EXPECT_GT(info.total, info.free);
  void *pinned = nullptr;
  nereid_allocation_t request = {sizeof request, 0, 100, 4096};
  EXPECT_EQ(
      memory.allocate_host(plugin.state, 0, &request, &pinned, messages.call()),
      NEREID_OK);
  EXPECT_EQ(addressOf(pinned) % 4096, 0u);
  EXPECT_EQ(memory.free_host(plugin.state, 0, pinned, messages.call()),
            NEREID_OK);
  EXPECT_EQ(memory.free_host(plugin.state, 0, nullptr, messages.call()),
            NEREID_OK);
}

TEST(Device, ImportsHostPointersOnly) {
  Plugin plugin;
  const auto &interop = plugin.extension<nereid_interop_t>(NEREID_EXT_INTEROP);
  Messages messages;
  nereid_address_t address = 0;
  int value = 0;
  nereid_import_t object = {
      sizeof object, 0, {"host.pointer", 12}, addressOf(&value), 4};
  EXPECT_EQ(interop.import_pointer(plugin.state, 0, &object, &address,
                                   messages.call()),
            NEREID_OK);
  EXPECT_EQ(address, addressOf(&value));
  EXPECT_EQ(interop.release_pointer(plugin.state, 0, address, messages.call()),
            NEREID_OK);
  object.kind = {"cuda.pointer", 12};
  EXPECT_EQ(interop.import_pointer(plugin.state, 0, &object, &address,
                                   messages.call()),
            NEREID_UNIMPLEMENTED);
  EXPECT_EQ(messages.errors(),
            "cannot import a 'cuda.pointer', only a 'host.pointer'\n");
  EXPECT_EQ(interop.import_stream, nullptr);
}

TEST(Device, TimesByEvents) {
  Plugin plugin;
  const auto &events = plugin.extension<nereid_events_t>(NEREID_EXT_EVENT);
  Messages messages;
  const nereid_call_t *call = messages.call();
  nereid_event_request_t request = {sizeof request, 0};
  nereid_event_t *start = nullptr, *end = nullptr;
  events.create(plugin.state, 0, &request, &start, call);
  events.create(plugin.state, 0, &request, &end, call);
  int32_t done = 0;
  EXPECT_EQ(events.query(plugin.state, start, &done, call), NEREID_OK);
  EXPECT_EQ(done, 1) << "an event that was never recorded counts as reached";
  double nanoseconds = -1;
  EXPECT_EQ(events.elapsed(plugin.state, start, end, &nanoseconds, call),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(messages.errors(), "the start event was never recorded\n");
  events.record(plugin.state, start, 0, call);
  usleep(2000);
  EXPECT_EQ(events.wait(plugin.state, 0, plugin.createStream(), start, call),
            NEREID_OK);
  events.record(plugin.state, end, 0, call);
  EXPECT_EQ(events.synchronize(plugin.state, end, call), NEREID_OK);
  EXPECT_EQ(events.elapsed(plugin.state, start, end, &nanoseconds, call),
            NEREID_OK);
  EXPECT_GE(nanoseconds, 2e6);
  for (nereid_event_t *event : {start, end, (nereid_event_t *)nullptr})
    EXPECT_EQ(events.destroy(plugin.state, event, call), NEREID_OK);
}

TEST(Device, FlushesItsCaches) {
  Plugin plugin;
  const auto &benchmark =
      plugin.extension<nereid_benchmark_t>(NEREID_EXT_BENCHMARK);
  Messages messages;
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(benchmark.flush_cache(plugin.state, 0, 0, messages.call()),
              NEREID_OK);
}

nereid_status_t addToText(const nereid_value_sink_t *sink,
                          const nereid_value_t *value) {
  auto &out = *static_cast<std::string *>(sink->user);
  out += text(value->name) + "=" + text(value->text);
  for (uint64_t i = 0; i < value->list_size; ++i)
    out +=
        value->type == NEREID_TYPE_STRING_LIST
            ? text(static_cast<const nereid_string_t *>(value->list)[i]) + ","
            : std::to_string(static_cast<const int64_t *>(value->list)[i]) +
                  ",";
  out += ";";
  return NEREID_OK;
}

TEST(Plugin, DeclaresItsAbiItsVendorAndItsFrontend) {
  Plugin plugin;
  EXPECT_EQ(plugin.table->abi_major, uint32_t(NEREID_ABI_MAJOR));
  EXPECT_EQ(plugin.table->abi_revision, uint32_t(NEREID_ABI_REVISION));
  EXPECT_EQ(plugin.table->flags, uint32_t(NEREID_PLUGIN_FORK_SAFE));
  const auto &vendor = plugin.extension<nereid_vendor_t>(NEREID_EXT_VENDOR);
  EXPECT_EQ(text(vendor.device_query_command), "lscpu");
  EXPECT_EQ(text(vendor.dispatch_key), "CPU");
  std::string facts;
  nereid_value_sink_t sink = {sizeof sink, 0, &facts, addToText};
  Messages messages;
  const auto &frontend =
      plugin.extension<nereid_frontend_t>(NEREID_EXT_FRONTEND);
  EXPECT_EQ(frontend.visit_facts(plugin.state, nullptr, &sink, messages.call()),
            NEREID_OK);
  EXPECT_EQ(facts, "fp8_types=fp8e4b15,fp8e4b8,fp8e4nv,fp8e5,fp8e5b16,;"
                   "dot_precisions=ieee,tf32,tf32x3,bf16x3,bf16x6,;"
                   "default_dot_precision=ieee;min_dot_size=1,1,1,;"
                   "max_num_imprecise_acc=;");
  EXPECT_EQ(plugin.table->get_extension(plugin.state, {"other/1", 7}), nullptr);
}

TEST(Create, BadEnvironment) {
  Plugin good;
  nereid_state_t *other = nullptr;
  Messages messages;
  setenv("NEREID_CPU_THREADS", "many", 1);
  EXPECT_EQ(good.table->create(nullptr, &other, messages.call()),
            NEREID_INVALID_ARGUMENT);
  unsetenv("NEREID_CPU_THREADS");
  EXPECT_EQ(messages.errors(), "NEREID_CPU_THREADS is 'many', a number from 1 "
                               "to 4096 was expected\n");
  EXPECT_EQ(other, nullptr);
}

} // namespace
} // namespace nereid::cpu::test
