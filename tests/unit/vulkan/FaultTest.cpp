// FaultTest.cpp - images that cannot be loaded, machines without drivers, and
// kernels that do not end.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "VulkanFixture.h"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace nereid::test;
using nereid::vulkan::ImageFacts;
using testing::HasSubstr;

namespace {
class VulkanFault : public VulkanTest {
protected:
  void expectRefused(const std::string &image, nereid_status_t status,
                     const std::string &message) {
    nereid_module_t *module = nullptr;
    EXPECT_EQ(load(image, module), status) << error;
    EXPECT_THAT(error, HasSubstr(message));
    EXPECT_EQ(module, nullptr);
  }
};
} // namespace

TEST_F(VulkanFault, RefusesDamagedImages) {
  std::string image = readImage("vector_add");
  expectRefused("", NEREID_INCOMPATIBLE, "bad image: it has 0 words");
  expectRefused("garbage!", NEREID_INCOMPATIBLE, "bad image: ");
  expectRefused(image.substr(0, image.size() - 8), NEREID_INCOMPATIBLE,
                "bad image: ");
  image[image.size() / 2] ^= 1;
  expectRefused(image, NEREID_INCOMPATIBLE, "bad image: ");
}

TEST_F(VulkanFault, RefusesMoreThreadsThanTheDeviceHas) {
  Words words = readModule("vector_add");
  setThreads(words, 1 << 16);
  expectRefused(sealed(words), NEREID_OUT_OF_RESOURCES,
                "the kernel needs 65536 threads of a program, device '");
  EXPECT_THAT(error, HasSubstr(plugin->properties(0)["max_threads"]));
}

TEST_F(VulkanFault, RefusesMoreSharedMemoryThanTheDeviceHas) {
  Words words = readModule("vector_add");
  ImageFacts facts;
  facts.workgroup = 64;
  facts.arguments = 32;
  facts.shared = 1 << 24;
  setFacts(words, describe(facts));
  expectRefused(sealed(words), NEREID_OUT_OF_RESOURCES,
                "the kernel needs 16777216 bytes of shared memory, device '");
  EXPECT_THAT(error, HasSubstr(plugin->properties(0)["max_shared_mem"]));
}

TEST_F(VulkanFault, RefusesMorePushConstantsThanTheDeviceHas) {
  Words words = readModule("vector_add");
  ImageFacts facts;
  facts.workgroup = 64;
  facts.arguments = 1000;
  setFacts(words, describe(facts));
  expectRefused(sealed(words), NEREID_OUT_OF_RESOURCES,
                "the kernel needs 1024 bytes of push constants, device '");
  EXPECT_THAT(error, HasSubstr(plugin->properties(0)["max_push_constants"]));
}

TEST_F(VulkanFault, RefusesCapabilitiesThatTheDeviceLacks) {
  Words words = readModule("vector_add");
  addCapability(words, 4); // Kernel, of OpenCL
  expectRefused(sealed(words), NEREID_INCOMPATIBLE,
                "the SPIR-V capability number 4, device '");
}

TEST_F(VulkanFault, RefusesMatricesOfAShapeThatTheDeviceLacks) {
  Words words = readModule("vector_add");
  ImageFacts facts;
  facts.workgroup = 64;
  facts.arguments = 32;
  facts.matrices = {"3x5x7/f16/f16/f32/f32"};
  setFacts(words, describe(facts));
  expectRefused(sealed(words), NEREID_INCOMPATIBLE,
                "compiled for a device with feature "
                "'matrix=3x5x7/f16/f16/f32/f32', device '");
}

TEST_F(VulkanFault, RefusesASubgroupSizeThatTheDeviceLacks) {
  Words words = readModule("vector_add");
  ImageFacts facts;
  facts.workgroup = 64;
  facts.arguments = 32;
  facts.subgroup = 256;
  setFacts(words, describe(facts));
  expectRefused(sealed(words), NEREID_INCOMPATIBLE,
                "compiled for subgroups of 256, device '");
}

TEST_F(VulkanFault, FindsAKernelByItsNameOnly) {
  nereid_module_t *module = nullptr;
  ASSERT_EQ(load(readImage("vector_add"), module), NEREID_OK) << error;
  nereid_kernel_t *found = nullptr, **out = &found;
  nereid_kernel_info_t info = {};
  info.struct_size = sizeof info;
  nereid_kernel_info_t *facts = &info;
  EXPECT_EQ(call(plugin->driver().get_kernel, plugin->state, module,
                 text("other"), out, facts),
            NEREID_NOT_FOUND);
  EXPECT_EQ(error, "the image holds kernel 'vector_add', not 'other'");
  EXPECT_EQ(call(plugin->driver().get_kernel, plugin->state, module,
                 text("vector_add"), out, facts),
            NEREID_OK);
  EXPECT_EQ(info.max_threads, 64);
  EXPECT_EQ(info.registers, -1);
}

TEST_F(VulkanFault, RefusesADeviceThatDoesNotExist) {
  nereid_address_t address = 0;
  EXPECT_EQ(call(plugin->driver().free, plugin->state, 99u, address),
            NEREID_UNAVAILABLE);
  EXPECT_THAT(error, HasSubstr("device 99 does not exist: "));
}

TEST_F(VulkanFault, KeepsPipelinesInAFileThatItChecks) {
  char folder[] = "/tmp/nereid-vulkan-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  Variable cache("NEREID_VULKAN_PIPELINE_CACHE", "1");
  Variable where("NEREID_CACHE_DIR", folder);
  std::string file;
  for (int round = 0; round < 4; ++round) {
    VulkanPlugin other;
    ASSERT_EQ(other.created, NEREID_OK);
    other.probe();
    std::string image = readImage("vector_add");
    nereid_image_t request = {};
    request.struct_size = sizeof request;
    request.bytes = {image.data(), image.size()};
    nereid_module_t *module = nullptr;
    TestCall record;
    ASSERT_EQ(
        other.driver().load_image(other.state, 0, &request, &module, &record),
        NEREID_OK)
        << record.message;
    EXPECT_EQ(other.driver().unload_module(other.state, module, &record),
              NEREID_OK);
    TestCall end;
    EXPECT_EQ(other.plugin->shutdown(other.state, &end), NEREID_OK);
    other.created = NEREID_UNAVAILABLE; // it is shut down
    std::string listing = "ls " + std::string(folder);
    FILE *names = popen(listing.c_str(), "r");
    char name[256] = {};
    ASSERT_EQ(fscanf(names, "%255s", name), 1) << "no file";
    EXPECT_EQ(fgetc(names), '\n');
    EXPECT_EQ(fgetc(names), EOF) << "a second file";
    pclose(names);
    file = std::string(folder) + '/' + name;
    EXPECT_THAT(name, HasSubstr("vulkan-"));
    EXPECT_THAT(other.log(), testing::IsEmpty());
    // The next rounds find it cut, then altered, then writable by others.
    std::ifstream in(file, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (round == 0)
      bytes.pop_back();
    if (round == 1)
      bytes.back() = static_cast<char>(~bytes.back());
    std::ofstream(file, std::ios::binary) << bytes;
    if (round == 2)
      chmod(file.c_str(), 0666);
  }
  unlink(file.c_str());
  rmdir(folder);
}

TEST(VulkanWithoutDriver, HasNoDevicesAndSaysWhy) {
  Variable files("VK_DRIVER_FILES", "/nonexistent/icd.json");
  Variable names("VK_ICD_FILENAMES", "/nonexistent/icd.json");
  VulkanPlugin plugin;
  ASSERT_EQ(plugin.created, NEREID_OK);
  nereid_probe_t probe = plugin.probe();
  EXPECT_EQ(probe.score, 0);
  EXPECT_EQ(probe.device_count, 0u);
  EXPECT_THAT(plugin.reason, HasSubstr("no Vulkan "));
  nereid_allocation_t request = {sizeof request, 0, 64, 0};
  nereid_address_t address = 0;
  TestCall record;
  EXPECT_EQ(
      plugin.driver().allocate(plugin.state, 0, &request, &address, &record),
      NEREID_UNAVAILABLE);
  EXPECT_THAT(record.message, HasSubstr("device 0 does not exist: no Vulkan"));
}

TEST(VulkanSettings, RefusesIllegalValues) {
  for (const char *name :
       {"NEREID_VULKAN_VALIDATION", "NEREID_VULKAN_PIPELINE_CACHE",
        "NEREID_VULKAN_TIME_LIMIT", "NEREID_VULKAN_PRINT_BUFFER"}) {
    Variable value(name, "soon");
    VulkanPlugin plugin;
    EXPECT_EQ(plugin.created, NEREID_INVALID_ARGUMENT);
    EXPECT_THAT(plugin.problem, HasSubstr(name));
    EXPECT_THAT(plugin.problem, HasSubstr("is 'soon', "));
  }
}

/// In a process of its own, which ends without waiting for the kernel.
static void runForever() {
  Variable limit("NEREID_VULKAN_TIME_LIMIT", "300");
  VulkanPlugin plugin;
  plugin.probe();
  TestCall record;
  const nereid_driver_t &driver = plugin.driver();
  std::string image = readImage("spin");
  nereid_image_t request = {};
  request.struct_size = sizeof request;
  request.bytes = {image.data(), image.size()};
  nereid_module_t *module = nullptr;
  nereid_kernel_t *kernel = nullptr;
  nereid_allocation_t words = {sizeof words, 0, 64, 0};
  alignas(64) nereid_address_t arguments[2] = {};
  nereid_launch_t launch = {};
  launch.struct_size = sizeof launch;
  launch.grid[0] = kManyPrograms;
  launch.grid[1] = launch.grid[2] = 1;
  launch.arguments = arguments;
  launch.arguments_size = sizeof arguments;
  uint32_t zero = 0;
  nereid_copy_t copy = {sizeof copy, NEREID_COPY_HOST_TO_DEVICE,         0,
                        0,           reinterpret_cast<uintptr_t>(&zero), 4};
  bool isReady = driver.load_image(plugin.state, 0, &request, &module,
                                   &record) == NEREID_OK &&
                 driver.get_kernel(plugin.state, module, text("spin"), &kernel,
                                   nullptr, &record) == NEREID_OK &&
                 driver.allocate(plugin.state, 0, &words, &arguments[0],
                                 &record) == NEREID_OK &&
                 driver.allocate(plugin.state, 0, &words, &arguments[1],
                                 &record) == NEREID_OK;
  copy.destination = arguments[0];
  isReady = isReady &&
            driver.copy(plugin.state, 0, &copy, &record) == NEREID_OK &&
            driver.launch(kernel, &launch, &record) == NEREID_OK;
  if (!isReady)
    _exit(1);
  for (int i = 0; i < 2; ++i) {
    TestCall loss;
    if (driver.synchronize(plugin.state, 0, 0, &loss) != NEREID_DEVICE_LOST ||
        loss.message.find("within the 300 ms") == std::string::npos)
      _exit(2);
  }
  if (driver.launch(kernel, &launch, &record) != NEREID_DEVICE_LOST ||
      driver.allocate(plugin.state, 0, &words, &arguments[0], &record) !=
          NEREID_DEVICE_LOST)
    _exit(3);
  if (driver.unload_module(plugin.state, module, &record) != NEREID_OK ||
      plugin.plugin->shutdown(plugin.state, &record) != NEREID_OK)
    _exit(4);
  _exit(0);
}

TEST_F(VulkanFault, AKernelThatDoesNotEndLosesTheDeviceOnly) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(runForever(), testing::ExitedWithCode(0), "");
}
