// load_test.cpp - valid and invalid images.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "harness.h"
#include "kernels.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

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
  nereid::test::TemporaryFolder folder;
  std::string path = folder.file("image.so");
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
    plugin.unload(module);
}

TEST(Load, FromAMemberOfAnArchive) {
  Plugin plugin;
  Compiled add = plugin.compile(addKernel(), "asm", "so");
  nereid::test::TemporaryFolder folder;
  std::string path = folder.file("archive");
  std::string before(4096, 'x');
  std::ofstream(path, std::ios::binary) << before << add.output << "after";
  nereid_module_t *module = nullptr;
  Messages messages;
  ASSERT_EQ(plugin.loadImage(add, path, &module, messages, before.size()),
            NEREID_OK)
      << messages.errors();
  EXPECT_NE(plugin.kernel(module, "add_kernel"), nullptr);
  plugin.unload(module);
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
        plugin.unload(module);
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
  plugin.unload(module);
  plugin.unload(nullptr);
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
  nereid::test::TemporaryFolder folder;
  std::string path = folder.file("image");
  std::ofstream(path, std::ios::binary) << image.output;
  std::string command =
      "NEREID_TEST_IMAGE=" + path + " " +
      std::filesystem::read_symlink("/proc/self/exe").string() +
      " --gtest_filter=LoadAlone.* >/dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

} // namespace
} // namespace nereid::cpu::test
