// driver.cpp - the device "cpu": its properties and its memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "driver.h"

#include "common/guard.h"
#include "common/text.h"
#include "module.h"
#include "streams.h"

#include <bit>

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
  // Scratch is ordinary memory; it is fast as long as it fits the L2 cache.
  const std::pair<const char *, int64_t> integers[] = {
      {"multiprocessor_count", state->pool.threads()},
      {"max_shared_mem", static_cast<int64_t>(cpu.l2Bytes)},
      {"max_num_regs", cpu.features.find("+avx512f") != std::string::npos ||
                               cpu.arch == "aarch64"
                           ? 32
                           : 16},
      {"warp_size", 1},
      {"max_threads", 1},
      {"memory_bytes", static_cast<int64_t>(cpu.memoryBytes)},
      {"clock_khz", cpu.clockKhz},
      {"l2_cache_bytes", static_cast<int64_t>(cpu.l2Bytes)},
      {"l3_cache_bytes", static_cast<int64_t>(cpu.l3Bytes)},
  };
  nereid_status_t status = addString(sink, "name", cpu.brand);
  for (auto [name, value] : integers)
    if (status == NEREID_OK)
      status = addInteger(sink, name, value);
  if (status == NEREID_OK)
    status = addInteger(sink, "host_accessible", 1, NEREID_TYPE_BOOL);
  if (status != NEREID_OK)
    return status;
  // The range of a 32-bit program id.
  const int64_t maxGrid[] = {INT32_MAX, INT32_MAX, INT32_MAX};
  nereid_value_t list = {};
  list.name = text("max_grid");
  list.type = NEREID_TYPE_I64_LIST;
  list.list = maxGrid;
  list.list_size = 3;
  return sink->add(sink, &list);
}

static nereid_status_t allocate(nereid_state_t *state, uint32_t,
                                const nereid_allocation_t *allocation,
                                nereid_address_t *outAddress,
                                const nereid_call_t *call) {
  void *block = nullptr;
  nereid_status_t status = allocateBlock(state, *allocation, &block, call);
  if (status == NEREID_OK)
    *outAddress = reinterpret_cast<uintptr_t>(block);
  return status;
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

nereid_status_t allocateBlock(nereid_state_t *state,
                              const nereid_allocation_t &allocation,
                              void **outBlock, const nereid_call_t *call) {
  uint64_t alignment = allocation.alignment ? allocation.alignment : 1;
  if (!std::has_single_bit(alignment))
    return fail(call, NEREID_INVALID_ARGUMENT,
                "the alignment is " + std::to_string(alignment) +
                    ", a power of two was expected");
  void *block = state->memory.allocate(allocation.size, alignment);
  if (!block)
    return fail(call, NEREID_OUT_OF_RESOURCES,
                "no memory for " + std::to_string(allocation.size) + " bytes");
  *outBlock = block;
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

} // namespace nereid::cpu
