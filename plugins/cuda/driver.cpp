// driver.cpp - the slots of the driver: devices, memory and copies.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "driver.h"

#include "common/guard.h"
#include "common/requests.h"
#include "common/values.h"
#include "copies.h"
#include "memory.h"
#include "module.h"
#include "state.h"
#include "streams.h"

namespace nereid::cuda {

using namespace plugin;

// ------------------------------------------------------------------- devices

static nereid_status_t probe(nereid_state_t *state, nereid_probe_t *outProbe,
                             const nereid_writer_t *reason,
                             const nereid_call_t *) {
  constexpr int32_t kScore = 100;
  const Machine &machine = state->machine();
  nereid_probe_t probe = {};
  probe.device_count = static_cast<uint32_t>(machine.devices.size());
  probe.score = probe.device_count ? kScore : 0;
  copyOut(outProbe, probe);
  return write(reason, machine.reason);
}

static nereid_status_t getTarget(nereid_state_t *state, uint32_t index,
                                 nereid_target_t *outTarget,
                                 const nereid_call_t *) {
  const PhysicalDevice &device = state->physical(index);
  nereid_target_t target = {};
  target.warp_size = device.warpSize;
  target.backend = text("cuda");
  target.arch = text(device.arch);
  target.features = text(device.features);
  copyOut(outTarget, target);
  return NEREID_OK;
}

static nereid_status_t visitProperties(nereid_state_t *state, uint32_t index,
                                       const nereid_value_sink_t *sink,
                                       const nereid_call_t *) {
  const PhysicalDevice &device = state->physical(index);
  ValueWriter values(sink);
  values.addString("name", device.name);
  values.addString("arch", device.arch);
  values.addString("compute_capability", std::to_string(device.major) + "." +
                                             std::to_string(device.minor));
  values.addString("uuid", device.uuid);
  values.addString("pci_address", device.pciAddress);
  values.addString("cuda_version",
                   versionText(state->machine().library.version));
  values.addIntegers({
      {"multiprocessor_count", device.multiprocessors},
      {"max_shared_mem", device.maxShared},
      {"max_num_regs", device.maxRegisters},
      {"warp_size", device.warpSize},
      {"max_threads", device.maxThreads},
      {"clock_khz", device.clockKhz},
      {"mem_clock_khz", device.memoryClockKhz},
      {"mem_bus_width", device.memoryBusBits},
      {"l2_bytes", device.l2Bytes},
      {"memory_bytes", static_cast<int64_t>(device.memoryBytes)},
  });
  values.addBool("host_accessible", false);
  const int64_t maxGrid[] = {device.maxGrid[0], device.maxGrid[1],
                             device.maxGrid[2]};
  values.addList("max_grid", maxGrid);
  return values.status();
}

// -------------------------------------------------------------------- memory

static nereid_status_t allocate(nereid_state_t *state, uint32_t device,
                                const nereid_allocation_t *allocation,
                                nereid_address_t *outAddress,
                                const nereid_call_t *) {
  *outAddress = state->device(device).memory->allocate(
      allocation->size, alignmentOf(*allocation, 64));
  return NEREID_OK;
}

static nereid_status_t release(nereid_state_t *state, uint32_t device,
                               nereid_address_t address,
                               const nereid_call_t *) {
  if (address)
    state->device(device).memory->free(address);
  return NEREID_OK;
}

static nereid_status_t copyMemory(nereid_state_t *state, uint32_t device,
                                  const nereid_copy_t *request,
                                  const nereid_call_t *) {
  copy(state->device(device), *request);
  return NEREID_OK;
}

static nereid_status_t synchronize(nereid_state_t *state, uint32_t device,
                                   nereid_stream_t stream,
                                   const nereid_call_t *) {
  state->device(device).streams->synchronize(streamOf(stream));
  return NEREID_OK;
}

static nereid_status_t synchronizeDevice(nereid_state_t *state, uint32_t device,
                                         const nereid_call_t *) {
  state->device(device).streams->synchronizeAll();
  return NEREID_OK;
}

const nereid_driver_t kDriver = {
    sizeof(nereid_driver_t),   0,
    kGuarded<probe>,           kGuarded<getTarget>,
    kGuarded<visitProperties>, kGuarded<allocate>,
    kGuarded<release>,         kGuarded<copyMemory>,
    kGuarded<synchronize>,     kGuarded<synchronizeDevice>,
    kGuarded<loadImage>,       kGuarded<unloadModule>,
    kGuarded<getKernel>,       kGuarded<launch>};

} // namespace nereid::cuda
