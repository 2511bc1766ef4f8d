// driver.cpp - the device "cpu": its properties and its memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "driver.h"

#include "common/guard.h"
#include "common/requests.h"
#include "common/values.h"
#include "module.h"
#include "streams.h"

namespace nereid::cpu {

using namespace plugin;

static nereid_status_t probe(nereid_state_t *state, nereid_probe_t *outProbe,
                             const nereid_writer_t *reason,
                             const nereid_call_t *) {
  nereid_probe_t probe = {};
  probe.flags = NEREID_PROBE_IS_HOST_CPU;
  probe.score = 10;
  probe.device_count = 1;
  copyOut(outProbe, probe);
  unsigned threads = state->pool.threads();
  return write(reason, std::to_string(threads) +
                           (threads == 1 ? " thread: " : " threads: ") +
                           state->cpu.brand + " (" + state->cpu.name + ")");
}

static nereid_status_t getTarget(nereid_state_t *state, uint32_t,
                                 nereid_target_t *outTarget,
                                 const nereid_call_t *) {
  nereid_target_t target = {};
  target.warp_size = 1;
  target.backend = text("cpu");
  target.arch = text(state->cpu.arch);
  target.features = text(state->features);
  copyOut(outTarget, target);
  return NEREID_OK;
}

static nereid_status_t visitProperties(nereid_state_t *state, uint32_t,
                                       const nereid_value_sink_t *sink,
                                       const nereid_call_t *) {
  const HostCpu &cpu = state->cpu;
  const HostSizes &sizes = state->sizes();
  ValueWriter values(sink);
  values.addString("name", cpu.brand);
  // Scratch is ordinary memory; it is fast as long as it fits the L2 cache.
  values.addIntegers({
      {"multiprocessor_count", state->pool.threads()},
      {"max_shared_mem", static_cast<int64_t>(sizes.l2Bytes)},
      {"max_num_regs", cpu.features.find("+avx512f") != std::string::npos ||
                               cpu.arch == "aarch64"
                           ? 32
                           : 16},
      {"warp_size", 1},
      {"max_threads", 1},
      {"memory_bytes", static_cast<int64_t>(sizes.memoryBytes)},
      {"clock_khz", sizes.clockKhz},
      {"l2_cache_bytes", static_cast<int64_t>(sizes.l2Bytes)},
      {"l3_cache_bytes", static_cast<int64_t>(sizes.l3Bytes)},
  });
  values.addBool("host_accessible", true);
  // The range of a 32-bit program id.
  constexpr int64_t kMaxGrid[] = {INT32_MAX, INT32_MAX, INT32_MAX};
  values.addList("max_grid", kMaxGrid);
  return values.status();
}

static nereid_status_t allocate(nereid_state_t *state, uint32_t,
                                const nereid_allocation_t *allocation,
                                nereid_address_t *outAddress,
                                const nereid_call_t *) {
  *outAddress = reinterpret_cast<uintptr_t>(allocateBlock(*state, *allocation));
  return NEREID_OK;
}

static nereid_status_t release(nereid_state_t *state, uint32_t,
                               nereid_address_t address,
                               const nereid_call_t *) {
  state->memory.free(pointerTo(address));
  return NEREID_OK;
}

static nereid_status_t copy(nereid_state_t *, uint32_t,
                            const nereid_copy_t *copy, const nereid_call_t *) {
  if (copy->size)
    std::memmove(pointerTo(copy->destination), pointerTo(copy->source),
                 copy->size);
  return NEREID_OK;
}

void *allocateBlock(nereid_state_t &state,
                    const nereid_allocation_t &allocation) {
  uint64_t alignment = alignmentOf(allocation, 1);
  void *block = state.memory.allocate(allocation.size, alignment);
  if (!block)
    throw Failure(NEREID_OUT_OF_RESOURCES, "no memory for " +
                                               std::to_string(allocation.size) +
                                               " bytes");
  return block;
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

} // namespace nereid::cpu
