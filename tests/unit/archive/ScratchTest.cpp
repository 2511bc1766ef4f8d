// ScratchTest.cpp - memory that kernels of an archive need while they run.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ArchiveFixture.h"
#include "record.h"

#include <gmock/gmock.h>

using testing::HasSubstr;

namespace {
/// `backend` is plugin `extension`, whose driver records launches.
class ArchiveScratchTest : public ArchiveFixture {
protected:
  void SetUp() override {
    ArchiveFixture::SetUp();
    ASSERT_EQ(
        nereid_runtime_load(runtime, text(NEREID_EXTENSION_PLUGIN), &backend),
        NEREID_OK)
        << lastError();
    nereid_archive_writer_t *writer = nullptr;
    ASSERT_EQ(nereid_archive_writer_create(&writer), NEREID_OK);
    addKernel(writer, "large", "4096");
    addKernel(writer, "small", "24");
    nereid_buffer_t *buffer = nullptr;
    ASSERT_EQ(nereid_archive_writer_finish(writer, 0, &buffer), NEREID_OK)
        << lastError();
    nereid_archive_writer_destroy(writer);
    nereid_bytes_t made = nereid_buffer_bytes(buffer);
    bytes.assign(static_cast<const char *>(made.data), made.size);
    nereid_buffer_destroy(buffer);
    archive = open(bytes);
    device = loadFor(archive);
  }

  void TearDown() override {
    nereid_archive_device_destroy(device);
    nereid_archive_destroy(archive);
    ArchiveFixture::TearDown();
  }

  // A kernel `k(*f32, i32)` whose programs need `scratch` bytes.
  void addKernel(nereid_archive_writer_t *writer, std::string_view name,
                 std::string_view scratch) {
    nereid_argument_t arguments[] = {
        {sizeof(nereid_argument_t), 0, 0, 0, text("p"), text("*f32")},
        {sizeof(nereid_argument_t), 0, 0, 0, text("n"), text("i32")}};
    nereid_archive_new_kernel_t kernel = {};
    kernel.struct_size = sizeof kernel;
    kernel.name = text(name);
    kernel.arguments = arguments;
    kernel.argument_count = 2;
    ASSERT_EQ(nereid_archive_writer_add_kernel(writer, &kernel), NEREID_OK)
        << lastError();
    uint32_t parameters[] = {0, 1};
    nereid_archive_new_variant_t variant = {};
    variant.struct_size = sizeof variant;
    variant.kernel = text(name);
    variant.parameters = parameters;
    variant.parameter_count = 2;
    ASSERT_EQ(nereid_archive_writer_add_variant(writer, &variant), NEREID_OK)
        << lastError();
    nereid_artifact_t *artifact =
        compile(request("module { tt.func public @k(%p: !tt.ptr<f32>, %n: i32)"
                        " { tt.return } }"),
                {{"scratch_size", scratch}});
    ASSERT_NE(artifact, nullptr) << lastError();
    nereid_target_t target = {};
    target.struct_size = sizeof target;
    ASSERT_EQ(nereid_backend_target(backend, 0, &target), NEREID_OK);
    EXPECT_EQ(nereid_archive_writer_add_image(writer, text(name), 0, &target,
                                              artifact),
              NEREID_OK)
        << lastError();
    nereid_artifact_destroy(artifact);
  }

  nereid_extension_launch_t lastLaunch() {
    auto *record = static_cast<const nereid_extension_record_t *>(
        nereid_backend_extension(backend, text(NEREID_EXT_EXTENSION_RECORD)));
    nereid_state_t *state = nereid_backend_state(backend);
    nereid_extension_launch_t launch = {};
    launch.struct_size = sizeof launch;
    EXPECT_EQ(record->get(state, record->count(state) - 1, &launch), NEREID_OK);
    return launch;
  }

  nereid_extension_launch_t run(uint32_t kernel, uint32_t programs,
                                nereid_address_t scratch = 0,
                                uint64_t size = 0) {
    alignas(64) char block[16] = {};
    nereid_launch_t launch = launchOf(programs, 1, 1, block, sizeof block);
    launch.scratch = scratch;
    launch.scratch_size = size;
    EXPECT_EQ(nereid_archive_launch(device, kernel, &launch), NEREID_OK)
        << lastError();
    return lastLaunch();
  }

  std::string bytes;
  nereid_archive_t *archive = nullptr;
  nereid_archive_device_t *device = nullptr;
};
} // namespace

TEST_F(ArchiveScratchTest, IsAllocatedOnceAndGrows) {
  nereid_extension_launch_t first = run(1, 10); // 240 bytes
  EXPECT_NE(first.scratch, 0u);
  EXPECT_EQ(first.scratch % 64, 0u);
  EXPECT_GE(first.scratch_size, 240u);
  EXPECT_EQ(run(1, 5).scratch, first.scratch);
  EXPECT_GE(run(0, 3).scratch_size, 3u * 4096);
  EXPECT_GE(run(1, 10).scratch_size, 3u * 4096);
}

TEST_F(ArchiveScratchTest, IsTheCallersIfThereIsSome) {
  EXPECT_EQ(run(1, 2, 6400, 64).scratch, 6400u);
  alignas(64) char block[16] = {};
  nereid_launch_t launch = launchOf(2, 1, 1, block, sizeof block);
  launch.scratch = 6400;
  launch.scratch_size = 47;
  EXPECT_EQ(nereid_archive_launch(device, 1, &launch), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("expected 24 for each of 2 programs"));
}
