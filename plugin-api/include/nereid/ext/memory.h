// nereid/ext/memory.h - extension "nereid.memory/1" of a plugin: further
// memory operations of a driver.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Each slot is optional. Without it the host fills and copies rectangles row by
// row, copies between devices through its own memory, and
// allocates ordinary host memory.

#ifndef NEREID_EXT_MEMORY_H
#define NEREID_EXT_MEMORY_H

#include "../entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NEREID_EXT_MEMORY "nereid.memory/1"

// Sets elements to a pattern.
typedef struct nereid_fill_t {
  uint32_t struct_size;
  uint32_t pattern_size;         // bytes: 1, 2, 4 or 8
  nereid_stream_t stream;
  nereid_address_t destination;  // aligned to the pattern's size
  const void *pattern;           // read before the call returns
  uint64_t count;                // elements
} nereid_fill_t;

// Copies a rectangle. Rows do not overlap.
typedef struct nereid_copy_2d_t {
  uint32_t struct_size;
  nereid_copy_direction_t direction;
  nereid_stream_t stream;
  nereid_address_t destination;
  uint64_t destination_pitch;    // bytes from row to row, at least `width`
  nereid_address_t source;
  uint64_t source_pitch;
  uint64_t width;                // bytes of a row
  uint64_t height;               // rows
} nereid_copy_2d_t;

// Copies between two devices of the plugin.
typedef struct nereid_copy_peer_t {
  uint32_t struct_size;
  uint32_t source_device;
  nereid_stream_t stream;        // of the destination's device
  nereid_address_t destination;
  nereid_address_t source;
  uint64_t size;                 // bytes
} nereid_copy_peer_t;

// The memory of a device, in bytes.
typedef struct nereid_memory_info_t {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t free;
  uint64_t total;
} nereid_memory_info_t;

typedef struct nereid_memory_t {
  uint32_t struct_size;
  uint32_t reserved;

  // (optional) Fills on a stream of `device`. [any-thread]
  nereid_status_t (*fill)(nereid_state_t *state, uint32_t device,
                          const nereid_fill_t *fill,
                          const nereid_call_t *call);
  // (optional) Copies a rectangle on a stream of `device`. [any-thread]
  nereid_status_t (*copy_2d)(nereid_state_t *state, uint32_t device,
                             const nereid_copy_2d_t *copy,
                             const nereid_call_t *call);
  // (optional) Copies to `device` from another one. The caller has ordered the
  // stream after the work that writes the source. [any-thread]
  nereid_status_t (*copy_peer)(nereid_state_t *state, uint32_t device,
                               const nereid_copy_peer_t *copy,
                               const nereid_call_t *call);
  // (optional) Allocates pinned host memory, for fast copies to and from
  // `device`; `*out_pointer` is a host pointer. Requires `free_host`.
  // [any-thread]
  nereid_status_t (*allocate_host)(nereid_state_t *state, uint32_t device,
                                   const nereid_allocation_t *allocation,
                                   void **out_pointer,
                                   const nereid_call_t *call);
  // (optional) Frees it. Accepts NULL. [any-thread]
  nereid_status_t (*free_host)(nereid_state_t *state, uint32_t device,
                               void *pointer, const nereid_call_t *call);
  // (optional) Fills `out_info` for `device`. [any-thread]
  nereid_status_t (*get_info)(nereid_state_t *state, uint32_t device,
                              nereid_memory_info_t *out_info,
                              const nereid_call_t *call);
} nereid_memory_t;

#ifdef __cplusplus
}
#endif
#endif // NEREID_EXT_MEMORY_H
