// events.cpp - extension "nereid.event/1": points in streams.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "extensions.h"
#include "failure.h"
#include "state.h"
#include "streams.h"
#include "timestamps.h"

using namespace nereid::vulkan;

struct nereid_event_t {
  nereid_event_t(Device &device, bool hasTime)
      : device(device), hasTime(hasTime) {
    if (hasTime)
      time = device.timestamps->take();
  }
  ~nereid_event_t() { device.timestamps->give(time); }
  nereid_event_t(const nereid_event_t &) = delete;
  nereid_event_t &operator=(const nereid_event_t &) = delete;

  Point recordedAt() {
    std::lock_guard lock(mutex);
    return point;
  }

  Device &device;
  const bool hasTime;
  Timestamp time;
  std::mutex mutex;
  Point point; // none: never recorded
};

namespace nereid::vulkan {

using namespace plugin;

static nereid_status_t createEvent(nereid_state_t *state, uint32_t device,
                                   const nereid_event_request_t *request,
                                   nereid_event_t **outEvent,
                                   const nereid_call_t *) {
  Device &opened = state->device(device);
  bool hasTime = !(request->flags & NEREID_EVENT_NO_TIMING) &&
                 opened.physical.timestampPeriod > 0;
  *outEvent = new nereid_event_t(opened, hasTime);
  return NEREID_OK;
}

static nereid_status_t destroyEvent(nereid_state_t *, nereid_event_t *event,
                                    const nereid_call_t *) {
  delete event;
  return NEREID_OK;
}

static nereid_status_t recordEvent(nereid_state_t *, nereid_event_t *event,
                                   nereid_stream_t stream,
                                   const nereid_call_t *) {
  Point point = event->device.streams->find(stream).record(
      event->hasTime ? &event->time : nullptr);
  std::lock_guard lock(event->mutex);
  event->point = std::move(point);
  return NEREID_OK;
}

static nereid_status_t waitForEvent(nereid_state_t *state, uint32_t device,
                                    nereid_stream_t stream,
                                    nereid_event_t *event,
                                    const nereid_call_t *) {
  state->device(device).streams->find(stream).wait(event->recordedAt());
  return NEREID_OK;
}

static nereid_status_t queryEvent(nereid_state_t *, nereid_event_t *event,
                                  int32_t *outDone, const nereid_call_t *) {
  Point point = event->recordedAt();
  event->device.requireAlive();
  *outDone = !point.timeline || point.timeline->reached() >= point.value;
  if (*outDone)
    event->device.streams->retireAll();
  return NEREID_OK;
}

static void waitFor(nereid_event_t &event, const Point &point) {
  if (!point.timeline)
    return;
  event.device.waitFor(point.timeline->handle, point.value);
  event.device.streams->retireAll();
}

static nereid_status_t synchronizeEvent(nereid_state_t *, nereid_event_t *event,
                                        const nereid_call_t *) {
  waitFor(*event, event->recordedAt());
  return NEREID_OK;
}

/// The time of an event in ticks, after it is reached.
static uint64_t readTime(nereid_event_t &event, const char *which) {
  Point point = event.recordedAt();
  if (!event.hasTime)
    throw Failure(NEREID_INVALID_ARGUMENT,
                  std::string("the ") + which +
                      " event has no time: it was made without, or the device "
                      "has no timestamps");
  if (!point.timeline)
    throw Failure(NEREID_INVALID_ARGUMENT,
                  std::string("the ") + which + " event was never recorded");
  waitFor(event, point);
  return event.device.timestamps->read(event.time);
}

static nereid_status_t elapsed(nereid_state_t *, nereid_event_t *start,
                               nereid_event_t *end, double *outNanoseconds,
                               const nereid_call_t *call) {
  if (&start->device != &end->device)
    return fail(call, NEREID_INVALID_ARGUMENT,
                "the events are of two devices, one was expected");
  uint64_t from = readTime(*start, "start"), to = readTime(*end, "end");
  *outNanoseconds = static_cast<double>(static_cast<int64_t>(to - from)) *
                    static_cast<double>(start->device.physical.timestampPeriod);
  return NEREID_OK;
}

const nereid_events_t kEvents = {
    sizeof(nereid_events_t), 0,
    kGuarded<createEvent>,   kGuarded<destroyEvent>,
    kGuarded<recordEvent>,   kGuarded<waitForEvent>,
    kGuarded<queryEvent>,    kGuarded<synchronizeEvent>,
    kGuarded<elapsed>};

} // namespace nereid::vulkan
