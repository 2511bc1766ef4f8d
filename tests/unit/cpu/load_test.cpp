// load_test.cpp - valid and invalid images, memory, properties and events.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "harness.h"
#include "kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace nereid::cpu::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string errorOf(const Plugin &plugin, const Compiled &compiled) {
  nereid_module_t *module = nullptr;
  Messages messages;
  EXPECT_EQ(plugin.loadImage(compiled, "", &module, messages),
            NEREID_INCOMPATIBLE);
  EXPECT_EQ(module, nullptr);
  return messages.errors();
}

TEST(Load, RefusesBadImages) {
  Plugin plugin;
  Compiled good = plugin.compile(addKernel(), "asm", "so");
  ASSERT_EQ(good.status, NEREID_OK) << good.errors;
  Compiled bad = good;
  bad.output = "";
  EXPECT_EQ(errorOf(plugin, bad), "bad image: it is not an ELF file\n");
  bad.output = good.output.substr(0, 200);
  EXPECT_THAT(errorOf(plugin, bad), HasSubstr("bad image: "));
  bad = good;
  bad.metadata["argument_size"].number = 40;
  EXPECT_THAT(errorOf(plugin, bad),
              HasSubstr("has 32 bytes of arguments, its metadata says 40"));
  bad = plugin.compile(addKernel(), "asm", "so", {{"arch", "aarch64"}});
  ASSERT_EQ(bad.status, NEREID_OK) << bad.errors;
  EXPECT_THAT(errorOf(plugin, bad), HasSubstr("it is for aarch64"));
}

// In this process: the loader would crash on some of these.
TEST(Load, RefusesEveryChangedByte) {
  Plugin plugin;
  Compiled good = plugin.compile(addKernel(), "asm", "so");
  ASSERT_EQ(good.status, NEREID_OK) << good.errors;
  for (size_t at = 0; at < good.output.size(); ++at) {
    Compiled bad = good;
    bad.output[at] ^= char(1 << at % 8);
    ASSERT_THAT(errorOf(plugin, bad), HasSubstr("bad image: ")) << at;
  }
  for (size_t size :
       {size_t(64), good.output.size() - 16, good.output.size() - 1}) {
    Compiled bad = good;
    bad.output.resize(size);
    EXPECT_EQ(errorOf(plugin, bad), "bad image: its bytes are not those that "
                                    "the cpu plugin's compiler made\n");
  }
}

TEST(Load, RefusesFeaturesThatTheCpuLacks) {
  Plugin plugin;
  Compiled image = plugin.compile(addKernel(), "asm", "so");
  ASSERT_EQ(image.status, NEREID_OK) << image.errors;
  EXPECT_THAT(image.metadata["cpu_features"].text, HasSubstr("+"));
  image.metadata["cpu_features"].text += ",+timetravel";
  EXPECT_THAT(errorOf(plugin, image),
              HasSubstr("compiled for a CPU with timetravel"));
}

TEST(Load, FromAFileAndFromChangedFile) {
  Plugin plugin;
  Compiled add = plugin.compile(addKernel(), "asm", "so");
  Compiled mod = plugin.compile(fmodKernel(), "asm", "so");
  std::string path = std::filesystem::temp_directory_path() /
                     ("nereid-load-" + std::to_string(getpid()) + ".so");
  // As a cache entry: the image, then a trailer; and twice under one name.
  std::vector<nereid_module_t *> modules;
  for (const Compiled *one : {&add, &mod}) {
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary) << one->output << "trailer";
    nereid_module_t *module = nullptr;
    Messages messages;
    ASSERT_EQ(plugin.loadImage(*one, path, &module, messages), NEREID_OK)
        << messages.errors();
    EXPECT_NE(plugin.kernel(module, one->metadata.at("name").text), nullptr);
    modules.push_back(module);
  }
  for (nereid_module_t *module : modules)
    plugin.driver->unload_module(plugin.state, module);
  std::filesystem::remove(path);
}

TEST(Load, ManyImagesFromBytes) {
  Plugin plugin;
  Compiled add = plugin.compile(addKernel(), "asm", "so");
  Compiled mod = plugin.compile(fmodKernel(), "asm", "so");
  for (int round = 0; round < 50; ++round)
    for (const Compiled *one : {&add, &mod}) {
      nereid_module_t *module = nullptr;
      Messages messages;
      ASSERT_EQ(plugin.loadImage(*one, "", &module, messages), NEREID_OK)
          << messages.errors();
      EXPECT_NE(plugin.kernel(module, one->metadata.at("name").text), nullptr);
      if (round % 3)
        plugin.driver->unload_module(plugin.state, module);
    }
}

TEST(Load, RefusesTheNameOfAnotherKernel) {
  Plugin plugin;
  nereid_module_t *module = plugin.load(addKernel());
  nereid_kernel_t *kernel = nullptr;
  Messages messages;
  EXPECT_EQ(plugin.driver->get_kernel(plugin.state, module, {"sub", 3}, &kernel,
                                      nullptr, messages.call()),
            NEREID_NOT_FOUND);
  EXPECT_EQ(messages.errors(),
            "the image holds kernel 'add_kernel', not 'sub'\n");
  plugin.driver->unload_module(plugin.state, module);
  plugin.driver->unload_module(plugin.state, nullptr);
}

/// Run by the test below in a process of its own: loads the image in the file
/// that the environment names, and looks at what is mapped.
TEST(LoadAlone, DoesNotMapLlvm) {
  const char *path = std::getenv("NEREID_TEST_IMAGE");
  if (!path)
    GTEST_SKIP() << "run by Load.NeedsNoCompiler";
  std::ifstream file(path, std::ios::binary);
  Compiled image;
  image.output.assign(std::istreambuf_iterator<char>(file), {});
  Plugin plugin;
  nereid_module_t *module = nullptr;
  Messages messages;
  ASSERT_EQ(plugin.loadImage(image, path, &module, messages), NEREID_OK)
      << messages.errors();
  std::ifstream maps("/proc/self/maps");
  std::string all(std::istreambuf_iterator<char>(maps), {});
  EXPECT_THAT(all, HasSubstr(path));
  EXPECT_THAT(all, Not(HasSubstr("libLLVM")));
  EXPECT_THAT(all, Not(HasSubstr("libMLIR")));
}

TEST(Load, NeedsNoCompiler) {
  Plugin plugin;
  Compiled image = plugin.compile(addKernel(), "asm", "so");
  std::string path = std::filesystem::temp_directory_path() /
                     ("nereid-image-" + std::to_string(getpid()));
  std::ofstream(path, std::ios::binary) << image.output;
  std::string command =
      "NEREID_TEST_IMAGE=" + path + " " +
      std::filesystem::read_symlink("/proc/self/exe").string() +
      " --gtest_filter=LoadAlone.* >/dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::filesystem::remove(path);
}

TEST(Device, ProbeTargetAndProperties) {
  Plugin plugin;
  Messages messages;
  nereid_probe_t probe = {};
  probe.struct_size = sizeof probe;
  nereid_writer_t writer = {};
  writer.struct_size = sizeof writer;
  writer.write = [](const nereid_writer_t *, const void *,
                    uint64_t) -> nereid_status_t { return NEREID_OK; };
  ASSERT_EQ(
      plugin.driver->probe(plugin.state, &probe, &writer, messages.call()),
      NEREID_OK);
  EXPECT_EQ(probe.struct_size, sizeof probe);
  EXPECT_GT(probe.score, 0);
  EXPECT_EQ(probe.flags, NEREID_PROBE_IS_HOST_CPU);
  EXPECT_EQ(probe.device_count, 1u);
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  plugin.driver->get_target(plugin.state, 0, &target, messages.call());
  EXPECT_EQ(text(target.backend), "cpu");
  EXPECT_EQ(target.warp_size, 1);
  int32_t score = 0;
  plugin.compiler->score_target(plugin.state, &target, &score, messages.call());
  EXPECT_EQ(score, 100);
  target.backend = {"vulkan", 6};
  plugin.compiler->score_target(plugin.state, &target, &score, messages.call());
  EXPECT_EQ(score, 0);
}

TEST(Device, MemoryCopyAndFill) {
  Plugin plugin;
  Messages messages;
  nereid_address_t address = 1;
  ASSERT_EQ(
      plugin.driver->allocate(plugin.state, 0, 0, &address, messages.call()),
      NEREID_OK);
  EXPECT_EQ(address, 0u);
  ASSERT_EQ(
      plugin.driver->allocate(plugin.state, 0, 4000, &address, messages.call()),
      NEREID_OK);
  EXPECT_EQ(address % 64, 0u);
  int32_t pattern = 0x01020304, out[1000];
  ASSERT_EQ(plugin.driver->fill(plugin.state, 0, 0, address, &pattern, 4, 1000,
                                messages.call()),
            NEREID_OK);
  plugin.driver->copy(plugin.state, 0, 0, NEREID_COPY_DEVICE_TO_HOST,
                      reinterpret_cast<uintptr_t>(out), address, sizeof out,
                      messages.call());
  EXPECT_EQ(out[999], pattern);
  EXPECT_EQ(plugin.driver->fill(plugin.state, 0, 0, address, &pattern, 3, 1,
                                messages.call()),
            NEREID_INVALID_ARGUMENT);
  plugin.driver->free(plugin.state, 0, address);
  EXPECT_EQ(plugin.driver->allocate(plugin.state, 0, UINT64_MAX, &address,
                                    messages.call()),
            NEREID_OUT_OF_RESOURCES);
}

TEST(Device, AdoptsHostPointersOnly) {
  Plugin plugin;
  Messages messages;
  nereid_address_t address = 0;
  int value = 0;
  EXPECT_EQ(plugin.driver->adopt_pointer(plugin.state, 0, {"host.pointer", 12},
                                         reinterpret_cast<uintptr_t>(&value), 4,
                                         &address, messages.call()),
            NEREID_OK);
  EXPECT_EQ(address, reinterpret_cast<uintptr_t>(&value));
  EXPECT_EQ(plugin.driver->adopt_pointer(plugin.state, 0, {"cuda.pointer", 12},
                                         1, 4, &address, messages.call()),
            NEREID_UNIMPLEMENTED);
}

TEST(Device, Events) {
  Plugin plugin;
  Messages messages;
  const nereid_driver_t *driver = plugin.driver;
  nereid_event_t *start = nullptr, *end = nullptr;
  driver->create_event(plugin.state, 0, &start, messages.call());
  driver->create_event(plugin.state, 0, &end, messages.call());
  double nanoseconds = -1;
  EXPECT_EQ(
      driver->elapsed(plugin.state, start, end, &nanoseconds, messages.call()),
      NEREID_INVALID_ARGUMENT);
  driver->record_event(plugin.state, start, 0, messages.call());
  usleep(2000);
  driver->record_event(plugin.state, end, 0, messages.call());
  EXPECT_EQ(
      driver->elapsed(plugin.state, start, end, &nanoseconds, messages.call()),
      NEREID_OK);
  EXPECT_GE(nanoseconds, 2e6);
  driver->destroy_event(plugin.state, start);
  driver->destroy_event(plugin.state, end);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(driver->flush_cache(plugin.state, 0, 0, messages.call()),
              NEREID_OK);
}

TEST(Create, BadEnvironment) {
  Plugin good;
  nereid_state_t *other = nullptr;
  Messages messages;
  setenv("NEREID_CPU_THREADS", "many", 1);
  EXPECT_EQ(good.table->create(nullptr, &other, messages.call()),
            NEREID_INVALID_ARGUMENT);
  unsetenv("NEREID_CPU_THREADS");
  EXPECT_EQ(messages.errors(), "NEREID_CPU_THREADS is 'many', a number from 1 "
                               "to 4096 was expected\n");
  EXPECT_EQ(other, nullptr);
}

} // namespace
} // namespace nereid::cpu::test
