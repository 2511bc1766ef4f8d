// EventTimer.cpp - two events around a launch.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "EventTimer.h"

namespace nereid::tool {

EventTimer::EventTimer(Backend backend, uint32_t device) : backend(backend) {
  usable = nereid_backend_create_event(backend.get(), device, nullptr,
                                       &first) == NEREID_OK &&
           nereid_backend_create_event(backend.get(), device, nullptr,
                                       &second) == NEREID_OK;
}

EventTimer::~EventTimer() {
  (void)nereid_backend_destroy_event(backend.get(), first);
  (void)nereid_backend_destroy_event(backend.get(), second);
}

void EventTimer::record(nereid_event_t *event) {
  if (usable)
    usable = nereid_backend_record_event(backend.get(), event, 0) == NEREID_OK;
}

std::optional<double> EventTimer::elapsed() {
  double nanoseconds = 0;
  if (usable)
    usable = nereid_backend_elapsed(backend.get(), first, second,
                                    &nanoseconds) == NEREID_OK;
  if (!usable)
    return std::nullopt;
  return nanoseconds;
}

} // namespace nereid::tool
