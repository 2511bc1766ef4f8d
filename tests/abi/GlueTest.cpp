// GlueTest.cpp - the C++ glue lets no exception out, and keeps its reason.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "PluginFile.h"

#include "nereid/plugin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nereid::test;

namespace {

class Glue : public testing::Test {
protected:
  PluginFile plugin{GLUE_PLUGIN};
  TestCall call;

  nereid_status_t score(const char *backend, int32_t &outScore) {
    nereid_target_t target = {};
    target.struct_size = sizeof(target);
    target.backend = borrow(backend);
    call.messages.clear();
    return plugin.compiler().score_target(plugin.state, &target, &outScore,
                                          &call);
  }
};

TEST_F(Glue, CallsTheMember) {
  int32_t outScore = 0;
  EXPECT_EQ(score("glue", outScore), NEREID_OK);
  EXPECT_EQ(outScore, 100);
  EXPECT_TRUE(call.messages.empty());
}

TEST_F(Glue, TurnsExceptionsIntoStatuses) {
  int32_t outScore = 7;
  EXPECT_EQ(score("error", outScore), NEREID_INCOMPATIBLE);
  EXPECT_EQ(call.text(), "thrown on purpose");
  EXPECT_EQ(score("success", outScore), NEREID_INTERNAL);
  EXPECT_EQ(call.text(), "no failure at all");
  EXPECT_EQ(score("memory", outScore), NEREID_OUT_OF_RESOURCES);
  EXPECT_EQ(call.text(), "out of memory");
  EXPECT_EQ(score("exception", outScore), NEREID_INTERNAL);
  EXPECT_NE(call.text(), "not one message");
  EXPECT_EQ(score("integer", outScore), NEREID_INTERNAL);
  EXPECT_EQ(call.text(), "an exception of unknown type");
  EXPECT_EQ(outScore, 7);
}

TEST_F(Glue, TurnsAnExceptionOfAnEndIntoAStatus) {
  EXPECT_EQ(plugin.compiler().destroy_options(plugin.state, nullptr, &call),
            NEREID_INTERNAL);
  EXPECT_EQ(call.text(), "an exception of unknown type");
}

struct Forms {
  nereid_status_t plain(const nereid_call_t *) { return NEREID_OK; }
  nereid_status_t onConst(const nereid_call_t *) const { return NEREID_OK; }
  nereid_status_t quiet(const nereid_call_t *) noexcept { return NEREID_OK; }
  nereid_status_t both(const nereid_call_t *) const noexcept {
    return NEREID_OK;
  }
};

TEST_F(Glue, BindsMembersWithConstAndNoexcept) {
  using Slot = nereid_status_t (*)(nereid_state_t *, const nereid_call_t *);
  Forms forms;
  auto *state = reinterpret_cast<nereid_state_t *>(&forms);
  for (Slot bound : {nereid::plugin::slot<&Forms::plain>,
                     nereid::plugin::slot<&Forms::onConst>,
                     nereid::plugin::slot<&Forms::quiet>,
                     nereid::plugin::slot<&Forms::both>})
    EXPECT_EQ(bound(state, &call), NEREID_OK);
}

TEST_F(Glue, PassesOnTheStatusOfAWriter) {
  TestWriter writer;
  EXPECT_EQ(plugin.compiler().write_dependencies(plugin.state, nullptr, &writer,
                                                 &call),
            NEREID_OK);
  EXPECT_EQ(writer.text, "dependencies");
  nereid_writer_t full = {
      sizeof(full), 0, nullptr,
      [](const nereid_writer_t *, const void *, uint64_t) -> nereid_status_t {
        return NEREID_IO_ERROR;
      }};
  EXPECT_EQ(
      plugin.compiler().write_dependencies(plugin.state, nullptr, &full, &call),
      NEREID_IO_ERROR);
}

TEST_F(Glue, FailsToStart) {
  nereid_host_t host = {};
  host.struct_size = sizeof(host);
  host.name = borrow("refused");
  nereid_state_t *state = nullptr;
  EXPECT_EQ(plugin.plugin->create(&host, &state, &call), NEREID_UNAVAILABLE);
  EXPECT_EQ(call.text(), "this host is refused");
  EXPECT_EQ(state, nullptr);
}

} // namespace
