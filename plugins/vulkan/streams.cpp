// streams.cpp - the table of streams and the submitting thread.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "streams.h"

#include "failure.h"

#include <chrono>
#include <csignal>

namespace nereid::vulkan {

/// Starts a thread that gets no signals: they are for the program's own.
template <typename Body> static std::thread startThread(Body body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread thread(std::move(body));
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
}

Streams::Streams(Device &device) : device(device) {
  owned[0] = std::make_unique<Stream>(device, 0, *device.queues[0]);
  table[0].store(owned[0].get(), std::memory_order_release);
}

void Streams::throwUnknown(nereid_stream_t id) const {
  throw Failure(NEREID_INVALID_ARGUMENT, "stream " + std::to_string(id) +
                                             " does not exist on device '" +
                                             device.physical.name + "'");
}

// ------------------------------------------------------------------ streams

nereid_stream_t Streams::create() {
  device.requireAlive();
  std::lock_guard lock(mutex);
  for (size_t i = 1; i < kMost; ++i) {
    if (owned[i])
      continue;
    // Handles of ended streams are not used again.
    nereid_stream_t id = ++generation * kMost + i;
    Queue &queue = *device.queues[i % device.queues.size()];
    owned[i] = std::make_unique<Stream>(device, id, queue);
    table[i].store(owned[i].get(), std::memory_order_release);
    return id;
  }
  throw Failure(NEREID_OUT_OF_RESOURCES, "no more streams: the device has " +
                                             std::to_string(kMost) +
                                             " already");
}

void Streams::destroy(nereid_stream_t id) {
  Stream &stream = find(id);
  if (!id)
    return;
  std::exception_ptr failure;
  try {
    stream.finish();
  } catch (...) {
    failure = std::current_exception();
  }
  std::unique_ptr<Stream> ended;
  {
    std::lock_guard lock(mutex);
    table[id % kMost].store(nullptr, std::memory_order_release);
    ended = std::move(owned[id % kMost]);
  }
  if (failure) {
    // The device may still use what the stream has.
    std::lock_guard lock(mutex);
    abandoned.push_back(std::move(ended));
    std::rethrow_exception(failure);
  }
  if (std::string fault = ended->takeFault(); !fault.empty())
    throw Failure(NEREID_DEVICE_FAULT, fault);
}

void Streams::synchronizeAll() {
  std::string faults;
  for (const auto &entry : table)
    if (Stream *stream = entry.load(std::memory_order_acquire)) {
      stream->finish();
      std::string fault = stream->takeFault();
      faults += (faults.empty() || fault.empty() ? "" : "; ") + fault;
    }
  if (!faults.empty())
    throw Failure(NEREID_DEVICE_FAULT, faults);
}

void Streams::retireAll() {
  std::lock_guard lock(mutex);
  for (const auto &stream : owned)
    if (stream)
      stream->retire();
}

void Streams::settle(const void *pointer, uint64_t size) {
  std::vector<Stream *> busy;
  {
    std::lock_guard lock(mutex);
    for (const auto &stream : owned)
      if (stream && stream->isReadingBack(pointer, size))
        busy.push_back(stream.get());
  }
  for (Stream *stream : busy)
    stream->finish();
}

// --------------------------------------------------------------- submission

void Streams::submitLater() {
  if (isRequested.exchange(true))
    return; // the thread is awake
  std::lock_guard lock(wakeMutex);
  if (!isStarted.exchange(true))
    submitter = startThread([this] { run(); });
  wake.notify_one();
}

/// False if a stream has work to submit after what it waits for, `busy`.
bool Streams::submitReady(std::vector<Point> &busy) {
  // A lost device may never get ready.
  device.requireAlive();
  std::lock_guard lock(mutex);
  for (const auto &stream : owned) {
    Point point;
    if (stream && !stream->submitIfIdle(point))
      busy.push_back(std::move(point));
  }
  return busy.empty();
}

/// Waits for one of `points`, but not for long: more streams may get work.
static void waitForAny(Device &device, const std::vector<Point> &points) {
  constexpr uint64_t kNanoseconds = 1000 * 1000;
  std::vector<VkSemaphore> semaphores;
  std::vector<uint64_t> values;
  for (const Point &point : points) {
    if (!point.timeline)
      continue;
    semaphores.push_back(point.timeline->handle);
    values.push_back(point.value);
  }
  if (semaphores.size() < points.size()) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    return;
  }
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.flags = VK_SEMAPHORE_WAIT_ANY_BIT;
  info.semaphoreCount = static_cast<uint32_t>(semaphores.size());
  info.pSemaphores = semaphores.data();
  info.pValues = values.data();
  device.check(device.vk.WaitSemaphores(device.handle, &info, kNanoseconds),
               "cannot wait for the device");
}

void Streams::run() {
  for (;;) {
    {
      std::unique_lock lock(wakeMutex);
      wake.wait(lock, [&] { return isRequested.load() || isClosing; });
      if (isClosing)
        return;
    }
    try {
      std::vector<Point> busy;
      // Cleared first: work that is recorded after a stream was visited asks
      // again.
      for (isRequested = false; !submitReady(busy); busy.clear())
        waitForAny(device, busy);
    } catch (const std::exception &) {
      // The device is lost, or memory is short: the next call of the program
      // meets the same failure and reports it.
    }
  }
}

Point Streams::bridge(const Point &point) {
  Point here = {std::make_shared<Timeline>(device), 1};
  auto isCrossed = std::make_shared<std::atomic<bool>>(false);
  auto body = [this, point, here, isCrossed] {
    try {
      point.timeline->device.waitFor(point.timeline->handle, point.value);
    } catch (const std::exception &) {
      // The other device is lost; its own calls report it, and this one must
      // not wait for good.
    }
    VkSemaphoreSignalInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
    info.semaphore = here.timeline->handle;
    info.value = here.value;
    device.vk.SignalSemaphore(device.handle, &info);
    isCrossed->store(true);
  };
  std::lock_guard lock(mutex);
  std::erase_if(bridges, [](Bridge &bridge) {
    if (!bridge.isCrossed->load())
      return false;
    bridge.thread.join();
    return true;
  });
  bridges.push_back({startThread(std::move(body)), isCrossed});
  return here;
}

void Streams::close() noexcept {
  for (const auto &stream : owned) {
    try {
      if (stream && !device.isLost())
        stream->finish();
    } catch (const std::exception &) {
      // Nobody is left to report it to.
    }
  }
  {
    std::lock_guard lock(wakeMutex);
    isClosing = true;
    wake.notify_all();
  }
  if (submitter.joinable())
    submitter.join();
  for (Bridge &bridge : bridges)
    bridge.thread.join();
  bridges.clear();
}

} // namespace nereid::vulkan
