// RemoteLane.h - one helper process of a remote cache, and the thread that asks
// it one thing after another.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_CACHE_REMOTE_LANE_H
#define NEREID_HOST_CACHE_REMOTE_LANE_H

#include "support/Result.h"
#include "worker/Worker.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace nereid::host {

/// A request, and how far it is. All but `make`, `size` and `done` is guarded
/// by the lane.
struct RemoteJob {
  enum class Phase { Queued, Starting, Asked, Arriving, Done };

  /// Makes the request, on the lane's thread.
  std::function<worker::Message()> make;
  uint64_t size = 0; ///< bytes that wait with it
  /// Called with the answer, or nothing, on the lane's thread. May be null.
  std::function<void(const worker::Message *)> done;

  Phase phase = Phase::Queued;
  bool isAbandoned = false;
  std::optional<worker::Message> answer; ///< if it succeeded
};

class RemoteLane {
public:
  struct Options {
    worker::Command command;         ///< the helper
    worker::Message open;            ///< its first request
    std::chrono::milliseconds limit; ///< of one request
    std::chrono::milliseconds pause; ///< after a failure
    /// Called with the reason of each failure, on the lane's thread.
    std::function<void(const std::string &)> failed;
  };
  explicit RemoteLane(Options options) : options(std::move(options)) {}
  /// Drops what is queued, and interrupts what is under way.
  ~RemoteLane();
  RemoteLane(const RemoteLane &) = delete;
  RemoteLane &operator=(const RemoteLane &) = delete;

  /// Queues \p job. False if the lane pauses, or if more than \p mostJobs or
  /// \p mostBytes would be queued. Starts the thread if need be.
  bool post(std::shared_ptr<RemoteJob> job, size_t mostJobs,
            uint64_t mostBytes);

  /// Waits for the answer of \p job: at most \p first, or \p whole if it is
  /// arriving by then. A job that is not done is abandoned, and the lane pauses
  /// if it was under way. Nothing if it failed.
  std::optional<worker::Message> wait(RemoteJob &job,
                                      std::chrono::milliseconds first,
                                      std::chrono::milliseconds whole);

  /// Waits until nothing is queued or under way; false if \p limit is over
  /// first.
  bool drain(std::chrono::milliseconds limit);

private:
  using Clock = worker::Clock;

  void run();
  void runJob(std::unique_lock<std::mutex> &lock, RemoteJob &job);
  void finish(std::unique_lock<std::mutex> &lock, RemoteJob &job,
              const std::string &problem);
  std::string start();
  std::string exchange(worker::Message request, worker::Message &answer,
                       RemoteJob *job);
  bool isPausing() const { return Clock::now() < pausedUntil; }

  const Options options;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::shared_ptr<RemoteJob>> jobs;
  uint64_t queuedBytes = 0;
  bool isBusy = false;
  Clock::time_point pausedUntil{};
  std::atomic<bool> isEnding = false;

  // Of the thread alone. A helper ends with the thread that started it.
  std::unique_ptr<worker::Worker> helper;
  bool hasDied = false; // the helper, in the last exchange
  std::thread thread;
};

} // namespace nereid::host

#endif // NEREID_HOST_CACHE_REMOTE_LANE_H
