// extension.h - declarations that the files of the extension plugin share.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_EXTENSION_H
#define NEREID_EXTENSION_H

#include "image.h"
#include "nereid/plugin.h"
#include "record.h"

// A string literal as a nereid_string_t.
#define TEXT(literal) {literal, sizeof(literal) - 1}

#define EXTENSION_DEVICE_COUNT 2u
#define EXTENSION_STREAM_COUNT 256u // of a device; 0 is its default stream

// The tables, each defined in the file that implements its slots.
extern const nereid_compiler_t extension_compiler;
extern const nereid_driver_t extension_driver;
extern const nereid_frontend_t extension_frontend;
extern const nereid_streams_t extension_streams;
extern const nereid_events_t extension_events;
extern const nereid_memory_t extension_memory;
extern const nereid_interop_t extension_interop;
extern const nereid_extension_record_t extension_record;

// ---------------------------------------------------------------- errors
// Reports `format` as an error of this call and returns `status`, so that a
// slot ends with `return extension_fail(...)`.
__attribute__((format(printf, 3, 4))) nereid_status_t extension_fail(
    const nereid_call_t *call, nereid_status_t status, const char *format, ...);

// The same with a location in the source; lines and columns start at 1.
__attribute__((format(printf, 4, 5))) nereid_status_t
extension_fail_at(const nereid_call_t *call, uint32_t line, uint32_t column,
                  const char *format, ...);

// True when `text` is `literal`.
int32_t extension_equal(nereid_string_t text, const char *literal);

// ---------------------------------------------------------------- options
// The options, in the order of the table in options.c.
enum {
  OPTION_NUM_WARPS,
  OPTION_STOP_AT_TTIR,
  OPTION_FAULT,
  // Requirements of a launch: copied to the metadata of the same name, unless 0
  // or empty.
  OPTION_SCRATCH_SIZE,
  OPTION_CLUSTER,
  OPTION_COOPERATIVE,
  // One of each other type; their values are copied to the metadata.
  OPTION_TOLERANCE,
  OPTION_TAG,
  OPTION_TILE,
  OPTION_WEIGHTS,
  OPTION_FEATURES,
  OPTION_COUNT
};

struct nereid_options_t {
  nereid_value_t values[OPTION_COUNT]; // owns what they point to
};

// The value of OPTION_FAULT as an `enum extension_fault`.
uint32_t extension_options_fault(const nereid_options_t *options);

// Slots implemented in options.c, for the table in compiler.c.
nereid_status_t extension_visit_options(nereid_state_t *state,
                                        const nereid_target_t *target,
                                        const nereid_option_sink_t *sink,
                                        const nereid_call_t *call);
nereid_status_t extension_parse_options(nereid_state_t *state,
                                        const nereid_target_t *target,
                                        const nereid_value_t *values,
                                        uint64_t count,
                                        const nereid_writer_t *canonical,
                                        nereid_options_t **out_options,
                                        const nereid_call_t *call);
nereid_status_t extension_destroy_options(nereid_state_t *state,
                                          nereid_options_t *options,
                                          const nereid_call_t *call);

// ---------------------------------------------------------------- state
// One stream. Work completes when it is submitted, so there is no queue. The
// handle of a stream is its index.
typedef struct extension_stream_t {
  _Atomic uint32_t used;
  _Atomic uint32_t failed; // a launch on it failed since the last synchronize
  uint64_t handle;         // of the host program's queue, if imported
} extension_stream_t;

// The last launches. A launch reserves the next entry with one atomic addition.
typedef struct extension_ring_t {
  _Atomic uint64_t count;
  struct {
    nereid_extension_launch_t launch;
    uint64_t arguments[NEREID_EXTENSION_KEPT_ARGUMENTS / 8];
  } entries[NEREID_EXTENSION_KEPT];
} extension_ring_t;

struct nereid_state_t {
  const nereid_host_t *host;
  extension_stream_t streams[EXTENSION_DEVICE_COUNT][EXTENSION_STREAM_COUNT];
  uint64_t context[EXTENSION_DEVICE_COUNT]; // imported; 0 if none
  _Atomic uint32_t in_use[EXTENSION_DEVICE_COUNT];
  extension_ring_t ring;
};

// ---------------------------------------------------------------- streams
// Slots implemented in streams.c, for the tables in driver.c and interop.c.
nereid_status_t extension_synchronize(nereid_state_t *state, uint32_t device,
                                      nereid_stream_t stream,
                                      const nereid_call_t *call);
nereid_status_t extension_synchronize_device(nereid_state_t *state,
                                             uint32_t device,
                                             const nereid_call_t *call);
nereid_status_t extension_destroy_stream(nereid_state_t *state, uint32_t device,
                                         nereid_stream_t stream,
                                         const nereid_call_t *call);

// Creates a stream that wraps `handle`, a queue of the host program; 0 for a
// stream of its own.
nereid_status_t extension_make_stream(nereid_state_t *state, uint32_t device,
                                      uint64_t handle,
                                      nereid_stream_t *out_stream,
                                      const nereid_call_t *call);

// ---------------------------------------------------------------- modules
// Slots implemented in launch.c, for the table in driver.c.
nereid_status_t extension_load_image(nereid_state_t *state, uint32_t device,
                                     const nereid_image_t *image,
                                     nereid_module_t **out_module,
                                     const nereid_call_t *call);
nereid_status_t extension_unload_module(nereid_state_t *state,
                                        nereid_module_t *module,
                                        const nereid_call_t *call);
nereid_status_t
extension_get_kernel(nereid_state_t *state, nereid_module_t *module,
                     nereid_string_t name, nereid_kernel_t **out_kernel,
                     nereid_kernel_info_t *out_info, const nereid_call_t *call);
nereid_status_t extension_launch(nereid_kernel_t *kernel,
                                 const nereid_launch_t *launch,
                                 const nereid_call_t *call);

#endif // NEREID_EXTENSION_H
