// ArchiveFixture.h - archives with images of the fake plugin, through the C
// interface.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TEST_ARCHIVE_FIXTURE_H
#define NEREID_TEST_ARCHIVE_FIXTURE_H

#include "Fixture.h"

class ArchiveFixture : public RuntimeFixture {
protected:
  /// A variant, and the targets that it is compiled for.
  struct Variant {
    std::vector<nereid_archive_condition_t> conditions;
    std::vector<uint32_t> parameters;
    std::string source = "source";
    std::vector<std::string> targets = {"fake:f1"};
    bool embedsTtir = false;
  };
  struct Kernel {
    std::string name;
    std::vector<std::pair<std::string, std::string>> arguments;
    std::vector<Variant> variants;
    std::string group = {};
  };

  static nereid_archive_condition_t divisible(uint32_t argument,
                                              int64_t value) {
    return {sizeof(nereid_archive_condition_t), argument,
            NEREID_ARCHIVE_DIVISIBLE, 0, value};
  }
  static nereid_archive_condition_t equals(uint32_t argument, int64_t value) {
    return {sizeof(nereid_archive_condition_t), argument, NEREID_ARCHIVE_EQUAL,
            0, value};
  }
  /// What the fake's kernel takes: it stores n to x[0].
  static Kernel storing(const std::string &name) {
    return {name,
            {{"x", "*f32"}, {"n", "i32"}},
            {{{divisible(0, 16)}, {0, 1}, "aligned " + name},
             {{}, {0, 1}, "general " + name}}};
  }

  void add(nereid_archive_writer_t *writer, const Kernel &kernel) {
    std::vector<nereid_argument_t> arguments;
    for (const auto &[name, type] : kernel.arguments)
      arguments.push_back(
          {sizeof(nereid_argument_t), 0, 0, 0, text(name), text(type)});
    nereid_archive_constant_t constant = {sizeof constant, 0, text("BLOCK"),
                                          text("1024")};
    nereid_archive_new_kernel_t request = {};
    request.struct_size = sizeof request;
    request.name = text(kernel.name);
    request.group = text(kernel.group);
    request.arguments = arguments.data();
    request.argument_count = arguments.size();
    request.constants = &constant;
    request.constant_count = 1;
    ASSERT_EQ(nereid_archive_writer_add_kernel(writer, &request), NEREID_OK)
        << lastError();
    for (uint32_t i = 0; i < kernel.variants.size(); ++i)
      add(writer, kernel, i);
  }

  void add(nereid_archive_writer_t *writer, const Kernel &kernel, uint32_t i) {
    const Variant &variant = kernel.variants[i];
    nereid_value_t option = {};
    option.name = text("num_warps");
    option.type = NEREID_TYPE_STRING;
    option.text = text("8");
    nereid_archive_new_variant_t request = {};
    request.struct_size = sizeof request;
    request.embeds_ttir = variant.embedsTtir;
    request.kernel = text(kernel.name);
    request.conditions = variant.conditions.data();
    request.condition_count = variant.conditions.size();
    request.parameters = variant.parameters.data();
    request.parameter_count = variant.parameters.size();
    request.options = &option;
    request.option_count = 1;
    request.ttir = {variant.source.data(), variant.source.size()};
    ASSERT_EQ(nereid_archive_writer_add_variant(writer, &request), NEREID_OK)
        << lastError();
    for (const std::string &name : variant.targets) {
      nereid_artifact_t *artifact = compile(this->request(variant.source));
      ASSERT_NE(artifact, nullptr) << lastError();
      nereid_target_t target = {};
      target.struct_size = sizeof target;
      size_t colon = name.find(':');
      target.backend = {name.data(), colon};
      target.arch = {name.data() + colon + 1, name.size() - colon - 1};
      EXPECT_EQ(nereid_archive_writer_add_image(writer, text(kernel.name), i,
                                                &target, artifact),
                NEREID_OK)
          << lastError();
      nereid_artifact_destroy(artifact);
    }
  }

  std::string archiveOf(const std::vector<Kernel> &kernels) {
    nereid_archive_writer_t *writer = nullptr;
    EXPECT_EQ(nereid_archive_writer_create(&writer), NEREID_OK);
    for (const Kernel &kernel : kernels)
      add(writer, kernel);
    nereid_buffer_t *buffer = nullptr;
    EXPECT_EQ(nereid_archive_writer_finish(writer, 0, &buffer), NEREID_OK)
        << lastError();
    nereid_archive_writer_destroy(writer);
    nereid_bytes_t bytes = nereid_buffer_bytes(buffer);
    std::string file(static_cast<const char *>(bytes.data), bytes.size);
    nereid_buffer_destroy(buffer);
    return file;
  }

  static nereid_archive_t *open(const std::string &bytes) {
    nereid_archive_open_t request = {};
    request.struct_size = sizeof request;
    request.memory = {bytes.data(), bytes.size()};
    request.name = text("k.nra");
    nereid_archive_t *archive = nullptr;
    EXPECT_EQ(nereid_archive_open(&request, &archive), NEREID_OK)
        << lastError();
    return archive;
  }

  /// The archive for the fake's device.
  nereid_archive_device_t *loadFor(const nereid_archive_t *archive,
                                   uint32_t flags = 0) {
    nereid_archive_device_t *device = nullptr;
    EXPECT_EQ(nereid_archive_load(archive, backend, 0, flags, &device),
              NEREID_OK)
        << lastError();
    return device;
  }

  /// The block of the fake's kernel.
  struct Block {
    alignas(64) float *x;
    int32_t n;
    int32_t padding = 0;
  };
  static nereid_status_t start(nereid_archive_device_t *device, uint32_t kernel,
                               const void *block, uint64_t size) {
    nereid_launch_t request = launchOf(1, 1, 1, block, size);
    return nereid_archive_launch(device, kernel, &request);
  }
  static nereid_status_t start(nereid_archive_device_t *device, uint32_t kernel,
                               float *x, int32_t n) {
    Block block = {x, n};
    return start(device, kernel, &block, 16);
  }
};

#endif // NEREID_TEST_ARCHIVE_FIXTURE_H
