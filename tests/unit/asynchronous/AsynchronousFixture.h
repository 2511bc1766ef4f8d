// AsynchronousFixture.h - a runtime with the asynchronous device, and kernels
// for it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_ASYNCHRONOUS_ASYNCHRONOUSFIXTURE_H
#define NEREID_TESTS_ASYNCHRONOUS_ASYNCHRONOUSFIXTURE_H

#include "nereid/host.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::test {

inline std::string lastError() {
  return std::string(detail::view(nereid_error()));
}
inline nereid_string_t text(std::string_view view) {
  return {view.data(), view.size()};
}
inline std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline std::string vectorAdd() {
  return readFile(KERNELS "/3.6.0/vector_add_f32.ttir");
}

/// The arguments of the kernel in vector_add_f32.ttir.
struct alignas(64) AddArguments {
  nereid_address_t x, y, out;
  int32_t n, padding = 0;
};

class AsynchronousTest : public testing::Test {
protected:
  void SetUp() override {
    auto options = detail::sized<nereid_runtime_options_t>();
    options.flags = NEREID_RUNTIME_NO_DISCOVERY | NEREID_RUNTIME_NO_CACHE |
                    NEREID_RUNTIME_IGNORE_ENVIRONMENT |
                    NEREID_RUNTIME_ALLOW_WRITABLE;
    ASSERT_EQ(nereid_runtime_create(&options, &runtime), NEREID_OK);
    ASSERT_EQ(nereid_runtime_load(runtime, text(ASYNCHRONOUS_PLUGIN), &backend),
              NEREID_OK)
        << lastError();
  }
  void TearDown() override { nereid_runtime_destroy(runtime); }

  static nereid_value_t integer(const char *name, int64_t is,
                                nereid_type_t type = NEREID_TYPE_I64) {
    nereid_value_t value = {};
    value.name = text(name);
    value.type = type;
    value.i64 = is;
    return value;
  }

  nereid_status_t compile(nereid_artifact_t *&out, uint32_t device,
                          std::string_view source,
                          const std::vector<nereid_value_t> &options = {},
                          const char *startAt = "",
                          const char *stopAfter = "") {
    auto request = detail::sized<nereid_compile_request_t>();
    request.source = {source.data(), source.size()};
    request.source_name = text("k.ttir");
    request.device = device;
    request.options = options.data();
    request.option_count = options.size();
    request.start_at = text(startAt);
    request.stop_after = text(stopAfter);
    return nereid_compile(backend, &request, &out);
  }

  nereid_function_t *load(uint32_t device, std::string_view source,
                          const std::vector<nereid_value_t> &options = {},
                          const char *startAt = "") {
    nereid_artifact_t *artifact = nullptr;
    nereid_function_t *function = nullptr;
    EXPECT_EQ(compile(artifact, device, source, options, startAt), NEREID_OK)
        << lastError();
    if (artifact)
      EXPECT_EQ(nereid_function_load(backend, device, artifact, &function),
                NEREID_OK)
          << lastError();
    nereid_artifact_destroy(artifact);
    return function;
  }

  std::string output(const nereid_artifact_t *artifact) {
    auto info = detail::sized<nereid_artifact_info_t>();
    EXPECT_EQ(nereid_artifact_info(artifact, &info), NEREID_OK);
    return {static_cast<const char *>(info.output.data), info.output.size};
  }

  nereid_address_t allocate(uint32_t device, uint64_t size) {
    nereid_allocation_t request = {sizeof request, 0, size, 0};
    nereid_address_t address = 0;
    EXPECT_EQ(nereid_backend_allocate(backend, device, &request, &address),
              NEREID_OK)
        << lastError();
    return address;
  }

  nereid_stream_t createStream(uint32_t device) {
    auto request = detail::sized<nereid_stream_request_t>();
    nereid_stream_t stream = 0;
    EXPECT_EQ(nereid_backend_create_stream(backend, device, &request, &stream),
              NEREID_OK)
        << lastError();
    return stream;
  }

  nereid_event_t *createEvent(uint32_t device, uint32_t flags = 0) {
    nereid_event_request_t request = {sizeof request, flags};
    nereid_event_t *event = nullptr;
    EXPECT_EQ(nereid_backend_create_event(backend, device, &request, &event),
              NEREID_OK)
        << lastError();
    return event;
  }

  template <typename T>
  nereid_status_t upload(uint32_t device, nereid_stream_t stream,
                         nereid_address_t to, const std::vector<T> &from) {
    nereid_copy_t copy = {sizeof copy,
                          NEREID_COPY_HOST_TO_DEVICE,
                          stream,
                          to,
                          reinterpret_cast<uintptr_t>(from.data()),
                          from.size() * sizeof(T)};
    return nereid_backend_copy(backend, device, &copy);
  }

  template <typename T>
  nereid_status_t download(uint32_t device, nereid_stream_t stream,
                           std::vector<T> &to, nereid_address_t from) {
    nereid_copy_t copy = {sizeof copy, NEREID_COPY_DEVICE_TO_HOST,
                          stream,      reinterpret_cast<uintptr_t>(to.data()),
                          from,        to.size() * sizeof(T)};
    return nereid_backend_copy(backend, device, &copy);
  }

  nereid_status_t launch(nereid_function_t *function, nereid_stream_t stream,
                         uint32_t programs, const void *arguments,
                         uint64_t size) {
    auto request = detail::sized<nereid_launch_t>();
    request.grid[0] = programs;
    request.grid[1] = request.grid[2] = 1;
    request.stream = stream;
    request.arguments = arguments;
    request.arguments_size = size;
    return nereid_function_launch(function, &request);
  }

  nereid_status_t synchronize(uint32_t device, nereid_stream_t stream) {
    return nereid_backend_synchronize(backend, device, stream);
  }

  nereid_runtime_t *runtime = nullptr;
  nereid_backend_t *backend = nullptr;
};

} // namespace nereid::test

#endif // NEREID_TESTS_ASYNCHRONOUS_ASYNCHRONOUSFIXTURE_H
