// streams.c - the streams and events of the asynchronous plugin.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#define _POSIX_C_SOURCE 200809L // for CLOCK_MONOTONIC

#include "asynchronous.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

// [streams]
// ---------------------------------------------------------------- streams
stream_t *find_stream(nereid_state_t *state, uint32_t device,
                      nereid_stream_t stream, const nereid_call_t *call) {
  if (stream < STREAM_COUNT &&
      atomic_load(&state->streams[device][stream].open))
    return &state->streams[device][stream];
  fail(call, NEREID_INVALID_ARGUMENT, "device %u has no stream %llu", device,
       (unsigned long long)stream);
  return NULL;
}

static nereid_status_t create_stream(nereid_state_t *state, uint32_t device,
                                     const nereid_stream_request_t *request,
                                     nereid_stream_t *out_stream,
                                     const nereid_call_t *call) {
  (void)request; // priorities are hints
  uint32_t found = STREAM_COUNT;
  pthread_mutex_lock(&state->mutex);
  for (uint32_t i = 1; found == STREAM_COUNT && i < STREAM_COUNT; ++i)
    if (!atomic_load(&state->streams[device][i].open))
      found = i;
  if (found < STREAM_COUNT)
    atomic_store(&state->streams[device][found].open, 1);
  pthread_mutex_unlock(&state->mutex);
  if (found == STREAM_COUNT)
    return fail(call, NEREID_OUT_OF_RESOURCES,
                "device %u has %u streams, the most there can be", device,
                STREAM_COUNT - 1);
  *out_stream = found;
  return NEREID_OK;
}

// The stream is destroyed even if this reports a failure of its work.
static nereid_status_t destroy_stream(nereid_state_t *state, uint32_t device,
                                      nereid_stream_t stream,
                                      const nereid_call_t *call) {
  if (!stream)
    return NEREID_OK;
  stream_t *found = find_stream(state, device, stream, call);
  if (!found)
    return NEREID_INVALID_ARGUMENT;
  nereid_status_t status = stream_synchronize(found, call);
  stream_close(found);
  atomic_store(&found->open, 0);
  return status;
}

static nereid_status_t query_stream(nereid_state_t *state, uint32_t device,
                                    nereid_stream_t stream, int32_t *out_done,
                                    const nereid_call_t *call) {
  stream_t *found = find_stream(state, device, stream, call);
  if (!found)
    return NEREID_INVALID_ARGUMENT;
  *out_done = stream_has_reached(found, stream_last_ticket(found));
  return NEREID_OK;
}

const nereid_streams_t asynchronous_streams = {
    .struct_size = sizeof(nereid_streams_t),
    .create = create_stream,
    .destroy = destroy_stream,
    .query = query_stream,
};
// [/streams]

// [events]
// ---------------------------------------------------------------- events
// An event is a ticket of a stream. The worker writes its time, unless the
// event has been recorded again in the meantime.
struct nereid_event_t {
  uint32_t device;
  uint32_t has_time;
  pthread_mutex_t mutex; // guards all below
  stream_t *stream;      // NULL if never recorded
  uint64_t ticket;
  uint64_t generation; // how many times it was recorded
  struct timespec time;
};

void do_record(const work_t *work) {
  nereid_event_t *event = work->record.event;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  pthread_mutex_lock(&event->mutex);
  if (event->generation == work->record.generation)
    event->time = now;
  pthread_mutex_unlock(&event->mutex);
}

static nereid_status_t record_event(nereid_state_t *state,
                                    nereid_event_t *event,
                                    nereid_stream_t stream,
                                    const nereid_call_t *call) {
  stream_t *found = find_stream(state, event->device, stream, call);
  if (!found)
    return NEREID_INVALID_ARGUMENT;
  work_t work = {.kind = WORK_RECORD, .record = {.event = event}};
  pthread_mutex_lock(&event->mutex);
  work.record.generation = ++event->generation;
  pthread_mutex_unlock(&event->mutex);
  // Without the mutex: the worker needs it to drain a full queue.
  uint64_t ticket = 0;
  nereid_status_t status = stream_submit(found, &work, &ticket, call);
  if (status != NEREID_OK)
    return status;
  pthread_mutex_lock(&event->mutex);
  event->stream = found;
  event->ticket = ticket;
  pthread_mutex_unlock(&event->mutex);
  return NEREID_OK;
}

// The stream and the ticket of the event; a NULL stream if never recorded.
static stream_t *recorded_at(nereid_event_t *event, uint64_t *out_ticket) {
  pthread_mutex_lock(&event->mutex);
  stream_t *stream = event->stream;
  *out_ticket = event->ticket;
  pthread_mutex_unlock(&event->mutex);
  return stream;
}

// The worker waits, not the caller.
static nereid_status_t wait_event(nereid_state_t *state, uint32_t device,
                                  nereid_stream_t stream, nereid_event_t *event,
                                  const nereid_call_t *call) {
  stream_t *found = find_stream(state, device, stream, call);
  if (!found)
    return NEREID_INVALID_ARGUMENT;
  work_t work = {.kind = WORK_WAIT};
  work.wait.stream = recorded_at(event, &work.wait.ticket);
  if (!work.wait.stream || work.wait.stream == found)
    return NEREID_OK; // already reached, or ordered by the stream itself
  return stream_submit(found, &work, NULL, call);
}
// [/events]

static nereid_status_t create_event(nereid_state_t *state, uint32_t device,
                                    const nereid_event_request_t *request,
                                    nereid_event_t **out_event,
                                    const nereid_call_t *call) {
  (void)state;
  nereid_event_t *event = calloc(1, sizeof(*event));
  if (!event)
    return fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
  event->device = device;
  event->has_time = !(request->flags & NEREID_EVENT_NO_TIMING);
  pthread_mutex_init(&event->mutex, NULL);
  *out_event = event;
  return NEREID_OK;
}

static nereid_status_t destroy_event(nereid_state_t *state,
                                     nereid_event_t *event,
                                     const nereid_call_t *call) {
  (void)state;
  (void)call;
  if (event)
    pthread_mutex_destroy(&event->mutex);
  free(event);
  return NEREID_OK;
}

static nereid_status_t query_event(nereid_state_t *state, nereid_event_t *event,
                                   int32_t *out_done,
                                   const nereid_call_t *call) {
  (void)state;
  (void)call;
  uint64_t ticket;
  stream_t *stream = recorded_at(event, &ticket);
  *out_done = !stream || stream_has_reached(stream, ticket);
  return NEREID_OK;
}

static nereid_status_t synchronize_event(nereid_state_t *state,
                                         nereid_event_t *event,
                                         const nereid_call_t *call) {
  (void)state;
  (void)call;
  uint64_t ticket;
  stream_t *stream = recorded_at(event, &ticket);
  if (stream)
    stream_wait(stream, ticket);
  return NEREID_OK;
}

// Waits for the event and reads its time.
static nereid_status_t get_time(nereid_event_t *event, const char *which,
                                struct timespec *out_time,
                                const nereid_call_t *call) {
  uint64_t ticket;
  stream_t *stream = recorded_at(event, &ticket);
  if (!event->has_time)
    return fail(call, NEREID_INVALID_ARGUMENT,
                "the %s event was made without timing", which);
  if (!stream)
    return fail(call, NEREID_INVALID_ARGUMENT,
                "the %s event was never recorded", which);
  stream_wait(stream, ticket);
  pthread_mutex_lock(&event->mutex);
  *out_time = event->time;
  pthread_mutex_unlock(&event->mutex);
  return NEREID_OK;
}

static nereid_status_t elapsed(nereid_state_t *state, nereid_event_t *start,
                               nereid_event_t *end, double *out_nanoseconds,
                               const nereid_call_t *call) {
  (void)state;
  if (start->device != end->device)
    return fail(call, NEREID_INVALID_ARGUMENT,
                "the events are of devices %u and %u, expected one device",
                start->device, end->device);
  struct timespec from, to;
  nereid_status_t status = get_time(start, "start", &from, call);
  if (status == NEREID_OK)
    status = get_time(end, "end", &to, call);
  if (status != NEREID_OK)
    return status;
  *out_nanoseconds = (double)(to.tv_sec - from.tv_sec) * 1e9 +
                     (double)(to.tv_nsec - from.tv_nsec);
  return NEREID_OK;
}

const nereid_events_t asynchronous_events = {
    .struct_size = sizeof(nereid_events_t),
    .create = create_event,
    .destroy = destroy_event,
    .record = record_event,
    .wait = wait_event,
    .query = query_event,
    .synchronize = synchronize_event,
    .elapsed = elapsed,
};
