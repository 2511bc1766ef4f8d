// extensions.cpp - streams, further memory operations, import of the program's
// objects, eviction of caches, and names. Events are in a file of their own.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/guard.h"
#include "common/plugin_table.h"
#include "common/requests.h"
#include "copies.h"
#include "driver.h"
#include "memory.h"
#include "state.h"
#include "streams.h"

namespace nereid::cuda {

using namespace plugin;

// ------------------------------------------------------------------- streams

static nereid_status_t createStream(nereid_state_t *state, uint32_t device,
                                    const nereid_stream_request_t *request,
                                    nereid_stream_t *outStream,
                                    const nereid_call_t *) {
  *outStream =
      handleOf(state->device(device).streams->create(request->priority));
  return NEREID_OK;
}

static nereid_status_t destroyStream(nereid_state_t *state, uint32_t device,
                                     nereid_stream_t stream,
                                     const nereid_call_t *) {
  if (stream)
    state->device(device).streams->destroy(streamOf(stream));
  return NEREID_OK;
}

static nereid_status_t queryStream(nereid_state_t *state, uint32_t device,
                                   nereid_stream_t stream, int32_t *outDone,
                                   const nereid_call_t *) {
  *outDone = state->device(device).streams->isDone(streamOf(stream));
  return NEREID_OK;
}

static constexpr nereid_streams_t kStreams = {
    sizeof(nereid_streams_t), 0, kGuarded<createStream>,
    kGuarded<destroyStream>, kGuarded<queryStream>};

// -------------------------------------------------------------------- memory

static nereid_status_t fillMemory(nereid_state_t *state, uint32_t device,
                                  const nereid_fill_t *request,
                                  const nereid_call_t *) {
  fill(state->device(device), *request);
  return NEREID_OK;
}

static nereid_status_t copy2d(nereid_state_t *state, uint32_t device,
                              const nereid_copy_2d_t *request,
                              const nereid_call_t *) {
  copyRows(state->device(device), *request);
  return NEREID_OK;
}

static nereid_status_t copyFromPeer(nereid_state_t *state, uint32_t device,
                                    const nereid_copy_peer_t *request,
                                    const nereid_call_t *) {
  copyPeer(state->device(device), state->device(request->source_device),
           *request);
  return NEREID_OK;
}

static nereid_status_t allocateHost(nereid_state_t *state, uint32_t device,
                                    const nereid_allocation_t *allocation,
                                    void **outPointer, const nereid_call_t *) {
  *outPointer = state->device(device).memory->allocateHost(
      allocation->size, alignmentOf(*allocation, 64));
  return NEREID_OK;
}

static nereid_status_t freeHost(nereid_state_t *state, uint32_t device,
                                void *pointer, const nereid_call_t *) {
  if (pointer)
    state->device(device).memory->freeHost(pointer);
  return NEREID_OK;
}

static nereid_status_t getInfo(nereid_state_t *state, uint32_t index,
                               nereid_memory_info_t *outInfo,
                               const nereid_call_t *) {
  Device &device = state->device(index);
  device.requireAlive();
  ContextScope scope(device);
  size_t free = 0, total = 0;
  device.check(device.cuda.cuMemGetInfo(&free, &total),
               "cannot read the free memory");
  nereid_memory_info_t info = {};
  info.free = free;
  info.total = total;
  copyOut(outInfo, info);
  return NEREID_OK;
}

static constexpr nereid_memory_t kMemory = {
    sizeof(nereid_memory_t), 0,
    kGuarded<fillMemory>,    kGuarded<copy2d>,
    kGuarded<copyFromPeer>,  kGuarded<allocateHost>,
    kGuarded<freeHost>,      kGuarded<getInfo>};

// ------------------------------------------------------------------- interop

/// The kinds that one slot imports, for the message about others.
static nereid_status_t refuseKind(const nereid_call_t *call,
                                  const nereid_import_t *object,
                                  const char *known) {
  return fail(call, NEREID_UNIMPLEMENTED,
              "cannot import a '" + std::string(view(object->kind)) +
                  "', only a " + known);
}

static nereid_status_t importPointer(nereid_state_t *state, uint32_t device,
                                     const nereid_import_t *object,
                                     nereid_address_t *outAddress,
                                     const nereid_call_t *call) {
  std::string_view kind = view(object->kind);
  if (kind == "cuda.pointer") {
    // Of an empty tensor.
    if (object->handle)
      state->device(device).memory->checkImported(object->handle);
    *outAddress = object->handle;
    return NEREID_OK;
  }
  if (kind != "host.pointer")
    return refuseKind(call, object, "'cuda.pointer' or a 'host.pointer'");
  *outAddress = state->device(device).memory->importHost(
      reinterpret_cast<void *>(object->handle), object->size);
  return NEREID_OK;
}

static nereid_status_t releasePointer(nereid_state_t *state, uint32_t device,
                                      nereid_address_t address,
                                      const nereid_call_t *) {
  if (address)
    state->device(device).memory->release(address);
  return NEREID_OK;
}

static nereid_status_t importStream(nereid_state_t *state, uint32_t device,
                                    const nereid_import_t *object,
                                    nereid_stream_t *outStream,
                                    const nereid_call_t *call) {
  if (view(object->kind) != "cuda.stream")
    return refuseKind(call, object, "'cuda.stream'");
  state->device(device).streams->checkImported(streamOf(object->handle));
  *outStream = object->handle;
  return NEREID_OK;
}

/// The program's stream, of which nothing is kept here.
static nereid_status_t releaseStream(nereid_state_t *, uint32_t,
                                     nereid_stream_t, const nereid_call_t *) {
  return NEREID_OK;
}

static nereid_status_t importContext(nereid_state_t *state, uint32_t device,
                                     const nereid_import_t *object,
                                     const nereid_call_t *call) {
  if (view(object->kind) != "cuda.context")
    return refuseKind(call, object, "'cuda.context'");
  state->importContext(device, reinterpret_cast<CUcontext>(object->handle));
  return NEREID_OK;
}

static constexpr nereid_interop_t kInterop = {
    sizeof(nereid_interop_t), 0,
    kGuarded<importPointer>,  kGuarded<releasePointer>,
    kGuarded<importStream>,   kGuarded<releaseStream>,
    kGuarded<importContext>};

// ----------------------------------------------------------------- benchmark

static nereid_status_t flushCache(nereid_state_t *state, uint32_t device,
                                  nereid_stream_t stream,
                                  const nereid_call_t *) {
  state->device(device).memory->flushCache(streamOf(stream));
  return NEREID_OK;
}

static constexpr nereid_benchmark_t kBenchmark = {sizeof(nereid_benchmark_t), 0,
                                                  kGuarded<flushCache>};

// -------------------------------------------------------------------- vendor

static constexpr nereid_vendor_t kVendor = {
    sizeof(nereid_vendor_t), 0,           text("nvidia"), text("cuda"),
    text("nvidia-smi"),      text("CUDA")};

const void *findExtension(nereid_state_t *, nereid_string_t id) {
  static constexpr Extension kExtensions[] = {
      {NEREID_EXT_BENCHMARK, &kBenchmark}, {NEREID_EXT_EVENT, &kEvents},
      {NEREID_EXT_INTEROP, &kInterop},     {NEREID_EXT_MEMORY, &kMemory},
      {NEREID_EXT_STREAM, &kStreams},      {NEREID_EXT_VENDOR, &kVendor},
  };
  return findTable(kExtensions, id);
}

} // namespace nereid::cuda
