// TtirExtensionTest.cpp - the host's extension nereid.ttir/1, as a plugin gets
// it, with the service behind it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "fake_plugin.h"
#include "nereid/ext/ttir.h"
#include "nereid/host.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

using testing::HasSubstr;

namespace {
constexpr std::string_view kernel = R"(module {
  tt.func public @k(%n: i32) {
    %0 = arith.addi %n, %n : i32
    tt.return
  }
}
)";

const nereid_host_t *givenHost;
decltype(nereid_plugin_t::create) createFake;

nereid_status_t createAndKeepHost(const nereid_host_t *host,
                                  nereid_state_t **out,
                                  const nereid_call_t *call) {
  givenHost = host;
  return createFake ? createFake(host, out, call) : NEREID_OK;
}

nereid_string_t text(std::string_view view) {
  return {view.data(), view.size()};
}

/// The extension of a runtime that a plugin has just been registered with.
class TtirExtension : public testing::Test {
protected:
  void SetUp() override {
    auto options = nereid::detail::sized<nereid_runtime_options_t>();
    options.flags = NEREID_RUNTIME_NO_DISCOVERY | NEREID_RUNTIME_NO_CACHE |
                    NEREID_RUNTIME_IGNORE_ENVIRONMENT;
    ASSERT_EQ(nereid_runtime_create(&options, &runtime), NEREID_OK);
    plugin = *fake_plugin();
    createFake = plugin.create;
    plugin.create = createAndKeepHost;
    nereid_backend_t *backend = nullptr;
    ASSERT_EQ(nereid_runtime_register(runtime, &plugin, &backend), NEREID_OK);
    extension = static_cast<const nereid_ttir_t *>(
        givenHost->get_extension(givenHost, text(NEREID_EXT_TTIR)));
    ASSERT_NE(extension, nullptr);

    writer.struct_size = sizeof writer;
    writer.user = &output;
    writer.write = [](const nereid_writer_t *self, const void *data,
                      uint64_t size) -> nereid_status_t {
      static_cast<std::string *>(self->user)
          ->append(static_cast<const char *>(data), size);
      return NEREID_OK;
    };
    call.struct_size = sizeof call;
    call.user = &reported;
    call.report = [](const nereid_call_t *self,
                     const nereid_diagnostic_t *diagnostic) {
      *static_cast<std::string *>(self->user) +=
          std::to_string(diagnostic->line) + ": " +
          std::string(nereid::detail::view(diagnostic->message)) + "\n";
    };
  }
  void TearDown() override { nereid_runtime_destroy(runtime); }

  nereid_status_t normalize(std::string_view input) {
    return extension->normalize({input.data(), input.size()}, text("k.ttir"),
                                {}, &writer, &call);
  }

  nereid_runtime_t *runtime = nullptr;
  nereid_plugin_t plugin = {};
  const nereid_ttir_t *extension = nullptr;
  nereid_writer_t writer = {};
  nereid_call_t call = {};
  std::string output, reported;
};

TEST_F(TtirExtension, NormalizesThroughTheService) {
  ASSERT_EQ(normalize(kernel), NEREID_OK) << reported;
  EXPECT_THAT(output, HasSubstr("tt.func public @k"));
  EXPECT_THAT(output, testing::Not(HasSubstr("arith.addi")));
}

TEST_F(TtirExtension, DescribesThroughTheService) {
  ASSERT_EQ(extension->describe({kernel.data(), kernel.size()}, text("k.ttir"),
                                &writer, &call),
            NEREID_OK)
      << reported;
  EXPECT_THAT(output, HasSubstr("\"name\":\"k\""));
}

TEST_F(TtirExtension, ReportsWhatIsWrongWithItsPlace) {
  EXPECT_EQ(normalize("module {\n  tt.bogus\n}\n"), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(reported, HasSubstr("2: "));
}

TEST_F(TtirExtension, OtherNamesAreNoExtension) {
  EXPECT_EQ(givenHost->get_extension(givenHost, text("nereid.ttir/2")),
            nullptr);
}
} // namespace
