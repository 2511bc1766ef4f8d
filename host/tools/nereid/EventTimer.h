// EventTimer.h - the device's own time of a launch, where its driver has
// events.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_EVENTTIMER_H
#define NEREID_TOOL_EVENTTIMER_H

#include "Errors.h"

#include <optional>

namespace nereid::tool {

class EventTimer {
public:
  EventTimer(Backend backend, uint32_t device);
  ~EventTimer();
  EventTimer(const EventTimer &) = delete;

  /// False once a slot has failed: then there is no device time.
  bool isUsable() const { return usable; }
  void start() { record(first); }
  void stop() { record(second); }
  /// Nanoseconds between the two, once the stream is synchronized.
  std::optional<double> elapsed();

private:
  void record(nereid_event_t *event);

  Backend backend;
  nereid_event_t *first = nullptr, *second = nullptr;
  bool usable = false;
};

} // namespace nereid::tool

#endif // NEREID_TOOL_EVENTTIMER_H
