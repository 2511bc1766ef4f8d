// RuntimeTest.cpp - runtimes, backends and their devices through the C
// interface.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include <gmock/gmock.h>

using testing::HasSubstr;

namespace {
class RuntimeTest : public RuntimeFixture {};
} // namespace

TEST_F(RuntimeTest, DescribesARegisteredBackend) {
  nereid_backend_info_t info = {};
  info.struct_size = sizeof info;
  ASSERT_EQ(nereid_backend_info(backend, &info), NEREID_OK);
  EXPECT_EQ(string(info.id), "test.fake");
  EXPECT_EQ(string(info.device_type), "fake");
  EXPECT_EQ(string(info.path), "");
  EXPECT_EQ(string(info.probe_reason), "1 device");
  EXPECT_EQ(info.score, 100);
  EXPECT_EQ(info.device_count, 1u);
  EXPECT_TRUE(info.has_compiler && info.has_driver);
}

TEST_F(RuntimeTest, FillsNoMoreThanTheCallersStructHolds) {
  nereid_backend_info_t info;
  memset(&info, 0x5a, sizeof info);
  info.struct_size = offsetof(nereid_backend_info_t, id);
  ASSERT_EQ(nereid_backend_info(backend, &info), NEREID_OK);
  EXPECT_EQ(info.score, 100);
  EXPECT_EQ(info.struct_size, offsetof(nereid_backend_info_t, id));
  EXPECT_EQ(info.id.size, 0x5a5a5a5a5a5a5a5au);

  info.struct_size = 0;
  EXPECT_EQ(nereid_backend_info(backend, &info), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("struct_size"));
}

TEST_F(RuntimeTest, FindsBackendsByIdAndDeviceType) {
  nereid_backend_t *found = nullptr;
  ASSERT_EQ(nereid_runtime_backend(runtime, text("fake"), &found), NEREID_OK);
  EXPECT_EQ(found, backend);
  ASSERT_EQ(nereid_runtime_backend(runtime, text("test.fake"), &found),
            NEREID_OK);
  EXPECT_EQ(found, backend);
  ASSERT_EQ(nereid_runtime_backend_count(runtime), 1u);
  EXPECT_EQ(nereid_runtime_backend_at(runtime, 0), backend);
  EXPECT_EQ(nereid_runtime_backend_at(runtime, 1), nullptr);

  found = nullptr;
  EXPECT_EQ(nereid_runtime_backend(runtime, text("fakee"), &found),
            NEREID_NOT_FOUND);
  EXPECT_THAT(lastError(), HasSubstr("fake"));
  EXPECT_EQ(found, nullptr);
}

TEST_F(RuntimeTest, ChoosesAndExplains) {
  nereid_backend_t *found = nullptr;
  uint32_t device = 7;
  ASSERT_EQ(nereid_runtime_choose(runtime, text(""), &found, &device),
            NEREID_OK);
  EXPECT_EQ(found, backend);
  EXPECT_EQ(device, 0u);
  nlohmann::json why = jsonOf([&](nereid_buffer_t **out) {
    return nereid_runtime_explain(runtime, text(""), out);
  });
  EXPECT_THAT(why.dump(), HasSubstr("test.fake"));
}

TEST_F(RuntimeTest, ReportsATableOfTheProcess) {
  ASSERT_EQ(nereid_runtime_candidate_count(runtime), 1u);
  nereid_candidate_t candidate = {};
  candidate.struct_size = sizeof candidate;
  ASSERT_EQ(nereid_runtime_candidate(runtime, 0, &candidate), NEREID_OK);
  EXPECT_EQ(candidate.loaded, 1u);
  EXPECT_EQ(string(candidate.id), "test.fake");
  EXPECT_EQ(string(candidate.reason), "loaded");
  EXPECT_EQ(nereid_runtime_candidate(runtime, 1, &candidate), NEREID_NOT_FOUND);
  nlohmann::json report = jsonOf([&](nereid_buffer_t **out) {
    return nereid_runtime_report(runtime, out);
  });
  EXPECT_THAT(report.dump(), HasSubstr("test.fake"));
}

TEST_F(RuntimeTest, UnregistersOnlyUnusedBackends) {
  nereid_function_t *function = load();
  EXPECT_EQ(nereid_runtime_unregister(runtime, backend),
            NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("still used by 1 loaded functions"));
  nereid_function_destroy(function);
  EXPECT_EQ(fake_counts().shutdowns, 0);
  ASSERT_EQ(nereid_runtime_unregister(runtime, backend), NEREID_OK)
      << lastError();
  EXPECT_EQ(fake_counts().shutdowns, 1);
  EXPECT_EQ(nereid_runtime_backend_count(runtime), 0u);
  // And again under the same id.
  ASSERT_EQ(nereid_runtime_register(runtime, fake_plugin(), &backend),
            NEREID_OK)
      << lastError();
}

TEST_F(RuntimeTest, ShutsPluginsDownWhenItEnds) {
  stop();
  EXPECT_EQ(fake_counts().shutdowns, 1);
}

TEST_F(RuntimeTest, RefusesASecondTableOfTheSameId) {
  nereid_backend_t *second = nullptr;
  EXPECT_NE(nereid_runtime_register(runtime, fake_plugin(), &second),
            NEREID_OK);
  EXPECT_THAT(lastError(), HasSubstr("test.fake"));
}

TEST_F(RuntimeTest, NullPointersAreErrorsAndDestroyAcceptsThem) {
  EXPECT_EQ(nereid_runtime_create(nullptr, nullptr), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(nereid_runtime_load(nullptr, text("/x"), &backend),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(lastError(), "error: runtime is null");
  EXPECT_EQ(nereid_compile(backend, nullptr, nullptr), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(lastError(), "error: request is null");
  EXPECT_EQ(nereid_function_launch(nullptr, nullptr), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(nereid_backend_target(nullptr, 0, nullptr),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(nereid_runtime_backend_count(nullptr), 0u);
  EXPECT_EQ(nereid_buffer_bytes(nullptr).size, 0u);
  nereid_runtime_destroy(nullptr);
  nereid_artifact_destroy(nullptr);
  nereid_function_destroy(nullptr);
  nereid_buffer_destroy(nullptr);
}

TEST_F(RuntimeTest, LetsALibraryOnTopReportErrorsAndMakeBuffers) {
  EXPECT_EQ(nereid_fail(NEREID_NOT_FOUND, text("no 'a'\nnote: there is 'b'")),
            NEREID_NOT_FOUND);
  EXPECT_EQ(lastError(), "error: no 'a'\nnote: there is 'b'");
  EXPECT_EQ(nereid_fail(NEREID_OK, text("x")), NEREID_INTERNAL);

  std::string bytes("a\0b", 3);
  nereid_buffer_t *buffer = nullptr;
  ASSERT_EQ(nereid_buffer_create({bytes.data(), bytes.size()}, &buffer),
            NEREID_OK);
  nereid_bytes_t copied = nereid_buffer_bytes(buffer);
  EXPECT_NE(copied.data, bytes.data());
  EXPECT_EQ(std::string(static_cast<const char *>(copied.data), copied.size),
            bytes);
  nereid_buffer_destroy(buffer);
  EXPECT_EQ(nereid_buffer_create({nullptr, 1}, &buffer),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(nereid_buffer_create({nullptr, 0}, nullptr),
            NEREID_INVALID_ARGUMENT);
}

TEST_F(RuntimeTest, NamesStatusesAndItsVersion) {
  EXPECT_EQ(string(nereid_status_name(NEREID_INVALID_ARGUMENT)),
            "invalid-argument");
  EXPECT_EQ(string(nereid_status_name(-5)), "internal");
  EXPECT_THAT(string(nereid_version()),
              testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

// ---- Devices.

TEST_F(RuntimeTest, MovesMemory) {
  float values[4] = {1, 2, 3, 4}, back[4] = {};
  nereid_address_t address = 0;
  ASSERT_EQ(allocate(backend, 0, sizeof values, &address), NEREID_OK);
  EXPECT_EQ(address % 64, 0u);
  ASSERT_EQ(::copy(backend, NEREID_COPY_HOST_TO_DEVICE, address,
                   reinterpret_cast<uintptr_t>(values), sizeof values),
            NEREID_OK);
  ASSERT_EQ(::copy(backend, NEREID_COPY_DEVICE_TO_HOST,
                   reinterpret_cast<uintptr_t>(back), address, sizeof back),
            NEREID_OK);
  EXPECT_EQ(back[3], 4);
  nereid_backend_free(backend, 0, address);
}

TEST_F(RuntimeTest, FillsByCopyingWhereTheDriverCannotFill) {
  std::vector<uint32_t> memory(700001);
  nereid_address_t address = reinterpret_cast<uintptr_t>(memory.data());
  uint32_t pattern = 0xdeadbeef;
  ASSERT_EQ(::fill(backend, address, &pattern, 4, 700000), NEREID_OK)
      << lastError();
  EXPECT_EQ(std::count(memory.begin(), memory.end(), pattern), 700000);
  EXPECT_EQ(memory.back(), 0u);
}

TEST_F(RuntimeTest, ChecksDevicesPointersAndSizes) {
  nereid_address_t address = 0;
  EXPECT_EQ(allocate(backend, 1, 8, &address), NEREID_NOT_FOUND);
  EXPECT_EQ(lastError(),
            "error: plugin 'test.fake' has no device 1, expected 0 to 0");
  EXPECT_EQ(allocate(backend, 0, 8, nullptr), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(::copy(backend, 9, 8, 8, 8), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(lastError(), "error: copy: direction is 9, expected 1, 2 or 3");
  EXPECT_EQ(::copy(backend, NEREID_COPY_HOST_TO_DEVICE, 0, 8, 8),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(lastError(), "error: copy: the destination of 8 bytes is null");
  EXPECT_EQ(::copy(backend, NEREID_COPY_HOST_TO_DEVICE, 0, 0, 0), NEREID_OK);
  uint64_t pattern = 0;
  EXPECT_EQ(::fill(backend, 8, &pattern, 3, 1), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(::fill(backend, 8, &pattern, 8, UINT64_MAX),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(nereid_backend_free(backend, 5, 8), NEREID_NOT_FOUND);
}

TEST_F(RuntimeTest, MissingSlotsAreNamedAndDefaultsStandIn) {
  nereid_stream_t stream = 99;
  EXPECT_EQ(nereid_backend_create_stream(backend, 0, nullptr, &stream),
            NEREID_UNIMPLEMENTED);
  EXPECT_THAT(lastError(), HasSubstr("does not implement stream.create"));
  EXPECT_EQ(stream, 99u);
  uint32_t device = 99;
  EXPECT_EQ(nereid_backend_get_current_device(backend, &device), NEREID_OK);
  EXPECT_EQ(device, 0u);
  EXPECT_EQ(nereid_backend_get_current_stream(backend, 0, &stream), NEREID_OK);
  EXPECT_EQ(stream, 0u);
  EXPECT_EQ(nereid_backend_destroy_stream(backend, 0, 5), NEREID_UNIMPLEMENTED);
  EXPECT_EQ(nereid_backend_destroy_stream(backend, 0, 0), NEREID_OK);
}

TEST_F(RuntimeTest, ReturnsTargetAndProperties) {
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  ASSERT_EQ(nereid_backend_target(backend, 0, &target), NEREID_OK);
  EXPECT_EQ(string(target.backend), "fake");
  nlohmann::json properties = jsonOf([&](nereid_buffer_t **out) {
    return nereid_backend_properties(backend, 0, out);
  });
  EXPECT_EQ(properties["name"], "the fake");
  EXPECT_EQ(properties["max_grid"][1], 65535);
}

TEST_F(RuntimeTest, ACompilerOnlyPluginRefusesDriverCalls) {
  nereid_backend_t *compiler = nullptr;
  ASSERT_EQ(nereid_runtime_register(runtime, fake_compiler_only(), &compiler),
            NEREID_OK)
      << lastError();
  nereid_address_t address;
  EXPECT_EQ(allocate(compiler, 0, 8, &address), NEREID_UNIMPLEMENTED);
  EXPECT_EQ(lastError(),
            "error: plugin 'test.compiler' has no driver, it only compiles");
}
