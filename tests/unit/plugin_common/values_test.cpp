// values_test.cpp - values for the host, and lists of names.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/values.h"

#include <gtest/gtest.h>
#include <string>

namespace nereid::plugin {
namespace {

struct Seen {
  std::string names;
  std::string refused;
};

nereid_value_sink_t sinkFor(Seen &seen) {
  nereid_value_sink_t sink = {};
  sink.struct_size = sizeof sink;
  sink.user = &seen;
  sink.add = [](const nereid_value_sink_t *self,
                const nereid_value_t *value) -> nereid_status_t {
    auto &seen = *static_cast<Seen *>(self->user);
    seen.names += std::string(view(value->name)) + ' ';
    return view(value->name) == seen.refused ? NEREID_IO_ERROR : NEREID_OK;
  };
  return sink;
}

TEST(ValueWriter, AddsEachValue) {
  Seen seen;
  nereid_value_sink_t sink = sinkFor(seen);
  ValueWriter values(&sink);
  constexpr int64_t kNumbers[] = {1, 2};
  values.addString("a", "text");
  values.addIntegers({{"b", 1}, {"c", 2}});
  values.addBool("d", true);
  values.addList("e", kNumbers);
  EXPECT_EQ(values.status(), NEREID_OK);
  EXPECT_EQ(seen.names, "a b c d e ");
}

TEST(ValueWriter, StopsAtARefusedValue) {
  Seen seen;
  seen.refused = "b";
  nereid_value_sink_t sink = sinkFor(seen);
  ValueWriter values(&sink);
  values.addIntegers({{"a", 1}, {"b", 2}, {"c", 3}});
  values.addString("d", "text");
  EXPECT_EQ(values.status(), NEREID_IO_ERROR);
  EXPECT_EQ(seen.names, "a b ");
}

TEST(TakeItem, SplitsAList) {
  std::string_view list = "a,,bc,";
  EXPECT_EQ(takeItem(list, ','), "a");
  EXPECT_EQ(takeItem(list, ','), "");
  EXPECT_EQ(takeItem(list, ','), "bc");
  EXPECT_EQ(list, "");
  EXPECT_EQ(takeItem(list, ','), "");
}

} // namespace
} // namespace nereid::plugin
