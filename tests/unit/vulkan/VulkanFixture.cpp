// VulkanFixture.cpp - the plugin without libnereid.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "VulkanFixture.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>

namespace nereid::test {

Variable::Variable(const char *name, const std::string &value) : name(name) {
  if (const char *known = std::getenv(name))
    before = known;
  setenv(name, value.c_str(), 1);
}

Variable::~Variable() {
  if (before)
    setenv(name, before->c_str(), 1);
  else
    unsetenv(name);
}

TestCall::TestCall() : nereid_call_t{} {
  struct_size = sizeof(nereid_call_t);
  user = this;
  report = [](const nereid_call_t *call,
              const nereid_diagnostic_t *diagnostic) {
    static_cast<TestCall *>(call->user)->message += string(diagnostic->message);
  };
}

VulkanPlugin::VulkanPlugin() {
  // Not closed: drivers that it loads have exit handlers.
  void *library = dlopen(VULKAN_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw std::runtime_error(dlerror());
  auto *entry = reinterpret_cast<nereid_plugin_entry_1_t>(
      dlsym(library, NEREID_PLUGIN_ENTRY_NAME));
  host.struct_size = sizeof host;
  host.abi_major = NEREID_ABI_MAJOR;
  host.abi_minor = NEREID_ABI_MINOR;
  host.abi_revision = NEREID_ABI_REVISION;
  host.name = text("test");
  host.user = this;
  host.log = take;
  TestCall call;
  if (entry(&host, &plugin, &call) != NEREID_OK)
    throw std::runtime_error(call.message);
  created = plugin->create(&host, &state, &call);
  problem = call.message;
}

VulkanPlugin::~VulkanPlugin() {
  TestCall call;
  if (created == NEREID_OK)
    EXPECT_EQ(plugin->shutdown(state, &call), NEREID_OK) << call.message;
}

void VulkanPlugin::take(const nereid_host_t *host,
                        const nereid_diagnostic_t *diagnostic) {
  auto &self = *static_cast<VulkanPlugin *>(host->user);
  std::lock_guard lock(self.mutex);
  self.messages.push_back(string(diagnostic->message));
}

std::vector<std::string> VulkanPlugin::log() {
  std::lock_guard lock(mutex);
  return messages;
}

nereid_probe_t VulkanPlugin::probe() {
  reason.clear();
  nereid_writer_t writer = {};
  writer.struct_size = sizeof writer;
  writer.user = &reason;
  writer.write = [](const nereid_writer_t *self, const void *data,
                    uint64_t size) -> nereid_status_t {
    static_cast<std::string *>(self->user)
        ->append(static_cast<const char *>(data), size);
    return NEREID_OK;
  };
  nereid_probe_t out = {};
  out.struct_size = sizeof out;
  TestCall call;
  EXPECT_EQ(driver().probe(state, &out, &writer, &call), NEREID_OK)
      << call.message;
  return out;
}

std::map<std::string, std::string> VulkanPlugin::properties(uint32_t device) {
  std::map<std::string, std::string> values;
  nereid_value_sink_t sink = {};
  sink.struct_size = sizeof sink;
  sink.user = &values;
  sink.add = [](const nereid_value_sink_t *self,
                const nereid_value_t *value) -> nereid_status_t {
    (*static_cast<std::map<std::string, std::string> *>(
        self->user))[string(value->name)] = value->type == NEREID_TYPE_STRING
                                                ? string(value->text)
                                                : std::to_string(value->i64);
    return NEREID_OK;
  };
  TestCall call;
  EXPECT_EQ(driver().visit_properties(state, device, &sink, &call), NEREID_OK)
      << call.message;
  return values;
}

// ------------------------------------------------------------------ fixture

void VulkanTest::SetUp() {
  plugin = std::make_unique<VulkanPlugin>();
  ASSERT_EQ(plugin->created, NEREID_OK) << plugin->problem;
  if (!plugin->probe().device_count) {
    // A machine without any driver; all else is a failure.
    bool isMissing = plugin->reason.find("no Vulkan") != std::string::npos;
    ASSERT_TRUE(isMissing) << plugin->reason;
    GTEST_SKIP() << "this machine has no Vulkan driver; scripts/test installs "
                    "lavapipe: "
                 << plugin->reason;
  }
}

void VulkanTest::TearDown() {
  if (plugin->created == NEREID_OK && plugin->probe().device_count) {
    for (nereid_module_t *module : modules)
      call(plugin->driver().unload_module, plugin->state, module);
    for (nereid_address_t address : addresses)
      call(plugin->driver().free, plugin->state, 0u, address);
  }
  std::vector<std::string> log = plugin->log();
  EXPECT_THAT(log, testing::IsEmpty());
  plugin.reset();
}

nereid_address_t VulkanTest::allocate(uint64_t size, uint64_t alignment) {
  nereid_allocation_t request = {sizeof request, 0, size, alignment};
  nereid_address_t address = 0;
  const nereid_allocation_t *in = &request;
  nereid_address_t *out = &address;
  EXPECT_EQ(call(plugin->driver().allocate, plugin->state, 0u, in, out),
            NEREID_OK)
      << error;
  addresses.push_back(address);
  return address;
}

void VulkanTest::free(nereid_address_t address) {
  EXPECT_EQ(call(plugin->driver().free, plugin->state, 0u, address), NEREID_OK)
      << error;
  std::erase(addresses, address);
}

nereid_status_t VulkanTest::copy(nereid_copy_direction_t direction,
                                 nereid_address_t destination,
                                 nereid_address_t source, uint64_t size,
                                 nereid_stream_t stream) {
  nereid_copy_t request = {sizeof request, direction, stream,
                           destination,    source,    size};
  const nereid_copy_t *in = &request;
  return call(plugin->driver().copy, plugin->state, 0u, in);
}

nereid_status_t VulkanTest::synchronize(nereid_stream_t stream) {
  return call(plugin->driver().synchronize, plugin->state, 0u, stream);
}

nereid_stream_t VulkanTest::createStream() {
  const auto &streams = plugin->extension<nereid_streams_t>(NEREID_EXT_STREAM);
  nereid_stream_request_t request = {};
  request.struct_size = sizeof request;
  nereid_stream_t stream = 0;
  const nereid_stream_request_t *in = &request;
  nereid_stream_t *out = &stream;
  EXPECT_EQ(call(streams.create, plugin->state, 0u, in, out), NEREID_OK)
      << error;
  return stream;
}

nereid_status_t VulkanTest::load(const std::string &image,
                                 nereid_module_t *&out,
                                 const std::vector<nereid_value_t> &metadata) {
  nereid_image_t request = {};
  request.struct_size = sizeof request;
  request.bytes = {image.data(), image.size()};
  request.metadata = metadata.data();
  request.metadata_count = metadata.size();
  const nereid_image_t *in = &request;
  nereid_status_t status =
      call(plugin->driver().load_image, plugin->state, 0u, in, &out);
  if (status == NEREID_OK)
    modules.push_back(out);
  return status;
}

nereid_kernel_t *
VulkanTest::kernelOf(const std::string &image, const std::string &name,
                     const std::vector<nereid_value_t> &metadata) {
  nereid_module_t *module = nullptr;
  nereid_kernel_t *found = nullptr;
  EXPECT_EQ(load(image, module, metadata), NEREID_OK) << error;
  nereid_kernel_t **out = &found;
  nereid_kernel_info_t info = {};
  info.struct_size = sizeof info;
  if (module)
    EXPECT_EQ(call(plugin->driver().get_kernel, plugin->state, module,
                   text(name), out, &info),
              NEREID_OK)
        << error;
  return found;
}

nereid_kernel_t *VulkanTest::kernel(const std::string &name) {
  return kernelOf(readImage(name), name);
}

nereid_status_t VulkanTest::launchGrid(nereid_kernel_t *kernel, uint32_t x,
                                       uint32_t y, uint32_t z,
                                       const void *arguments, uint64_t size,
                                       nereid_stream_t stream) {
  nereid_launch_t request = {};
  request.struct_size = sizeof request;
  request.grid[0] = x;
  request.grid[1] = y;
  request.grid[2] = z;
  request.stream = stream;
  request.arguments = arguments;
  request.arguments_size = size;
  const nereid_launch_t *in = &request;
  return call(plugin->driver().launch, kernel, in);
}

nereid_status_t VulkanTest::launch(nereid_kernel_t *kernel, uint32_t programs,
                                   const void *arguments, uint64_t size,
                                   nereid_stream_t stream) {
  return launchGrid(kernel, programs, 1, 1, arguments, size, stream);
}

} // namespace nereid::test
