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

nereid_status_t flush(nereid_state_t *, uint32_t, nereid_stream_t,
                      const nereid_call_t *) {
  return NEREID_OK;
}
nereid_status_t makeStream(nereid_state_t *, uint32_t, nereid_stream_t *,
                           const nereid_call_t *) {
  return NEREID_OK;
}

TEST(Slots, EverySlotOfAnEmptyTableIsFilled) {
  nereid_compiler_t compiler;
  nereid_driver_t driver;
  fillWithStubs(compiler);
  fillWithStubs(driver);
  for (size_t at = offsetof(nereid_compiler_t, score_target);
       at < sizeof compiler; at += sizeof(void *))
    EXPECT_NE(
        *reinterpret_cast<void **>(reinterpret_cast<char *>(&compiler) + at),
        nullptr);
  for (size_t at = offsetof(nereid_driver_t, probe); at < sizeof driver;
       at += sizeof(void *))
    EXPECT_NE(
        *reinterpret_cast<void **>(reinterpret_cast<char *>(&driver) + at),
        nullptr);
}

TEST(Slots, AStubNamesItselfAndItsPlugin) {
  nereid_compiler_t compiler;
  fillWithStubs(compiler);
  Call call(nullptr, "acme");
  nereid_status_t status =
      compiler.visit_options(nullptr, nullptr, nullptr, call.get());
  EXPECT_EQ(status, NEREID_UNIMPLEMENTED);
  EXPECT_EQ(call.failure(status, "visit_options").text,
            "plugin 'acme': does not implement compiler.visit_options");
}

TEST(Slots, EachStubHasItsOwnName) {
  nereid_driver_t driver;
  fillWithStubs(driver);
  Call first(nullptr, "acme"), second(nullptr, "acme");
  (void)driver.get_current_device(nullptr, nullptr, first.get());
  (void)driver.flush_cache(nullptr, 0, 0, second.get());
  EXPECT_THAT(first.failure(NEREID_UNIMPLEMENTED, "").text,
              HasSubstr("driver.get_current_device"));
  EXPECT_THAT(second.failure(NEREID_UNIMPLEMENTED, "").text,
              HasSubstr("driver.flush_cache"));
}

TEST(Slots, AStubWithoutACallOnlyAnswers) {
  nereid_driver_t driver;
  fillWithStubs(driver);
  EXPECT_EQ(driver.launch(nullptr, nullptr, nullptr), NEREID_UNIMPLEMENTED);
  driver.destroy_stream(nullptr, 0, 0);
}

TEST(Slots, AllMissingRequiredSlotsAreListed) {
  nereid_compiler_t given = {}, out;
  given.struct_size = sizeof given;
  EXPECT_THAT(adoptTable(given, out),
              ElementsAre("compiler.score_target", "compiler.parse_options",
                          "compiler.destroy_options", "compiler.visit_stages",
                          "compiler.run_stage"));
}

TEST(Slots, AGroupOfOptionalSlotsComesWholeOrNotAtAll) {
  nereid_driver_t given = {}, out;
  given.struct_size = sizeof given;
  size_t without = adoptTable(given, out).size();
  given.create_stream = makeStream;
  std::vector<std::string> missing = adoptTable(given, out);
  EXPECT_EQ(missing.size(), without + 1);
  EXPECT_THAT(missing, testing::Contains("driver.destroy_stream"));
}

TEST(Slots, EverySizeOfATableIsReadWithinItsBounds) {
  // On the heap, so that AddressSanitizer sees each byte too much.
  for (uint32_t size = 8; size <= sizeof(nereid_driver_t) + 64; ++size) {
    std::unique_ptr<char[]> bytes(new char[size]);
    std::memset(bytes.get(), 0, size);
    std::memcpy(bytes.get(), &size, sizeof size);
    nereid_status_t (*function)(nereid_state_t *, uint32_t, nereid_stream_t,
                                const nereid_call_t *) = flush;
    constexpr size_t at = offsetof(nereid_driver_t, flush_cache);
    bool fits = size >= at + sizeof function;
    if (fits)
      std::memcpy(bytes.get() + at, &function, sizeof function);
    nereid_driver_t out;
    adoptTable(*reinterpret_cast<nereid_driver_t *>(bytes.get()), out);
    EXPECT_EQ(out.flush_cache == flush, fits) << size;
    EXPECT_EQ(out.struct_size, sizeof out);
  }
}

} // namespace
} // namespace nereid::host
