// VulkanFixture.h - the plugin with the validation layer, and calls of its
// slots on device 0.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_VULKAN_VULKANFIXTURE_H
#define NEREID_TESTS_VULKAN_VULKANFIXTURE_H

#include "Modules.h"

#include "nereid/plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::test {

inline nereid_string_t text(std::string_view view) {
  return {view.data(), view.size()};
}
inline std::string string(nereid_string_t text) {
  return text.size ? std::string(text.data, text.size) : std::string();
}

/// Sets a variable of the environment for as long as it lives.
class Variable {
public:
  Variable(const char *name, const std::string &value);
  ~Variable();
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;

private:
  const char *const name;
  std::optional<std::string> before;
};

/// One call; keeps what is reported.
class TestCall : public nereid_call_t {
public:
  TestCall();
  TestCall(const TestCall &) = delete;
  TestCall &operator=(const TestCall &) = delete;
  std::string message;
};

/// The plugin's file, opened without libnereid.
class VulkanPlugin {
public:
  VulkanPlugin();
  ~VulkanPlugin();
  VulkanPlugin(const VulkanPlugin &) = delete;
  VulkanPlugin &operator=(const VulkanPlugin &) = delete;

  nereid_probe_t probe();
  std::string reason; ///< of the last probe
  std::map<std::string, std::string> properties(uint32_t device);
  template <typename Table> const Table &extension(const char *id) const {
    return *static_cast<const Table *>(plugin->get_extension(state, text(id)));
  }
  const nereid_driver_t &driver() const { return *plugin->driver; }

  /// What was logged: messages of the validation layer.
  std::vector<std::string> log();

  const nereid_plugin_t *plugin = nullptr;
  nereid_state_t *state = nullptr;
  nereid_status_t created = NEREID_OK;
  std::string problem; ///< why it was not created

private:
  static void take(const nereid_host_t *host,
                   const nereid_diagnostic_t *diagnostic);
  nereid_host_t host = {};
  std::mutex mutex;
  std::vector<std::string> messages;
};

/// The arguments of vector_add.
struct alignas(64) AddArguments {
  nereid_address_t x, y, out;
  uint32_t n, padding = 0;
};

class VulkanTest : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  /// Calls a slot of the driver; its message is in `error`.
  template <typename... Parameters, typename... Arguments>
  nereid_status_t call(nereid_status_t (*slot)(Parameters...),
                       Arguments... arguments) {
    TestCall record;
    nereid_status_t status = slot(arguments..., &record);
    error = record.message;
    return status;
  }

  nereid_address_t allocate(uint64_t size, uint64_t alignment = 0);
  void free(nereid_address_t address);
  nereid_status_t copy(nereid_copy_direction_t direction,
                       nereid_address_t destination, nereid_address_t source,
                       uint64_t size, nereid_stream_t stream = 0);
  template <typename T>
  nereid_status_t upload(nereid_address_t to, const std::vector<T> &from,
                         nereid_stream_t stream = 0) {
    return copy(NEREID_COPY_HOST_TO_DEVICE, to,
                reinterpret_cast<uintptr_t>(from.data()),
                from.size() * sizeof(T), stream);
  }
  template <typename T>
  nereid_status_t download(std::vector<T> &to, nereid_address_t from,
                           nereid_stream_t stream = 0) {
    return copy(NEREID_COPY_DEVICE_TO_HOST,
                reinterpret_cast<uintptr_t>(to.data()), from,
                to.size() * sizeof(T), stream);
  }
  nereid_status_t synchronize(nereid_stream_t stream = 0);
  nereid_stream_t createStream();

  nereid_status_t load(const std::string &image, nereid_module_t *&out,
                       const std::vector<nereid_value_t> &metadata = {});
  /// Loads a module of modules/; it is unloaded at the end.
  nereid_kernel_t *kernel(const std::string &name);
  /// The kernel of `image`, which is that of module `name`.
  nereid_kernel_t *kernelOf(const std::string &image, const std::string &name,
                            const std::vector<nereid_value_t> &metadata = {});
  nereid_status_t launch(nereid_kernel_t *kernel, uint32_t programs,
                         const void *arguments, uint64_t size,
                         nereid_stream_t stream = 0);
  nereid_status_t launchGrid(nereid_kernel_t *kernel, uint32_t x, uint32_t y,
                             uint32_t z, const void *arguments, uint64_t size,
                             nereid_stream_t stream = 0);
  template <typename T>
  std::vector<T> contents(nereid_address_t address, size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(download(values, address), NEREID_OK) << error;
    EXPECT_EQ(synchronize(), NEREID_OK) << error;
    return values;
  }

  std::unique_ptr<VulkanPlugin> plugin;
  std::string error;

private:
  // What tests compile is not worth a file in the user's cache.
  Variable validation{"NEREID_VULKAN_VALIDATION", "1"};
  Variable pipelineCache{"NEREID_VULKAN_PIPELINE_CACHE", "0"};
  std::vector<nereid_module_t *> modules;
  std::vector<nereid_address_t> addresses;
};

} // namespace nereid::test

#endif // NEREID_TESTS_VULKAN_VULKANFIXTURE_H
