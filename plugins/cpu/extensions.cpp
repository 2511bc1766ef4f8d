// extensions.cpp - what the plugin offers beyond the required slots. Streams
// and events are in a file of their own.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "extensions.h"

#include "FunctionList.h"
#include "common/frontend_facts.h"
#include "common/guard.h"
#include "common/plugin_table.h"
#include "common/requests.h"
#include "driver.h"
#include "state.h"
#include "streams.h"

#include <algorithm>

namespace nereid::cpu {

using namespace plugin;

// -------------------------------------------------------------------- memory

static nereid_status_t fill(nereid_state_t *, uint32_t,
                            const nereid_fill_t *fill,
                            const nereid_call_t *call) {
  auto *out = static_cast<unsigned char *>(pointerTo(fill->destination));
  switch (uint32_t size = fill->pattern_size) {
  case 1:
    if (fill->count)
      std::memset(out, *static_cast<const unsigned char *>(fill->pattern),
                  fill->count);
    return NEREID_OK;
  case 2:
  case 4:
  case 8:
    for (uint64_t i = 0; i < fill->count; ++i)
      std::memcpy(out + i * size, fill->pattern, size);
    return NEREID_OK;
  default:
    return fail(call, NEREID_INVALID_ARGUMENT,
                "fill with a pattern of " + std::to_string(size) +
                    " bytes, 1, 2, 4 or 8 were expected");
  }
}

static nereid_status_t copy2d(nereid_state_t *, uint32_t,
                              const nereid_copy_2d_t *copy,
                              const nereid_call_t *) {
  auto *to = static_cast<char *>(pointerTo(copy->destination));
  const auto *from = static_cast<const char *>(pointerTo(copy->source));
  for (uint64_t row = 0; copy->width && row < copy->height; ++row)
    std::memmove(to + row * copy->destination_pitch,
                 from + row * copy->source_pitch, copy->width);
  return NEREID_OK;
}

/// There is one device, so this copies within it.
static nereid_status_t copyPeer(nereid_state_t *, uint32_t,
                                const nereid_copy_peer_t *copy,
                                const nereid_call_t *) {
  if (copy->size)
    std::memmove(pointerTo(copy->destination), pointerTo(copy->source),
                 copy->size);
  return NEREID_OK;
}

static nereid_status_t allocateHost(nereid_state_t *state, uint32_t,
                                    const nereid_allocation_t *allocation,
                                    void **outPointer,
                                    const nereid_call_t *) {
  *outPointer = allocateBlock(*state, *allocation);
  return NEREID_OK;
}

static nereid_status_t freeHost(nereid_state_t *state, uint32_t, void *pointer,
                                const nereid_call_t *) {
  state->memory.free(pointer);
  return NEREID_OK;
}

static nereid_status_t getInfo(nereid_state_t *state, uint32_t,
                               nereid_memory_info_t *outInfo,
                               const nereid_call_t *) {
  nereid_memory_info_t info = {};
  info.total = state->sizes().memoryBytes;
  info.free = std::min(availableMemory(), info.total);
  copyOut(outInfo, info);
  return NEREID_OK;
}

static constexpr nereid_memory_t kMemory = {sizeof(nereid_memory_t), 0,
                                        kGuarded<fill>,
                                        kGuarded<copy2d>,
                                        kGuarded<copyPeer>,
                                        kGuarded<allocateHost>,
                                        kGuarded<freeHost>,
                                        kGuarded<getInfo>};

// ------------------------------------------------------------------- interop

static nereid_status_t importPointer(nereid_state_t *, uint32_t,
                                     const nereid_import_t *object,
                                     nereid_address_t *outAddress,
                                     const nereid_call_t *) {
  requireHostPointer(*object);
  *outAddress = object->handle;
  return NEREID_OK;
}

static nereid_status_t releasePointer(nereid_state_t *, uint32_t,
                                      nereid_address_t,
                                      const nereid_call_t *) {
  return NEREID_OK;
}

static constexpr nereid_interop_t kInterop = [] {
  nereid_interop_t table = {};
  table.struct_size = sizeof table;
  table.import_pointer = kGuarded<importPointer>;
  table.release_pointer = kGuarded<releasePointer>;
  return table;
}();

// ----------------------------------------------------------------- benchmark

/// Writes more than the caches hold, on every core in use.
static nereid_status_t flushCache(nereid_state_t *state, uint32_t,
                                  nereid_stream_t, const nereid_call_t *call) {
  const HostSizes &sizes = state->sizes();
  unsigned threads = state->pool.threads();
  constexpr uint64_t kLeast = 16 << 20, kMost = 256 << 20;
  uint64_t size =
      std::clamp(2 * (sizes.l3Bytes + threads * sizes.l2Bytes), kLeast, kMost);
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

static constexpr nereid_benchmark_t kBenchmark = {sizeof(nereid_benchmark_t), 0,
                                              kGuarded<flushCache>};

// ------------------------------------------------------------------ frontend

static nereid_status_t visitFacts(nereid_state_t *, const nereid_target_t *,
                                  const nereid_value_sink_t *sink,
                                  const nereid_call_t *) {
  ValueWriter values(sink);
  addFrontendFacts(values);
  return values.status();
}

static constexpr nereid_frontend_t kFrontend = {sizeof(nereid_frontend_t), 0,
                                            kGuarded<visitFacts>};

// ----------------------------------------------------------------- libdevice

static nereid_status_t visitFunctions(nereid_state_t *, const nereid_target_t *,
                                      const nereid_libdevice_sink_t *sink,
                                      const nereid_call_t *) {
  return codegen::addExternFunctions({}, sink);
}

static constexpr nereid_libdevice_t kLibdevice = {sizeof(nereid_libdevice_t), 0,
                                                  kGuarded<visitFunctions>};

// -------------------------------------------------------------------- vendor

static constexpr nereid_vendor_t kVendor = {sizeof(nereid_vendor_t), 0,
                                        text("nereid"),
                                        text("cpu"),
                                        text("lscpu"),
                                        text("CPU")};

const void *findExtension(nereid_state_t *, nereid_string_t id) {
  static constexpr Extension kExtensions[] = {
      {NEREID_EXT_BENCHMARK, &kBenchmark}, {NEREID_EXT_EVENT, &kEvents},
      {NEREID_EXT_FRONTEND, &kFrontend},   {NEREID_EXT_INTEROP, &kInterop},
      {NEREID_EXT_LIBDEVICE, &kLibdevice}, {NEREID_EXT_MEMORY, &kMemory},
      {NEREID_EXT_STREAM, &kStreams},      {NEREID_EXT_VENDOR, &kVendor},
  };
  return findTable(kExtensions, id);
}

} // namespace nereid::cpu
