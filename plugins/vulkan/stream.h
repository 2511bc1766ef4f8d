// stream.h - a stream: work that the device does in order.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Work is recorded into a command buffer, the open batch, and several pieces
// are submitted at once. The end of each batch raises the stream's timeline
// semaphore, so that a value of it names a point in the stream.

#ifndef NEREID_VULKAN_STREAM_H
#define NEREID_VULKAN_STREAM_H

#include "device.h"
#include "reports.h"
#include "staging.h"

#include "nereid/plugin.h"

#include <deque>
#include <functional>
#include <optional>
#include <utility>

namespace nereid::vulkan {

/// A timeline semaphore; events and batches that wait share it.
struct Timeline {
  explicit Timeline(Device &device);
  ~Timeline();
  Timeline(const Timeline &) = delete;
  Timeline &operator=(const Timeline &) = delete;

  /// The value that the device has reached.
  uint64_t reached() const;

  Device &device;
  VkSemaphore handle = VK_NULL_HANDLE;
};

/// A point in the work of a stream; none if there is no timeline.
struct Point {
  std::shared_ptr<Timeline> timeline;
  uint64_t value = 0;
};

/// Rows of bytes that arrive in staging memory and belong in the host's.
struct Readback {
  const char *from;
  char *to;
  uint64_t pitch, width, height; // of the destination
};

/// What a piece of work runs on the device.
enum class Work : uint8_t { Launch, Copy };

/// Work that is submitted together.
struct Batch {
  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  uint64_t value = 0;       // of the timeline at its end
  uint32_t count = 0;       // pieces of work
  std::optional<Work> last; // what it ends with so far
  VkPipeline bound = VK_NULL_HANDLE;
  std::vector<Point> waits;
  std::vector<Readback> readbacks;
  std::vector<PendingReport> reports;
  std::vector<Buffer> staging;
  uint64_t stagingUsed = 0; // of the last one
};

/// All functions [any-thread]; those that fail throw.
class Stream {
public:
  Stream(Device &device, nereid_stream_t id, Queue &queue);
  /// The work has ended, or the device is lost.
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  /// Recording one piece of work; holds the stream.
  class Recording {
  public:
    explicit Recording(Stream &stream);
    /// Leaves the work to be submitted soon. Not called if recording failed
    /// half way: what was recorded is then valid by itself.
    void finish() { stream.finishWork(); }
    /// Submits the work at once.
    void finishNow() { stream.finishWork(/*isUrgent=*/true); }
    /// The work so far is submitted at once, what follows is another piece.
    void split();

    /// Where the commands of `work` go, ordered after all earlier work of the
    /// stream.
    VkCommandBuffer commands(Work work);
    /// Whether `pipeline` is not the one that is bound already; it counts as
    /// bound from then on.
    bool bind(VkPipeline pipeline) {
      return std::exchange(stream.openBatch().bound, pipeline) != pipeline;
    }
    /// Staging memory until the work has ended.
    Staged stage(uint64_t size, uint64_t alignment = 16);
    /// Copies to the host's memory when the work has ended.
    void readBack(const Readback &readback);
    /// Prints what the work reports when it has ended, and keeps its fault.
    void report(PendingReport report);

  private:
    Stream &stream;
    std::unique_lock<std::mutex> lock;
  };

  /// Marks the point that the stream has reached, and writes its time if
  /// `timestamp` is not null.
  Point record(const struct Timestamp *timestamp);
  /// Later work starts after `point`, which is of any device.
  void wait(const Point &point);
  /// Waits for all work given so far.
  void finish();
  /// The same, and reports a fault of its kernels once.
  void synchronize();
  /// The fault that is not reported yet; empty if there is none.
  std::string takeFault();
  bool isDone();
  /// Submits what is recorded if the device waits for it. Returns false if it
  /// is busy with earlier work, and until which point if that is known.
  bool submitIfIdle(Point &busyUntil);
  /// Finishes copies to the host and reports of kernels whose work has ended.
  void retire();
  /// Whether a copy to [pointer, pointer + size) is under way.
  bool isReadingBack(const void *pointer, uint64_t size);

  Device &device;
  const nereid_stream_t id;

private:
  Batch &openBatch();
  void finishWork(bool isUrgent = false);
  void submit();
  void retireReached(uint64_t value);
  void deliverReport(const PendingReport &pending);
  void recycle(std::unique_ptr<Batch> batch);
  void waitUntil(std::unique_lock<std::mutex> &lock, uint64_t value);

  Queue &queue;
  std::mutex mutex; // of all below
  std::shared_ptr<Timeline> timeline;
  uint64_t submitted = 0; // last value
  uint64_t reached = 0;   // as last seen
  std::unique_ptr<Batch> open;
  std::deque<std::unique_ptr<Batch>> inFlight;
  std::vector<std::unique_ptr<Batch>> idle;
  std::atomic<uint32_t> readbacks{0}, reports{0}; // of all batches
  std::string fault; // the first that is not reported
};

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_STREAM_H
