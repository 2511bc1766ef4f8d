// NullDriverTest.cpp - what lavapipe does not show, with a driver that executes
// nothing: devices that cannot be used, that are lost, or have no memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "VulkanFixture.h"

using namespace nereid::test;
using testing::AllOf;
using testing::HasSubstr;

namespace {
/// The plugin on null devices, which differ as `words` says.
class NullPlugin {
public:
  explicit NullPlugin(const std::string &words, const char *limit = "0")
      : files("VK_DRIVER_FILES", NULL_VULKAN_MANIFEST),
        names("VK_ICD_FILENAMES", NULL_VULKAN_MANIFEST),
        difference("NULL_VULKAN", words),
        // The validation layer would object to what the driver lacks.
        validation("NEREID_VULKAN_VALIDATION", "0"),
        timeLimit("NEREID_VULKAN_TIME_LIMIT", limit) {
    plugin.probe();
  }
  ~NullPlugin() {
    if (module)
      EXPECT_EQ(call(driver().unload_module, plugin.state, module), NEREID_OK)
          << error;
  }
  NullPlugin(const NullPlugin &) = delete;
  NullPlugin &operator=(const NullPlugin &) = delete;

  /// Calls a slot of the driver; its message is in `error`.
  template <typename... Parameters, typename... Arguments>
  nereid_status_t call(nereid_status_t (*slot)(Parameters...),
                       Arguments... arguments) {
    TestCall record;
    nereid_status_t status = slot(arguments..., &record);
    error = record.message;
    return status;
  }
  nereid_status_t load(const std::string &image) {
    nereid_image_t request = {};
    request.struct_size = sizeof request;
    request.bytes = {image.data(), image.size()};
    const nereid_image_t *in = &request;
    nereid_module_t **out = &module;
    return call(driver().load_image, plugin.state, 0u, in, out);
  }
  /// Loads a kernel of three pointers and a number.
  nereid_kernel_t *kernel() {
    EXPECT_EQ(load(readImage("vector_add")), NEREID_OK) << error;
    nereid_kernel_t *found = nullptr;
    nereid_kernel_t **out = &found;
    nereid_kernel_info_t *info = nullptr;
    EXPECT_EQ(call(driver().get_kernel, plugin.state, module,
                   text("vector_add"), out, info),
              NEREID_OK);
    return found;
  }
  nereid_status_t launch(nereid_kernel_t *kernel) {
    AddArguments arguments = {};
    nereid_launch_t request = {};
    request.struct_size = sizeof request;
    request.grid[0] = request.grid[1] = request.grid[2] = 1;
    request.arguments = &arguments;
    request.arguments_size = 32;
    const nereid_launch_t *in = &request;
    return call(driver().launch, kernel, in);
  }
  nereid_status_t allocate(uint32_t device, uint64_t size) {
    nereid_allocation_t request = {sizeof request, 0, size, 0};
    nereid_address_t address = 0;
    const nereid_allocation_t *in = &request;
    nereid_address_t *out = &address;
    return call(driver().allocate, plugin.state, device, in, out);
  }
  nereid_status_t synchronize() {
    return call(driver().synchronize, plugin.state, 0u, nereid_stream_t{0});
  }
  const nereid_driver_t &driver() const { return plugin.driver(); }

private:
  Variable files, names, difference, validation, timeLimit;

public:
  VulkanPlugin plugin;
  nereid_module_t *module = nullptr;
  std::string error;
};

/// Skips where there is no loader, as on a machine without Vulkan.
class VulkanNullDriver : public testing::Test {
protected:
  void SetUp() override {
    NullPlugin usual("");
    if (usual.plugin.reason.find("no Vulkan loader") != std::string::npos)
      GTEST_SKIP() << usual.plugin.reason;
    ASSERT_EQ(usual.plugin.reason, "1 Vulkan device: null 0");
  }
};
} // namespace

TEST_F(VulkanNullDriver, ExecutesNothing) {
  NullPlugin null("");
  nereid_kernel_t *kernel = null.kernel();
  ASSERT_NE(kernel, nullptr);
  for (int i = 0; i < 200; ++i)
    ASSERT_EQ(null.launch(kernel), NEREID_OK) << null.error;
  EXPECT_EQ(null.synchronize(), NEREID_OK) << null.error;
}

TEST_F(VulkanNullDriver, ADeviceWithoutWhatIsRequiredIsRefusedByName) {
  const std::pair<const char *, const char *> cases[] = {
      {"version=1.2", "it has Vulkan 1.2.0, 1.3 was expected"},
      {"without-bufferDeviceAddress", "it has no bufferDeviceAddress"},
      {"without-timelineSemaphore", "it has no timelineSemaphore"},
      {"without-vulkanMemoryModel", "it has no vulkanMemoryModel"},
      {"without-synchronization2", "it has no synchronization2"},
      {"without-maintenance4", "it has no maintenance4"},
      {"without-compute", "it has no compute queue"},
  };
  for (auto [words, problem] : cases) {
    NullPlugin null(words);
    EXPECT_EQ(null.plugin.reason,
              "0 Vulkan devices; not null 0: " + std::string(problem));
    EXPECT_EQ(null.plugin.probe().score, 0);
    EXPECT_EQ(null.allocate(0, 64), NEREID_UNAVAILABLE);
    EXPECT_THAT(null.error, HasSubstr(problem));
  }
}

TEST_F(VulkanNullDriver, AKernelForAnotherDeviceIsRefusedByTheMissingFeature) {
  NullPlugin null("without-int64");
  EXPECT_EQ(null.load(readImage("vector_add")), NEREID_INCOMPATIBLE);
  EXPECT_EQ(null.error,
            "the kernel was compiled for a device with feature 'i64' (SPIR-V: "
            "Int64), device 'null 0' lacks it");
}

TEST_F(VulkanNullDriver, ALostDeviceFailsEachCallAndNoOtherDevice) {
  NullPlugin null("devices=2,lose-at=3");
  nereid_kernel_t *kernel = null.kernel();
  ASSERT_NE(kernel, nullptr);
  ASSERT_EQ(null.launch(kernel), NEREID_OK) << null.error;
  ASSERT_EQ(null.launch(kernel), NEREID_OK) << null.error;
  ASSERT_EQ(null.allocate(1, 64), NEREID_OK) << null.error;
  EXPECT_EQ(null.launch(kernel), NEREID_DEVICE_LOST);
  std::string reason = null.error;
  EXPECT_THAT(reason, AllOf(HasSubstr("device 'null 0' is lost"),
                            HasSubstr("or the device was removed")));
  EXPECT_EQ(null.launch(kernel), NEREID_DEVICE_LOST);
  EXPECT_EQ(null.error, reason);
  EXPECT_EQ(null.synchronize(), NEREID_DEVICE_LOST);
  EXPECT_EQ(null.error, reason);
  EXPECT_EQ(null.load(readImage("vector_add")), NEREID_DEVICE_LOST);
  EXPECT_EQ(null.allocate(0, 64), NEREID_DEVICE_LOST);
  EXPECT_EQ(null.allocate(1, 64), NEREID_OK) << null.error;
}

TEST_F(VulkanNullDriver, ADeviceThatHangsIsLostAfterTheTimeLimit) {
  NullPlugin null("hang", "50");
  nereid_kernel_t *kernel = null.kernel();
  ASSERT_NE(kernel, nullptr);
  ASSERT_EQ(null.launch(kernel), NEREID_OK) << null.error;
  EXPECT_EQ(null.synchronize(), NEREID_DEVICE_LOST);
  EXPECT_THAT(null.error, HasSubstr("within the 50 ms of "
                                    "NEREID_VULKAN_TIME_LIMIT"));
  EXPECT_EQ(null.launch(kernel), NEREID_DEVICE_LOST);
}

TEST_F(VulkanNullDriver, ABusyDeviceGetsManyLaunchesAtOnce) {
  NullPlugin null("busy");
  nereid_kernel_t *kernel = null.kernel();
  ASSERT_NE(kernel, nullptr);
  for (int i = 0; i < 10000; ++i)
    ASSERT_EQ(null.launch(kernel), NEREID_OK) << null.error;
  EXPECT_EQ(null.synchronize(), NEREID_OK) << null.error;
}

TEST_F(VulkanNullDriver, FullMemoryIsOutOfResourcesWithBothNumbers) {
  NullPlugin null("memory=4");
  nereid_status_t status = NEREID_OK;
  for (int i = 0; i < 16 && status == NEREID_OK; ++i)
    status = null.allocate(0, 100u << 20);
  EXPECT_EQ(status, NEREID_OUT_OF_RESOURCES);
  EXPECT_THAT(null.error,
              AllOf(HasSubstr("104857600"), HasSubstr("1073741824")));
  EXPECT_EQ(null.allocate(0, uint64_t{2} << 30), NEREID_OUT_OF_RESOURCES);
  EXPECT_THAT(null.error,
              AllOf(HasSubstr("2147483648"), HasSubstr("1073741824")));
}
