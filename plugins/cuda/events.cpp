// events.cpp - extension "nereid.event/1": points in streams.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/guard.h"
#include "driver.h"
#include "state.h"
#include "streams.h"

using namespace nereid::cuda;

struct nereid_event_t {
  nereid_event_t(Device &device, bool hasTime)
      : device(device), hasTime(hasTime) {}

  Device &device;
  const bool hasTime;
  CUevent handle = nullptr;
  std::atomic<bool> isRecorded{false};
};

namespace nereid::cuda {

using namespace plugin;

static nereid_status_t createEvent(nereid_state_t *state, uint32_t index,
                                   const nereid_event_request_t *request,
                                   nereid_event_t **outEvent,
                                   const nereid_call_t *) {
  Device &device = state->device(index);
  device.requireAlive();
  bool hasTime = !(request->flags & NEREID_EVENT_NO_TIMING);
  auto event = std::make_unique<nereid_event_t>(device, hasTime);
  ContextScope scope(device);
  device.check(device.cuda.cuEventCreate(&event->handle,
                                         hasTime ? CU_EVENT_DEFAULT
                                                 : CU_EVENT_DISABLE_TIMING),
               "cannot create an event");
  *outEvent = event.release();
  return NEREID_OK;
}

static nereid_status_t destroyEvent(nereid_state_t *, nereid_event_t *event,
                                    const nereid_call_t *) {
  if (!event)
    return NEREID_OK;
  std::unique_ptr<nereid_event_t> owned(event);
  Device &device = event->device;
  device.requireAlive();
  ContextScope scope(device);
  device.check(device.cuda.cuEventDestroy(event->handle),
               "cannot destroy an event");
  return NEREID_OK;
}

static nereid_status_t recordEvent(nereid_state_t *, nereid_event_t *event,
                                   nereid_stream_t stream,
                                   const nereid_call_t *) {
  Device &device = event->device;
  device.requireAlive();
  ContextScope scope(device);
  device.check(device.cuda.cuEventRecord(event->handle, streamOf(stream)),
               "cannot record an event");
  event->isRecorded.store(true, std::memory_order_release);
  return NEREID_OK;
}

static nereid_status_t waitForEvent(nereid_state_t *state, uint32_t index,
                                    nereid_stream_t stream,
                                    nereid_event_t *event,
                                    const nereid_call_t *) {
  Device &device = state->device(index);
  device.requireAlive();
  ContextScope scope(device);
  device.check(
      device.cuda.cuStreamWaitEvent(streamOf(stream), event->handle, 0),
      "cannot wait for an event");
  return NEREID_OK;
}

static nereid_status_t queryEvent(nereid_state_t *, nereid_event_t *event,
                                  int32_t *outDone, const nereid_call_t *) {
  Device &device = event->device;
  device.requireAlive();
  ContextScope scope(device);
  CUresult result = device.cuda.cuEventQuery(event->handle);
  if (result != CUDA_ERROR_NOT_READY)
    device.check(result, "cannot query an event");
  *outDone = result == CUDA_SUCCESS;
  return NEREID_OK;
}

static nereid_status_t synchronizeEvent(nereid_state_t *, nereid_event_t *event,
                                        const nereid_call_t *) {
  Device &device = event->device;
  device.requireAlive();
  ContextScope scope(device);
  device.check(device.cuda.cuEventSynchronize(event->handle),
               "cannot wait for an event");
  return NEREID_OK;
}

static void requireTime(const nereid_event_t &event, const char *which) {
  if (!event.hasTime)
    throw Failure(NEREID_INVALID_ARGUMENT,
                  std::string("the ") + which +
                      " event has no time: it was made without");
  if (!event.isRecorded.load(std::memory_order_acquire))
    throw Failure(NEREID_INVALID_ARGUMENT,
                  std::string("the ") + which + " event was never recorded");
}

static nereid_status_t elapsed(nereid_state_t *, nereid_event_t *start,
                               nereid_event_t *end, double *outNanoseconds,
                               const nereid_call_t *call) {
  if (&start->device != &end->device)
    return fail(call, NEREID_INVALID_ARGUMENT,
                "the events are of two devices, one was expected");
  requireTime(*start, "start");
  requireTime(*end, "end");
  Device &device = start->device;
  device.requireAlive();
  ContextScope scope(device);
  const Library &cuda = device.cuda;
  device.check(cuda.cuEventSynchronize(start->handle),
               "cannot wait for an event");
  device.check(cuda.cuEventSynchronize(end->handle),
               "cannot wait for an event");
  float milliseconds = 0;
  device.check(
      cuda.cuEventElapsedTime(&milliseconds, start->handle, end->handle),
      "cannot read the time between events");
  *outNanoseconds = static_cast<double>(milliseconds) * 1e6;
  return NEREID_OK;
}

const nereid_events_t kEvents = {
    sizeof(nereid_events_t), 0,
    kGuarded<createEvent>,   kGuarded<destroyEvent>,
    kGuarded<recordEvent>,   kGuarded<waitForEvent>,
    kGuarded<queryEvent>,    kGuarded<synchronizeEvent>,
    kGuarded<elapsed>};

} // namespace nereid::cuda
