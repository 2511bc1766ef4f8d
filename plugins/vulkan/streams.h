// streams.h - the streams of a device, and the thread that submits their work
// when the device is ready for it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_STREAMS_H
#define NEREID_VULKAN_STREAMS_H

#include "stream.h"

#include <array>
#include <condition_variable>
#include <thread>

namespace nereid::vulkan {

/// All functions [any-thread].
class Streams {
public:
  static constexpr size_t kMost = 256;

  explicit Streams(Device &device);
  /// After `close`.
  ~Streams() = default;
  Streams(const Streams &) = delete;
  Streams &operator=(const Streams &) = delete;

  /// The stream of a handle; throws if there is none.
  Stream &find(nereid_stream_t id) const {
    Stream *stream = table[id % kMost].load(std::memory_order_acquire);
    if (!stream || stream->id != id) [[unlikely]]
      throwUnknown(id);
    return *stream;
  }

  nereid_stream_t create();
  /// Waits for its work and reports its fault; ends it even if that failed.
  void destroy(nereid_stream_t id);

  void synchronizeAll();
  /// Finishes what the host gets from all streams whose work has ended.
  void retireAll();
  /// Waits for copies of any stream to the host's memory at `pointer`.
  void settle(const void *pointer, uint64_t size);

  /// What a stream has recorded is submitted as soon as its earlier work is
  /// done.
  void submitLater();
  /// A point of this device that is reached after `point` of another one.
  Point bridge(const Point &point);

  /// Waits for all work and joins the threads; for the end of the device.
  void close() noexcept;

private:
  [[noreturn]] void throwUnknown(nereid_stream_t id) const;
  void run();
  bool submitReady(std::vector<Point> &busy);

  Device &device;
  std::array<std::atomic<Stream *>, kMost> table{};
  std::mutex mutex; // of the lists below; held while a stream is created, ended
                    // or visited
  std::array<std::unique_ptr<Stream>, kMost> owned;
  std::vector<std::unique_ptr<Stream>> abandoned; // of a lost device
  uint64_t generation = 0;
  struct Bridge {
    std::thread thread;
    std::shared_ptr<std::atomic<bool>> isCrossed;
  };
  std::vector<Bridge> bridges;

  std::mutex wakeMutex;
  std::condition_variable wake;
  std::atomic<bool> isRequested{false};
  bool isClosing = false;
  std::thread submitter; // started by the first request
  std::atomic<bool> isStarted{false};
};

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_STREAMS_H
