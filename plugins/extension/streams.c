// streams.c - the streams and events of the extension plugin. Work completes
// when it is submitted; its failures are reported by the next synchronize.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#define _POSIX_C_SOURCE 200809L // for CLOCK_MONOTONIC

#include "extension.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

// [streams]
// ---------------------------------------------------------------- synchronize
// Reports and clears the failures of one stream, or of several.
static nereid_status_t report_failures(extension_stream_t *streams,
                                       uint32_t count,
                                       const nereid_call_t *call) {
  uint32_t failed = 0;
  for (uint32_t i = 0; i < count; ++i)
    failed |= atomic_exchange(&streams[i].failed, 0);
  if (failed)
    return extension_fail(call, NEREID_DEVICE_FAULT,
                          "a kernel compiled with option 'fault' failed");
  return NEREID_OK;
}

nereid_status_t extension_synchronize(nereid_state_t *state, uint32_t device,
                                      nereid_stream_t stream,
                                      const nereid_call_t *call) {
  return report_failures(&state->streams[device][stream], 1, call);
}

nereid_status_t extension_synchronize_device(nereid_state_t *state,
                                             uint32_t device,
                                             const nereid_call_t *call) {
  return report_failures(state->streams[device], EXTENSION_STREAM_COUNT, call);
}

// ---------------------------------------------------------------- streams
nereid_status_t extension_make_stream(nereid_state_t *state, uint32_t device,
                                      uint64_t handle,
                                      nereid_stream_t *out_stream,
                                      const nereid_call_t *call) {
  for (uint32_t i = 1; i < EXTENSION_STREAM_COUNT; ++i) {
    extension_stream_t *stream = &state->streams[device][i];
    if (atomic_exchange(&stream->used, 1))
      continue;
    stream->handle = handle;
    atomic_store(&state->in_use[device], 1);
    *out_stream = i;
    return NEREID_OK;
  }
  return extension_fail(call, NEREID_OUT_OF_RESOURCES,
                        "device %u has %u streams, the most there can be",
                        device, EXTENSION_STREAM_COUNT - 1);
}

static nereid_status_t create_stream(nereid_state_t *state, uint32_t device,
                                     const nereid_stream_request_t *request,
                                     nereid_stream_t *out_stream,
                                     const nereid_call_t *call) {
  (void)request; // priorities are hints
  return extension_make_stream(state, device, 0, out_stream, call);
}

// The stream is destroyed even if this reports a failure of its work.
nereid_status_t extension_destroy_stream(nereid_state_t *state, uint32_t device,
                                         nereid_stream_t stream,
                                         const nereid_call_t *call) {
  if (!stream)
    return NEREID_OK;
  nereid_status_t status = extension_synchronize(state, device, stream, call);
  atomic_store(&state->streams[device][stream].used, 0);
  return status;
}

static nereid_status_t query_stream(nereid_state_t *state, uint32_t device,
                                    nereid_stream_t stream, int32_t *out_done,
                                    const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)stream;
  (void)call;
  *out_done = 1;
  return NEREID_OK;
}

const nereid_streams_t extension_streams = {
    .struct_size = sizeof(nereid_streams_t),
    .create = create_stream,
    .destroy = extension_destroy_stream,
    .query = query_stream,
};
// [/streams]

// ---------------------------------------------------------------- events
struct nereid_event_t {
  struct timespec time;
  uint32_t recorded;
};

static nereid_status_t create_event(nereid_state_t *state, uint32_t device,
                                    const nereid_event_request_t *request,
                                    nereid_event_t **out_event,
                                    const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)request; // timing is cheap, so every event has it
  nereid_event_t *event = calloc(1, sizeof(*event));
  if (!event)
    return extension_fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
  *out_event = event;
  return NEREID_OK;
}

static nereid_status_t destroy_event(nereid_state_t *state,
                                     nereid_event_t *event,
                                     const nereid_call_t *call) {
  (void)state;
  (void)call;
  free(event);
  return NEREID_OK;
}

static nereid_status_t record_event(nereid_state_t *state,
                                    nereid_event_t *event,
                                    nereid_stream_t stream,
                                    const nereid_call_t *call) {
  (void)state;
  (void)stream;
  (void)call;
  clock_gettime(CLOCK_MONOTONIC, &event->time);
  event->recorded = 1;
  return NEREID_OK;
}

static nereid_status_t wait_event(nereid_state_t *state, uint32_t device,
                                  nereid_stream_t stream, nereid_event_t *event,
                                  const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)stream;
  (void)event;
  (void)call;
  return NEREID_OK;
}

static nereid_status_t query_event(nereid_state_t *state, nereid_event_t *event,
                                   int32_t *out_done,
                                   const nereid_call_t *call) {
  (void)state;
  (void)event;
  (void)call;
  *out_done = 1;
  return NEREID_OK;
}

static nereid_status_t synchronize_event(nereid_state_t *state,
                                         nereid_event_t *event,
                                         const nereid_call_t *call) {
  (void)state;
  (void)event;
  (void)call;
  return NEREID_OK;
}

static nereid_status_t elapsed(nereid_state_t *state, nereid_event_t *start,
                               nereid_event_t *end, double *out_nanoseconds,
                               const nereid_call_t *call) {
  (void)state;
  if (!start->recorded || !end->recorded)
    return extension_fail(call, NEREID_INVALID_ARGUMENT,
                          "the %s event was never recorded",
                          start->recorded ? "end" : "start");
  *out_nanoseconds = (double)(end->time.tv_sec - start->time.tv_sec) * 1e9 +
                     (double)(end->time.tv_nsec - start->time.tv_nsec);
  return NEREID_OK;
}

const nereid_events_t extension_events = {
    .struct_size = sizeof(nereid_events_t),
    .create = create_event,
    .destroy = destroy_event,
    .record = record_event,
    .wait = wait_event,
    .query = query_event,
    .synchronize = synchronize_event,
    .elapsed = elapsed,
};
