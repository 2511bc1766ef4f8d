// stream.cpp - recording, submission and completion of work.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "stream.h"

#include "failure.h"
#include "streams.h"
#include "timestamps.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

namespace nereid::vulkan {

// A batch is submitted with this much work at the latest.
static constexpr uint32_t kMostWork = 64;
// More batches than this block the caller.
static constexpr size_t kMostInFlight = 64;
// Staging memory of a batch; a larger piece gets a buffer of its own.
static constexpr uint64_t kStagingBuffer = 256u << 10;

// ----------------------------------------------------------------- timeline

Timeline::Timeline(Device &device) : device(device) {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  device.check(
      device.vk.CreateSemaphore(device.handle, &info, nullptr, &handle),
      "cannot create a timeline semaphore");
}

Timeline::~Timeline() {
  device.vk.DestroySemaphore(device.handle, handle, nullptr);
}

uint64_t Timeline::reached() const {
  uint64_t value = 0;
  device.check(
      device.vk.GetSemaphoreCounterValue(device.handle, handle, &value),
      "cannot query the device");
  return value;
}

// ------------------------------------------------------------------ batches

namespace {
/// One side of a barrier.
struct Scope {
  VkPipelineStageFlags2 stages;
  VkAccessFlags2 reads, writes;
};
} // namespace

static constexpr Scope kLaunches = {VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                                    VK_ACCESS_2_SHADER_READ_BIT,
                                    VK_ACCESS_2_SHADER_WRITE_BIT};
static constexpr Scope kCopies = {VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
                                  VK_ACCESS_2_TRANSFER_READ_BIT,
                                  VK_ACCESS_2_TRANSFER_WRITE_BIT};
static constexpr Scope kAnyWork = {kLaunches.stages | kCopies.stages,
                                   kLaunches.reads | kCopies.reads,
                                   kLaunches.writes | kCopies.writes};
static constexpr Scope kHost = {VK_PIPELINE_STAGE_2_HOST_BIT,
                                VK_ACCESS_2_HOST_READ_BIT,
                                VK_ACCESS_2_HOST_WRITE_BIT};

static const Scope &scopeOf(Work work) {
  return work == Work::Launch ? kLaunches : kCopies;
}

static void order(const DeviceFunctions &vk, VkCommandBuffer commands,
                  const Scope &earlier, const Scope &later) {
  VkMemoryBarrier2 barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
  barrier.srcStageMask = earlier.stages;
  barrier.srcAccessMask = earlier.writes;
  barrier.dstStageMask = later.stages;
  barrier.dstAccessMask = later.reads | later.writes;
  VkDependencyInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  info.memoryBarrierCount = 1;
  info.pMemoryBarriers = &barrier;
  vk.CmdPipelineBarrier2(commands, &info);
}

static std::unique_ptr<Batch> createBatch(Device &device) {
  auto batch = std::make_unique<Batch>();
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  pool.queueFamilyIndex = device.physical.queueFamily;
  device.check(
      device.vk.CreateCommandPool(device.handle, &pool, nullptr, &batch->pool),
      "cannot create a command pool");
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = batch->pool;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkResult result =
      device.vk.AllocateCommandBuffers(device.handle, &info, &batch->commands);
  if (result != VK_SUCCESS)
    device.vk.DestroyCommandPool(device.handle, batch->pool, nullptr);
  device.check(result, "cannot create a command buffer");
  return batch;
}

static void destroyBatch(Device &device, Batch &batch) {
  for (Buffer &buffer : batch.staging)
    device.staging->give(buffer);
  device.vk.DestroyCommandPool(device.handle, batch.pool, nullptr);
}

Stream::Stream(Device &device, nereid_stream_t id, Queue &queue)
    : device(device), id(id), queue(queue),
      timeline(std::make_shared<Timeline>(device)) {}

Stream::~Stream() {
  if (open)
    destroyBatch(device, *open);
  for (auto &batch : inFlight)
    destroyBatch(device, *batch);
  for (auto &batch : idle)
    destroyBatch(device, *batch);
}

Batch &Stream::openBatch() {
  if (open)
    return *open;
  if (idle.empty())
    idle.push_back(createBatch(device));
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  device.check(device.vk.BeginCommandBuffer(idle.back()->commands, &info),
               "cannot begin a command buffer");
  open = std::move(idle.back());
  idle.pop_back();
  return *open;
}

void Stream::recycle(std::unique_ptr<Batch> batch) {
  for (Buffer &buffer : batch->staging)
    device.staging->give(buffer);
  batch->staging.clear();
  batch->stagingUsed = 0;
  batch->waits.clear();
  batch->count = 0;
  batch->last.reset();
  batch->bound = VK_NULL_HANDLE;
  device.check(device.vk.ResetCommandPool(device.handle, batch->pool, 0),
               "cannot reset a command pool");
  idle.push_back(std::move(batch));
}

// --------------------------------------------------------------- submission

void Stream::submit() {
  if (!open)
    return;
  VkCommandBuffer commands = open->commands;
  // The end of work alone makes nothing visible to the host.
  order(device.vk, commands, kAnyWork, kHost);
  device.check(device.vk.EndCommandBuffer(commands),
               "cannot end a command buffer");
  std::vector<VkSemaphoreSubmitInfo> waits(open->waits.size());
  for (size_t i = 0; i < waits.size(); ++i) {
    waits[i].sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
    waits[i].semaphore = open->waits[i].timeline->handle;
    waits[i].value = open->waits[i].value;
    waits[i].stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  }
  VkSemaphoreSubmitInfo signal{};
  signal.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
  signal.semaphore = timeline->handle;
  signal.value = submitted + 1;
  signal.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  VkCommandBufferSubmitInfo buffer{};
  buffer.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
  buffer.commandBuffer = commands;
  VkSubmitInfo2 info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  info.waitSemaphoreInfoCount = static_cast<uint32_t>(waits.size());
  info.pWaitSemaphoreInfos = waits.data();
  info.commandBufferInfoCount = 1;
  info.pCommandBufferInfos = &buffer;
  info.signalSemaphoreInfoCount = 1;
  info.pSignalSemaphoreInfos = &signal;
  VkResult result;
  {
    std::lock_guard lock(queue.mutex);
    result = device.vk.QueueSubmit2(queue.handle, 1, &info, VK_NULL_HANDLE);
  }
  device.check(result, "cannot submit work");
  open->value = ++submitted;
  inFlight.push_back(std::move(open));
}

void Stream::finishWork(bool isUrgent) {
  ++open->count;
  if (!inFlight.empty()) {
    reached = timeline->reached();
    retireReached(reached);
  }
  // A device without work starts at once; one that is busy gets the work in
  // larger pieces, by the thread that waits for it.
  if (isUrgent || inFlight.empty() || open->count >= kMostWork) {
    submit();
    if (inFlight.size() > kMostInFlight) {
      device.waitFor(timeline->handle, inFlight.front()->value);
      retireReached(inFlight.front()->value);
    }
  } else {
    device.streams->submitLater();
  }
}

bool Stream::submitIfIdle(Point &busyUntil) {
  // Whoever holds the stream may wait for work of another one, which must be
  // submitted meanwhile.
  std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock)
    return false;
  if (!open)
    return true;
  retireReached(timeline->reached());
  if (inFlight.empty()) {
    submit();
    return true;
  }
  busyUntil = {timeline, submitted};
  return false;
}

// --------------------------------------------------------------- completion

static void deliver(const Readback &readback) {
  for (uint64_t row = 0; row < readback.height; ++row)
    std::memcpy(readback.to + row * readback.pitch,
                readback.from + row * readback.width, readback.width);
}

void Stream::deliverReport(const PendingReport &pending) {
  LaunchReport report = readServices(pending);
  if (!report.lines.empty()) {
    std::fwrite(report.lines.data(), 1, report.lines.size(), stdout);
    std::fflush(stdout);
  }
  if (report.dropped)
    device.warn("kernel '" + pending.sites->kernel + "' printed " +
                std::to_string(report.dropped) +
                " lines more than fit into the " +
                std::to_string(device.settings.printBuffer) +
                " bytes of NEREID_VULKAN_PRINT_BUFFER: they are lost");
  if (fault.empty())
    fault = std::move(report.fault);
}

void Stream::retireReached(uint64_t value) {
  reached = std::max(reached, value);
  while (!inFlight.empty() && inFlight.front()->value <= reached) {
    std::unique_ptr<Batch> batch = std::move(inFlight.front());
    inFlight.pop_front();
    for (const Readback &readback : batch->readbacks)
      deliver(readback);
    readbacks -= static_cast<uint32_t>(batch->readbacks.size());
    batch->readbacks.clear();
    for (const PendingReport &report : batch->reports)
      deliverReport(report);
    reports -= static_cast<uint32_t>(batch->reports.size());
    batch->reports.clear();
    recycle(std::move(batch));
  }
}

void Stream::retire() {
  if (!readbacks.load() && !reports.load())
    return;
  std::lock_guard lock(mutex);
  retireReached(timeline->reached());
}

/// Waits without the lock: other threads go on giving work.
void Stream::waitUntil(std::unique_lock<std::mutex> &lock, uint64_t value) {
  lock.unlock();
  device.waitFor(timeline->handle, value);
  lock.lock();
  retireReached(value);
}

void Stream::finish() {
  device.requireAlive();
  {
    std::unique_lock lock(mutex);
    submit();
    if (reached < submitted)
      waitUntil(lock, submitted);
  }
  // This stream may have waited for a copy of another one.
  device.streams->retireAll();
}

std::string Stream::takeFault() {
  std::lock_guard lock(mutex);
  return std::exchange(fault, {});
}

void Stream::synchronize() {
  finish();
  if (std::string found = takeFault(); !found.empty())
    throw Failure(NEREID_DEVICE_FAULT, found);
}

bool Stream::isDone() {
  device.requireAlive();
  std::lock_guard lock(mutex);
  submit();
  retireReached(timeline->reached());
  return inFlight.empty();
}

bool Stream::isReadingBack(const void *pointer, uint64_t size) {
  if (!readbacks.load())
    return false;
  auto first = reinterpret_cast<uintptr_t>(pointer);
  auto overlaps = [&](const Batch &batch) {
    return std::any_of(batch.readbacks.begin(), batch.readbacks.end(),
                       [&](const Readback &readback) {
                         auto to = reinterpret_cast<uintptr_t>(readback.to);
                         uint64_t extent =
                             readback.pitch * (readback.height - 1) +
                             readback.width;
                         return to < first + size && first < to + extent;
                       });
  };
  std::lock_guard lock(mutex);
  return (open && overlaps(*open)) ||
         std::any_of(inFlight.begin(), inFlight.end(),
                     [&](const auto &batch) { return overlaps(*batch); });
}

// ------------------------------------------------------------------- events

Point Stream::record(const Timestamp *timestamp) {
  device.requireAlive();
  std::lock_guard lock(mutex);
  VkCommandBuffer commands = openBatch().commands;
  if (timestamp) {
    device.vk.CmdResetQueryPool(commands, timestamp->pool, timestamp->index, 1);
    device.vk.CmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                 timestamp->pool, timestamp->index);
  }
  submit();
  return {timeline, submitted};
}

void Stream::wait(const Point &point) {
  device.requireAlive();
  if (!point.timeline || point.timeline == timeline)
    return;
  Point here = &point.timeline->device == &device
                   ? point
                   : device.streams->bridge(point);
  std::lock_guard lock(mutex);
  submit();
  openBatch().waits.push_back(std::move(here));
}

// ---------------------------------------------------------------- recording

Stream::Recording::Recording(Stream &stream) : stream(stream) {
  stream.device.requireAlive();
  lock = std::unique_lock(stream.mutex);
}

VkCommandBuffer Stream::Recording::commands(Work work) {
  Batch &batch = stream.openBatch();
  // A barrier between two launches costs a GPU less than one that waits for
  // copies too. Those before the earlier launch ended before it started: each
  // barrier continues the chain of the one before it. What an earlier batch did
  // is not known here.
  order(stream.device.vk, batch.commands,
        batch.last ? scopeOf(*batch.last) : kAnyWork, scopeOf(work));
  batch.last = work;
  return batch.commands;
}

Staged Stream::Recording::stage(uint64_t size, uint64_t alignment) {
  Batch &batch = stream.openBatch();
  uint64_t start = (batch.stagingUsed + alignment - 1) / alignment * alignment;
  if (batch.staging.empty() || start > batch.staging.back().size ||
      size > batch.staging.back().size - start) {
    batch.staging.push_back(
        stream.device.staging->take(std::max(size, kStagingBuffer)));
    start = 0;
  }
  batch.stagingUsed = start + size;
  const Buffer &buffer = batch.staging.back();
  return {buffer.handle, start, buffer.address + start,
          static_cast<char *>(buffer.mapped) + start};
}

void Stream::Recording::readBack(const Readback &readback) {
  stream.openBatch().readbacks.push_back(readback);
  ++stream.readbacks;
}

void Stream::Recording::report(PendingReport report) {
  stream.openBatch().reports.push_back(std::move(report));
  ++stream.reports;
}

void Stream::Recording::split() {
  stream.submit();
  // Bounds the staging memory of one copy.
  constexpr size_t kMostPieces = 8;
  while (stream.inFlight.size() > kMostPieces) {
    uint64_t value = stream.inFlight.front()->value;
    stream.device.waitFor(stream.timeline->handle, value);
    stream.retireReached(value);
  }
}

} // namespace nereid::vulkan
