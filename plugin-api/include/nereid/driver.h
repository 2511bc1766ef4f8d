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
// A queue of work on a device. 0 is the device's default stream: it always
// exists, and only events order it relative to other streams.
typedef uint64_t nereid_stream_t;

typedef struct nereid_module_t nereid_module_t;  // a loaded image
typedef struct nereid_kernel_t nereid_kernel_t;  // an entry point of a module

// Flags of a probe.
enum {
  // The device is the host's CPU. It never outranks another device unless the
  // user names it.
  NEREID_PROBE_IS_HOST_CPU = 1u,
  // The device computes nothing of use (a dummy, a recorder): it is never
  // chosen unless the user names it.
  NEREID_PROBE_BY_NAME_ONLY = 2u
};

// The result of a probe: whether kernels can run here. The caller sets
// `struct_size`.
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
  // Since 1.1. Programs that run at the same time on the whole, otherwise idle
  // device, launched as compiled; 0 = unknown. Divided by the property
  // multiprocessor_count it is the occupancy.
  uint32_t resident_programs;
  uint32_t reserved;
} nereid_kernel_info_t;

// A request for memory.
typedef struct nereid_allocation_t {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t size;         // bytes, at least 1
  uint64_t alignment;    // bytes, a power of two; 0 means 64
} nereid_allocation_t;

// Direction of a copy.
typedef int32_t nereid_copy_direction_t;
enum {
  NEREID_COPY_HOST_TO_DEVICE = 1,
  NEREID_COPY_DEVICE_TO_HOST = 2,
  NEREID_COPY_DEVICE_TO_DEVICE = 3
};

// One copy between ranges that do not overlap. An address on the host side is a
// pointer.
typedef struct nereid_copy_t {
  uint32_t struct_size;
  nereid_copy_direction_t direction;
  nereid_stream_t stream;
  nereid_address_t destination;
  nereid_address_t source;
  uint64_t size;         // bytes
} nereid_copy_t;

// An image to load. Borrowed for the call.
typedef struct nereid_image_t {
  uint32_t struct_size;
  uint32_t reserved;
  nereid_bytes_t bytes;
  // If not empty, a file with the same bytes at `offset`, to be mapped; it may
  // vanish after the call.
  nereid_string_t path;
  uint64_t offset;
  const nereid_value_t *metadata;  // added by the stages
  uint64_t metadata_count;
} nereid_image_t;

// Flags of a launch. The host sets one only if the kernel's metadata or the
// caller requests it.
enum {
  // All programs run at the same time; a driver that cannot do this refuses.
  NEREID_LAUNCH_COOPERATIVE = 1u,
  // The kernel may start before the one before it on the stream has ended
  // (programmatic dependent launch). A driver may ignore it.
  NEREID_LAUNCH_PROGRAMMATIC = 2u
};

// One launch. Everything is borrowed for the call.
typedef struct nereid_launch_t {
  uint32_t struct_size;
  uint32_t grid[3];          // programs along x, y, z; all at least 1
  nereid_stream_t stream;
  const void *arguments;     // the packed block that the metadata describes,
                             // aligned to 64 bytes
  uint64_t arguments_size;   // bytes
  nereid_address_t scratch;  // device memory for all programs of the launch; 0
  uint64_t scratch_size;     // bytes; at least programs * scratch_size of the
                             // metadata. Valid until the launch is done
  uint32_t flags;
  uint32_t cluster[3];       // programs of a cluster; 0 means as compiled
} nereid_launch_t;

// The driver of a plugin: what every device supports. Streams, events, other
// kinds of memory and more are extensions (nereid/ext). Devices are numbered
// from 0 to device_count - 1; the host passes no other number.
//
// Work
//   Work on a stream runs in order. `copy` and `launch` may return before their
//   work is done, and may block while a queue is full, but never until later
//   work is submitted: a running kernel may wait for that work. Host memory of
//   a copy belongs to the device until the stream is synchronized. The caller
//   waits for pending work before it ends what that work uses: memory (`free`),
//   modules (`unload_module`), streams and events.
//
// Failures of work
//   What fails after its call has returned is reported by the next
//   `synchronize` of its stream or of its device, whichever is first, once:
//   NEREID_DEVICE_FAULT for a fault or an assertion of a kernel. Work submitted
//   to that stream between the fault and the report may be skipped, and its
//   results are undefined. Afterwards the stream works again; other streams are
//   not affected. A device that cannot continue returns NEREID_DEVICE_LOST from
//   then on, every time.
//   `launch` may report an earlier failure of its stream in the same way.
//
// Required slots are marked; a host refuses a driver that lacks one.
typedef struct nereid_driver_t {
  uint32_t struct_size;
  uint32_t reserved;

  // Required. Fills `out_probe` and writes the reason in one sentence ("2
  // devices: ...", "no /dev/acme0"). Fast, without side effects. A machine
  // without the device is a score of 0, not an error. [any-thread]
  nereid_status_t (*probe)(nereid_state_t *state, nereid_probe_t *out_probe,
                           const nereid_writer_t *reason,
                           const nereid_call_t *call);

  // Required. The target to compile for to run on `device`. [any-thread]
  nereid_status_t (*get_target)(nereid_state_t *state, uint32_t device,
                                nereid_target_t *out_target,
                                const nereid_call_t *call);

  // Required. Adds facts about `device`. Names it should give: name (STRING),
  // multiprocessor_count, max_shared_mem (bytes), max_num_regs, warp_size,
  // max_threads (of one program), max_grid (I64_LIST of 3: programs along each
  // axis; the host refuses more), memory_bytes, host_accessible (BOOL:
  // addresses are pointers of the host too). Names it may give: clock_khz,
  // mem_clock_khz, mem_bus_width (bits), uuid (STRING, the same in every
  // process), pci_address (STRING, "0000:3b:00.0"). [any-thread]
  nereid_status_t (*visit_properties)(nereid_state_t *state, uint32_t device,
                                      const nereid_value_sink_t *sink,
                                      const nereid_call_t *call);

  // Required. Allocates memory on `device`. [any-thread]
  nereid_status_t (*allocate)(nereid_state_t *state, uint32_t device,
                              const nereid_allocation_t *allocation,
                              nereid_address_t *out_address,
                              const nereid_call_t *call);
  // Required. Frees memory of `allocate`. The caller has waited for the work
  // that uses it. Accepts 0. [any-thread]
  nereid_status_t (*free)(nereid_state_t *state, uint32_t device,
                          nereid_address_t address,
                          const nereid_call_t *call);

  // Required. Copies on a stream of `device`. [any-thread]
  nereid_status_t (*copy)(nereid_state_t *state, uint32_t device,
                          const nereid_copy_t *copy,
                          const nereid_call_t *call);

  // Required. Waits until all work given to `stream` so far is done, and
  // reports what failed in it. [any-thread]
  nereid_status_t (*synchronize)(nereid_state_t *state, uint32_t device,
                                 nereid_stream_t stream,
                                 const nereid_call_t *call);
  // Required. The same for all streams of `device`. [any-thread]
  nereid_status_t (*synchronize_device)(nereid_state_t *state, uint32_t device,
                                        const nereid_call_t *call);

  // Required. Loads an image for `device`. Must validate the image: it may be
  // damaged or hostile. [any-thread]
  nereid_status_t (*load_image)(nereid_state_t *state, uint32_t device,
                                const nereid_image_t *image,
                                nereid_module_t **out_module,
                                const nereid_call_t *call);
  // Required. Unloads a module whose kernels' work is done, and with it its
  // kernels. Accepts NULL. [any-thread]
  nereid_status_t (*unload_module)(nereid_state_t *state,
                                   nereid_module_t *module,
                                   const nereid_call_t *call);

  // Required. Finds kernel `name`; owned by the module. Fills `out_info` if
  // not NULL. [any-thread]
  nereid_status_t (*get_kernel)(nereid_state_t *state,
                                nereid_module_t *module, nereid_string_t name,
                                nereid_kernel_t **out_kernel,
                                nereid_kernel_info_t *out_info,
                                const nereid_call_t *call);

  // Required. Launches `kernel`, on the device that its module was loaded for.
  // `call` may be NULL: then only the status is returned. [hot]
  nereid_status_t (*launch)(nereid_kernel_t *kernel,
                            const nereid_launch_t *launch,
                            const nereid_call_t *call);
} nereid_driver_t;

#ifdef __cplusplus
}
#endif
#endif // NEREID_DRIVER_H
