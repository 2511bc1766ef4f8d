// memory.c - the memory of the devices: allocations, copies, fills, and memory
// of the host program.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "asynchronous.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define GAP 256u // between allocations, to detect accesses past an end

// [find]
// ---------------------------------------------------------------- find
static int32_t holds(const allocation_t *allocation, nereid_address_t address,
                     uint64_t size) {
  uint64_t offset = address - allocation->address;
  return address >= allocation->address && offset <= allocation->size &&
         size <= allocation->size - offset;
}

// The index of the first allocation past `address`. The mutex is held.
static uint32_t upper_bound(const memory_t *memory, nereid_address_t address) {
  uint32_t low = 0, high = memory->count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (memory->live[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

char *memory_find(memory_t *memory, nereid_address_t address, uint64_t size,
                  memory_view_t *view) {
  memory_view_t found = {.changes = atomic_load(&memory->changes)};
  if (view && view->changes == found.changes &&
      holds(&view->allocation, address, size))
    return view->allocation.memory + (address - view->allocation.address);
  pthread_mutex_lock(&memory->mutex);
  uint32_t next = upper_bound(memory, address);
  if (next)
    found.allocation = memory->live[next - 1];
  pthread_mutex_unlock(&memory->mutex);
  if (!next || !holds(&found.allocation, address, size))
    return NULL;
  if (view)
    *view = found;
  return found.allocation.memory + (address - found.allocation.address);
}
// [/find]

// ---------------------------------------------------------------- allocate
static nereid_address_t base_of(uint32_t device) {
  return (uint64_t)(0xa0 + device) << 56;
}

// Inserts `added` in the first gap that fits; 0 if out of memory. The mutex is
// held.
static int32_t insert(memory_t *memory, nereid_address_t base,
                      uint64_t alignment, allocation_t *added) {
  if (memory->count == memory->capacity) {
    uint32_t capacity = memory->capacity ? memory->capacity * 2 : 16;
    allocation_t *live = realloc(memory->live, capacity * sizeof(allocation_t));
    if (!live)
      return 0;
    memory->live = live;
    memory->capacity = capacity;
  }
  uint64_t at = base | GAP;
  uint32_t place = 0;
  for (;; ++place) {
    at = (at + alignment - 1) & ~(alignment - 1);
    if (place == memory->count ||
        at + added->size + GAP <= memory->live[place].address)
      break;
    at = memory->live[place].address + memory->live[place].size + GAP;
  }
  memmove(memory->live + place + 1, memory->live + place,
          (memory->count - place) * sizeof(allocation_t));
  added->address = at;
  memory->live[place] = *added;
  ++memory->count;
  return 1;
}

// [allocate]
nereid_status_t memory_allocate(nereid_state_t *state, uint32_t device,
                                const nereid_allocation_t *allocation,
                                nereid_address_t *out_address,
                                const nereid_call_t *call) {
  memory_t *memory = &state->memory[device];
  uint64_t alignment = allocation->alignment ? allocation->alignment : 64;
  if (alignment & (alignment - 1))
    return fail(call, NEREID_INVALID_ARGUMENT,
                "the alignment is %llu, expected a power of two",
                (unsigned long long)alignment);
  allocation_t added = {.size = allocation->size};
  uint64_t free_bytes = 0;
  pthread_mutex_lock(&memory->mutex);
  if (alignment <= device_traits[device].memory)
    free_bytes = device_traits[device].memory - memory->used;
  if (added.size <= free_bytes)
    added.memory = malloc(added.size);
  int32_t is_placed =
      added.memory && insert(memory, base_of(device), alignment, &added);
  if (is_placed)
    memory->used += added.size;
  pthread_mutex_unlock(&memory->mutex);
  if (!is_placed) {
    free(added.memory);
    return fail(call, NEREID_OUT_OF_RESOURCES,
                "no memory for %llu bytes, of which %llu are free",
                (unsigned long long)added.size, (unsigned long long)free_bytes);
  }
  *out_address = added.address;
  return NEREID_OK;
}
// [/allocate]

// Removes the allocation that starts at `address`.
static nereid_status_t release(memory_t *memory, nereid_address_t address,
                               uint32_t imported, const nereid_call_t *call) {
  if (!address)
    return NEREID_OK;
  allocation_t found = {.memory = NULL};
  pthread_mutex_lock(&memory->mutex);
  uint32_t next = upper_bound(memory, address);
  if (next && memory->live[next - 1].address == address &&
      memory->live[next - 1].imported == imported) {
    found = memory->live[next - 1];
    memmove(memory->live + next - 1, memory->live + next,
            (memory->count - next) * sizeof(allocation_t));
    --memory->count;
    if (!imported)
      memory->used -= found.size;
    atomic_fetch_add(&memory->changes, 1);
  }
  pthread_mutex_unlock(&memory->mutex);
  if (!found.memory)
    return fail(call, NEREID_INVALID_ARGUMENT, "nothing was %s at 0x%llx",
                imported ? "imported" : "allocated",
                (unsigned long long)address);
  if (!imported)
    free(found.memory);
  return NEREID_OK;
}

nereid_status_t memory_free(nereid_state_t *state, uint32_t device,
                            nereid_address_t address,
                            const nereid_call_t *call) {
  return release(&state->memory[device], address, 0, call);
}

void memory_close(memory_t *memory) {
  for (uint32_t i = 0; i < memory->count; ++i)
    if (!memory->live[i].imported)
      free(memory->live[i].memory);
  free(memory->live);
  pthread_mutex_destroy(&memory->mutex);
}

// [copies]
// ---------------------------------------------------------------- copies
// The memory of one side of a copy: a host pointer, or a device address, which
// is checked when the work runs.
static char *find_side(memory_t *memory, nereid_address_t address,
                       uint64_t size, int32_t is_host, const char *what,
                       fault_t *fault) {
  if (is_host)
    return (char *)(uintptr_t)address;
  char *found = memory_find(memory, address, size, NULL);
  if (!found)
    set_fault(fault,
              "a copy's %s, %llu bytes at 0x%llx, is not in one allocation",
              what, (unsigned long long)size, (unsigned long long)address);
  return found;
}
// [/copies]

static void copy_rows(memory_t *memory, memory_t *source_memory,
                      const nereid_copy_2d_t *copy, fault_t *fault) {
  for (uint64_t row = 0; copy->width && row < copy->height; ++row) {
    char *to = find_side(
        memory, copy->destination + row * copy->destination_pitch, copy->width,
        copy->direction == NEREID_COPY_DEVICE_TO_HOST, "destination", fault);
    char *from =
        to ? find_side(source_memory, copy->source + row * copy->source_pitch,
                       copy->width,
                       copy->direction == NEREID_COPY_HOST_TO_DEVICE, "source",
                       fault)
           : NULL;
    if (!from)
      return;
    memmove(to, from, copy->width);
  }
}

static void do_fill(memory_t *memory, const nereid_fill_t *fill,
                    const unsigned char *pattern, fault_t *fault) {
  uint64_t size = fill->count <= UINT64_MAX / 8
                      ? fill->count * fill->pattern_size
                      : UINT64_MAX;
  char *at =
      find_side(memory, fill->destination, size, 0, "destination", fault);
  for (uint64_t i = 0; at && i < fill->count; ++i)
    memcpy(at + i * fill->pattern_size, pattern, fill->pattern_size);
}

void do_copy(stream_t *stream, const work_t *work, fault_t *fault) {
  memory_t *memory = &stream->state->memory[stream->device];
  nereid_copy_2d_t row = {.height = 1};
  switch (work->kind) {
  case WORK_COPY:
    row.direction = work->copy.direction;
    row.destination = work->copy.destination;
    row.source = work->copy.source;
    row.width = work->copy.size;
    copy_rows(memory, memory, &row, fault);
    break;
  case WORK_COPY_PEER:
    row.direction = NEREID_COPY_DEVICE_TO_DEVICE;
    row.destination = work->copy_peer.destination;
    row.source = work->copy_peer.source;
    row.width = work->copy_peer.size;
    copy_rows(memory, &stream->state->memory[work->copy_peer.source_device],
              &row, fault);
    break;
  case WORK_COPY_2D:
    copy_rows(memory, memory, &work->copy_2d, fault);
    break;
  default:
    do_fill(memory, &work->fill.request, work->fill.pattern, fault);
  }
}

static nereid_status_t submit(nereid_state_t *state, uint32_t device,
                              nereid_stream_t stream, const work_t *work,
                              const nereid_call_t *call) {
  stream_t *found = find_stream(state, device, stream, call);
  return found ? stream_submit(found, work, NULL, call)
               : NEREID_INVALID_ARGUMENT;
}

static nereid_status_t check_direction(nereid_copy_direction_t direction,
                                       const nereid_call_t *call) {
  if (direction >= NEREID_COPY_HOST_TO_DEVICE &&
      direction <= NEREID_COPY_DEVICE_TO_DEVICE)
    return NEREID_OK;
  return fail(call, NEREID_INVALID_ARGUMENT,
              "the direction of the copy is %d, expected 1 to 3", direction);
}

// [copy]
nereid_status_t memory_copy(nereid_state_t *state, uint32_t device,
                            const nereid_copy_t *copy,
                            const nereid_call_t *call) {
  nereid_status_t status = check_direction(copy->direction, call);
  work_t work = {.kind = WORK_COPY, .copy = *copy};
  return status == NEREID_OK ? submit(state, device, copy->stream, &work, call)
                             : status;
}
// [/copy]

// ---------------------------------------------------------------- extension
static nereid_status_t fill(nereid_state_t *state, uint32_t device,
                            const nereid_fill_t *fill,
                            const nereid_call_t *call) {
  uint32_t size = fill->pattern_size;
  if (size != 1 && size != 2 && size != 4 && size != 8)
    return fail(call, NEREID_INVALID_ARGUMENT,
                "the pattern has %u bytes, expected 1, 2, 4 or 8", size);
  work_t work = {.kind = WORK_FILL, .fill = {.request = *fill}};
  memcpy(work.fill.pattern, fill->pattern, size); // borrowed for the call
  return submit(state, device, fill->stream, &work, call);
}

static nereid_status_t copy_2d(nereid_state_t *state, uint32_t device,
                               const nereid_copy_2d_t *copy,
                               const nereid_call_t *call) {
  nereid_status_t status = check_direction(copy->direction, call);
  work_t work = {.kind = WORK_COPY_2D, .copy_2d = *copy};
  return status == NEREID_OK ? submit(state, device, copy->stream, &work, call)
                             : status;
}

static nereid_status_t copy_peer(nereid_state_t *state, uint32_t device,
                                 const nereid_copy_peer_t *copy,
                                 const nereid_call_t *call) {
  work_t work = {.kind = WORK_COPY_PEER, .copy_peer = *copy};
  return submit(state, device, copy->stream, &work, call);
}

// A real device pins the memory. Here, ordinary memory is as fast.
static nereid_status_t allocate_host(nereid_state_t *state, uint32_t device,
                                     const nereid_allocation_t *allocation,
                                     void **out_pointer,
                                     const nereid_call_t *call) {
  (void)state;
  (void)device;
  uint64_t mask = (allocation->alignment ? allocation->alignment : 64) - 1;
  if (mask & (mask + 1))
    return fail(call, NEREID_INVALID_ARGUMENT,
                "the alignment is %llu, expected a power of two",
                (unsigned long long)allocation->alignment);
  void *memory = NULL;
  if (allocation->size <= SIZE_MAX - mask)
    memory = aligned_alloc(mask + 1, (allocation->size + mask) & ~mask);
  if (!memory)
    return fail(call, NEREID_OUT_OF_RESOURCES, "no memory for %llu bytes",
                (unsigned long long)allocation->size);
  *out_pointer = memory;
  return NEREID_OK;
}

static nereid_status_t free_host(nereid_state_t *state, uint32_t device,
                                 void *pointer, const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)call;
  free(pointer);
  return NEREID_OK;
}

static nereid_status_t get_info(nereid_state_t *state, uint32_t device,
                                nereid_memory_info_t *out_info,
                                const nereid_call_t *call) {
  (void)call;
  memory_t *memory = &state->memory[device];
  pthread_mutex_lock(&memory->mutex);
  out_info->total = device_traits[device].memory;
  out_info->free = out_info->total - memory->used;
  pthread_mutex_unlock(&memory->mutex);
  return NEREID_OK;
}

const nereid_memory_t asynchronous_memory = {
    .struct_size = sizeof(nereid_memory_t),
    .fill = fill,
    .copy_2d = copy_2d,
    .copy_peer = copy_peer,
    .allocate_host = allocate_host,
    .free_host = free_host,
    .get_info = get_info,
};

// ---------------------------------------------------------------- interop
// Host memory gets a device address. This device does not have native queues or
// contexts to import.
static nereid_status_t import_pointer(nereid_state_t *state, uint32_t device,
                                      const nereid_import_t *object,
                                      nereid_address_t *out_address,
                                      const nereid_call_t *call) {
  if (!is_equal(object->kind, "host.pointer"))
    return fail(call, NEREID_UNIMPLEMENTED,
                "cannot import a '%.*s', expected a 'host.pointer'",
                (int)object->kind.size, object->kind.data);
  if (!object->handle || !object->size)
    return fail(call, NEREID_INVALID_ARGUMENT, "the memory to import is empty");
  memory_t *memory = &state->memory[device];
  allocation_t added = {.size = object->size,
                        .memory = (char *)(uintptr_t)object->handle,
                        .imported = 1};
  if (added.size >> 48)
    return fail(call, NEREID_OUT_OF_RESOURCES,
                "cannot import %llu bytes, expected less than 2^48",
                (unsigned long long)added.size);
  pthread_mutex_lock(&memory->mutex);
  int32_t is_placed = insert(memory, base_of(device), 64, &added);
  pthread_mutex_unlock(&memory->mutex);
  if (!is_placed)
    return fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
  *out_address = added.address;
  return NEREID_OK;
}

static nereid_status_t release_pointer(nereid_state_t *state, uint32_t device,
                                       nereid_address_t address,
                                       const nereid_call_t *call) {
  return release(&state->memory[device], address, 1, call);
}

const nereid_interop_t asynchronous_interop = {
    .struct_size = sizeof(nereid_interop_t),
    .import_pointer = import_pointer,
    .release_pointer = release_pointer,
};
