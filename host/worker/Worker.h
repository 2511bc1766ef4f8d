// Worker.h - one worker: requests to it and answers of it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_WORKER_WORKER_H
#define NEREID_HOST_WORKER_WORKER_H

#include "worker/Frame.h"
#include "worker/Process.h"

#include <functional>
#include <optional>

namespace nereid::worker {

/// How an exchange ended. After anything but Answered the worker is unusable.
enum class End {
  Answered,
  NotStarted, ///< the program cannot be run
  Ended,      ///< it crashed, or it exited
  Late,
  Cancelled,
  Garbled ///< what it sent is not a frame, or not the one expected
};

struct Exchange {
  End end = End::Answered;
  Message answer;
  std::string problem; ///< what happened, unless Answered
  std::string output;  ///< the last that it printed meanwhile
};

/// What bounds one request.
struct Limits {
  std::chrono::milliseconds time{600000};
  std::function<bool()> isCancelled;          // null: never
  std::function<void(const Message &)> event; // null: events are ignored
};

class Worker {
public:
  explicit Worker(std::unique_ptr<Process> process)
      : process(std::move(process)) {}

  /// Waits until the worker says hello, which is the answer.
  Exchange greet(const Limits &limits);
  /// Sends \p request, whose kind and number are set here, and waits for its
  /// answer.
  Exchange ask(Message request, const Limits &limits);

  /// Whether it has ended by itself.
  bool hasEnded() const { return process->hasEnded(); }

private:
  Exchange receive(std::string_view toSend, Kind expected,
                   const Limits &limits);
  Exchange fail(End end, std::string problem);
  bool sendSome(std::string_view &toSend);
  bool readSome();
  std::optional<std::string> takeFrame(Message &out, bool &isThere);

  std::unique_ptr<Process> process;
  uint64_t number = 0;
  std::string received; // not yet taken as frames
};

} // namespace nereid::worker

#endif // NEREID_HOST_WORKER_WORKER_H
