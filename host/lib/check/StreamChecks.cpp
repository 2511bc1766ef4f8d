// StreamChecks.cpp - conformance of streams and events.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "check/Device.h"

#include <chrono>
#include <cmath>
#include <thread>

namespace nereid::host {

using Clock = std::chrono::steady_clock;

static void needStreams(CheckedPlugin &subject) {
  if (!subject.activeDriver().extensions.streams.isThere())
    throw CheckSkipped{"the plugin has no " NEREID_EXT_STREAM};
}

static bool isDone(const Device &device, nereid_stream_t stream) {
  int32_t done = -1;
  must(device.subject, "stream.query",
       [&](Plugin &plugin, const nereid_call_t *call) {
         return plugin.extensions.streams.query(plugin.state, device.index,
                                                stream, &done, call);
       });
  expect(done == 0 || done == 1, "stream.query set *out_done to " +
                                     std::to_string(done) +
                                     ", expected 0 or 1");
  return done;
}

// Work on all streams of all devices at once; each has its own bytes.
static void checkStreams(CheckedPlugin &subject) {
  needStreams(subject);
  struct Work {
    const Device *device;
    nereid_stream_t stream;
    Bytes sent, received;
  };
  std::vector<Device> devices = Device::all(subject);
  std::vector<Work> works;
  for (const Device &device : devices)
    for (uint32_t i = 0; i < 3; ++i) {
      Bytes bytes = patternOf(50000, 3 * device.index + i);
      works.push_back(
          {&device, i ? device.createStream() : 0, bytes, Bytes(bytes.size())});
    }
  for (Work &work : works) {
    nereid_address_t there = work.device->allocate(work.sent.size());
    nereid_address_t copied = work.device->allocate(work.sent.size());
    work.device->copyIn(there, work.sent, work.stream);
    work.device->copyWithin(copied, there, work.sent.size(), work.stream);
    work.device->copyOut(work.received, copied, work.stream);
  }
  for (Work &work : works) {
    work.device->synchronize(work.stream);
    expect(work.sent == work.received,
           "bytes that went through " +
               std::string(work.stream ? "a created stream" : "stream 0") +
               " of " + work.device->name() + " are wrong after synchronize");
    expect(isDone(*work.device, work.stream),
           "stream.query of " + work.device->name() +
               " says after synchronize that work is left");
  }
  for (Work &work : works)
    work.device->destroyStream(work.stream);
}

// A stream becomes done without anybody who waits for it.
static void checkQuery(CheckedPlugin &subject) {
  needStreams(subject);
  for (const Device &device : Device::all(subject)) {
    nereid_stream_t stream = device.createStream();
    Bytes sent = patternOf(1 << 20, 1), received(sent.size());
    nereid_address_t address = device.allocate(sent.size());
    device.copyIn(address, sent, stream);
    device.copyOut(received, address, stream);
    auto end = Clock::now() + std::chrono::seconds(20);
    while (!isDone(device, stream)) {
      expect(Clock::now() < end, "stream.query of " + device.name() +
                                     " never says that a copy has ended");
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    expect(sent == received,
           "stream.query of " + device.name() +
               " reports that a copy has completed, but it has not");
  }
}

// Destroying a stream waits for its work.
static void checkDestroy(CheckedPlugin &subject) {
  needStreams(subject);
  for (const Device &device : Device::all(subject)) {
    nereid_stream_t stream = device.createStream();
    Bytes sent = patternOf(1 << 20, 2), received(sent.size());
    nereid_address_t address = device.upload(sent);
    device.copyOut(received, address, stream);
    device.destroyStream(stream);
    expect(sent == received, "stream.destroy of " + device.name() +
                                 " did not wait for the stream's work");
  }
}

static void checkSynchronizeDevice(CheckedPlugin &subject) {
  bool hasStreams = subject.activeDriver().extensions.streams.isThere();
  for (const Device &device : Device::all(subject)) {
    Bytes sent = patternOf(1 << 20, 4);
    std::vector<Bytes> received(2, Bytes(sent.size()));
    nereid_address_t address = device.upload(sent);
    device.copyOut(received[0], address);
    device.copyOut(received[1], address,
                   hasStreams ? device.createStream() : 0);
    must(subject, "synchronize_device",
         [&](Plugin &plugin, const nereid_call_t *call) {
           return plugin.driver.synchronize_device(plugin.state, device.index,
                                                   call);
         });
    for (const Bytes &bytes : received)
      expect(bytes == sent, "synchronize_device of " + device.name() +
                                " did not wait for all of its streams");
  }
}

// ---------------------------------------------------------------- events
namespace {
/// An event, whose slots fail the check if they fail.
class Event {
public:
  explicit Event(const Device &device) : device(device) {
    nereid_event_request_t request = {};
    request.struct_size = sizeof request;
    call("event.create", [&](Plugin &plugin, const nereid_call_t *call) {
      return plugin.extensions.events.create(plugin.state, device.index,
                                             &request, &event, call);
    });
  }
  void destroy() {
    call("event.destroy", [&](Plugin &plugin, const nereid_call_t *call) {
      return plugin.extensions.events.destroy(plugin.state, event, call);
    });
  }
  void record(nereid_stream_t stream = 0) {
    call("event.record", [&](Plugin &plugin, const nereid_call_t *call) {
      return plugin.extensions.events.record(plugin.state, event, stream, call);
    });
  }
  void makeWait(const Device &other, nereid_stream_t stream) {
    call("event.wait", [&](Plugin &plugin, const nereid_call_t *call) {
      return plugin.extensions.events.wait(plugin.state, other.index, stream,
                                           event, call);
    });
  }
  void synchronize() {
    call("event.synchronize", [&](Plugin &plugin, const nereid_call_t *call) {
      return plugin.extensions.events.synchronize(plugin.state, event, call);
    });
  }
  bool isReached() {
    int32_t done = -1;
    call("event.query", [&](Plugin &plugin, const nereid_call_t *call) {
      return plugin.extensions.events.query(plugin.state, event, &done, call);
    });
    return done == 1;
  }
  nereid_status_t elapsed(Event &end, double &nanoseconds, std::string &why) {
    return attempt(device.subject, "event.elapsed", why,
                   [&](Plugin &plugin, const nereid_call_t *call) {
                     return plugin.extensions.events.elapsed(
                         plugin.state, event, end.event, &nanoseconds, call);
                   });
  }

private:
  template <typename Slot> void call(const char *name, Slot &&slot) {
    must(device.subject, name, slot);
  }
  const Device &device;
  nereid_event_t *event = nullptr;
};
} // namespace

static void needEvents(CheckedPlugin &subject) {
  if (!subject.activeDriver().extensions.events.isThere())
    throw CheckSkipped{"the plugin has no " NEREID_EXT_EVENT};
}

static void checkEvents(CheckedPlugin &subject) {
  needEvents(subject);
  for (const Device &device : Device::all(subject)) {
    Event event(device), other(device);
    expect(event.isReached(), "event.query of " + device.name() +
                                  ": an event that was never recorded is not "
                                  "reached");
    event.synchronize();
    double time = 0;
    std::string why;
    nereid_status_t status = event.elapsed(other, time, why);
    expect(status == NEREID_INVALID_ARGUMENT,
           "event.elapsed of events that were never recorded returned " +
               std::string(statusName(status)) + ", expected invalid-argument");
    Bytes sent = patternOf(1 << 20, 6), received(sent.size());
    nereid_address_t address = device.upload(sent);
    device.copyOut(received, address);
    event.record();
    event.synchronize();
    expect(sent == received, "event.synchronize of " + device.name() +
                                 " did not wait for the work before the event");
    expect(event.isReached(), "event.query of " + device.name() +
                                  " says after event.synchronize that the "
                                  "event is not reached");
    device.synchronize();
    event.destroy();
    other.destroy();
  }
}

// The time between two events is part of the time between two calls.
static void checkElapsed(CheckedPlugin &subject) {
  needEvents(subject);
  static constexpr double slack = 5e7; // clocks differ
  for (const Device &device : Device::all(subject)) {
    Event start(device), end(device);
    Bytes bytes = patternOf(8 << 20, 8);
    nereid_address_t address = device.upload(bytes);
    Clock::time_point before = Clock::now();
    start.record();
    for (int i = 0; i < 4; ++i)
      device.copyIn(address, bytes);
    end.record();
    end.synchronize();
    double wall =
        std::chrono::duration<double, std::nano>(Clock::now() - before).count();
    device.synchronize();
    double time = -1;
    std::string why;
    nereid_status_t status = start.elapsed(end, time, why);
    if (status != NEREID_OK)
      throw CheckFailed{why};
    expect(std::isfinite(time) && time >= 0 && time <= wall + slack,
           "event.elapsed of " + device.name() + " is " + std::to_string(time) +
               " ns for work that took " + std::to_string(wall) +
               " ns with its calls");
  }
}

// A stream that waits for an event sees what was written before the event.
static void checkEventOrder(CheckedPlugin &subject) {
  needStreams(subject);
  needEvents(subject);
  for (const Device &device : Device::all(subject)) {
    nereid_stream_t writer = device.createStream(),
                    reader = device.createStream();
    Bytes sent = patternOf(16 << 20, 9), received(sent.size());
    nereid_address_t address = device.upload(Bytes(sent.size()));
    Event event(device);
    device.copyIn(address, sent, writer);
    event.record(writer);
    event.makeWait(device, reader);
    device.copyOut(received, address, reader);
    device.synchronize(reader);
    expect(sent == received, "event.wait of " + device.name() +
                                 ": work of the waiting stream started before "
                                 "the event");
    device.synchronize(writer);
  }
}

std::span<const Check> streamChecks() {
  static constexpr Check checks[] = {
      {"streams", checkStreams,
       "Created streams of every device execute work, and `synchronize` waits "
       "for it."},
      {"stream-query", checkQuery,
       "`stream.query` reports that work has completed, and not before."},
      {"stream-destroy", checkDestroy,
       "`stream.destroy` waits for the work of the stream."},
      {"synchronize-device", checkSynchronizeDevice,
       "`synchronize_device` waits for every stream of the device."},
      {"events", checkEvents,
       "Events are reached once the work before them is done, and those never "
       "recorded count as reached."},
      {"event-elapsed", checkElapsed,
       "`event.elapsed` returns a time that the work can have taken."},
      {"event-order", checkEventOrder,
       "A stream that waits for an event sees the work before it."},
  };
  return checks;
}

} // namespace nereid::host
