// nereid/host/backend.h - one loaded plugin: identity, compiler queries and
// devices.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_INCLUDE_HOST_BACKEND_H
#define NEREID_INCLUDE_HOST_BACKEND_H

#include "nereid/host/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nereid_backend_info_t {
  uint32_t struct_size;
  uint32_t has_compiler;
  uint32_t has_driver;
  uint32_t flags;               // nereid_plugin_t.flags
  int32_t score;                // of the driver's probe; 0 without a driver
  uint32_t probe_flags;
  uint32_t device_count;
  uint32_t abi_minor;           // in use: the smaller one of both sides
  nereid_string_t id;
  nereid_string_t device_type;
  nereid_string_t version;
  nereid_string_t build_id;
  nereid_string_t description;
  nereid_string_t vendor_name;
  nereid_string_t device_name;
  nereid_string_t device_query_command;
  nereid_string_t dispatch_key;
  nereid_string_t path;         // empty for a table registered in-process
  nereid_string_t probe_reason;
} nereid_backend_info_t;

// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_info(const nereid_backend_t *backend,
                    nereid_backend_info_t *out_info);
// The plugin's table for an extension; NULL if it has none. [any-thread]
NEREID_EXPORT const void *
nereid_backend_extension(const nereid_backend_t *backend, nereid_string_t id);
// The state to pass to the slots of the plugin's extensions. [any-thread]
NEREID_EXPORT nereid_state_t *
nereid_backend_state(const nereid_backend_t *backend);
// The backend that compiles for `device` of `backend`: the one that
// NEREID_COMPILER names, else `backend` itself or, for a driver-only plugin,
// the compiler with the best score for the device's target. nereid_compile()
// and the functions below use it automatically. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_compiler(const nereid_backend_t *backend, uint32_t device,
                        nereid_backend_t **out_compiler);
// The option schema as JSON: [{"name", "type", "default", "doc", "choices",
// "minimum", "maximum"}]. `target` NULL: that of device 0. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_options(const nereid_backend_t *backend,
                       const nereid_target_t *target,
                       nereid_buffer_t **out_json);
// The stages for these options as JSON: [{"name", "input", "output",
// "extension", "image"}]. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_stages(const nereid_backend_t *backend,
                      const nereid_target_t *target,
                      const nereid_value_t *options, uint64_t option_count,
                      nereid_buffer_t **out_json);

// The external functions that kernels for `target` may call, as JSON:
// [{"name", "symbol", "result", "operands"}]; empty if the compiler has none.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_libdevice(const nereid_backend_t *backend,
                         const nereid_target_t *target,
                         nereid_buffer_t **out_json);
// What kernels for `target` may use, as a JSON object with the names of
// nereid/ext/frontend.h; empty if the compiler does not have that extension.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_frontend(const nereid_backend_t *backend,
                        const nereid_target_t *target,
                        nereid_buffer_t **out_json);

// The target of a device. A device that does not exist is an error, here and
// in all functions that take one. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_target(const nereid_backend_t *backend, uint32_t device,
                      nereid_target_t *out_target);
// Facts about a device as a JSON object. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_properties(const nereid_backend_t *backend, uint32_t device,
                          nereid_buffer_t **out_json);

#ifdef __cplusplus
}
#endif
#endif // NEREID_INCLUDE_HOST_BACKEND_H
