// driver.cpp - the slots of the driver: devices, memory and copies.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "driver.h"

#include "common/requests.h"
#include "common/values.h"
#include "copies.h"
#include "failure.h"
#include "memory.h"
#include "module.h"
#include "state.h"
#include "streams.h"
#include "target.h"

#include <algorithm>

namespace nereid::vulkan {

using namespace plugin;

// ------------------------------------------------------------------ devices

static nereid_status_t probe(nereid_state_t *state, nereid_probe_t *outProbe,
                             const nereid_writer_t *reason,
                             const nereid_call_t *) {
  const Instance &instance = state->instance();
  nereid_probe_t probe = {};
  probe.device_count = static_cast<uint32_t>(instance.devices.size());
  bool isCpu = std::all_of(instance.devices.begin(), instance.devices.end(),
                           [](const PhysicalDevice &d) { return d.isCpu(); });
  // A driver for this hardware alone knows more of it. Vulkan on the processor
  // is for tests: the cpu plugin is faster there.
  constexpr int32_t kGpu = 80, kCpu = 5;
  if (probe.device_count)
    probe.score = isCpu ? kCpu : kGpu;
  if (isCpu && probe.device_count)
    probe.flags = NEREID_PROBE_IS_HOST_CPU;
  copyOut(outProbe, probe);
  return write(reason, instance.reason);
}

static nereid_status_t getTarget(nereid_state_t *state, uint32_t index,
                                 nereid_target_t *outTarget,
                                 const nereid_call_t *) {
  const PhysicalDevice &device = state->physical(index);
  nereid_target_t target = {};
  target.warp_size = static_cast<int32_t>(device.subgroupSize);
  target.backend = text("vulkan");
  target.arch = text(profileOf(device));
  target.features = text(state->features(index));
  copyOut(outTarget, target);
  return NEREID_OK;
}

static nereid_status_t visitProperties(nereid_state_t *state, uint32_t index,
                                       const nereid_value_sink_t *sink,
                                       const nereid_call_t *) {
  const PhysicalDevice &device = state->physical(index);
  const std::pair<const char *, std::string> strings[] = {
      {"name", device.name},
      {"type", std::string(typeName(device.type))},
      {"uuid", device.uuid},
      {"pci_address", device.pciAddress},
      {"vulkan_version", versionText(device.apiVersion)},
      {"driver", device.driverName},
      {"driver_version", device.driverInfo},
      {"features", state->features(index)},
  };
  ValueWriter values(sink);
  for (const auto &[name, value] : strings)
    if (!value.empty())
      values.addString(name, value);
  values.addIntegers({
      // Programs size their grids by it; 1 where the driver does not say.
      {"multiprocessor_count", std::max(device.multiprocessors, 1u)},
      {"max_shared_mem", device.sharedBytes},
      {"max_num_regs", 0},
      {"warp_size", device.subgroupSize},
      {"min_subgroup_size", device.minSubgroup},
      {"max_subgroup_size", device.maxSubgroup},
      {"max_threads", device.maxThreads},
      {"max_push_constants", device.pushBytes},
      {"queues", device.queueCount},
      {"memory_bytes", static_cast<int64_t>(device.memoryBytes)},
  });
  values.addBool("host_accessible", false);
  // Beyond the device's limits a grid is folded; all programs together are
  // checked at the launch.
  constexpr int64_t kMaxGrid[] = {INT32_MAX, INT32_MAX, INT32_MAX};
  values.addList("max_grid", kMaxGrid);
  return values.status();
}

// ------------------------------------------------------------------- memory

static nereid_status_t allocate(nereid_state_t *state, uint32_t device,
                                const nereid_allocation_t *allocation,
                                nereid_address_t *outAddress,
                                const nereid_call_t *) {
  *outAddress = state->device(device).memory->allocate(
      allocation->size, alignmentOf(*allocation, kDefaultAlignment));
  return NEREID_OK;
}

static nereid_status_t release(nereid_state_t *state, uint32_t device,
                               nereid_address_t address,
                               const nereid_call_t *) {
  state->device(device).memory->free(address);
  return NEREID_OK;
}

static nereid_status_t copy(nereid_state_t *state, uint32_t device,
                            const nereid_copy_t *copy, const nereid_call_t *) {
  nereid_copy_2d_t rows = {};
  rows.direction = copy->direction;
  rows.stream = copy->stream;
  rows.destination = copy->destination;
  rows.source = copy->source;
  rows.width = rows.destination_pitch = rows.source_pitch = copy->size;
  rows.height = 1;
  copyRows(state->device(device).streams->find(copy->stream), rows);
  return NEREID_OK;
}

// -------------------------------------------------------------- synchronize

static nereid_status_t synchronize(nereid_state_t *state, uint32_t device,
                                   nereid_stream_t stream,
                                   const nereid_call_t *) {
  state->device(device).streams->find(stream).synchronize();
  return NEREID_OK;
}

static nereid_status_t synchronizeDevice(nereid_state_t *state, uint32_t device,
                                         const nereid_call_t *) {
  state->device(device).streams->synchronizeAll();
  return NEREID_OK;
}

static constexpr nereid_driver_t makeDriver() {
  nereid_driver_t driver = {};
  driver.struct_size = sizeof driver;
  driver.probe = kGuarded<probe>;
  driver.get_target = kGuarded<getTarget>;
  driver.visit_properties = kGuarded<visitProperties>;
  driver.allocate = kGuarded<allocate>;
  driver.free = kGuarded<release>;
  driver.copy = kGuarded<copy>;
  driver.synchronize = kGuarded<synchronize>;
  driver.synchronize_device = kGuarded<synchronizeDevice>;
  driver.load_image = kGuarded<loadImage>;
  driver.unload_module = kGuarded<unloadModule>;
  driver.get_kernel = kGuarded<getKernel>;
  driver.launch = kGuarded<launch>;
  return driver;
}

constinit const nereid_driver_t kDriver = makeDriver();

} // namespace nereid::vulkan
