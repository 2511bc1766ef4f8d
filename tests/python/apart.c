// apart.c - two devices whose memory is not the host's and whose work is done
// later, to test what the Python package does about it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// An address of a device is a pointer with one more bit set, which the host
// cannot use. Work is queued until the next synchronize, which also reports
// faults: an access outside an allocation, or memory freed too early. The
// devices have different architectures, and refuse images for each other.
// Whatever is compiled, the kernel has the arguments (*f32 x, *f32 out, i32 n)
// and writes factor * x[i] to out[i]; the factor is 2, unless the assembly
// overrides it. With APART_IS_HOST_CPU there is one device, the host's
// processor, which works at once: then out has two more items for the launch's
// flags and its size of scratch memory, all of which is overwritten.
//
// plugins/asynchronous cannot replace it: these tests need failures on demand,
// a driver without a compiler, a device that works later on the host's memory,
// and kernels of any operations, and a template should have none of that.

#include <nereid/plugin.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(literal) {literal, sizeof(literal) - 1}

#define DEVICE_BIT ((nereid_address_t)1 << 62)

enum { DEVICE_COUNT = 2, MAX_GRID = 1000, MAX_COPY_OUT = 1 << 20 };

static const char *const archs[DEVICE_COUNT] = {"one", "two"};

static int is_host_cpu(void) { return getenv("APART_IS_HOST_CPU") != NULL; }

static void *pointer(nereid_address_t address) {
  return (void *)(uintptr_t)(address & ~DEVICE_BIT);
}

static nereid_status_t fail(const nereid_call_t *call, nereid_status_t status,
                            const char *message) {
  nereid_diagnostic_t diagnostic = {.struct_size = sizeof(diagnostic),
                                    .severity = NEREID_SEVERITY_ERROR,
                                    .message = {message, strlen(message)}};
  if (call)
    call->report(call, &diagnostic);
  return status;
}

// ---------------------------------------------------------------- compiler
struct nereid_options_t {
  char arch[8];
  int64_t warps, stages, fast, scratch;
};

static nereid_status_t score_target(nereid_state_t *state,
                                    const nereid_target_t *target,
                                    int32_t *out_score,
                                    const nereid_call_t *call) {
  (void)state;
  (void)call;
  nereid_string_t type = target->backend;
  *out_score = type.size == 5 && memcmp(type.data, "apart", 5) == 0 ? 100 : 0;
  return NEREID_OK;
}

static nereid_status_t visit_options(nereid_state_t *state,
                                     const nereid_target_t *target,
                                     const nereid_option_sink_t *sink,
                                     const nereid_call_t *call) {
  static const nereid_option_t options[] = {
      {.struct_size = sizeof(nereid_option_t),
       .type = NEREID_TYPE_I64,
       .name = TEXT("num_warps"),
       .doc = TEXT("warps of a program"),
       .default_value = TEXT("2"),
       .minimum = 1,
       .maximum = 16},
      {.struct_size = sizeof(nereid_option_t),
       .type = NEREID_TYPE_I64,
       .name = TEXT("num_stages"),
       .doc = TEXT("stages of a loop"),
       .default_value = TEXT("1"),
       .minimum = 1,
       .maximum = 2},
      {.struct_size = sizeof(nereid_option_t),
       .type = NEREID_TYPE_BOOL,
       .name = TEXT("fast"),
       .doc = TEXT("whether to hurry"),
       .default_value = TEXT("false")},
      {.struct_size = sizeof(nereid_option_t),
       .type = NEREID_TYPE_I64,
       .name = TEXT("scratch_size"),
       .doc = TEXT("bytes of scratch memory of a program"),
       .default_value = TEXT("0"),
       .minimum = 0,
       .maximum = 4096}};
  (void)state;
  (void)target;
  (void)call;
  for (uint32_t i = 0; i < 4; ++i)
    if (sink->add(sink, &options[i]) != NEREID_OK)
      return NEREID_INTERNAL;
  return NEREID_OK;
}

static int is(nereid_string_t text, const char *word) {
  return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

static nereid_status_t
parse_options(nereid_state_t *state, const nereid_target_t *target,
              const nereid_value_t *values, uint64_t count,
              const nereid_writer_t *canonical, nereid_options_t **out_options,
              const nereid_call_t *call) {
  (void)state;
  nereid_options_t *options = calloc(1, sizeof(*options));
  if (!options)
    return fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
  options->warps = 2;
  options->stages = 1;
  memcpy(options->arch, target->arch.data,
         target->arch.size < 7 ? target->arch.size : 7);
  for (uint64_t i = 0; i < count; ++i)
    if (is(values[i].name, "num_warps"))
      options->warps = values[i].i64;
    else if (is(values[i].name, "num_stages"))
      options->stages = values[i].i64;
    else if (is(values[i].name, "fast"))
      options->fast = values[i].i64;
    else if (is(values[i].name, "scratch_size"))
      options->scratch = values[i].i64;
  char text[64];
  int size =
      snprintf(text, sizeof(text), "%d %d %d %d", (int)options->warps,
               (int)options->stages, (int)options->fast, (int)options->scratch);
  *out_options = options;
  return canonical->write(canonical, text, (uint64_t)size);
}

static nereid_status_t destroy_options(nereid_state_t *state,
                                       nereid_options_t *options,
                                       const nereid_call_t *call) {
  (void)state;
  (void)call;
  free(options);
  return NEREID_OK;
}

static nereid_status_t visit_stages(nereid_state_t *state,
                                    const nereid_options_t *options,
                                    const nereid_stage_sink_t *sink,
                                    const nereid_call_t *call) {
  static const nereid_stage_t stages[] = {
      {.struct_size = sizeof(nereid_stage_t),
       .name = TEXT("apart-asm"),
       .input_kind = TEXT("ttir"),
       .output_kind = TEXT("apart.asm"),
       .extension = TEXT("apart-asm")},
      {.struct_size = sizeof(nereid_stage_t),
       .flags = NEREID_STAGE_MAKES_IMAGE,
       .name = TEXT("apart-bin"),
       .input_kind = TEXT("apart.asm"),
       .output_kind = TEXT("apart.image"),
       .extension = TEXT("apart-bin")}};
  (void)state;
  (void)options;
  (void)call;
  for (uint32_t i = 0; i < 2; ++i)
    if (sink->add(sink, &stages[i]) != NEREID_OK)
      return NEREID_INTERNAL;
  return NEREID_OK;
}

// The start of a program; the rest is for people.
static int read_assembly(nereid_bytes_t input, char *arch, int *factor) {
  char text[128] = {0};
  memcpy(text, input.data, input.size < 127 ? input.size : 127);
  return sscanf(text, "apart %7s factor %d", arch, factor) == 2;
}

static nereid_status_t add_metadata(const nereid_options_t *options,
                                    const nereid_value_sink_t *metadata) {
  static const nereid_string_t types[] = {TEXT("*f32"), TEXT("*f32"),
                                          TEXT("i32")};
  const nereid_value_t facts[] = {
      {.name = TEXT("name"), .type = NEREID_TYPE_STRING, .text = TEXT("scale")},
      {.name = TEXT("argument_types"),
       .type = NEREID_TYPE_STRING_LIST,
       .list = types,
       .list_size = 3},
      {.name = TEXT("scratch_size"),
       .type = NEREID_TYPE_I64,
       .i64 = options->scratch}};
  for (uint32_t i = 0; i < 3; ++i)
    if (metadata->add(metadata, &facts[i]) != NEREID_OK)
      return NEREID_INTERNAL;
  return NEREID_OK;
}

static nereid_status_t run_stage(nereid_state_t *state,
                                 const nereid_stage_input_t *input,
                                 const nereid_writer_t *output,
                                 const nereid_value_sink_t *metadata,
                                 const nereid_call_t *call) {
  (void)state;
  const nereid_options_t *options = input->options;
  if (input->index == 0) {
    char text[128];
    int size = snprintf(text, sizeof(text),
                        "apart %s factor 2\nwarps %d stages %d fast %d\n",
                        options->arch, (int)options->warps,
                        (int)options->stages, (int)options->fast);
    return output->write(output, text, (uint64_t)size);
  }
  char arch[8];
  int factor;
  if (!read_assembly(input->bytes, arch, &factor))
    return fail(call, NEREID_INVALID_ARGUMENT, "expected apart's assembly");
  if (add_metadata(options, metadata) != NEREID_OK)
    return NEREID_INTERNAL;
  return output->write(output, input->bytes.data, input->bytes.size);
}

// ---------------------------------------------------------------- queue
typedef struct work {
  nereid_kernel_t *kernel; // NULL: a copy
  nereid_address_t to, from;
  uint64_t size;
} work_t;

typedef struct memory {
  struct memory *next;
  nereid_address_t address;
  uint64_t size;
} memory_t;

static struct {
  pthread_mutex_t mutex;
  work_t *work[DEVICE_COUNT];
  uint64_t count[DEVICE_COUNT];
  memory_t *memory[DEVICE_COUNT];
  const char *fault[DEVICE_COUNT];
  uint64_t streams;
} queue = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static nereid_status_t enqueue(uint32_t device, work_t item) {
  pthread_mutex_lock(&queue.mutex);
  uint64_t count = queue.count[device]++;
  queue.work[device] =
      realloc(queue.work[device], (count + 1) * sizeof(work_t));
  queue.work[device][count] = item;
  pthread_mutex_unlock(&queue.mutex);
  return NEREID_OK;
}

// For tests of a device that shares the host's memory, and still works later.
static int is_host_accessible(void) {
  return is_host_cpu() || getenv("APART_IS_HOST_ACCESSIBLE") != NULL;
}

static int is_inside(uint32_t device, nereid_address_t address, uint64_t size) {
  if (!(address & DEVICE_BIT))
    return is_host_accessible();
  for (memory_t *it = queue.memory[device]; it; it = it->next)
    if (it->address <= address && address + size <= it->address + it->size)
      return 1;
  return size == 0;
}

static int overlaps(nereid_address_t address, uint64_t size,
                    const memory_t *memory) {
  return address < memory->address + memory->size &&
         memory->address < address + size;
}

struct nereid_kernel_t {
  uint32_t device;
  int factor;
};

static void run(uint32_t device, const work_t *item) {
  int bad = item->kernel ? !is_inside(device, item->to, item->size) ||
                               !is_inside(device, item->from, item->size)
                         : (item->to & DEVICE_BIT &&
                            !is_inside(device, item->to, item->size)) ||
                               (item->from & DEVICE_BIT &&
                                !is_inside(device, item->from, item->size));
  if (bad) {
    queue.fault[device] = "work leaves its allocation";
    return;
  }
  if (!item->kernel) {
    memcpy(pointer(item->to), pointer(item->from), item->size);
    return;
  }
  const float *x = pointer(item->from);
  float *out = pointer(item->to);
  for (uint64_t i = 0; i < item->size / sizeof(float); ++i)
    out[i] = (float)item->kernel->factor * x[i];
}

static nereid_status_t synchronize(nereid_state_t *state, uint32_t device,
                                   nereid_stream_t stream,
                                   const nereid_call_t *call) {
  (void)state;
  (void)stream;
  pthread_mutex_lock(&queue.mutex);
  for (uint64_t i = 0; i < queue.count[device]; ++i)
    run(device, &queue.work[device][i]);
  queue.count[device] = 0;
  const char *fault = queue.fault[device];
  queue.fault[device] = NULL;
  pthread_mutex_unlock(&queue.mutex);
  return fault ? fail(call, NEREID_DEVICE_FAULT, fault) : NEREID_OK;
}

// ---------------------------------------------------------------- driver
static nereid_status_t probe(nereid_state_t *state, nereid_probe_t *out_probe,
                             const nereid_writer_t *reason,
                             const nereid_call_t *call) {
  (void)state;
  (void)call;
  out_probe->score = 100;
  out_probe->device_count = is_host_cpu() ? 1 : DEVICE_COUNT;
  out_probe->flags = is_host_cpu() ? NEREID_PROBE_IS_HOST_CPU : 0;
  return reason->write(reason, "always here", 11);
}

static nereid_status_t get_target(nereid_state_t *state, uint32_t device,
                                  nereid_target_t *out_target,
                                  const nereid_call_t *call) {
  (void)state;
  (void)call;
  out_target->warp_size = 32;
  out_target->backend = (nereid_string_t)TEXT("apart");
  out_target->arch = (nereid_string_t){archs[device], 3};
  return NEREID_OK;
}

static nereid_status_t synchronize_device(nereid_state_t *state,
                                          uint32_t device,
                                          const nereid_call_t *call) {
  return synchronize(state, device, 0, call);
}

static nereid_status_t create_stream(nereid_state_t *state, uint32_t device,
                                     const nereid_stream_request_t *request,
                                     nereid_stream_t *out_stream,
                                     const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)request;
  (void)call;
  pthread_mutex_lock(&queue.mutex);
  *out_stream = ++queue.streams;
  pthread_mutex_unlock(&queue.mutex);
  return NEREID_OK;
}

static nereid_status_t destroy_stream(nereid_state_t *state, uint32_t device,
                                      nereid_stream_t stream,
                                      const nereid_call_t *call) {
  return synchronize(state, device, stream, call);
}

static nereid_status_t query_stream(nereid_state_t *state, uint32_t device,
                                    nereid_stream_t stream, int32_t *out_done,
                                    const nereid_call_t *call) {
  (void)state;
  (void)stream;
  (void)call;
  pthread_mutex_lock(&queue.mutex);
  *out_done = queue.count[device] == 0;
  pthread_mutex_unlock(&queue.mutex);
  return NEREID_OK;
}

static nereid_status_t import_stream(nereid_state_t *state, uint32_t device,
                                     const nereid_import_t *object,
                                     nereid_stream_t *out_stream,
                                     const nereid_call_t *call) {
  (void)state;
  (void)device;
  if (!is(object->kind, "apart.queue"))
    return fail(call, NEREID_UNIMPLEMENTED, "expected an apart.queue");
  *out_stream = object->handle + 1000;
  return NEREID_OK;
}

static nereid_status_t import_pointer(nereid_state_t *state, uint32_t device,
                                      const nereid_import_t *object,
                                      nereid_address_t *out_address,
                                      const nereid_call_t *call) {
  (void)state;
  (void)device;
  if (!is(object->kind, "apart.pointer"))
    return fail(call, NEREID_UNIMPLEMENTED, "expected an apart.pointer");
  *out_address = object->handle;
  return NEREID_OK;
}

// What is imported here needs no end.
static nereid_status_t end_import(nereid_state_t *state, uint32_t device,
                                  uint64_t handle, const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)handle;
  (void)call;
  return NEREID_OK;
}

static nereid_status_t visit_properties(nereid_state_t *state, uint32_t device,
                                        const nereid_value_sink_t *sink,
                                        const nereid_call_t *call) {
  const nereid_value_t facts[] = {
      {.name = TEXT("max_shared_mem"), .type = NEREID_TYPE_I64, .i64 = 1024},
      {.name = TEXT("host_accessible"),
       .type = NEREID_TYPE_BOOL,
       .i64 = is_host_accessible()}};
  (void)state;
  (void)device;
  (void)call;
  nereid_status_t status = sink->add(sink, &facts[0]);
  return status == NEREID_OK ? sink->add(sink, &facts[1]) : status;
}

static nereid_status_t allocate(nereid_state_t *state, uint32_t device,
                                const nereid_allocation_t *allocation,
                                nereid_address_t *out_address,
                                const nereid_call_t *call) {
  (void)state;
  uint64_t size = allocation->size;
  void *bytes = aligned_alloc(64, (size + 63) / 64 * 64);
  memory_t *memory = malloc(sizeof(*memory));
  if (!bytes || !memory) {
    free(bytes);
    free(memory);
    return fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
  }
  *out_address = (uintptr_t)bytes | DEVICE_BIT;
  pthread_mutex_lock(&queue.mutex);
  *memory = (memory_t){queue.memory[device], *out_address, size};
  queue.memory[device] = memory;
  pthread_mutex_unlock(&queue.mutex);
  return NEREID_OK;
}

static nereid_status_t release(nereid_state_t *state, uint32_t device,
                               nereid_address_t address,
                               const nereid_call_t *call) {
  (void)state;
  (void)call;
  pthread_mutex_lock(&queue.mutex);
  memory_t **link = &queue.memory[device];
  while (*link && (*link)->address != address)
    link = &(*link)->next;
  memory_t *memory = *link;
  if (memory) {
    for (uint64_t i = 0; i < queue.count[device]; ++i) {
      const work_t *item = &queue.work[device][i];
      if (overlaps(item->to, item->size, memory) ||
          overlaps(item->from, item->size, memory))
        queue.fault[device] = "memory was freed before the work that uses it";
    }
    *link = memory->next;
    free(pointer(address));
    free(memory);
  }
  pthread_mutex_unlock(&queue.mutex);
  return NEREID_OK;
}

static nereid_status_t copy(nereid_state_t *state, uint32_t device,
                            const nereid_copy_t *copy,
                            const nereid_call_t *call) {
  (void)state;
  if (copy->direction == NEREID_COPY_DEVICE_TO_HOST &&
      copy->size > MAX_COPY_OUT)
    return fail(call, NEREID_OUT_OF_RESOURCES,
                "a copy to the host is too long");
  return enqueue(device,
                 (work_t){NULL, copy->destination, copy->source, copy->size});
}

static nereid_status_t load_image(nereid_state_t *state, uint32_t device,
                                  const nereid_image_t *image,
                                  nereid_module_t **out_module,
                                  const nereid_call_t *call) {
  (void)state;
  char arch[8];
  int factor;
  if (!read_assembly(image->bytes, arch, &factor))
    return fail(call, NEREID_INCOMPATIBLE, "not an image");
  if (strcmp(arch, archs[device]) != 0)
    return fail(call, NEREID_INCOMPATIBLE, "the image is for another device");
  nereid_kernel_t *kernel = malloc(sizeof(*kernel));
  if (!kernel)
    return fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
  *kernel = (nereid_kernel_t){device, factor};
  *out_module = (nereid_module_t *)kernel;
  return NEREID_OK;
}

static nereid_status_t unload_module(nereid_state_t *state,
                                     nereid_module_t *module,
                                     const nereid_call_t *call) {
  (void)state;
  (void)call;
  free(module);
  return NEREID_OK;
}

static nereid_status_t get_kernel(nereid_state_t *state,
                                  nereid_module_t *module, nereid_string_t name,
                                  nereid_kernel_t **out_kernel,
                                  nereid_kernel_info_t *out_info,
                                  const nereid_call_t *call) {
  (void)state;
  (void)name;
  (void)out_info;
  (void)call;
  *out_kernel = (nereid_kernel_t *)module;
  return NEREID_OK;
}

static void tell(const nereid_launch_t *launch, float *out) {
  out[0] = (float)launch->flags;
  out[1] = (float)launch->scratch_size;
  if (launch->scratch_size)
    memset(pointer(launch->scratch), 0x5a, launch->scratch_size);
}

static nereid_status_t launch(nereid_kernel_t *kernel,
                              const nereid_launch_t *launch,
                              const nereid_call_t *call) {
  struct {
    nereid_address_t x, out;
    int32_t n;
  } arguments;
  if (launch->grid[0] > MAX_GRID)
    return fail(call, NEREID_INVALID_ARGUMENT, "the grid is too large");
  memcpy(&arguments, launch->arguments, sizeof(arguments));
  work_t work = {kernel, arguments.out, arguments.x,
                 (uint64_t)arguments.n * sizeof(float)};
  if (!is_host_cpu())
    return enqueue(kernel->device, work);
  run(kernel->device, &work);
  tell(launch, (float *)pointer(arguments.out) + arguments.n);
  return NEREID_OK;
}

static nereid_status_t create_event(nereid_state_t *state, uint32_t device,
                                    const nereid_event_request_t *request,
                                    nereid_event_t **out_event,
                                    const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)request;
  *out_event = calloc(1, sizeof(int64_t));
  return *out_event ? NEREID_OK
                    : fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
}

static nereid_status_t destroy_event(nereid_state_t *state,
                                     nereid_event_t *event,
                                     const nereid_call_t *call) {
  (void)state;
  (void)call;
  free(event);
  return NEREID_OK;
}

static int64_t clock_of_events; // each recorded event is 1000 ns later

static nereid_status_t record_event(nereid_state_t *state,
                                    nereid_event_t *event,
                                    nereid_stream_t stream,
                                    const nereid_call_t *call) {
  (void)state;
  (void)stream;
  (void)call;
  *(int64_t *)event = ++clock_of_events;
  return NEREID_OK;
}

// Work is done in order, whatever the stream, so that nobody has to wait.
static nereid_status_t wait_event(nereid_state_t *state, uint32_t device,
                                  nereid_stream_t stream, nereid_event_t *event,
                                  const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)stream;
  (void)event;
  (void)call;
  return NEREID_OK;
}

static nereid_status_t query_event(nereid_state_t *state, nereid_event_t *event,
                                   int32_t *out_done,
                                   const nereid_call_t *call) {
  (void)state;
  (void)event;
  (void)call;
  *out_done = 1;
  return NEREID_OK;
}

static nereid_status_t synchronize_event(nereid_state_t *state,
                                         nereid_event_t *event,
                                         const nereid_call_t *call) {
  (void)state;
  (void)event;
  (void)call;
  return NEREID_OK;
}

static nereid_status_t elapsed(nereid_state_t *state, nereid_event_t *start,
                               nereid_event_t *end, double *out_nanoseconds,
                               const nereid_call_t *call) {
  (void)state;
  (void)call;
  *out_nanoseconds = 1000.0 * (double)(*(int64_t *)end - *(int64_t *)start);
  return NEREID_OK;
}

static nereid_status_t flush_cache(nereid_state_t *state, uint32_t device,
                                   nereid_stream_t stream,
                                   const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)stream;
  (void)call;
  return NEREID_OK;
}

// ---------------------------------------------------------------- libdevice
static nereid_status_t visit_functions(nereid_state_t *state,
                                       const nereid_target_t *target,
                                       const nereid_libdevice_sink_t *sink,
                                       const nereid_call_t *call) {
  (void)state;
  (void)target;
  (void)sink;
  return fail(call, NEREID_IO_ERROR, "the device library has gone");
}

// ---------------------------------------------------------------- frontend
// Less than a CPU can do, so that Triton has something to refuse.
static nereid_status_t visit_facts(nereid_state_t *state,
                                   const nereid_target_t *target,
                                   const nereid_value_sink_t *sink,
                                   const nereid_call_t *call) {
  static const nereid_string_t types[] = {TEXT("fp8e5"), TEXT("fp8e4nv")};
  static const nereid_string_t precisions[] = {TEXT("tf32"), TEXT("ieee")};
  static const int64_t least_dot[] = {8, 16, 32};
  const nereid_value_t facts[] = {
      {.name = TEXT("fp8_types"),
       .type = NEREID_TYPE_STRING_LIST,
       .list = types,
       // Device 1 has one more.
       .list_size = target->arch.size && target->arch.data[0] == 't' ? 2 : 1},
      {.name = TEXT("dot_precisions"),
       .type = NEREID_TYPE_STRING_LIST,
       .list = precisions,
       .list_size = 2},
      {.name = TEXT("default_dot_precision"),
       .type = NEREID_TYPE_STRING,
       .text = TEXT("tf32")},
      {.name = TEXT("min_dot_size"),
       .type = NEREID_TYPE_I64_LIST,
       .list = least_dot,
       .list_size = 3},
      {.name = TEXT("max_num_imprecise_acc"),
       .type = NEREID_TYPE_I64,
       .i64 = 7}};
  (void)state;
  (void)call;
  for (uint32_t i = 0; i < sizeof(facts) / sizeof(facts[0]); ++i)
    if (sink->add(sink, &facts[i]) != NEREID_OK)
      return NEREID_INTERNAL;
  return NEREID_OK;
}

static const void *get_extension(nereid_state_t *state, nereid_string_t id) {
  static const nereid_frontend_t frontend = {.struct_size = sizeof(frontend),
                                             .visit_facts = visit_facts};
  static const nereid_libdevice_t libdevice = {
      .struct_size = sizeof(libdevice), .visit_functions = visit_functions};
  static const nereid_streams_t streams = {.struct_size = sizeof(streams),
                                           .create = create_stream,
                                           .destroy = destroy_stream,
                                           .query = query_stream};
  static const nereid_events_t events = {.struct_size = sizeof(events),
                                         .create = create_event,
                                         .destroy = destroy_event,
                                         .record = record_event,
                                         .wait = wait_event,
                                         .query = query_event,
                                         .synchronize = synchronize_event,
                                         .elapsed = elapsed};
  static const nereid_interop_t interop = {.struct_size = sizeof(interop),
                                           .import_pointer = import_pointer,
                                           .release_pointer = end_import,
                                           .import_stream = import_stream,
                                           .release_stream = end_import};
  static const nereid_benchmark_t benchmark = {.struct_size = sizeof(benchmark),
                                               .flush_cache = flush_cache};
  (void)state;
  // For tests of a plugin with nothing but what is required.
  if (getenv("APART_HAS_NO_EXTENSIONS"))
    return NULL;
  if (is(id, NEREID_EXT_FRONTEND))
    return &frontend;
  if (is(id, NEREID_EXT_LIBDEVICE) && getenv("APART_LOSES_LIBDEVICE"))
    return &libdevice;
  if (is(id, NEREID_EXT_STREAM))
    return &streams;
  if (is(id, NEREID_EXT_EVENT))
    return &events;
  if (is(id, NEREID_EXT_INTEROP))
    return &interop;
  return is(id, NEREID_EXT_BENCHMARK) ? &benchmark : NULL;
}

// ---------------------------------------------------------------- entry
static const nereid_compiler_t compiler = {
    .struct_size = sizeof(nereid_compiler_t),
    .score_target = score_target,
    .visit_options = visit_options,
    .parse_options = parse_options,
    .destroy_options = destroy_options,
    .visit_stages = visit_stages,
    .run_stage = run_stage,
};

static const nereid_driver_t driver = {
    .struct_size = sizeof(nereid_driver_t),
    .probe = probe,
    .get_target = get_target,
    .synchronize = synchronize,
    .synchronize_device = synchronize_device,
    .visit_properties = visit_properties,
    .allocate = allocate,
    .free = release,
    .copy = copy,
    .load_image = load_image,
    .unload_module = unload_module,
    .get_kernel = get_kernel,
    .launch = launch,
};

static const nereid_plugin_t plugin = {
    .struct_size = sizeof(nereid_plugin_t),
    .abi_major = NEREID_ABI_MAJOR,
    .abi_minor = NEREID_ABI_MINOR,
    .abi_revision = NEREID_ABI_REVISION,
    .id = TEXT(NEREID_PLUGIN_ID),
    .device_type = TEXT("apart"),
    .version = TEXT(NEREID_PLUGIN_VERSION),
    .description = TEXT("devices with memory of their own"),
    .compiler = APART_HAS_COMPILER ? &compiler : NULL,
    .driver = &driver,
    .get_extension = get_extension,
};

nereid_status_t nereid_plugin_entry_1(const nereid_host_t *host,
                                      const nereid_plugin_t **out_plugin,
                                      const nereid_call_t *call) {
  (void)host;
  (void)call;
  *out_plugin = &plugin;
  return NEREID_OK;
}
