// lazy_plugin.c - a sound asynchronous plugin, and bugs of which the
// environment variable NEREID_TEST_BUG switches one on, for the conformance
// checks to find.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Its two devices have memory of their own, and their streams do nothing until
// somebody waits for them: what does not wait sees nothing. The compiler knows
// the kernels of the checks by their names.

#include "nereid/plugin.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT(literal) {literal, sizeof(literal) - 1}
#define DEVICES 2u
#define STREAMS 64u
#define WORKS 8192u
#define BLOCKS 1024u
#define MEMORY (96ull << 20)

static int has_bug(const char *name) {
  const char *bug = getenv("NEREID_TEST_BUG");
  return bug && strcmp(bug, name) == 0;
}

static nereid_status_t fail(const nereid_call_t *call, nereid_status_t status,
                            const char *text) {
  nereid_diagnostic_t diagnostic = {0};
  diagnostic.struct_size = sizeof diagnostic;
  diagnostic.severity = NEREID_SEVERITY_ERROR;
  diagnostic.message = (nereid_string_t){text, strlen(text)};
  if (call)
    call->report(call, &diagnostic);
  return status;
}

static int equal(nereid_string_t text, const char *literal) {
  return text.size == strlen(literal) &&
         memcmp(text.data, literal, text.size) == 0;
}

// ---------------------------------------------------------------- state
typedef enum kernel_kind_t { SUM, MASKED_SUM, ASSERTION } kernel_kind_t;

typedef struct image_t {
  char magic[8];
  uint32_t kind;
  uint32_t fast;
} image_t;

struct nereid_kernel_t {
  nereid_state_t *state;
  uint32_t device;
  image_t image;
};
struct nereid_module_t {
  nereid_kernel_t kernel;
};

struct nereid_event_t {
  nereid_state_t *state;
  uint32_t device;
  uint32_t recorded;
  nereid_stream_t stream;
  uint64_t point; // of the stream's works
  double time;
};

typedef struct work_t {
  enum { COPY, LAUNCH, WAIT, STAMP } kind;
  nereid_copy_t copy;
  image_t image;
  uint32_t programs;
  nereid_address_t arguments[4];
  nereid_event_t *event;
  uint32_t from_device; // of a copy between devices
  uint64_t point;
} work_t;

typedef struct stream_t {
  uint32_t used;
  uint32_t failed;
  uint64_t given, done;
  work_t works[WORKS];
} stream_t;

typedef struct block_t {
  nereid_address_t address; // 0: free
  uint64_t size;
  char *data;
} block_t;

struct nereid_state_t {
  stream_t streams[DEVICES][STREAMS];
  block_t blocks[DEVICES][BLOCKS];
  nereid_address_t next[DEVICES];
  uint64_t used[DEVICES];
  double clock; // work takes time, in nanoseconds
};

static nereid_status_t create(const nereid_host_t *host,
                              nereid_state_t **out_state,
                              const nereid_call_t *call) {
  (void)host, (void)call;
  if (has_bug("create-crashes"))
    abort();
  nereid_state_t *state = calloc(1, sizeof *state);
  for (uint32_t i = 0; i < DEVICES; ++i) {
    state->next[i] = (nereid_address_t)(i + 1) << 40;
    state->streams[i][0].used = 1;
  }
  *out_state = state;
  return NEREID_OK;
}

static nereid_status_t shut_down(nereid_state_t *state,
                                 const nereid_call_t *call) {
  (void)call;
  for (uint32_t i = 0; i < DEVICES; ++i)
    for (uint32_t b = 0; b < BLOCKS; ++b)
      free(state->blocks[i][b].data);
  free(state);
  return NEREID_OK;
}

// ---------------------------------------------------------------- memory
static nereid_status_t allocate(nereid_state_t *state, uint32_t device,
                                const nereid_allocation_t *allocation,
                                nereid_address_t *out_address,
                                const nereid_call_t *call) {
  uint64_t size = (allocation->size + 63) / 64 * 64;
  block_t *block = state->blocks[device];
  while (block < state->blocks[device] + BLOCKS && block->address)
    ++block;
  if (block == state->blocks[device] + BLOCKS ||
      size > MEMORY - state->used[device])
    return fail(call, NEREID_OUT_OF_RESOURCES, "out of device memory");
  block->data = calloc(1, size);
  block->size = size;
  block->address = state->next[device];
  state->next[device] += size + 4096;
  state->used[device] += size;
  *out_address = block->address;
  return NEREID_OK;
}

static nereid_status_t release(nereid_state_t *state, uint32_t device,
                               nereid_address_t address,
                               const nereid_call_t *call) {
  (void)call;
  if (has_bug("free-noop"))
    return NEREID_OK;
  for (block_t *block = state->blocks[device];
       address && block < state->blocks[device] + BLOCKS; ++block)
    if (block->address == address) {
      state->used[device] -= block->size;
      free(block->data);
      memset(block, 0, sizeof *block);
    }
  return NEREID_OK;
}

// The bytes at an address of a device; NULL if they are not all in one block.
static void *at(nereid_state_t *state, uint32_t device,
                nereid_address_t address, uint64_t size) {
  for (uint32_t b = 0; b < BLOCKS; ++b) {
    const block_t *block = &state->blocks[device][b];
    if (!block->address || address < block->address ||
        address + size > block->address + block->size)
      continue;
    // The bug keeps the memory of both devices in device 0.
    const block_t *kept = block;
    if (has_bug("devices-share-memory") && state->blocks[0][b].address &&
        state->blocks[0][b].size >= block->size)
      kept = &state->blocks[0][b];
    return kept->data + (address - block->address);
  }
  return NULL;
}

// ---------------------------------------------------------------- work
static void run_stream(nereid_state_t *state, uint32_t device,
                       nereid_stream_t stream, uint64_t until);

static int run_copy(nereid_state_t *state, uint32_t device,
                    const work_t *work) {
  const nereid_copy_t *copy = &work->copy;
  char *to = (char *)(uintptr_t)copy->destination;
  const char *from = (const char *)(uintptr_t)copy->source;
  if (copy->direction != NEREID_COPY_DEVICE_TO_HOST)
    to = at(state, device, copy->destination, copy->size);
  if (copy->direction != NEREID_COPY_HOST_TO_DEVICE)
    from = at(state, work->from_device, copy->source, copy->size);
  if (!to || !from)
    return 0;
  memmove(to, from, copy->size);
  return 1;
}

static int run_launch(nereid_state_t *state, uint32_t device,
                      const work_t *work) {
  const nereid_address_t *arguments = work->arguments;
  if (work->image.kind == ASSERTION) {
    int32_t *out = at(state, device, arguments[0], 4);
    if (out)
      *out = 1;
    return 0;
  }
  uint64_t n = work->image.kind == SUM ? 64 : (uint32_t)arguments[3];
  if (n > (uint64_t)work->programs * 64 || has_bug("mask-ignored"))
    n = (uint64_t)work->programs * 64;
  uint64_t readable = n;
  const float *x = NULL, *y = NULL;
  while (readable && !x)
    x = at(state, device, arguments[0], readable-- * 4);
  ++readable;
  y = at(state, device, arguments[1], readable * 4);
  float *out = at(state, device, arguments[2], n * 4);
  if (!x || !y || !out)
    return 0;
  for (uint64_t i = 0; i < n; ++i)
    out[i] = i < readable ? x[i] + y[i] : 0;
  return 1;
}

static void run_stream(nereid_state_t *state, uint32_t device,
                       nereid_stream_t stream, uint64_t until) {
  stream_t *in = &state->streams[device][stream];
  while (in->done < until) {
    const work_t *work = &in->works[in->done++ % WORKS];
    int is_good = 1;
    state->clock += 1;
    if (work->kind == COPY)
      is_good = run_copy(state, device, work);
    else if (work->kind == LAUNCH)
      is_good = run_launch(state, device, work);
    else if (work->kind == WAIT)
      run_stream(state, work->event->device, work->event->stream, work->point);
    else
      work->event->time = state->clock;
    if (!is_good)
      in->failed = 1;
  }
}

static work_t *give(nereid_state_t *state, uint32_t device,
                    nereid_stream_t stream, int kind) {
  if (has_bug("default-stream") && !stream)
    device = 0;
  stream_t *in = &state->streams[device][stream];
  if (in->given - in->done == WORKS)
    run_stream(state, device, stream, in->done + 1);
  work_t *work = &in->works[in->given++ % WORKS];
  memset(work, 0, sizeof *work);
  work->kind = kind;
  work->from_device = device;
  return work;
}

static nereid_status_t copy(nereid_state_t *state, uint32_t device,
                            const nereid_copy_t *copy,
                            const nereid_call_t *call) {
  (void)call;
  give(state, device, copy->stream, COPY)->copy = *copy;
  return NEREID_OK;
}

static nereid_status_t report(nereid_state_t *state, uint32_t device,
                              nereid_stream_t stream,
                              const nereid_call_t *call) {
  stream_t *in = &state->streams[device][stream];
  uint32_t failed = in->failed;
  in->failed = 0;
  if (failed && !has_bug("fault-lost"))
    return fail(call, NEREID_DEVICE_FAULT, "work of the stream failed");
  return NEREID_OK;
}

static nereid_status_t synchronize(nereid_state_t *state, uint32_t device,
                                   nereid_stream_t stream,
                                   const nereid_call_t *call) {
  stream_t *in = &state->streams[device][stream];
  // The bug leaves the last work for later.
  uint64_t late = has_bug("synchronize-early") && in->given - in->done > 20;
  run_stream(state, device, stream, in->given - late);
  return report(state, device, stream, call);
}

static nereid_status_t synchronize_device(nereid_state_t *state,
                                          uint32_t device,
                                          const nereid_call_t *call) {
  nereid_status_t status = NEREID_OK;
  for (nereid_stream_t i = 0; i < STREAMS; ++i) {
    if (i && has_bug("device-synchronize-default-only"))
      break;
    nereid_status_t one = synchronize(state, device, i, call);
    if (one != NEREID_OK)
      status = one;
  }
  return status;
}

// ---------------------------------------------------------------- device
static nereid_status_t probe(nereid_state_t *state, nereid_probe_t *out_probe,
                             const nereid_writer_t *reason,
                             const nereid_call_t *call) {
  (void)state, (void)call;
  out_probe->score = 1;
  out_probe->flags = NEREID_PROBE_BY_NAME_ONLY;
  out_probe->device_count = DEVICES;
  return reason->write(reason, "2 devices", 9);
}

static nereid_status_t get_target(nereid_state_t *state, uint32_t device,
                                  nereid_target_t *out_target,
                                  const nereid_call_t *call) {
  (void)state, (void)device, (void)call;
  out_target->backend = (nereid_string_t)TEXT("lazy");
  out_target->warp_size = has_bug("negative-warp") ? -5 : 32;
  return NEREID_OK;
}

static nereid_status_t visit_properties(nereid_state_t *state, uint32_t device,
                                        const nereid_value_sink_t *sink,
                                        const nereid_call_t *call) {
  (void)state, (void)device, (void)call;
  static const int64_t grid[3] = {1 << 20, 1 << 16, 1 << 16};
  static const int64_t no_grid[3] = {1 << 20, 0, 0};
  static const double real_grid[3] = {1, 1, 1};
  nereid_value_t values[] = {
      {.name = TEXT("name"), .type = NEREID_TYPE_STRING, .text = TEXT("lazy")},
      {.name = TEXT("memory_bytes"), .type = NEREID_TYPE_I64, .i64 = MEMORY},
      {.name = TEXT("max_grid"),
       .type = NEREID_TYPE_I64_LIST,
       .list = grid,
       .list_size = 3},
  };
  if (has_bug("property-type")) {
    values[2].type = NEREID_TYPE_F64_LIST;
    values[2].list = real_grid;
  }
  if (has_bug("property-range"))
    values[2].list = no_grid;
  nereid_status_t status = NEREID_OK;
  for (uint32_t i = 0; status == NEREID_OK && i < 3; ++i)
    status = sink->add(sink, &values[i]);
  return status;
}

// ---------------------------------------------------------------- modules
static nereid_status_t load_image(nereid_state_t *state, uint32_t device,
                                  const nereid_image_t *image,
                                  nereid_module_t **out_module,
                                  const nereid_call_t *call) {
  const image_t *given = image->bytes.data;
  if (image->bytes.size != sizeof *given ||
      memcmp(given->magic, "lazyimg", 8) != 0)
    return fail(call, NEREID_INVALID_ARGUMENT, "the image is damaged");
  nereid_module_t *module = calloc(1, sizeof *module);
  module->kernel.state = state;
  module->kernel.device = device;
  memcpy(&module->kernel.image, given, sizeof *given);
  *out_module = module;
  return NEREID_OK;
}

static nereid_status_t unload_module(nereid_state_t *state,
                                     nereid_module_t *module,
                                     const nereid_call_t *call) {
  (void)state, (void)call;
  free(module);
  return NEREID_OK;
}

static nereid_status_t get_kernel(nereid_state_t *state,
                                  nereid_module_t *module, nereid_string_t name,
                                  nereid_kernel_t **out_kernel,
                                  nereid_kernel_info_t *out_info,
                                  const nereid_call_t *call) {
  (void)state, (void)name, (void)out_info, (void)call;
  *out_kernel = &module->kernel;
  return NEREID_OK;
}

static nereid_status_t launch(nereid_kernel_t *kernel,
                              const nereid_launch_t *launch,
                              const nereid_call_t *call) {
  (void)call;
  work_t *work = give(kernel->state, kernel->device, launch->stream, LAUNCH);
  work->image = kernel->image;
  work->programs = launch->grid[0];
  memcpy(work->arguments, launch->arguments,
         launch->arguments_size < sizeof work->arguments
             ? launch->arguments_size
             : sizeof work->arguments);
  return NEREID_OK;
}

// ---------------------------------------------------------------- streams
static nereid_status_t create_stream(nereid_state_t *state, uint32_t device,
                                     const nereid_stream_request_t *request,
                                     nereid_stream_t *out_stream,
                                     const nereid_call_t *call) {
  (void)request;
  for (uint32_t i = 1; i < STREAMS; ++i)
    if (!state->streams[device][i].used) {
      state->streams[device][i].used = 1;
      *out_stream = i;
      return NEREID_OK;
    }
  return fail(call, NEREID_OUT_OF_RESOURCES, "too many streams");
}

static nereid_status_t destroy_stream(nereid_state_t *state, uint32_t device,
                                      nereid_stream_t stream,
                                      const nereid_call_t *call) {
  if (!stream)
    return NEREID_OK;
  stream_t *in = &state->streams[device][stream];
  if (has_bug("destroy-drops-work"))
    in->done = in->given;
  nereid_status_t status = synchronize(state, device, stream, call);
  in->used = 0;
  return status;
}

// Asking lets the device go on by one work.
static nereid_status_t query_stream(nereid_state_t *state, uint32_t device,
                                    nereid_stream_t stream, int32_t *out_done,
                                    const nereid_call_t *call) {
  (void)call;
  stream_t *in = &state->streams[device][stream];
  *out_done = in->done == in->given || has_bug("query-done");
  if (in->done < in->given)
    run_stream(state, device, stream, in->done + 1);
  return NEREID_OK;
}

// ---------------------------------------------------------------- events
static nereid_status_t create_event(nereid_state_t *state, uint32_t device,
                                    const nereid_event_request_t *request,
                                    nereid_event_t **out_event,
                                    const nereid_call_t *call) {
  (void)request, (void)call;
  nereid_event_t *event = calloc(1, sizeof *event);
  event->state = state;
  event->device = device;
  *out_event = event;
  return NEREID_OK;
}

static nereid_status_t destroy_event(nereid_state_t *state,
                                     nereid_event_t *event,
                                     const nereid_call_t *call) {
  (void)state, (void)call;
  free(event);
  return NEREID_OK;
}

static nereid_status_t record(nereid_state_t *state, nereid_event_t *event,
                              nereid_stream_t stream,
                              const nereid_call_t *call) {
  (void)call;
  give(state, event->device, stream, STAMP)->event = event;
  event->recorded = 1;
  event->stream = stream;
  event->point = state->streams[event->device][stream].given;
  return NEREID_OK;
}

static nereid_status_t wait_event(nereid_state_t *state, uint32_t device,
                                  nereid_stream_t stream, nereid_event_t *event,
                                  const nereid_call_t *call) {
  (void)call;
  if (!event->recorded || has_bug("wait-ignored"))
    return NEREID_OK;
  work_t *work = give(state, device, stream, WAIT);
  work->event = event;
  work->point = event->point;
  return NEREID_OK;
}

static nereid_status_t synchronize_event(nereid_state_t *state,
                                         nereid_event_t *event,
                                         const nereid_call_t *call) {
  (void)call;
  if (event->recorded && !has_bug("event-early"))
    run_stream(state, event->device, event->stream, event->point);
  return NEREID_OK;
}

static nereid_status_t query_event(nereid_state_t *state, nereid_event_t *event,
                                   int32_t *out_done,
                                   const nereid_call_t *call) {
  (void)call;
  const stream_t *in = &state->streams[event->device][event->stream];
  *out_done = event->recorded ? in->done >= event->point
                              : !has_bug("event-never-reached");
  return NEREID_OK;
}

static nereid_status_t elapsed(nereid_state_t *state, nereid_event_t *start,
                               nereid_event_t *end, double *out_nanoseconds,
                               const nereid_call_t *call) {
  if (!start->recorded || !end->recorded)
    return fail(call, NEREID_INVALID_ARGUMENT, "an event was never recorded");
  synchronize_event(state, start, call);
  synchronize_event(state, end, call);
  *out_nanoseconds = end->time - start->time;
  if (has_bug("elapsed-negative"))
    *out_nanoseconds = -1e9;
  if (has_bug("elapsed-nonsense"))
    *out_nanoseconds = 1e18;
  return NEREID_OK;
}

// ---------------------------------------------------------------- extensions
static nereid_status_t fill(nereid_state_t *state, uint32_t device,
                            const nereid_fill_t *fill,
                            const nereid_call_t *call) {
  synchronize(state, device, fill->stream, call);
  uint32_t size = fill->pattern_size;
  char *to = at(state, device, fill->destination, size * fill->count);
  for (uint64_t i = 0; to && i < size * fill->count; ++i)
    to[i] = ((const char *)
                 fill->pattern)[has_bug("fill-first-byte") ? 0 : i % size];
  return NEREID_OK;
}

static nereid_status_t copy_2d(nereid_state_t *state, uint32_t device,
                               const nereid_copy_2d_t *copy,
                               const nereid_call_t *call) {
  synchronize(state, device, copy->stream, call);
  for (uint64_t row = 0; row < copy->height; ++row) {
    uint64_t pitch =
        has_bug("pitch-ignored") ? copy->width : copy->destination_pitch;
    char *to = at(state, device, copy->destination + row * pitch, copy->width);
    const char *from =
        at(state, device, copy->source + row * copy->source_pitch, copy->width);
    if (to && from)
      memcpy(to, from, copy->width);
  }
  return NEREID_OK;
}

static nereid_status_t copy_peer(nereid_state_t *state, uint32_t device,
                                 const nereid_copy_peer_t *copy,
                                 const nereid_call_t *call) {
  (void)call;
  work_t *work = give(state, device, copy->stream, COPY);
  work->copy.direction = NEREID_COPY_DEVICE_TO_DEVICE;
  work->copy.destination = copy->destination;
  work->copy.source = copy->source;
  work->copy.size = has_bug("peer-nothing") ? 0 : copy->size;
  work->from_device = copy->source_device;
  return NEREID_OK;
}

static nereid_status_t allocate_host(nereid_state_t *state, uint32_t device,
                                     const nereid_allocation_t *allocation,
                                     void **out_pointer,
                                     const nereid_call_t *call) {
  (void)state, (void)device, (void)call;
  uint64_t size = (allocation->size + 63) / 64 * 64;
  char *memory = aligned_alloc(64, size + 64);
  *out_pointer = memory + (has_bug("host-unaligned") ? 4 : 0);
  return NEREID_OK;
}

static nereid_status_t free_host(nereid_state_t *state, uint32_t device,
                                 void *pointer, const nereid_call_t *call) {
  (void)state, (void)device, (void)call;
  free(pointer);
  return NEREID_OK;
}

static nereid_status_t get_info(nereid_state_t *state, uint32_t device,
                                nereid_memory_info_t *out_info,
                                const nereid_call_t *call) {
  (void)call;
  out_info->total = MEMORY;
  out_info->free = MEMORY - state->used[device];
  if (has_bug("info-swapped")) {
    out_info->total = out_info->free / 2;
    out_info->free = MEMORY;
  }
  return NEREID_OK;
}

static nereid_status_t import_pointer(nereid_state_t *state, uint32_t device,
                                      const nereid_import_t *object,
                                      nereid_address_t *out_address,
                                      const nereid_call_t *call) {
  (void)state, (void)device, (void)object, (void)out_address;
  if (has_bug("imports-anything")) {
    *out_address = object->handle;
    return NEREID_OK;
  }
  return fail(call, NEREID_UNIMPLEMENTED, "kinds are not known here");
}

static nereid_status_t release_pointer(nereid_state_t *state, uint32_t device,
                                       nereid_address_t address,
                                       const nereid_call_t *call) {
  (void)state, (void)device, (void)address, (void)call;
  return NEREID_OK;
}

static nereid_status_t visit_facts(nereid_state_t *state,
                                   const nereid_target_t *target,
                                   const nereid_value_sink_t *sink,
                                   const nereid_call_t *call) {
  (void)state, (void)target, (void)call;
  nereid_string_t precisions[] = {TEXT("ieee")};
  if (has_bug("unknown-precision"))
    precisions[0] = (nereid_string_t)TEXT("IEEE");
  const nereid_value_t value = {.name = TEXT("dot_precisions"),
                                .type = NEREID_TYPE_STRING_LIST,
                                .list = precisions,
                                .list_size = 1};
  return sink->add(sink, &value);
}

static const void *get_extension(nereid_state_t *state, nereid_string_t id) {
  static const nereid_streams_t streams = {sizeof streams, 0, create_stream,
                                           destroy_stream, query_stream};
  static const nereid_events_t events = {
      sizeof events, 0,           create_event,      destroy_event, record,
      wait_event,    query_event, synchronize_event, elapsed};
  static const nereid_memory_t memory = {
      sizeof memory, 0,         fill,    copy_2d, copy_peer,
      allocate_host, free_host, get_info};
  static const nereid_interop_t interop = {.struct_size = sizeof interop,
                                           .import_pointer = import_pointer,
                                           .release_pointer = release_pointer};
  static const nereid_frontend_t frontend = {sizeof frontend, 0, visit_facts};
  (void)state;
  return equal(id, NEREID_EXT_STREAM)     ? (const void *)&streams
         : equal(id, NEREID_EXT_EVENT)    ? (const void *)&events
         : equal(id, NEREID_EXT_MEMORY)   ? (const void *)&memory
         : equal(id, NEREID_EXT_INTEROP)  ? (const void *)&interop
         : equal(id, NEREID_EXT_FRONTEND) ? (const void *)&frontend
                                          : NULL;
}

// ---------------------------------------------------------------- compiler
struct nereid_options_t {
  uint32_t fast;
};

static nereid_status_t score_target(nereid_state_t *state,
                                    const nereid_target_t *target,
                                    int32_t *out_score,
                                    const nereid_call_t *call) {
  (void)state, (void)call;
  *out_score = equal(target->backend, "lazy") ? 100 : 0;
  return NEREID_OK;
}

static nereid_status_t visit_options(nereid_state_t *state,
                                     const nereid_target_t *target,
                                     const nereid_option_sink_t *sink,
                                     const nereid_call_t *call) {
  (void)state, (void)target, (void)call;
  static const nereid_option_t fast = {.struct_size = sizeof fast,
                                       .type = NEREID_TYPE_BOOL,
                                       .name = TEXT("fast"),
                                       .doc = TEXT("compute faster"),
                                       .default_value = TEXT("false")};
  return sink->add(sink, &fast);
}

static nereid_status_t
parse_options(nereid_state_t *state, const nereid_target_t *target,
              const nereid_value_t *values, uint64_t count,
              const nereid_writer_t *canonical, nereid_options_t **out_options,
              const nereid_call_t *call) {
  (void)state, (void)target;
  uint32_t fast = 0;
  for (uint64_t i = 0; i < count; ++i) {
    if (!equal(values[i].name, "fast"))
      return fail(call, NEREID_INVALID_ARGUMENT, "there is no such option");
    fast = values[i].i64 != 0;
  }
  nereid_options_t *options = calloc(1, sizeof *options);
  options->fast = fast;
  *out_options = options;
  return canonical->write(
      canonical, fast && !has_bug("canonical-constant") ? "fast" : "slow", 4);
}

static nereid_status_t destroy_options(nereid_state_t *state,
                                       nereid_options_t *options,
                                       const nereid_call_t *call) {
  (void)state, (void)call;
  free(options);
  return NEREID_OK;
}

static nereid_status_t visit_stages(nereid_state_t *state,
                                    const nereid_options_t *options,
                                    const nereid_stage_sink_t *sink,
                                    const nereid_call_t *call) {
  static const nereid_stage_t stage = {sizeof stage,  NEREID_STAGE_MAKES_IMAGE,
                                       TEXT("image"), TEXT("ttir"),
                                       TEXT("lazy"),  TEXT("lazy")};
  (void)state, (void)options, (void)call;
  return sink->add(sink, &stage);
}

static int contains(nereid_bytes_t bytes, const char *name) {
  size_t size = strlen(name);
  for (uint64_t i = 0; i + size <= bytes.size; ++i)
    if (memcmp((const char *)bytes.data + i, name, size) == 0)
      return 1;
  return 0;
}

static void *wait_forever(void *unused) {
  for (;;)
    pause();
  return unused;
}

static nereid_status_t run_stage(nereid_state_t *state,
                                 const nereid_stage_input_t *input,
                                 const nereid_writer_t *output,
                                 const nereid_value_sink_t *metadata,
                                 const nereid_call_t *call) {
  (void)state;
  if (!contains(input->bytes, "tt.return")) {
    if (has_bug("damage-without-reason"))
      return NEREID_INTERNAL;
    if (!has_bug("damage-accepted"))
      return fail(call, NEREID_INVALID_ARGUMENT, "the kernel has no end");
  }
  pthread_t thread;
  if (has_bug("compiler-leaves-thread") &&
      pthread_create(&thread, NULL, wait_forever, NULL) == 0)
    pthread_detach(thread);
  if (has_bug("compiler-leaves-process") && fork() == 0)
    _exit(0);
  image_t image = {"lazyimg", SUM, input->options->fast};
  nereid_string_t types[] = {TEXT("*f32"), TEXT("*f32"), TEXT("*f32"),
                             TEXT("i32")};
  nereid_string_t assertion[] = {TEXT("*i32"), TEXT("i32")};
  nereid_value_t name = {
      .name = TEXT("name"), .type = NEREID_TYPE_STRING, .text = TEXT("kernel")};
  nereid_value_t arguments = {.name = TEXT("argument_types"),
                              .type = NEREID_TYPE_STRING_LIST,
                              .list = types,
                              .list_size = 3};
  if (contains(input->bytes, "@nereid_check_masked")) {
    image.kind = MASKED_SUM;
    arguments.list_size = 4;
  } else if (contains(input->bytes, "@nereid_check_assertion")) {
    image.kind = ASSERTION;
    arguments.list = assertion;
    arguments.list_size = 2;
  }
  if (has_bug("unknown-type"))
    types[1] = (nereid_string_t)TEXT("bogus");
  if (has_bug("few-arguments"))
    arguments.list_size = 1;
  nereid_status_t status = metadata->add(metadata, &name);
  if (status == NEREID_OK)
    status = metadata->add(metadata, &arguments);
  // The bug places the arguments itself, so that a host takes any type.
  static const int64_t offsets[] = {0, 8, 16, 24};
  nereid_value_t placed = {.name = TEXT("argument_offsets"),
                           .type = NEREID_TYPE_I64_LIST,
                           .list = offsets,
                           .list_size = arguments.list_size};
  nereid_value_t size = {
      .name = TEXT("argument_size"), .type = NEREID_TYPE_I64, .i64 = 32};
  if (status == NEREID_OK && has_bug("unknown-type"))
    status = metadata->add(metadata, &placed);
  if (status == NEREID_OK && has_bug("unknown-type"))
    status = metadata->add(metadata, &size);
  return status == NEREID_OK ? output->write(output, &image, sizeof image)
                             : status;
}

// ---------------------------------------------------------------- entry
nereid_status_t nereid_plugin_entry_1(const nereid_host_t *host,
                                      const nereid_plugin_t **out_plugin,
                                      const nereid_call_t *call) {
  static const nereid_compiler_t compiler = {
      .struct_size = sizeof compiler,
      .score_target = score_target,
      .visit_options = visit_options,
      .parse_options = parse_options,
      .destroy_options = destroy_options,
      .visit_stages = visit_stages,
      .run_stage = run_stage,
  };
  static const nereid_driver_t driver = {
      .struct_size = sizeof driver,
      .probe = probe,
      .get_target = get_target,
      .visit_properties = visit_properties,
      .allocate = allocate,
      .free = release,
      .copy = copy,
      .synchronize = synchronize,
      .synchronize_device = synchronize_device,
      .load_image = load_image,
      .unload_module = unload_module,
      .get_kernel = get_kernel,
      .launch = launch,
  };
  static nereid_plugin_t plugin = {
      .struct_size = sizeof plugin,
      .abi_major = NEREID_ABI_MAJOR,
      .abi_minor = NEREID_ABI_MINOR,
      .abi_revision = NEREID_ABI_REVISION,
      .id = TEXT(LAZY_ID),
      .device_type = TEXT("lazy"),
      .version = TEXT("1"),
      .description = TEXT("works when somebody waits"),
      .compiler = &compiler,
      .driver = &driver,
      .create = create,
      .shutdown = shut_down,
      .get_extension = get_extension,
  };
  (void)host, (void)call;
#ifdef LAZY_DRIVER_ONLY
  plugin.compiler = NULL;
#endif
  *out_plugin = &plugin;
  return NEREID_OK;
}
