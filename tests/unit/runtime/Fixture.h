// Fixture.h - a runtime with the fake plugin and a cache of its own.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TEST_FIXTURE_H
#define NEREID_TEST_FIXTURE_H

#include "fake_plugin.h"
#include "nereid/host.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

inline nereid_string_t text(std::string_view view) {
  return {view.data(), view.size()};
}
inline std::string string(nereid_string_t text) {
  return text.size ? std::string(text.data, text.size) : std::string();
}
inline std::string lastError() { return string(nereid_error()); }

/// The functions that take a request, with it spelled out.
inline nereid_launch_t launchOf(uint32_t x, uint32_t y, uint32_t z,
                                const void *arguments, uint64_t size) {
  nereid_launch_t launch = {};
  launch.struct_size = sizeof launch;
  launch.grid[0] = x;
  launch.grid[1] = y;
  launch.grid[2] = z;
  launch.arguments = arguments;
  launch.arguments_size = size;
  return launch;
}
inline nereid_status_t launch(nereid_function_t *function, uint32_t x,
                              uint32_t y, uint32_t z, const void *arguments,
                              uint64_t size) {
  nereid_launch_t request = launchOf(x, y, z, arguments, size);
  return nereid_function_launch(function, &request);
}
inline nereid_status_t copy(nereid_backend_t *backend,
                            nereid_copy_direction_t direction,
                            nereid_address_t destination,
                            nereid_address_t source, uint64_t size) {
  nereid_copy_t request = {sizeof request, direction, 0,
                           destination,    source,    size};
  return nereid_backend_copy(backend, 0, &request);
}
inline nereid_status_t fill(nereid_backend_t *backend,
                            nereid_address_t destination, const void *pattern,
                            uint32_t patternSize, uint64_t count) {
  nereid_fill_t request = {sizeof request, patternSize, 0,
                           destination,    pattern,     count};
  return nereid_backend_fill(backend, 0, &request);
}
inline nereid_status_t allocate(nereid_backend_t *backend, uint32_t device,
                                uint64_t size, nereid_address_t *address) {
  nereid_allocation_t request = {sizeof request, 0, size, 0};
  return nereid_backend_allocate(backend, device, &request, address);
}

/// The JSON that a function gives through its out parameter.
template <typename Function> nlohmann::json jsonOf(Function &&function) {
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status = function(&buffer);
  EXPECT_EQ(status, NEREID_OK) << lastError();
  if (status != NEREID_OK)
    return {};
  nereid_bytes_t bytes = nereid_buffer_bytes(buffer);
  nlohmann::json json = nlohmann::json::parse(
      std::string(static_cast<const char *>(bytes.data), bytes.size));
  nereid_buffer_destroy(buffer);
  return json;
}

class RuntimeFixture : public testing::Test {
protected:
  void SetUp() override {
    fake_reset();
    std::string name = testing::TempDir() + "nereid-runtime-XXXXXX";
    ASSERT_TRUE(mkdtemp(name.data()));
    directory = name;
    start();
  }

  void TearDown() override {
    stop();
    std::filesystem::remove_all(directory);
  }

  /// Makes the runtime and registers the fake plugin.
  void start(uint32_t flags = 0) {
    nereid_runtime_options_t options = {};
    options.struct_size = sizeof options;
    options.flags =
        flags | NEREID_RUNTIME_NO_DISCOVERY | NEREID_RUNTIME_IGNORE_ENVIRONMENT;
    std::string cache = directory + "/cache";
    options.cache_dir = text(cache);
    options.user = this;
    options.log = log;
    options.compile_listener = listen;
    ASSERT_EQ(nereid_runtime_create(&options, &runtime), NEREID_OK)
        << lastError();
    ASSERT_EQ(nereid_runtime_register(runtime, fake_plugin(), &backend),
              NEREID_OK)
        << lastError();
  }

  void stop() {
    nereid_runtime_destroy(runtime);
    runtime = nullptr;
  }

  void restart(uint32_t flags = 0) {
    stop();
    start(flags);
  }

  static nereid_compile_request_t request(std::string_view source = "source") {
    nereid_compile_request_t request = {};
    request.struct_size = sizeof request;
    request.source = {source.data(), source.size()};
    request.source_name = text("k.ttir");
    return request;
  }

  using OptionTexts =
      std::vector<std::pair<std::string_view, std::string_view>>;

  /// Compiles with options given as texts; null on failure.
  nereid_artifact_t *compile(nereid_compile_request_t request,
                             const OptionTexts &given = {}) {
    std::vector<nereid_value_t> options;
    for (auto [name, value] : given) {
      nereid_value_t option = {};
      option.name = text(name);
      option.type = NEREID_TYPE_STRING;
      option.text = text(value);
      options.push_back(option);
    }
    request.options = options.data();
    request.option_count = options.size();
    nereid_artifact_t *artifact = nullptr;
    status = nereid_compile(backend, &request, &artifact);
    return artifact;
  }

  /// The error of a compile that must fail.
  std::string compileError(nereid_compile_request_t request,
                           const OptionTexts &options = {}) {
    nereid_artifact_t *artifact = compile(request, options);
    EXPECT_EQ(artifact, nullptr);
    nereid_artifact_destroy(artifact);
    return lastError();
  }

  static nereid_artifact_info_t info(nereid_artifact_t *artifact) {
    nereid_artifact_info_t info = {};
    info.struct_size = sizeof info;
    EXPECT_EQ(nereid_artifact_info(artifact, &info), NEREID_OK);
    return info;
  }
  static std::string output(nereid_artifact_t *artifact) {
    nereid_bytes_t bytes = info(artifact).output;
    return {static_cast<const char *>(bytes.data), bytes.size};
  }

  /// A loaded kernel of the fake.
  nereid_function_t *load() {
    nereid_artifact_t *artifact = compile(request());
    nereid_function_t *function = nullptr;
    EXPECT_EQ(nereid_function_load(backend, 0, artifact, &function), NEREID_OK)
        << lastError();
    nereid_artifact_destroy(artifact);
    return function;
  }

  static void log(void *user, nereid_string_t source,
                  const nereid_diagnostic_t *diagnostic) {
    RuntimeFixture &self = *static_cast<RuntimeFixture *>(user);
    std::lock_guard lock(self.mutex);
    self.messages += string(source) + ": " + string(diagnostic->message) + '\n';
  }
  static void listen(void *user, const nereid_compile_event_t *event) {
    RuntimeFixture &self = *static_cast<RuntimeFixture *>(user);
    std::lock_guard lock(self.mutex);
    self.events.push_back(string(event->source) + ": " + string(event->reason));
  }

  std::string directory;
  nereid_runtime_t *runtime = nullptr;
  nereid_backend_t *backend = nullptr;
  // Of the thread's last call, as lastError().
  static inline thread_local nereid_status_t status = NEREID_OK;
  std::mutex mutex;                // of what the callbacks write
  std::string messages;            // what was logged
  std::vector<std::string> events; // what the compile listener was told
};

#endif // NEREID_TEST_FIXTURE_H
