// nereid/host/backend.h - one loaded plugin: facts and the slots of its driver.
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
  nereid_string_t path;         // empty for a table in process
  nereid_string_t probe_reason;
} nereid_backend_info_t;

// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_info(const nereid_backend_t *backend,
                    nereid_backend_info_t *out_info);
// The plugin's table for an extension; NULL if it has none. [any-thread]
NEREID_EXPORT const void *
nereid_backend_extension(const nereid_backend_t *backend, nereid_string_t id);
// The state that the plugin's own slots want, for extensions. [any-thread]
NEREID_EXPORT nereid_state_t *
nereid_backend_state(const nereid_backend_t *backend);
// The backend that compiles for `device` of `backend`: the one that
// NEREID_COMPILER names, else itself, or, if it only drives, the one whose score
// for the device's target is best. nereid_compile()
// and what follows here turn to it by themselves. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_compiler(const nereid_backend_t *backend, uint32_t device,
                        nereid_backend_t **out_compiler);
// The option schema as JSON: [{"name", "type", "default", "doc", "choices",
// "minimum", "maximum"}]. `target` NULL: the one of device 0. [any-thread]
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

// The driver's slots, checked. A device that does not exist is an error.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_target(const nereid_backend_t *backend, uint32_t device,
                      nereid_target_t *out_target);
// Facts about a device as a JSON object. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_properties(const nereid_backend_t *backend, uint32_t device,
                          nereid_buffer_t **out_json);
// Memory of `device`; a size of 0 gives address 0. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_allocate(nereid_backend_t *backend, uint32_t device,
                        uint64_t size, nereid_address_t *out_address);
// Gives memory back whose work is done. Accepts 0. [any-thread]
NEREID_EXPORT void nereid_backend_free(nereid_backend_t *backend,
                                       uint32_t device,
                                       nereid_address_t address);
// Copies; the host side is a pointer in an address. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_copy(nereid_backend_t *backend, uint32_t device,
                    nereid_stream_t stream, nereid_copy_t direction,
                    nereid_address_t destination, nereid_address_t source,
                    uint64_t size);
// Sets `count` elements to a pattern of 1, 2, 4 or 8 bytes. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_fill(nereid_backend_t *backend, uint32_t device,
                    nereid_stream_t stream, nereid_address_t destination,
                    const void *pattern, uint32_t pattern_size,
                    uint64_t count);
// Makes memory of this program usable on the device. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_adopt_pointer(nereid_backend_t *backend, uint32_t device,
                             nereid_string_t kind, uint64_t handle,
                             uint64_t size, nereid_address_t *out_address);
// Ends the adoption; the memory stays. [any-thread]
NEREID_EXPORT void nereid_backend_release_pointer(nereid_backend_t *backend,
                                                  uint32_t device,
                                                  nereid_address_t address);
// Makes a queue of this program usable as a stream. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_adopt_stream(nereid_backend_t *backend, uint32_t device,
                            nereid_string_t kind, uint64_t handle,
                            nereid_stream_t *out_stream);
// Ends the adoption; the queue stays. [any-thread]
NEREID_EXPORT void nereid_backend_release_stream(nereid_backend_t *backend,
                                                 uint32_t device,
                                                 nereid_stream_t stream);
// Lets the driver work in a context of this program. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_adopt_context(nereid_backend_t *backend, uint32_t device,
                             nereid_string_t kind, uint64_t handle);
// Makes a stream. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_create_stream(nereid_backend_t *backend, uint32_t device,
                             nereid_stream_t *out_stream);
// Waits for its work and destroys it. Ignores 0. [any-thread]
NEREID_EXPORT void nereid_backend_destroy_stream(nereid_backend_t *backend,
                                                 uint32_t device,
                                                 nereid_stream_t stream);
// The calling thread's device. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_get_current_device(const nereid_backend_t *backend,
                                  uint32_t *out_device);
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_set_current_device(nereid_backend_t *backend, uint32_t device);
// The calling thread's stream on `device`. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_get_current_stream(const nereid_backend_t *backend,
                                  uint32_t device,
                                  nereid_stream_t *out_stream);
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_set_current_stream(nereid_backend_t *backend, uint32_t device,
                                  nereid_stream_t stream);
// Waits for the work of a stream, and tells what failed in it. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_synchronize(nereid_backend_t *backend, uint32_t device,
                           nereid_stream_t stream);
// Makes an event. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_create_event(nereid_backend_t *backend, uint32_t device,
                            nereid_event_t **out_event);
// [any-thread]
NEREID_EXPORT void nereid_backend_destroy_event(nereid_backend_t *backend,
                                                nereid_event_t *event);
// Marks the point that `stream` has reached. An event is for the backend that
// made it; what another does with it is undefined. [serial]
NEREID_EXPORT nereid_status_t
nereid_backend_record_event(nereid_backend_t *backend, nereid_event_t *event,
                            nereid_stream_t stream);
// The time between two recorded events; waits for `end`. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_elapsed(nereid_backend_t *backend, nereid_event_t *start,
                       nereid_event_t *end, double *out_nanoseconds);
// Evicts the device's caches, before a cold measurement. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_flush_cache(nereid_backend_t *backend, uint32_t device,
                           nereid_stream_t stream);

#ifdef __cplusplus
}
#endif
#endif // NEREID_INCLUDE_HOST_BACKEND_H
