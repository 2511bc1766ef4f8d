// nereid/driver.h - the slots of a plugin that runs kernels on a device.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_DRIVER_H
#define NEREID_DRIVER_H

#include "compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

// An address in the memory of a device: what a kernel's pointer argument holds.
typedef uint64_t nereid_address_t;
// A queue of work on a device. 0 is the device's default stream.
typedef uint64_t nereid_stream_t;

typedef struct nereid_module_t nereid_module_t;  // a loaded image
typedef struct nereid_kernel_t nereid_kernel_t;  // an entry point of a module
typedef struct nereid_event_t nereid_event_t;    // a point in a stream

// Flags of a probe.
enum {
  // The device is the host's own processor. It never outranks another device
  // unless the user names it.
  NEREID_PROBE_IS_HOST_CPU = 1u,
  // The device computes nothing of use (a dummy, a recorder): it is never
  // chosen unless the user names it.
  NEREID_PROBE_BY_NAME_ONLY = 2u
};

// The answer to "can you run kernels here?". The caller sets `struct_size`.
typedef struct nereid_probe_t {
  uint32_t struct_size;
  uint32_t flags;
  int32_t score;         // 0 = not active; larger is better; 100 is normal
  uint32_t device_count;
} nereid_probe_t;

// The resources of a kernel. The caller sets `struct_size`. -1 = unknown.
typedef struct nereid_kernel_info_t {
  uint32_t struct_size;
  int32_t registers;     // per thread
  int32_t spills;        // registers spilled, per thread
  int32_t max_threads;   // of one program
  int64_t shared;        // bytes of on-chip memory of one program
} nereid_kernel_info_t;

// One launch. `arguments` is the packed block that the kernel's metadata
// describes; borrowed for the call. Fields are copied before launch returns.
typedef struct nereid_launch_t {
  uint32_t struct_size;
  uint32_t grid[3];      // programs along x, y, z; all at least 1
  nereid_stream_t stream;
  const void *arguments;
  uint64_t arguments_size;
} nereid_launch_t;

// Direction of a copy.
typedef int32_t nereid_copy_t;
enum {
  NEREID_COPY_HOST_TO_DEVICE = 1,
  NEREID_COPY_DEVICE_TO_HOST = 2,
  NEREID_COPY_DEVICE_TO_DEVICE = 3
};

// The driver of a plugin. Devices are numbered from 0 to device_count - 1, and
// the host passes no other. Work on a stream runs in order; slots that take a
// stream may return before the work is done, and then report its failure from
// a later `synchronize`. Required slots are marked; a host answers
// NEREID_UNIMPLEMENTED, naming the slot, for those that are missing.
typedef struct nereid_driver_t {
  uint32_t struct_size;
  uint32_t reserved;

  // Required. Fills `out_probe` and writes one sentence of reason ("2 devices:
  // ...", "no /dev/acme0"). Free of side effects and fast. A machine without
  // the device is a score of 0, not an error. [any-thread]
  nereid_status_t (*probe)(nereid_state_t *state, nereid_probe_t *out_probe,
                           const nereid_writer_t *reason,
                           const nereid_call_t *call);

  // Required. The target to compile for to run on `device`. [any-thread]
  nereid_status_t (*get_target)(nereid_state_t *state, uint32_t device,
                                nereid_target_t *out_target,
                                const nereid_call_t *call);

  // (optional) The calling thread's device; without it, device 0 always.
  // [any-thread]
  nereid_status_t (*get_current_device)(nereid_state_t *state,
                                        uint32_t *out_device,
                                        const nereid_call_t *call);
  // (optional) Sets it. [any-thread]
  nereid_status_t (*set_current_device)(nereid_state_t *state,
                                        uint32_t device,
                                        const nereid_call_t *call);

  // (optional) The calling thread's stream on `device`; without it, the
  // default stream always. [any-thread]
  nereid_status_t (*get_current_stream)(nereid_state_t *state,
                                        uint32_t device,
                                        nereid_stream_t *out_stream,
                                        const nereid_call_t *call);
  // (optional) Sets it. [any-thread]
  nereid_status_t (*set_current_stream)(nereid_state_t *state,
                                        uint32_t device,
                                        nereid_stream_t stream,
                                        const nereid_call_t *call);

  // (optional) Makes a stream. Without it there is the default one alone.
  // [any-thread]
  nereid_status_t (*create_stream)(nereid_state_t *state, uint32_t device,
                                   nereid_stream_t *out_stream,
                                   const nereid_call_t *call);
  // (optional) Waits for a stream's work and destroys it. Ignores 0. Comes
  // with `create_stream`. [any-thread]
  void (*destroy_stream)(nereid_state_t *state, uint32_t device,
                         nereid_stream_t stream);

  // Required. Waits until the work given to `stream` is done and reports what
  // failed in it: NEREID_DEVICE_FAULT for an assertion in a kernel.
  // [any-thread]
  nereid_status_t (*synchronize)(nereid_state_t *state, uint32_t device,
                                 nereid_stream_t stream,
                                 const nereid_call_t *call);

  // Required. Adds facts about `device`. Names it should give: name (STRING),
  // multiprocessor_count, max_shared_mem (bytes), max_num_regs, warp_size,
  // max_threads, max_grid (I64_LIST of 3: programs along each axis; the host
  // refuses more), memory_bytes, host_accessible (BOOL: addresses are pointers
  // of the host too), clock_khz. [any-thread]
  nereid_status_t (*visit_properties)(nereid_state_t *state, uint32_t device,
                                      const nereid_value_sink_t *sink,
                                      const nereid_call_t *call);

  // Required. Memory of `device`, aligned to at least 64 bytes. A size of 0
  // gives address 0. [any-thread]
  nereid_status_t (*allocate)(nereid_state_t *state, uint32_t device,
                              uint64_t size, nereid_address_t *out_address,
                              const nereid_call_t *call);
  // Required. Gives back what `allocate` gave, once the work that uses it is
  // done. Accepts 0. [any-thread]
  void (*free)(nereid_state_t *state, uint32_t device,
               nereid_address_t address);

  // Required. Copies `size` bytes between ranges that do not overlap; the host
  // side is a pointer in an address. The caller leaves the host's memory alone
  // until the stream is synchronized. [any-thread]
  nereid_status_t (*copy)(nereid_state_t *state, uint32_t device,
                          nereid_stream_t stream, nereid_copy_t direction,
                          nereid_address_t destination,
                          nereid_address_t source, uint64_t size,
                          const nereid_call_t *call);

  // (optional) Sets `count` elements at `destination` to the `pattern_size`
  // (1, 2, 4 or 8) bytes at `pattern`, which are read before it returns.
  // Without it the host copies. [any-thread]
  nereid_status_t (*fill)(nereid_state_t *state, uint32_t device,
                          nereid_stream_t stream,
                          nereid_address_t destination, const void *pattern,
                          uint32_t pattern_size, uint64_t count,
                          const nereid_call_t *call);

  // Adoption makes what the host program already has usable here without
  // taking ownership: `kind` names what it is ("host.pointer",
  // "cuda.pointer", "cuda.stream", "vk.device", ...), `handle` is its value.
  // The program keeps it alive until it is released. A kind that the plugin
  // does not know is NEREID_UNIMPLEMENTED.

  // (optional) Adopts `size` bytes of memory. [any-thread]
  nereid_status_t (*adopt_pointer)(nereid_state_t *state, uint32_t device,
                                   nereid_string_t kind, uint64_t handle,
                                   uint64_t size,
                                   nereid_address_t *out_address,
                                   const nereid_call_t *call);
  // (optional) Ends the adoption of an address, once the work that uses it is
  // done; the memory itself stays. Without it there is nothing to release.
  // Accepts 0. [any-thread]
  void (*release_pointer)(nereid_state_t *state, uint32_t device,
                          nereid_address_t address);
  // (optional) Adopts a queue of work. [any-thread]
  nereid_status_t (*adopt_stream)(nereid_state_t *state, uint32_t device,
                                  nereid_string_t kind, uint64_t handle,
                                  nereid_stream_t *out_stream,
                                  const nereid_call_t *call);
  // (optional) Ends the adoption of a stream, as release_pointer does.
  // [any-thread]
  void (*release_stream)(nereid_state_t *state, uint32_t device,
                         nereid_stream_t stream);
  // (optional) Adopts the context or device object that all later work on
  // `device` uses, until shutdown. NEREID_UNAVAILABLE once `device` is in use.
  // [any-thread]
  nereid_status_t (*adopt_context)(nereid_state_t *state, uint32_t device,
                                   nereid_string_t kind, uint64_t handle,
                                   const nereid_call_t *call);

  // Required. Loads an image for `device`; `image` and `metadata`, which is
  // what the stages said, are borrowed for the call. `path`, if not empty, is
  // a file whose first bytes are the image, so that the system can map it
  // where it lies; it may vanish after the call. Trusts no byte: images come
  // from files. [any-thread]
  nereid_status_t (*load_image)(nereid_state_t *state, uint32_t device,
                                nereid_bytes_t image, nereid_string_t path,
                                const nereid_value_t *metadata,
                                uint64_t metadata_count,
                                nereid_module_t **out_module,
                                const nereid_call_t *call);
  // Required. Unloads a module whose kernels' work is done, and with it its
  // kernels. Accepts NULL. [any-thread]
  void (*unload_module)(nereid_state_t *state, nereid_module_t *module);

  // Required. Finds kernel `name`; owned by the module. Fills `out_info` if
  // not NULL. [any-thread]
  nereid_status_t (*get_kernel)(nereid_state_t *state,
                                nereid_module_t *module, nereid_string_t name,
                                nereid_kernel_t **out_kernel,
                                nereid_kernel_info_t *out_info,
                                const nereid_call_t *call);

  // Required. Launches `kernel`, on the device that its module was loaded for.
  // `call` may be NULL: then only the status tells. [hot]
  nereid_status_t (*launch)(nereid_kernel_t *kernel,
                            const nereid_launch_t *launch,
                            const nereid_call_t *call);

  // (optional) Makes an event. The four slots of events come together.
  // [any-thread]
  nereid_status_t (*create_event)(nereid_state_t *state, uint32_t device,
                                  nereid_event_t **out_event,
                                  const nereid_call_t *call);
  // (optional) Accepts NULL. [any-thread]
  void (*destroy_event)(nereid_state_t *state, nereid_event_t *event);
  // (optional) Marks the point that `stream` has reached; again moves it.
  // [serial]
  nereid_status_t (*record_event)(nereid_state_t *state,
                                  nereid_event_t *event,
                                  nereid_stream_t stream,
                                  const nereid_call_t *call);
  // (optional) Sets the nanoseconds from `start` to `end`, both recorded; waits
  // for `end`. [any-thread]
  nereid_status_t (*elapsed)(nereid_state_t *state, nereid_event_t *start,
                             nereid_event_t *end, double *out_nanoseconds,
                             const nereid_call_t *call);

  // (optional) Evicts the device's caches, before a cold measurement.
  // [any-thread]
  nereid_status_t (*flush_cache)(nereid_state_t *state, uint32_t device,
                                 nereid_stream_t stream,
                                 const nereid_call_t *call);
} nereid_driver_t;

#ifdef __cplusplus
}
#endif
#endif // NEREID_DRIVER_H
