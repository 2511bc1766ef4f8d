// plugin.c - the entry of the asynchronous plugin: identity, tables and
// extensions.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A device like a real one, in plain C: separate memory, a thread for each
// stream, and failures that are detected after the call has returned. It is the
// template for the driver of such a device; see README.md.

#include "asynchronous.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- errors
static void report(const nereid_call_t *call, nereid_string_t file,
                   uint32_t line, uint32_t column, const char *format,
                   va_list arguments) {
  char text[512];
  if (!call)
    return;
  int size = vsnprintf(text, sizeof(text), format, arguments);
  if (size >= (int)sizeof(text))
    size = sizeof(text) - 1;
  nereid_diagnostic_t diagnostic = {
      .struct_size = sizeof(diagnostic),
      .severity = NEREID_SEVERITY_ERROR,
      .message = {text, size > 0 ? (uint64_t)size : 0},
      .file = file,
      .line = line,
      .column = column,
  };
  call->report(call, &diagnostic);
}

nereid_status_t fail(const nereid_call_t *call, nereid_status_t status,
                     const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  report(call, (nereid_string_t){NULL, 0}, 0, 0, format, arguments);
  va_end(arguments);
  return status;
}

nereid_status_t fail_at(const nereid_call_t *call, nereid_status_t status,
                        nereid_string_t file, uint32_t line, uint32_t column,
                        const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  report(call, file, line, column, format, arguments);
  va_end(arguments);
  return status;
}

void set_fault(fault_t *fault, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fault->status = NEREID_DEVICE_FAULT;
  vsnprintf(fault->message, sizeof(fault->message), format, arguments);
  va_end(arguments);
}

int32_t is_equal(nereid_string_t text, const char *literal) {
  return text.size == strlen(literal) &&
         (!text.size || memcmp(text.data, literal, text.size) == 0);
}

// [life]
// ---------------------------------------------------------------- life
// Starts no thread: the first work of a stream does. Requests the host's TTIR
// extension here, so that its identity is part of the cache key of each kernel.
static nereid_status_t create(const nereid_host_t *host,
                              nereid_state_t **out_state,
                              const nereid_call_t *call) {
  nereid_state_t *state = calloc(1, sizeof(*state));
  if (!state)
    return fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
  state->host = host;
  state->ttir =
      host->get_extension(host, (nereid_string_t)TEXT(NEREID_EXT_TTIR));
  if (state->ttir && !NEREID_HAS_SLOT(state->ttir, walk))
    state->ttir = NULL;
  pthread_mutex_init(&state->mutex, NULL);
  for (uint32_t device = 0; device < DEVICE_COUNT; ++device) {
    pthread_mutex_init(&state->memory[device].mutex, NULL);
    for (uint32_t i = 0; i < STREAM_COUNT; ++i) {
      stream_t *stream = &state->streams[device][i];
      stream->state = state;
      stream->device = device;
      pthread_mutex_init(&stream->mutex, NULL);
      pthread_cond_init(&stream->given, NULL);
      pthread_cond_init(&stream->ended, NULL);
    }
    atomic_store(&state->streams[device][0].open, 1);
  }
  *out_state = state;
  return NEREID_OK;
}

// All threads drain their queues before any stream is destroyed: they may wait
// for each other's events.
static nereid_status_t shutdown(nereid_state_t *state,
                                const nereid_call_t *call) {
  (void)call;
  stream_t *streams = &state->streams[0][0];
  for (uint32_t i = 0; i < DEVICE_COUNT * STREAM_COUNT; ++i)
    stream_close(&streams[i]);
  for (uint32_t i = 0; i < DEVICE_COUNT * STREAM_COUNT; ++i) {
    pthread_cond_destroy(&streams[i].ended);
    pthread_cond_destroy(&streams[i].given);
    pthread_mutex_destroy(&streams[i].mutex);
  }
  for (uint32_t device = 0; device < DEVICE_COUNT; ++device)
    memory_close(&state->memory[device]);
  pthread_mutex_destroy(&state->mutex);
  free(state);
  return NEREID_OK;
}
// [/life]

// ---------------------------------------------------------------- extensions
static const nereid_vendor_t vendor = {
    .struct_size = sizeof(nereid_vendor_t),
    .vendor_name = TEXT("nereid"),
    .device_name = TEXT("asynchronous"),
    .dispatch_key = TEXT("PrivateUse1"),
};

static const void *get_extension(nereid_state_t *state, nereid_string_t id) {
  static const struct {
    const char *id;
    const void *table;
  } tables[] = {
      {NEREID_EXT_VENDOR, &vendor},
      {NEREID_EXT_FRONTEND, &asynchronous_frontend},
      {NEREID_EXT_STREAM, &asynchronous_streams},
      {NEREID_EXT_EVENT, &asynchronous_events},
      {NEREID_EXT_MEMORY, &asynchronous_memory},
      {NEREID_EXT_INTEROP, &asynchronous_interop},
  };
  (void)state;
  for (uint32_t i = 0; i < sizeof(tables) / sizeof(*tables); ++i)
    if (is_equal(id, tables[i].id))
      return tables[i].table;
  return NULL;
}

// [table]
// ---------------------------------------------------------------- table
// Not NEREID_PLUGIN_FORK_SAFE: a child process does not have the threads.
// Unloadable, because `shutdown` joins all of them.
static const nereid_plugin_t plugin = {
    .struct_size = sizeof(nereid_plugin_t),
    .abi_major = NEREID_ABI_MAJOR,
    .abi_minor = NEREID_ABI_MINOR,
    .abi_revision = NEREID_ABI_REVISION,
    .min_host_minor = NEREID_PLUGIN_MIN_HOST_MINOR,
    .flags = NEREID_PLUGIN_UNLOADABLE,
    .id = TEXT(NEREID_PLUGIN_ID),
    .device_type = TEXT("asynchronous"),
    .version = TEXT(NEREID_PLUGIN_VERSION),
    .description = TEXT("interprets element-wise kernels on threads"),
    .compiler = &asynchronous_compiler,
    .driver = &asynchronous_driver,
    .create = create,
    .shutdown = shutdown,
    .get_extension = get_extension,
};
// [/table]

nereid_status_t nereid_plugin_entry_1(const nereid_host_t *host,
                                      const nereid_plugin_t **out_plugin,
                                      const nereid_call_t *call) {
  (void)host;
  (void)call;
  *out_plugin = &plugin;
  return NEREID_OK;
}
