// streams.cpp - extensions "nereid.stream/1" and "nereid.event/1".
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Launches and copies are synchronous: they are complete when their function
// returns. A stream is therefore only a number, under which faults are kept,
// and an event only a time.

#include "streams.h"

#include "common/guard.h"
#include "futex.h"
#include "state.h"

struct nereid_event_t {
  std::atomic<uint64_t> nanoseconds{0}; // 0: never recorded
};

namespace nereid::cpu {

using namespace plugin;

// ------------------------------------------------------------------- streams

nereid_status_t synchronize(nereid_state_t *state, uint32_t,
                            nereid_stream_t stream, const nereid_call_t *call) {
  std::string fault;
  if (state->faults.take(stream, fault))
    return fail(call, NEREID_DEVICE_FAULT, fault);
  return NEREID_OK;
}

nereid_status_t synchronizeDevice(nereid_state_t *state, uint32_t,
                                  const nereid_call_t *call) {
  nereid_status_t status = NEREID_OK;
  for (const std::string &fault : state->faults.takeAll())
    status = fail(call, NEREID_DEVICE_FAULT, fault);
  return status;
}

static nereid_status_t createStream(nereid_state_t *state, uint32_t,
                                    const nereid_stream_request_t *,
                                    nereid_stream_t *outStream,
                                    const nereid_call_t *) {
  *outStream = state->nextStream.fetch_add(1);
  return NEREID_OK;
}

static nereid_status_t destroyStream(nereid_state_t *state, uint32_t device,
                                     nereid_stream_t stream,
                                     const nereid_call_t *call) {
  return stream ? synchronize(state, device, stream, call) : NEREID_OK;
}

static nereid_status_t queryStream(nereid_state_t *, uint32_t, nereid_stream_t,
                                   int32_t *outDone, const nereid_call_t *) {
  *outDone = 1;
  return NEREID_OK;
}

const nereid_streams_t kStreams = {sizeof(nereid_streams_t), 0,
                                   kGuarded<createStream>,
                                   kGuarded<destroyStream>,
                                   kGuarded<queryStream>};

// -------------------------------------------------------------------- events

static nereid_status_t createEvent(nereid_state_t *, uint32_t,
                                   const nereid_event_request_t *,
                                   nereid_event_t **outEvent,
                                   const nereid_call_t *) {
  *outEvent = new nereid_event_t;
  return NEREID_OK;
}

static nereid_status_t destroyEvent(nereid_state_t *, nereid_event_t *event,
                                    const nereid_call_t *) {
  delete event;
  return NEREID_OK;
}

static nereid_status_t recordEvent(nereid_state_t *, nereid_event_t *event,
                                   nereid_stream_t, const nereid_call_t *) {
  event->nanoseconds.store(monotonicNanoseconds());
  return NEREID_OK;
}

static nereid_status_t waitForEvent(nereid_state_t *, uint32_t, nereid_stream_t,
                                    nereid_event_t *, const nereid_call_t *) {
  return NEREID_OK;
}

static nereid_status_t queryEvent(nereid_state_t *, nereid_event_t *,
                                  int32_t *outDone, const nereid_call_t *) {
  *outDone = 1;
  return NEREID_OK;
}

static nereid_status_t synchronizeEvent(nereid_state_t *, nereid_event_t *,
                                        const nereid_call_t *) {
  return NEREID_OK;
}

static nereid_status_t elapsed(nereid_state_t *, nereid_event_t *start,
                               nereid_event_t *end, double *outNanoseconds,
                               const nereid_call_t *call) {
  uint64_t from = start->nanoseconds.load(), to = end->nanoseconds.load();
  if (!from || !to)
    return fail(call, NEREID_INVALID_ARGUMENT,
                from ? "the end event was never recorded"
                     : "the start event was never recorded");
  *outNanoseconds = static_cast<double>(static_cast<int64_t>(to - from));
  return NEREID_OK;
}

const nereid_events_t kEvents = {sizeof(nereid_events_t), 0,
                                 kGuarded<createEvent>,
                                 kGuarded<destroyEvent>,
                                 kGuarded<recordEvent>,
                                 kGuarded<waitForEvent>,
                                 kGuarded<queryEvent>,
                                 kGuarded<synchronizeEvent>,
                                 kGuarded<elapsed>};

} // namespace nereid::cpu
