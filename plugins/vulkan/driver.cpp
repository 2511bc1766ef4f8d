// driver.cpp - the slots of the driver: devices, memory and copies.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "driver.h"

#include "copies.h"
#include "failure.h"
#include "memory.h"
#include "module.h"
#include "state.h"
#include "streams.h"
#include "target.h"

#include <algorithm>
#include <bit>

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
  const std::pair<const char *, uint64_t> integers[] = {
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
      {"memory_bytes", device.memoryBytes},
  };
  nereid_status_t status = NEREID_OK;
  for (const auto &[name, value] : strings)
    if (status == NEREID_OK && !value.empty())
      status = addString(sink, name, value);
  for (auto [name, value] : integers)
    if (status == NEREID_OK)
      status = addInteger(sink, name, static_cast<int64_t>(value));
  if (status == NEREID_OK)
    status = addInteger(sink, "host_accessible", 0, NEREID_TYPE_BOOL);
  if (status != NEREID_OK)
    return status;
  // Beyond the device's limits a grid is folded; all programs together are
  // checked at the launch.
  const int64_t maxGrid[] = {INT32_MAX, INT32_MAX, INT32_MAX};
  nereid_value_t list = {};
  list.name = text("max_grid");
  list.type = NEREID_TYPE_I64_LIST;
  list.list = maxGrid;
  list.list_size = 3;
  return sink->add(sink, &list);
}

// ------------------------------------------------------------------- memory

static nereid_status_t allocate(nereid_state_t *state, uint32_t device,
                                const nereid_allocation_t *allocation,
                                nereid_address_t *outAddress,
                                const nereid_call_t *call) {
  uint64_t alignment = allocation->alignment ? allocation->alignment : 64;
  if (!std::has_single_bit(alignment))
    return fail(call, NEREID_INVALID_ARGUMENT,
                "the alignment is " + std::to_string(alignment) +
                    ", a power of two was expected");
  *outAddress =
      state->device(device).memory->allocate(allocation->size, alignment);
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

static nereid_driver_t makeDriver() {
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

const nereid_driver_t kDriver = makeDriver();

} // namespace nereid::vulkan
