// nereid/ext/stream.h - extension "nereid.stream/1" of a plugin: streams
// besides the default one.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A driver without it has one stream on each device, the default one. The
// host keeps each thread's current stream.

#ifndef NEREID_EXT_STREAM_H
#define NEREID_EXT_STREAM_H

#include "../entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NEREID_EXT_STREAM "nereid.stream/1"

// A request for a stream.
typedef struct nereid_stream_request_t {
  uint32_t struct_size;
  uint32_t flags;        // none yet: 0
  int32_t priority;      // 0 is normal, larger runs first; a hint
  uint32_t reserved;
} nereid_stream_request_t;

typedef struct nereid_streams_t {
  uint32_t struct_size;
  uint32_t reserved;

  // Required. Makes a stream of `device`; its work runs independently of other
  // streams. [any-thread]
  nereid_status_t (*create)(nereid_state_t *state, uint32_t device,
                            const nereid_stream_request_t *request,
                            nereid_stream_t *out_stream,
                            const nereid_call_t *call);
  // Required. Waits for the stream's work, destroys it and reports what failed
  // in that work. Accepts 0, which it does not destroy. [any-thread]
  nereid_status_t (*destroy)(nereid_state_t *state, uint32_t device,
                             nereid_stream_t stream,
                             const nereid_call_t *call);
  // Required. Sets `*out_done` to 1 if all work given to `stream` so far has
  // ended, else to 0. Does not report failures of work. [any-thread]
  nereid_status_t (*query)(nereid_state_t *state, uint32_t device,
                           nereid_stream_t stream, int32_t *out_done,
                           const nereid_call_t *call);
} nereid_streams_t;

#ifdef __cplusplus
}
#endif
#endif // NEREID_EXT_STREAM_H
