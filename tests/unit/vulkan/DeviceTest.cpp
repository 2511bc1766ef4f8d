// DeviceTest.cpp - what the plugin says of devices, and several of them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "VulkanFixture.h"

#include "target.h"
#include "temporary_folder.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace nereid::test;
using testing::HasSubstr;
using testing::IsEmpty;

using VulkanDevices = VulkanTest;

static std::string targetFeatures(VulkanPlugin &plugin, nereid_target_t &out) {
  out = {};
  out.struct_size = sizeof out;
  TestCall record;
  EXPECT_EQ(plugin.driver().get_target(plugin.state, 0, &out, &record),
            NEREID_OK)
      << record.message;
  return string(out.features);
}

TEST_F(VulkanDevices, ADeviceHasPropertiesAndATarget) {
  auto properties = plugin->properties(0);
  EXPECT_THAT(plugin->reason, HasSubstr(properties["name"]));
  EXPECT_EQ(properties["uuid"].size(), 32u);
  EXPECT_GE(std::stoul(properties["max_threads"]), 128u);
  EXPECT_GE(std::stoul(properties["max_shared_mem"]), 16384u);
  EXPECT_GE(std::stoul(properties["max_push_constants"]), 128u);
  nereid_target_t target;
  std::string features = targetFeatures(*plugin, target);
  EXPECT_EQ(string(target.backend), "vulkan");
  EXPECT_EQ(std::to_string(target.warp_size), properties["warp_size"]);
  EXPECT_THAT(features, HasSubstr(",threads=" + properties["max_threads"]));
  EXPECT_THAT(features, HasSubstr(",shared=" + properties["max_shared_mem"]));
  EXPECT_THAT(features, HasSubstr(",push="));
  EXPECT_THAT(features, HasSubstr("vendor=0x"));
  auto known = nereid::vulkan::profiles();
  EXPECT_TRUE(std::any_of(known.begin(), known.end(), [&](const auto &profile) {
    return profile.name == string(target.arch);
  })) << string(target.arch);
}

// What is compiled for a profile runs on its devices.
TEST_F(VulkanDevices, ADeviceHasTheFeaturesOfItsProfile) {
  nereid_target_t target;
  std::stringstream all(targetFeatures(*plugin, target));
  std::set<std::string> has;
  for (std::string feature; std::getline(all, feature, ',');)
    has.insert(feature);
  for (const auto &profile : nereid::vulkan::profiles()) {
    if (profile.name != string(target.arch))
      continue;
    std::stringstream needed{std::string(profile.features)};
    for (std::string feature; std::getline(needed, feature, ',');)
      // Numbers are at least those of the profile.
      if (feature.find('=') == feature.npos)
        EXPECT_TRUE(has.contains(feature)) << feature;
  }
}

static nereid_status_t addFact(const nereid_value_sink_t *sink,
                               const nereid_value_t *value) {
  auto &facts = *static_cast<std::map<std::string, std::string> *>(sink->user);
  std::string &fact = facts[string(value->name)];
  if (value->type == NEREID_TYPE_STRING)
    fact = string(value->text);
  else if (value->type == NEREID_TYPE_I64)
    fact = std::to_string(value->i64);
  for (uint64_t i = 0;
       value->type == NEREID_TYPE_STRING_LIST && i < value->list_size; ++i)
    fact += string(static_cast<const nereid_string_t *>(value->list)[i]) + ' ';
  for (uint64_t i = 0;
       value->type == NEREID_TYPE_I64_LIST && i < value->list_size; ++i)
    fact += std::to_string(static_cast<const int64_t *>(value->list)[i]) + ' ';
  return NEREID_OK;
}

static std::map<std::string, std::string> factsOf(std::string_view arch,
                                                  std::string_view features) {
  VulkanPlugin plugin;
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  target.backend = text("vulkan");
  target.arch = text(arch);
  target.features = text(features);
  std::map<std::string, std::string> facts;
  nereid_value_sink_t sink = {sizeof sink, 0, &facts, addFact};
  TestCall call;
  EXPECT_EQ(plugin.extension<nereid_frontend_t>(NEREID_EXT_FRONTEND)
                .visit_facts(plugin.state, &target, &sink, &call),
            NEREID_OK);
  return facts;
}

TEST(VulkanFrontend, AProfileDeclaresWhatItsKernelsMayUse) {
  auto facts = factsOf("nvidia-hopper", "");
  EXPECT_EQ(facts["fp8_types"], "fp8e4b15 fp8e4b8 fp8e4nv fp8e5 fp8e5b16 ");
  EXPECT_EQ(facts["dot_precisions"], "ieee tf32 tf32x3 bf16x3 bf16x6 ");
  EXPECT_EQ(facts["default_dot_precision"], "ieee");
  EXPECT_EQ(facts["min_dot_size"], "1 1 1 ");
  EXPECT_EQ(facts["max_tensor_elements"], "1048576");
}

TEST(VulkanFrontend, ADeviceWithoutBytesHasTheirTypes) {
  EXPECT_THAT(factsOf("minimal-1.3", "")["fp8_types"], HasSubstr("fp8e4nv"));
}

/// The symbols of the functions that kernels for a target may call.
static std::set<std::string> functionsOf(const char *arch) {
  VulkanPlugin plugin;
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  target.backend = text("vulkan");
  target.arch = text(arch);
  std::set<std::string> symbols;
  nereid_libdevice_sink_t sink = {
      sizeof sink, 0, &symbols,
      [](const nereid_libdevice_sink_t *self,
         const nereid_libdevice_function_t *function) -> nereid_status_t {
        static_cast<std::set<std::string> *>(self->user)
            ->emplace(function->symbol.data, function->symbol.size);
        return NEREID_OK;
      }};
  TestCall call;
  EXPECT_EQ(plugin.extension<nereid_libdevice_t>(NEREID_EXT_LIBDEVICE)
                .visit_functions(plugin.state, &target, &sink, &call),
            NEREID_OK);
  return symbols;
}

TEST(VulkanLibdevice, ListsWhatTheCompilerExpands) {
  auto all = functionsOf("nvidia-hopper"), few = functionsOf("minimal-1.3");
  EXPECT_TRUE(all.contains("__nv_fmaxf"));
  EXPECT_TRUE(all.contains("__nv_sin"));
  EXPECT_FALSE(all.contains("__nv_lgammaf")); // of the C library
  EXPECT_TRUE(few.contains("__nv_sinf"));
  EXPECT_FALSE(few.contains("__nv_sin")); // of f64
}

TEST(VulkanFrontend, LimitsTilesByTheThreadsOfADevice) {
  EXPECT_EQ(factsOf("minimal-1.3", "")["max_tensor_elements"], "131072");
  auto facts = factsOf("minimal-1.3", "threads=256,i8,storage8");
  EXPECT_EQ(facts["max_tensor_elements"], "262144");
}

TEST_F(VulkanDevices, AProcessorDoesNotOutrankTheCpuPlugin) {
  nereid_probe_t probe = plugin->probe();
  if (plugin->properties(0)["type"] == "cpu") {
    EXPECT_LT(probe.score, 10);
    EXPECT_TRUE(probe.flags & NEREID_PROBE_IS_HOST_CPU);
  } else {
    EXPECT_EQ(probe.score, 80);
    EXPECT_FALSE(probe.flags & NEREID_PROBE_IS_HOST_CPU);
  }
}

TEST_F(VulkanDevices, AreChosenByTheEnvironment) {
  auto properties = plugin->properties(0);
  auto countWith = [](const std::string &list) {
    Variable devices("NEREID_VULKAN_DEVICES", list);
    VulkanPlugin other;
    uint32_t count = other.probe().device_count;
    if (!count)
      EXPECT_THAT(other.reason, HasSubstr("NEREID_VULKAN_DEVICES names"));
    return count;
  };
  EXPECT_GE(countWith("0"), 1u);
  EXPECT_GE(countWith(properties["type"]), 1u);
  EXPECT_EQ(countWith(properties["uuid"]), 1u);
  EXPECT_GE(countWith(properties["name"].substr(0, 4)), 1u);
  EXPECT_EQ(countWith("99"), 0u);
  EXPECT_EQ(countWith("no such device"), 0u);
}

TEST_F(VulkanDevices, TwoStatesInOneProcessAreIndependent) {
  VulkanPlugin other;
  EXPECT_EQ(other.probe().device_count, plugin->probe().device_count);
  nereid_allocation_t request = {sizeof request, 0, 64, 0};
  nereid_address_t address = 0;
  TestCall record;
  ASSERT_EQ(
      other.driver().allocate(other.state, 0, &request, &address, &record),
      NEREID_OK)
      << record.message;
  EXPECT_EQ(call(plugin->driver().free, plugin->state, 0u, address),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(other.driver().free(other.state, 0, address, &record), NEREID_OK);
  EXPECT_THAT(other.log(), IsEmpty());
}

/// The manifest of lavapipe, which can be listed twice; empty if there is none.
static std::string findManifest() {
  for (const char *folder : {"/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"}) {
    std::error_code missing;
    for (const auto &entry :
         std::filesystem::directory_iterator(folder, missing))
      if (entry.path().filename().string().starts_with("lvp_icd"))
        return entry.path();
  }
  return {};
}

TEST_F(VulkanDevices, SeveralDriversWorkSideBySide) {
  std::string manifest = findManifest();
  if (manifest.empty())
    GTEST_SKIP() << "lavapipe, the second driver of this test, is not "
                    "installed; scripts/test installs it";
  TemporaryFolder folder;
  std::string copied = folder.file("lvp.json");
  std::filesystem::copy_file(manifest, copied);
  Variable files("VK_DRIVER_FILES",
                 manifest + ":/nonexistent/icd.json:" + copied);
  VulkanPlugin two;
  EXPECT_EQ(two.probe().device_count, 2u) << two.reason;
  if (two.probe().device_count != 2)
    return;

  // A stream of each device waits for an event of the other one.
  const nereid_driver_t &driver = two.driver();
  const auto &events = two.extension<nereid_events_t>(NEREID_EXT_EVENT);
  TestCall record;
  constexpr uint64_t kSize = 8u << 20;
  std::vector<char> bytes(kSize, 'x'), back(kSize);
  nereid_address_t blocks[2] = {};
  nereid_event_t *reached[2] = {};
  nereid_event_request_t timeless = {sizeof timeless, NEREID_EVENT_NO_TIMING};
  for (uint32_t device : {0u, 1u}) {
    nereid_allocation_t request = {sizeof request, 0, kSize, 0};
    ASSERT_EQ(
        driver.allocate(two.state, device, &request, &blocks[device], &record),
        NEREID_OK)
        << record.message;
    ASSERT_EQ(
        events.create(two.state, device, &timeless, &reached[device], &record),
        NEREID_OK);
  }
  auto copy = [&](uint32_t device, nereid_copy_direction_t direction,
                  uint64_t to, uint64_t from) {
    nereid_copy_t request = {sizeof request, direction, 0, to, from, kSize};
    EXPECT_EQ(driver.copy(two.state, device, &request, &record), NEREID_OK)
        << record.message;
  };
  copy(0, NEREID_COPY_HOST_TO_DEVICE, blocks[0],
       reinterpret_cast<uintptr_t>(bytes.data()));
  ASSERT_EQ(events.record(two.state, reached[0], 0, &record), NEREID_OK);
  ASSERT_EQ(events.wait(two.state, 1, 0, reached[0], &record), NEREID_OK)
      << record.message;
  copy(1, NEREID_COPY_HOST_TO_DEVICE, blocks[1],
       reinterpret_cast<uintptr_t>(bytes.data()));
  ASSERT_EQ(events.record(two.state, reached[1], 0, &record), NEREID_OK);
  ASSERT_EQ(events.wait(two.state, 0, 0, reached[1], &record), NEREID_OK)
      << record.message;
  copy(0, NEREID_COPY_DEVICE_TO_HOST, reinterpret_cast<uintptr_t>(back.data()),
       blocks[0]);
  ASSERT_EQ(driver.synchronize(two.state, 0, 0, &record), NEREID_OK)
      << record.message;
  EXPECT_EQ(back, bytes);
  // Many times: each wait has a thread that carries the event across.
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(events.record(two.state, reached[0], 0, &record), NEREID_OK);
    ASSERT_EQ(events.wait(two.state, 1, 0, reached[0], &record), NEREID_OK);
    ASSERT_EQ(driver.synchronize(two.state, 1, 0, &record), NEREID_OK)
        << record.message;
  }
  for (uint32_t device : {0u, 1u}) {
    int32_t done = 0;
    EXPECT_EQ(events.query(two.state, reached[device], &done, &record),
              NEREID_OK);
    EXPECT_EQ(done, 1);
    EXPECT_EQ(events.destroy(two.state, reached[device], &record), NEREID_OK);
  }
  // An address of one device is not one of the other.
  EXPECT_EQ(driver.free(two.state, 1, blocks[0], &record),
            NEREID_INVALID_ARGUMENT);
  for (uint32_t device : {0u, 1u})
    EXPECT_EQ(driver.free(two.state, device, blocks[device], &record),
              NEREID_OK);
  EXPECT_THAT(two.log(), IsEmpty());
}

// A child has nothing of the driver's threads, so the host refuses its calls;
// one that executes or ends must not disturb the parent.
TEST_F(VulkanDevices, AForkDoesNotDisturbTheParent) {
  EXPECT_FALSE(plugin->plugin->flags & NEREID_PLUGIN_FORK_SAFE);
  nereid_address_t block = allocate(4096);
  std::vector<char> bytes(4096, 'x');
  ASSERT_EQ(upload(block, bytes), NEREID_OK);
  pid_t child = fork();
  if (child == 0)
    _exit(7);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(contents<char>(block, 4096), bytes);
}

static void allocateAndExit() {
  VulkanPlugin other;
  other.probe();
  nereid_allocation_t request = {sizeof request, 0, 64, 0};
  nereid_address_t address = 0;
  TestCall record;
  nereid_status_t status =
      other.driver().allocate(other.state, 0, &request, &address, &record);
  _exit(status == NEREID_OK ? 0 : 1);
}

TEST_F(VulkanDevices, TwoProcessesUseADevice) {
  nereid_address_t block = allocate(4096);
  ASSERT_EQ(upload(block, std::vector<char>(4096, 'a')), NEREID_OK);
  GTEST_FLAG_SET(death_test_style, "threadsafe"); // a process, not a fork
  EXPECT_EXIT(allocateAndExit(), testing::ExitedWithCode(0), "");
  EXPECT_EQ(contents<char>(block, 4096), std::vector<char>(4096, 'a'));
}
