// SlotsTest.cpp - tables of any size are copied, and every gap is filled.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/SlotTable.h"

#include "abi/Call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

namespace nereid::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

nereid_status_t getInfo(nereid_state_t *, uint32_t, nereid_memory_info_t *,
                        const nereid_call_t *) {
  return NEREID_OK;
}
nereid_status_t allocateHost(nereid_state_t *, uint32_t,
                             const nereid_allocation_t *, void **,
                             const nereid_call_t *) {
  return NEREID_OK;
}

/// Every slot that the host copies, by the size of the table alone.
template <typename Table> void expectNoGap() {
  SlotTable<Table> table;
  auto *bytes = reinterpret_cast<char *>(static_cast<Table *>(&table));
  for (size_t at = 8; at < sizeof(Table); at += sizeof(void *))
    EXPECT_NE(*reinterpret_cast<void **>(bytes + at), nullptr)
        << tableKind<Table>().name << " at " << at;
  EXPECT_FALSE(table.isThere());
}

TEST(Slots, EverySlotOfAnAbsentTableIsFilled) {
  expectNoGap<nereid_compiler_t>();
  expectNoGap<nereid_driver_t>();
  expectNoGap<nereid_streams_t>();
  expectNoGap<nereid_events_t>();
  expectNoGap<nereid_memory_t>();
  expectNoGap<nereid_interop_t>();
  expectNoGap<nereid_benchmark_t>();
  expectNoGap<nereid_frontend_t>();
  expectNoGap<nereid_libdevice_t>();
}

TEST(Slots, AStubNamesItselfAndItsPlugin) {
  SlotTable<nereid_compiler_t> compiler;
  Call call(nullptr, "acme");
  nereid_status_t status =
      compiler.visit_options(nullptr, nullptr, nullptr, call.get());
  EXPECT_EQ(status, NEREID_UNIMPLEMENTED);
  EXPECT_EQ(call.failure(status, "visit_options").text,
            "plugin 'acme': does not implement compiler.visit_options");
}

TEST(Slots, EachStubHasItsOwnName) {
  SlotTable<nereid_driver_t> driver;
  SlotTable<nereid_streams_t> streams;
  Call first(nullptr, "acme"), second(nullptr, "acme");
  (void)driver.synchronize(nullptr, 0, 0, first.get());
  (void)streams.destroy(nullptr, 0, 0, second.get());
  EXPECT_THAT(first.failure(NEREID_UNIMPLEMENTED, "").text,
              HasSubstr("driver.synchronize"));
  EXPECT_THAT(second.failure(NEREID_UNIMPLEMENTED, "").text,
              HasSubstr("stream.destroy"));
}

TEST(Slots, AStubWithoutACallOnlyReturns) {
  SlotTable<nereid_driver_t> driver;
  EXPECT_EQ(driver.launch(nullptr, nullptr, nullptr), NEREID_UNIMPLEMENTED);
}

TEST(Slots, AllMissingRequiredSlotsAreListed) {
  nereid_compiler_t given = {};
  given.struct_size = sizeof given;
  SlotTable<nereid_compiler_t> table;
  EXPECT_THAT(table.assign(&given),
              ElementsAre("compiler.score_target", "compiler.parse_options",
                          "compiler.destroy_options", "compiler.visit_stages",
                          "compiler.run_stage"));
  EXPECT_THAT(table.assign(nullptr), ElementsAre());
}

TEST(Slots, AGroupOfOptionalSlotsIsCompleteOrAbsent) {
  nereid_memory_t given = {};
  given.struct_size = sizeof given;
  SlotTable<nereid_memory_t> table;
  EXPECT_THAT(table.assign(&given), ElementsAre());
  given.allocate_host = allocateHost;
  EXPECT_THAT(table.assign(&given), ElementsAre("memory.free_host"));
}

// What a slot returns says nothing of whether it is there.
TEST(Slots, ATableKnowsWhichSlotsThePluginHas) {
  nereid_memory_t given = {};
  given.struct_size = sizeof given;
  given.get_info = getInfo;
  SlotTable<nereid_memory_t> table;
  (void)table.assign(&given);
  EXPECT_TRUE(table.isThere());
  EXPECT_TRUE(table.has(&nereid_memory_t::get_info));
  EXPECT_FALSE(table.has(&nereid_memory_t::fill));
  EXPECT_FALSE(table.has(&nereid_memory_t::copy_peer));
  (void)table.assign(nullptr);
  EXPECT_FALSE(table.has(&nereid_memory_t::get_info));
}

TEST(Slots, EverySizeOfATableIsReadWithinItsBounds) {
  // On the heap, so that AddressSanitizer sees each byte too much.
  for (uint32_t size = 8; size <= sizeof(nereid_memory_t) + 64; ++size) {
    std::unique_ptr<char[]> bytes(new char[size]);
    std::memset(bytes.get(), 0, size);
    std::memcpy(bytes.get(), &size, sizeof size);
    decltype(nereid_memory_t::get_info) function = getInfo;
    constexpr size_t at = offsetof(nereid_memory_t, get_info);
    bool fits = size >= at + sizeof function;
    if (fits)
      std::memcpy(bytes.get() + at, &function, sizeof function);
    SlotTable<nereid_memory_t> table;
    (void)table.assign(reinterpret_cast<nereid_memory_t *>(bytes.get()));
    EXPECT_EQ(table.get_info == getInfo, fits) << size;
    EXPECT_EQ(table.has(&nereid_memory_t::get_info), fits) << size;
    EXPECT_EQ(table.struct_size, sizeof(nereid_memory_t));
  }
}

} // namespace
} // namespace nereid::host
