// nereid/ext/event.h - extension "nereid.event/1" of a plugin: points in
// streams, to order streams and to measure time.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// An event belongs to the device that it was made for and is recorded on
// streams of that device; stream 0 is that device's default stream. Streams of
// any device of the plugin can wait for it. An event that was never recorded
// counts as reached. Its owner waits before destroying it.

#ifndef NEREID_EXT_EVENT_H
#define NEREID_EXT_EVENT_H

#include "../entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NEREID_EXT_EVENT "nereid.event/1"

typedef struct nereid_event_t nereid_event_t;

// Flags of an event.
enum {
  // Times are not needed; `elapsed` may refuse the event.
  NEREID_EVENT_NO_TIMING = 1u
};

// A request for an event.
typedef struct nereid_event_request_t {
  uint32_t struct_size;
  uint32_t flags;
} nereid_event_request_t;

typedef struct nereid_events_t {
  uint32_t struct_size;
  uint32_t reserved;

  // Required. Makes an event of `device`. [any-thread]
  nereid_status_t (*create)(nereid_state_t *state, uint32_t device,
                            const nereid_event_request_t *request,
                            nereid_event_t **out_event,
                            const nereid_call_t *call);
  // Required. Accepts NULL. [any-thread]
  nereid_status_t (*destroy)(nereid_state_t *state, nereid_event_t *event,
                             const nereid_call_t *call);
  // Required. Marks the point that `stream` has reached; recording again moves
  // the event, but streams already waiting keep the earlier point. [serial]
  nereid_status_t (*record)(nereid_state_t *state, nereid_event_t *event,
                            nereid_stream_t stream,
                            const nereid_call_t *call);
  // Required. Later work of `stream` of `device` starts after the event as it
  // is recorded now. Does not block the caller. [any-thread]
  nereid_status_t (*wait)(nereid_state_t *state, uint32_t device,
                          nereid_stream_t stream, nereid_event_t *event,
                          const nereid_call_t *call);
  // Required. Sets `*out_done` to 1 if the event is reached, else to 0.
  // [any-thread]
  nereid_status_t (*query)(nereid_state_t *state, nereid_event_t *event,
                           int32_t *out_done, const nereid_call_t *call);
  // Required. Waits until the event is reached. Does not report failures of
  // work: `synchronize` of the stream does. [any-thread]
  nereid_status_t (*synchronize)(nereid_state_t *state, nereid_event_t *event,
                                 const nereid_call_t *call);
  // Required. Sets the nanoseconds from `start` to `end`, both of one device;
  // waits for both. An event that was never recorded is
  // NEREID_INVALID_ARGUMENT. [any-thread]
  nereid_status_t (*elapsed)(nereid_state_t *state, nereid_event_t *start,
                             nereid_event_t *end, double *out_nanoseconds,
                             const nereid_call_t *call);
} nereid_events_t;

#ifdef __cplusplus
}
#endif
#endif // NEREID_EXT_EVENT_H
