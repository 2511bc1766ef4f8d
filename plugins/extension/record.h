// record.h - the table "nereid.extension.record/1" of the extension plugin:
// what was launched, for tests.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_EXTENSION_RECORD_H
#define NEREID_EXTENSION_RECORD_H

#include "nereid/entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NEREID_EXT_EXTENSION_RECORD "nereid.extension.record/1"

// How many launches are recorded, the last ones, and how many bytes of each
// argument block.
#define NEREID_EXTENSION_KEPT 64u
#define NEREID_EXTENSION_KEPT_ARGUMENTS 512u

// One launch.
typedef struct nereid_extension_launch_t {
  uint32_t struct_size;
  uint32_t grid[3];
  uint32_t device;
  uint32_t reserved;
  nereid_stream_t stream;
  uint64_t stream_handle;   // of the imported queue; 0 if none
  uint64_t arguments_size;  // of the whole argument block
  nereid_string_t kernel;   // valid until its module is unloaded
  nereid_bytes_t arguments; // recorded part, valid until overwritten
  uint32_t flags;           // from here on as in nereid_launch_t
  uint32_t cluster[3];
  nereid_address_t scratch;
  uint64_t scratch_size;
} nereid_extension_launch_t;

typedef struct nereid_extension_record_t {
  uint32_t struct_size;
  uint32_t reserved;

  // Required. The number of launches so far. [any-thread]
  uint64_t (*count)(nereid_state_t *state);

  // Required. Fills `out_launch` with launch `index`, counted from 0.
  // NEREID_NOT_FOUND if it has not happened or has been overwritten. Must not
  // run concurrently with a launch. [any-thread]
  nereid_status_t (*get)(nereid_state_t *state, uint64_t index,
                         nereid_extension_launch_t *out_launch);
} nereid_extension_record_t;

#ifdef __cplusplus
}
#endif
#endif // NEREID_EXTENSION_RECORD_H
