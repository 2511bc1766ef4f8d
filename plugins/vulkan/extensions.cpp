// extensions.cpp - streams, further memory operations, import of host memory,
// and names. Events and facts for frontends are in files of their own.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "extensions.h"

#include "common/plugin_table.h"
#include "common/requests.h"
#include "copies.h"
#include "failure.h"
#include "memory.h"
#include "state.h"
#include "streams.h"

namespace nereid::vulkan {

using namespace plugin;

// ------------------------------------------------------------------ streams

/// Priorities are a hint; queues of Vulkan get theirs when the device is
/// opened.
static nereid_status_t createStream(nereid_state_t *state, uint32_t device,
                                    const nereid_stream_request_t *,
                                    nereid_stream_t *outStream,
                                    const nereid_call_t *) {
  *outStream = state->device(device).streams->create();
  return NEREID_OK;
}

static nereid_status_t destroyStream(nereid_state_t *state, uint32_t device,
                                     nereid_stream_t stream,
                                     const nereid_call_t *) {
  state->device(device).streams->destroy(stream);
  return NEREID_OK;
}

static nereid_status_t queryStream(nereid_state_t *state, uint32_t device,
                                   nereid_stream_t stream, int32_t *outDone,
                                   const nereid_call_t *) {
  *outDone = state->device(device).streams->find(stream).isDone();
  return NEREID_OK;
}

static constexpr nereid_streams_t kStreams = {
    sizeof(nereid_streams_t), 0, kGuarded<createStream>,
    kGuarded<destroyStream>, kGuarded<queryStream>};

// ------------------------------------------------------------------- memory

static nereid_status_t fillMemory(nereid_state_t *state, uint32_t device,
                                  const nereid_fill_t *request,
                                  const nereid_call_t *) {
  fill(state->device(device).streams->find(request->stream), *request);
  return NEREID_OK;
}

static nereid_status_t copy2d(nereid_state_t *state, uint32_t device,
                              const nereid_copy_2d_t *copy,
                              const nereid_call_t *) {
  copyRows(state->device(device).streams->find(copy->stream), *copy);
  return NEREID_OK;
}

static nereid_status_t allocateHost(nereid_state_t *state, uint32_t device,
                                    const nereid_allocation_t *allocation,
                                    void **outPointer, const nereid_call_t *) {
  *outPointer = state->device(device).memory->allocateHost(
      allocation->size, alignmentOf(*allocation, kDefaultAlignment));
  return NEREID_OK;
}

static nereid_status_t freeHost(nereid_state_t *state, uint32_t device,
                                void *pointer, const nereid_call_t *) {
  state->device(device).memory->freeHost(pointer);
  return NEREID_OK;
}

static nereid_status_t getInfo(nereid_state_t *state, uint32_t device,
                               nereid_memory_info_t *outInfo,
                               const nereid_call_t *) {
  Device &opened = state->device(device);
  nereid_memory_info_t info = {};
  info.total = opened.physical.memoryBytes;
  info.free = freeMemory(state->instance().functions, opened.physical,
                         info.total - opened.memory->used());
  copyOut(outInfo, info);
  return NEREID_OK;
}

// Copies between devices go through the host, which does that itself.
static constexpr nereid_memory_t kMemory = {sizeof(nereid_memory_t),
                                            0,
                                            kGuarded<fillMemory>,
                                            kGuarded<copy2d>,
                                            nullptr,
                                            kGuarded<allocateHost>,
                                            kGuarded<freeHost>,
                                            kGuarded<getInfo>};

// ------------------------------------------------------------------ interop

static nereid_status_t importPointer(nereid_state_t *state, uint32_t device,
                                     const nereid_import_t *object,
                                     nereid_address_t *outAddress,
                                     const nereid_call_t *) {
  requireHostPointer(*object);
  *outAddress = state->device(device).memory->import(
      reinterpret_cast<void *>(object->handle), object->size);
  return NEREID_OK;
}

static nereid_status_t releasePointer(nereid_state_t *state, uint32_t device,
                                      nereid_address_t address,
                                      const nereid_call_t *) {
  state->device(device).memory->release(address);
  return NEREID_OK;
}

static constexpr nereid_interop_t kInterop = [] {
  nereid_interop_t table = {};
  table.struct_size = sizeof table;
  table.import_pointer = kGuarded<importPointer>;
  table.release_pointer = kGuarded<releasePointer>;
  return table;
}();

// ------------------------------------------------------------------- vendor

static constexpr nereid_vendor_t kVendor = {
    sizeof(nereid_vendor_t), 0,
    text("khronos"),         text("vulkan"),
    text("vulkaninfo"),      text("PrivateUse1")};

const void *findExtension(nereid_state_t *, nereid_string_t id) {
  static constexpr Extension kExtensions[] = {
      {NEREID_EXT_BENCHMARK, &kBenchmark}, {NEREID_EXT_EVENT, &kEvents},
      {NEREID_EXT_FRONTEND, &kFrontend},   {NEREID_EXT_LIBDEVICE, &kLibdevice},
      {NEREID_EXT_INTEROP, &kInterop},     {NEREID_EXT_MEMORY, &kMemory},
      {NEREID_EXT_STREAM, &kStreams},      {NEREID_EXT_VENDOR, &kVendor},
  };
  return findTable(kExtensions, id);
}

} // namespace nereid::vulkan
