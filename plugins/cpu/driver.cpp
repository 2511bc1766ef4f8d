// driver.cpp - the device "cpu": its properties, memory, streams and events.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Launches and copies are synchronous: they are complete when their function
// returns. A stream is therefore only a number.

#include "driver.h"

#include "common/guard.h"
#include "common/text.h"
#include "futex.h"
#include "module.h"

#include <algorithm>

struct nereid_event_t {
  std::atomic<uint64_t> nanoseconds{0};
};

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

static nereid_status_t createStream(nereid_state_t *state, uint32_t,
                                    nereid_stream_t *outStream,
                                    const nereid_call_t *) {
  *outStream = state->nextStream.fetch_add(1);
  return NEREID_OK;
}

static void destroyStream(nereid_state_t *state, uint32_t,
                          nereid_stream_t stream) {
  std::string fault;
  state->faults.take(stream, fault);
}

static nereid_status_t synchronize(nereid_state_t *state, uint32_t,
                                   nereid_stream_t stream,
                                   const nereid_call_t *call) {
  std::string fault;
  if (state->faults.take(stream, fault))
    return fail(call, NEREID_DEVICE_FAULT, fault);
  return NEREID_OK;
}

static void *pointer(nereid_address_t address) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
}

static nereid_status_t allocate(nereid_state_t *state, uint32_t, uint64_t size,
                                nereid_address_t *outAddress,
                                const nereid_call_t *call) {
  void *block = size ? state->memory.allocate(size) : nullptr;
  if (size && !block)
    return fail(call, NEREID_OUT_OF_RESOURCES,
                "no memory for " + std::to_string(size) + " bytes");
  *outAddress = reinterpret_cast<uintptr_t>(block);
  return NEREID_OK;
}

static void release(nereid_state_t *state, uint32_t, nereid_address_t address) {
  state->memory.free(pointer(address));
}

static nereid_status_t copy(nereid_state_t *, uint32_t, nereid_stream_t,
                            nereid_copy_t, nereid_address_t destination,
                            nereid_address_t source, uint64_t size,
                            const nereid_call_t *) {
  if (size)
    std::memmove(pointer(destination), pointer(source), size);
  return NEREID_OK;
}

static nereid_status_t fill(nereid_state_t *, uint32_t, nereid_stream_t,
                            nereid_address_t destination, const void *pattern,
                            uint32_t patternSize, uint64_t count,
                            const nereid_call_t *call) {
  auto *out = static_cast<unsigned char *>(pointer(destination));
  switch (patternSize) {
  case 1:
    if (count)
      std::memset(out, *static_cast<const unsigned char *>(pattern), count);
    return NEREID_OK;
  case 2:
  case 4:
  case 8:
    for (uint64_t i = 0; i < count; ++i)
      std::memcpy(out + i * patternSize, pattern, patternSize);
    return NEREID_OK;
  default:
    return fail(call, NEREID_INVALID_ARGUMENT,
                "fill with a pattern of " + std::to_string(patternSize) +
                    " bytes, 1, 2, 4 or 8 were expected");
  }
}

static nereid_status_t adoptPointer(nereid_state_t *, uint32_t,
                                    nereid_string_t kind, uint64_t handle,
                                    uint64_t, nereid_address_t *outAddress,
                                    const nereid_call_t *call) {
  if (view(kind) != "host.pointer")
    return fail(call, NEREID_UNIMPLEMENTED,
                "cannot adopt a '" + std::string(view(kind)) +
                    "', only a 'host.pointer'");
  *outAddress = handle;
  return NEREID_OK;
}

static nereid_status_t createEvent(nereid_state_t *, uint32_t,
                                   nereid_event_t **outEvent,
                                   const nereid_call_t *) {
  *outEvent = new nereid_event_t;
  return NEREID_OK;
}

static void destroyEvent(nereid_state_t *, nereid_event_t *event) {
  delete event;
}

static nereid_status_t recordEvent(nereid_state_t *, nereid_event_t *event,
                                   nereid_stream_t, const nereid_call_t *) {
  event->nanoseconds.store(monotonicNanoseconds());
  return NEREID_OK;
}

static nereid_status_t elapsed(nereid_state_t *, nereid_event_t *start,
                               nereid_event_t *end, double *outNanoseconds,
                               const nereid_call_t *call) {
  uint64_t from = start->nanoseconds.load(), to = end->nanoseconds.load();
  if (!from || !to)
    return fail(call, NEREID_INVALID_ARGUMENT,
                "an event has not been recorded");
  *outNanoseconds = static_cast<double>(static_cast<int64_t>(to - from));
  return NEREID_OK;
}

/// Writes more than the caches hold, on every core in use.
static nereid_status_t flushCache(nereid_state_t *state, uint32_t,
                                  nereid_stream_t, const nereid_call_t *call) {
  const HostCpu &cpu = state->cpu;
  unsigned threads = state->pool.threads();
  constexpr uint64_t kLeast = 16 << 20, kMost = 256 << 20;
  uint64_t size =
      std::clamp(2 * (cpu.l3Bytes + threads * cpu.l2Bytes), kLeast, kMost);
  CacheSweep &caches = state->sweep;
  std::lock_guard lock(caches.mutex);
  if (!caches.block)
    caches.block = state->memory.allocate(size);
  if (!caches.block)
    return fail(call, NEREID_OUT_OF_RESOURCES,
                "no memory to flush the caches with");
  constexpr uint64_t kPiece = 64 * 1024;
  auto sweep = [](void *context, uint64_t first, uint64_t count) {
    std::memset(static_cast<char *>(context) + first * kPiece, 1,
                count * kPiece);
    return true;
  };
  state->pool.run({sweep, caches.block, size / kPiece, 4}, threads);
  return NEREID_OK;
}

static nereid_driver_t makeDriver() {
  nereid_driver_t driver = {};
  driver.struct_size = sizeof driver;
  driver.probe = kGuarded<probe>;
  driver.get_target = kGuarded<getTarget>;
  driver.create_stream = kGuarded<createStream>;
  driver.destroy_stream = kGuarded<destroyStream>;
  driver.synchronize = kGuarded<synchronize>;
  driver.visit_properties = kGuarded<visitProperties>;
  driver.allocate = kGuarded<allocate>;
  driver.free = kGuarded<release>;
  driver.copy = kGuarded<copy>;
  driver.fill = kGuarded<fill>;
  driver.adopt_pointer = kGuarded<adoptPointer>;
  driver.load_image = kGuarded<loadImage>;
  driver.unload_module = kGuarded<unloadModule>;
  driver.get_kernel = kGuarded<getKernel>;
  driver.launch = kGuarded<launch>;
  driver.create_event = kGuarded<createEvent>;
  driver.destroy_event = kGuarded<destroyEvent>;
  driver.record_event = kGuarded<recordEvent>;
  driver.elapsed = kGuarded<elapsed>;
  driver.flush_cache = kGuarded<flushCache>;
  return driver;
}

const nereid_driver_t kDriver = makeDriver();

} // namespace nereid::cpu
