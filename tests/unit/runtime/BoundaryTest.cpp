// BoundaryTest.cpp - what the host does about plugins that throw, are called in
// forked children or answer what they should not.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"
#include "forked_child.h"

#include <gmock/gmock.h>

#include <cstddef>
#include <stdexcept>

using testing::HasSubstr;

namespace {
/// A copy of the fake plugin whose tables can be changed.
class BoundaryTest : public RuntimeFixture {
protected:
  void SetUp() override {
    RuntimeFixture::SetUp();
    plugin = *fake_plugin();
    compiler = *plugin.compiler;
    driver = *plugin.driver;
    plugin.id = text("test.changed");
    plugin.device_type = text("changed");
    plugin.compiler = &compiler;
    plugin.driver = &driver;
  }
  void add() {
    ASSERT_EQ(nereid_runtime_register(runtime, &plugin, &backend), NEREID_OK)
        << lastError();
  }

  nereid_plugin_t plugin = {};
  nereid_compiler_t compiler = {};
  nereid_driver_t driver = {};
};
} // namespace

TEST_F(BoundaryTest, AnEndThatThrowsIsAWarning) {
  // Each ends its handle before it throws.
  compiler.destroy_options = [](nereid_state_t *state,
                                nereid_options_t *options,
                                const nereid_call_t *call) -> nereid_status_t {
    (void)fake_plugin()->compiler->destroy_options(state, options, call);
    throw std::runtime_error("options are gone");
  };
  compiler.end = [](nereid_state_t *state, nereid_session_t *session,
                    const nereid_call_t *call) -> nereid_status_t {
    (void)fake_plugin()->compiler->end(state, session, call);
    throw std::runtime_error("the session is gone");
  };
  driver.unload_module = [](nereid_state_t *state, nereid_module_t *module,
                            const nereid_call_t *call) -> nereid_status_t {
    (void)fake_plugin()->driver->unload_module(state, module, call);
    throw 42;
  };
  plugin.shutdown = [](auto...) -> nereid_status_t { throw 42; };
  add();
  nereid_artifact_t *artifact = compile(request());
  ASSERT_NE(artifact, nullptr) << lastError();
  EXPECT_THAT(messages, HasSubstr("options are gone"));
  EXPECT_THAT(messages, HasSubstr("the session is gone"));
  nereid_function_t *function = nullptr;
  ASSERT_EQ(nereid_function_load(backend, 0, artifact, &function), NEREID_OK);
  nereid_function_destroy(function);
  EXPECT_THAT(messages, HasSubstr("exception of unknown type"));
  nereid_artifact_destroy(artifact);
  EXPECT_EQ(nereid_runtime_unregister(runtime, backend), NEREID_OK);
}

// A dependency that cannot be told must not be left out of the key.
TEST_F(BoundaryTest, ReturningUnimplementedIsNotAMissingSlot) {
  compiler.write_dependencies = [](auto...) -> nereid_status_t {
    return NEREID_UNIMPLEMENTED;
  };
  add();
  EXPECT_EQ(compile(request()), nullptr);
  EXPECT_THAT(lastError(), HasSubstr("write_dependencies failed"));
}

TEST_F(BoundaryTest, ReplacedOrStoppedCompilesHaveTheirOwnKey) {
  auto key = [&](nereid_compile_request_t wanted) {
    return jsonOf([&](nereid_buffer_t **out) {
      return nereid_compile_key(backend, &wanted, out);
    })["key"];
  };
  nlohmann::json whole = key(request());
  nereid_compile_request_t stopped = request();
  stopped.stop_after = text("lower");
  EXPECT_NE(key(stopped), whole);
  nereid_replacement_t replacement = {};
  replacement.struct_size = sizeof replacement;
  replacement.stage = text("lower");
  replacement.replacement = {"x", 1};
  nereid_compile_request_t replaced = request();
  replaced.replacements = &replacement;
  replaced.replacement_count = 1;
  nlohmann::json first = key(replaced);
  EXPECT_NE(first, whole);
  replacement.replacement = {"y", 1};
  EXPECT_NE(key(replaced), first);
  EXPECT_EQ(key(request()), whole);
}

TEST_F(BoundaryTest, ARequestIsCheckedWithoutItsSource) {
  nereid_compile_request_t wanted = request("this is not TTIR");
  EXPECT_EQ(nereid_compile_check(backend, &wanted), NEREID_OK) << lastError();
  EXPECT_EQ(fake_counts().stages, 0);
  wanted.start_at = text("pack");
  wanted.stop_after = text("lower");
  EXPECT_EQ(nereid_compile_check(backend, &wanted), NEREID_INVALID_ARGUMENT);
  compiler.begin = [](nereid_state_t *, const nereid_options_t *,
                      nereid_session_t **,
                      const nereid_call_t *call) -> nereid_status_t {
    nereid_diagnostic_t diagnostic = {};
    diagnostic.struct_size = sizeof diagnostic;
    diagnostic.severity = NEREID_SEVERITY_ERROR;
    diagnostic.message = text("no such processor");
    call->report(call, &diagnostic);
    return NEREID_INVALID_ARGUMENT;
  };
  add();
  wanted = request();
  EXPECT_EQ(nereid_compile_check(backend, &wanted), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("no such processor"));
}

TEST_F(BoundaryTest, AForkedChildIsRefusedUnlessThePluginAllowsIt) {
  plugin.flags &= ~NEREID_PLUGIN_FORK_SAFE;
  add();
  nereid_backend_t *safe = nullptr;
  ASSERT_EQ(nereid_runtime_backend(runtime, text("test.fake"), &safe),
            NEREID_OK);
  nereid_address_t address = 0;
  auto isRefused = [&] {
    return allocate(backend, 0, 64, &address) == NEREID_UNAVAILABLE &&
           lastError().find("not work in the child") != std::string::npos;
  };
  EXPECT_TRUE(nereid::test::succeedsInChild(isRefused));
  EXPECT_TRUE(nereid::test::succeedsInChild(
      [&] { return allocate(safe, 0, 64, &address) == NEREID_OK; }));
  EXPECT_EQ(allocate(backend, 0, 64, &address), NEREID_OK);
  EXPECT_EQ(nereid_backend_free(backend, 0, address), NEREID_OK);
}

TEST_F(BoundaryTest, AnUnalignedBlockIsCopied) {
  static uintptr_t seen;
  driver.launch = [](nereid_kernel_t *, const nereid_launch_t *launch,
                     const nereid_call_t *) -> nereid_status_t {
    seen = reinterpret_cast<uintptr_t>(launch->arguments);
    return NEREID_OK;
  };
  add();
  nereid_artifact_t *artifact = compile(request());
  nereid_function_t *function = nullptr;
  ASSERT_EQ(nereid_function_load(backend, 0, artifact, &function), NEREID_OK);
  alignas(64) char bytes[128] = {};
  EXPECT_EQ(::launch(function, 1, 1, 1, bytes, 16), NEREID_OK);
  EXPECT_EQ(seen, reinterpret_cast<uintptr_t>(bytes));
  EXPECT_EQ(::launch(function, 1, 1, 1, bytes + 8, 16), NEREID_OK);
  EXPECT_NE(seen, reinterpret_cast<uintptr_t>(bytes + 8));
  EXPECT_EQ(seen % 64, 0u);
  nereid_function_destroy(function);
  nereid_artifact_destroy(artifact);
}

TEST_F(BoundaryTest, LaunchesOfOtherVersionsWork) {
  nereid_function_t *function = load();
  struct {
    nereid_launch_t launch;
    uint64_t later;
  } newer = {};
  float result = 0;
  alignas(64) struct {
    nereid_address_t out;
    int32_t value, padding;
  } arguments = {reinterpret_cast<uintptr_t>(&result), 5, 0};
  newer.launch = launchOf(1, 1, 1, &arguments, sizeof arguments);
  newer.launch.struct_size = sizeof newer;
  EXPECT_EQ(nereid_function_launch(function, &newer.launch), NEREID_OK);
  EXPECT_EQ(result, 5);
  arguments.value = 6;
  newer.launch.struct_size = offsetof(nereid_launch_t, scratch);
  newer.launch.scratch = ~uint64_t(0); // not part of this one
  EXPECT_EQ(nereid_function_launch(function, &newer.launch), NEREID_OK);
  EXPECT_EQ(result, 6);
  newer.launch.struct_size = 8;
  EXPECT_EQ(nereid_function_launch(function, &newer.launch),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(lastError(),
            "error: struct_size of the launch is 8, expected its sizeof");
  nereid_function_destroy(function);
}
