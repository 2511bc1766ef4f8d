// plugin.c - the entry of the extension plugin: identity, tables and
// extensions.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The shortest complete backend and the template for a new one: it compiles a
// kernel to its signature, and records each launch instead of running it. See
// README.md for how to start from it.

#include "extension.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- errors
static void report(const nereid_call_t *call, uint32_t line, uint32_t column,
                   const char *format, va_list arguments) {
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
      .line = line,
      .column = column,
  };
  call->report(call, &diagnostic);
}

nereid_status_t extension_fail(const nereid_call_t *call,
                               nereid_status_t status, const char *format,
                               ...) {
  va_list arguments;
  va_start(arguments, format);
  report(call, 0, 0, format, arguments);
  va_end(arguments);
  return status;
}

nereid_status_t extension_fail_at(const nereid_call_t *call, uint32_t line,
                                  uint32_t column, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  report(call, line, column, format, arguments);
  va_end(arguments);
  return NEREID_INVALID_ARGUMENT;
}

int32_t extension_equal(nereid_string_t text, const char *literal) {
  return text.size == strlen(literal) &&
         memcmp(text.data, literal, text.size) == 0;
}

// [entry]
// ---------------------------------------------------------------- life
static nereid_status_t create(const nereid_host_t *host,
                              nereid_state_t **out_state,
                              const nereid_call_t *call) {
  nereid_state_t *state = calloc(1, sizeof(*state));
  if (!state)
    return extension_fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
  state->host = host;
  *out_state = state;
  return NEREID_OK;
}

static nereid_status_t shutdown(nereid_state_t *state,
                                const nereid_call_t *call) {
  (void)call;
  free(state);
  return NEREID_OK;
}

// ---------------------------------------------------------------- extensions
static const nereid_vendor_t vendor = {
    .struct_size = sizeof(nereid_vendor_t),
    .vendor_name = TEXT("nereid"),
    .device_name = TEXT("extension"),
    .dispatch_key = TEXT("PrivateUse1"),
};

// The extensions, by id. "nereid.benchmark/1" is not among them: the device has
// no cache to evict.
static const void *get_extension(nereid_state_t *state, nereid_string_t id) {
  static const struct {
    const char *id;
    const void *table;
  } tables[] = {
      {NEREID_EXT_VENDOR, &vendor},
#ifndef EXTENSION_WITHOUT_COMPILER
      {NEREID_EXT_FRONTEND, &extension_frontend},
#endif
#ifndef EXTENSION_WITHOUT_DRIVER
      {NEREID_EXT_STREAM, &extension_streams},
      {NEREID_EXT_EVENT, &extension_events},
      {NEREID_EXT_MEMORY, &extension_memory},
      {NEREID_EXT_INTEROP, &extension_interop},
      {NEREID_EXT_EXTENSION_RECORD, &extension_record},
#endif
  };
  (void)state;
  for (uint32_t i = 0; i < sizeof(tables) / sizeof(*tables); ++i)
    if (extension_equal(id, tables[i].id))
      return tables[i].table;
  return NULL;
}

// ---------------------------------------------------------------- table
// Safe after fork(): the plugin has no threads and no locks, and its memory is
// the process's own. A plugin with a driver context is not: remove the flag.
static const nereid_plugin_t plugin = {
    .struct_size = sizeof(nereid_plugin_t),
    .abi_major = NEREID_ABI_MAJOR,
    .abi_minor = NEREID_ABI_MINOR,
    .abi_revision = NEREID_ABI_REVISION,
    .min_host_minor = NEREID_PLUGIN_MIN_HOST_MINOR,
    .flags = NEREID_PLUGIN_UNLOADABLE | NEREID_PLUGIN_FORK_SAFE,
    .id = TEXT(NEREID_PLUGIN_ID),
    .device_type = TEXT("extension"),
    .version = TEXT(NEREID_PLUGIN_VERSION),
    .description = TEXT("records launches instead of running them"),
#ifndef EXTENSION_WITHOUT_COMPILER
    .compiler = &extension_compiler,
#endif
#ifndef EXTENSION_WITHOUT_DRIVER
    .driver = &extension_driver,
#endif
    .create = create,
    .shutdown = shutdown,
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
// [/entry]
