// CallTimer.h - one call of an operator on one device, with made-up data: run
// with each choice, checked, and timed.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A sample is taken after the device's caches were flushed, on buffers that
// take turns, so that no candidate profits from what the one before left in a
// cache. On the host a sample is one call that is waited for. A device with
// events is given groups of calls between two events, so that what the host
// needs to submit one does not count.

#ifndef NEREID_TUNE_WORKER_CALLTIMER_H
#define NEREID_TUNE_WORKER_CALLTIMER_H

#include "Array.h"
#include "TaskCall.h"
#include "nereid/tune.h"

#include <functional>

namespace nereid::tuner {

struct Place {
  Backend backend;
  uint32_t device = 0;
  bool isHost = false; ///< the device is the CPU that this runs on
};

/// How a candidate fared.
struct Timing {
  std::string status = "ok"; ///< a word of the column `status`
  std::string note;
  nereid_tune_measurement_t measurement = {};
};

class CallTimer {
public:
  /// What a failure while the device computes leaves behind is not known: the
  /// process must end. Is called with the reason, and does not return.
  using Fail = std::function<void(const std::string &reason)>;

  CallTimer(const Place &place, nereid_operator_t *op, TaskCall call,
            Json values, Fail fail)
      : place(place), op(op), call(std::move(call)), values(std::move(values)),
        fail(std::move(fail)) {}
  ~CallTimer();
  CallTimer(const CallTimer &) = delete;

  /// Runs the default, whose results are those that are expected. Returns why
  /// it cannot be made; nothing if it can.
  Expected<std::string> makeReference(const std::string &choice);
  bool hasReference() const { return !expected.empty(); }

  /// Checks and measures \p choice. \p best is the best median so far, or 0;
  /// \p seconds is how long to measure.
  Expected<Timing> time(const std::string &choice, double best, double seconds);

private:
  using Buffers = std::vector<Memory>; ///< in the order of the call's tensors
  Expected<void> prepare();
  Expected<Buffers> makeBuffers();
  /// Copies the initial data of the tensors from \p first up to \p last.
  Expected<void> fill(Buffers &buffers, size_t first, size_t last);
  std::vector<uint64_t> addresses(const Buffers &buffers) const;
  /// One call, waited for; ends the process if it fails.
  void runOnce(size_t set, const std::string &choice);
  void launch(size_t set, const std::string &choice);
  void synchronize();
  Expected<std::vector<tools::Array>> results();
  void expect(std::vector<tools::Array> found);
  std::string mismatch(const std::vector<tools::Array> &found) const;
  Expected<void> measure(const std::string &choice, double best, double seconds,
                         Timing &timing);
  Expected<double> sample(const std::string &choice, uint64_t group);

  const Place &place;
  nereid_operator_t *op;
  TaskCall call;
  Json values;
  Fail fail;
  std::vector<tools::Array> initial; ///< of every tensor, flat
  std::vector<Buffers> sets;
  std::vector<tools::Array> expected; ///< of every tensor after the default
  std::vector<double> allowed;        ///< of each, how far elements may be off
  std::vector<bool> isChanged;        ///< inputs that the kernels write
  bool writesInputs = false;
  bool isSpoilt = false; ///< set 0 may have other inputs than `initial`
  size_t next = 0;       ///< set
  nereid_event_t *first = nullptr, *second = nullptr;
  bool hasEvents = false;
};

} // namespace nereid::tuner

#endif // NEREID_TUNE_WORKER_CALLTIMER_H
