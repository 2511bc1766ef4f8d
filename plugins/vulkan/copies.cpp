// copies.cpp - copies between the host and the device, through staging memory
// unless the device can access the host's, and fills.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "copies.h"

#include "failure.h"
#include "memory.h"
#include "streams.h"

#include <algorithm>
#include <cstring>

namespace nereid::vulkan {

// Staging memory of one piece: the device copies one while the host fills the
// next.
static constexpr uint64_t kPiece = 8u << 20;
// Of one command.
static constexpr size_t kMostRegions = 4096;

/// Rows in a buffer.
namespace {
struct Rows {
  BufferRange at;
  uint64_t pitch;
};
} // namespace

static void copyRegions(const DeviceFunctions &vk, VkCommandBuffer commands,
                        VkBuffer from, VkBuffer to,
                        const std::vector<VkBufferCopy> &regions) {
  for (size_t first = 0; first < regions.size(); first += kMostRegions) {
    size_t count = std::min(kMostRegions, regions.size() - first);
    vk.CmdCopyBuffer(commands, from, to, static_cast<uint32_t>(count),
                     regions.data() + first);
  }
}

/// Records a copy between buffers.
static void recordRows(Stream::Recording &recording, const DeviceFunctions &vk,
                       const Rows &from, const Rows &to, uint64_t width,
                       uint64_t height) {
  std::vector<VkBufferCopy> regions;
  if (from.pitch == width && to.pitch == width) {
    regions.push_back({from.at.offset, to.at.offset, width * height});
  } else {
    regions.reserve(height);
    for (uint64_t row = 0; row < height; ++row)
      regions.push_back({from.at.offset + row * from.pitch,
                         to.at.offset + row * to.pitch, width});
  }
  copyRegions(vk, recording.commands(Work::Copy), from.at.buffer, to.at.buffer,
              regions);
}

/// Calls `piece(column, row, width, height)` for parts of a rectangle that fit
/// staging memory, and `between()` between them.
template <typename Piece, typename Between>
static void forPieces(uint64_t width, uint64_t height, Piece piece,
                      Between between) {
  uint64_t columns = std::min(width, kPiece);
  uint64_t rows = std::max<uint64_t>(kPiece / columns, 1);
  bool isFirst = true;
  for (uint64_t row = 0; row < height; row += rows)
    for (uint64_t column = 0; column < width; column += columns) {
      if (!isFirst)
        between();
      isFirst = false;
      piece(column, row, std::min(columns, width - column),
            std::min(rows, height - row));
    }
}

static void upload(Stream &stream, const nereid_copy_2d_t &copy,
                   const Rows &to) {
  const DeviceFunctions &vk = stream.device.vk;
  const char *source = reinterpret_cast<const char *>(copy.source);
  Stream::Recording recording(stream);
  forPieces(
      copy.width, copy.height,
      [&](uint64_t column, uint64_t row, uint64_t width, uint64_t height) {
        Staged staged = recording.stage(width * height);
        const char *from = source + row * copy.source_pitch + column;
        for (uint64_t i = 0; i < height; ++i)
          std::memcpy(staged.mapped + i * width, from + i * copy.source_pitch,
                      width);
        uint64_t offset = to.at.offset + row * to.pitch + column;
        recordRows(recording, vk, {{staged.buffer, staged.offset}, width},
                   {{to.at.buffer, offset}, height == 1 ? width : to.pitch},
                   width, height);
      },
      [&] { recording.split(); });
  recording.finish();
}

static void download(Stream &stream, const nereid_copy_2d_t &copy,
                     const Rows &from) {
  const DeviceFunctions &vk = stream.device.vk;
  char *destination = reinterpret_cast<char *>(copy.destination);
  Stream::Recording recording(stream);
  forPieces(
      copy.width, copy.height,
      [&](uint64_t column, uint64_t row, uint64_t width, uint64_t height) {
        Staged staged = recording.stage(width * height);
        uint64_t offset = from.at.offset + row * from.pitch + column;
        recordRows(recording, vk,
                   {{from.at.buffer, offset}, height == 1 ? width : from.pitch},
                   {{staged.buffer, staged.offset}, width}, width, height);
        recording.readBack({staged.mapped,
                            destination + row * copy.destination_pitch + column,
                            copy.destination_pitch, width, height});
      },
      [&] { recording.split(); });
  recording.finish();
}

/// Bytes from the first to the last of rows; throws if there is no such number.
static uint64_t extentOf(uint64_t pitch, uint64_t width, uint64_t height) {
  uint64_t extent = 0;
  if (pitch < width && height > 1)
    throw Failure(NEREID_INVALID_ARGUMENT,
                  "rows of " + std::to_string(width) + " bytes are " +
                      std::to_string(pitch) +
                      " bytes apart, at least their width was expected");
  if (__builtin_mul_overflow(pitch, height - 1, &extent) ||
      __builtin_add_overflow(extent, width, &extent))
    throw Failure(NEREID_INVALID_ARGUMENT, "a copy of more than 2^64 bytes");
  return extent;
}

void copyRows(Stream &stream, const nereid_copy_2d_t &copy) {
  stream.device.requireAlive();
  if (!copy.width || !copy.height)
    return;
  const Memory &memory = *stream.device.memory;
  uint64_t fromExtent = extentOf(copy.source_pitch, copy.width, copy.height);
  uint64_t toExtent = extentOf(copy.destination_pitch, copy.width, copy.height);
  bool isUpload = copy.direction == NEREID_COPY_HOST_TO_DEVICE;
  bool isDownload = copy.direction == NEREID_COPY_DEVICE_TO_HOST;
  if (!isUpload && !isDownload &&
      copy.direction != NEREID_COPY_DEVICE_TO_DEVICE)
    throw Failure(NEREID_INVALID_ARGUMENT,
                  "direction " + std::to_string(copy.direction) +
                      " of a copy, 1, 2 or 3 was expected");

  std::optional<BufferRange> from, to;
  if (isUpload)
    from = memory.findHost(reinterpret_cast<const void *>(copy.source),
                           fromExtent);
  else
    from = memory.find(copy.source, fromExtent, "the source of a copy");
  if (isDownload)
    to = memory.findHost(reinterpret_cast<const void *>(copy.destination),
                         toExtent);
  else
    to = memory.find(copy.destination, toExtent, "the destination of a copy");

  // What an earlier copy brings to the host may be the source of this one.
  if (isUpload)
    stream.device.streams->settle(reinterpret_cast<const void *>(copy.source),
                                  fromExtent);
  if (from && to) {
    Stream::Recording recording(stream);
    recordRows(recording, stream.device.vk, {*from, copy.source_pitch},
               {*to, copy.destination_pitch}, copy.width, copy.height);
    recording.finish();
  } else if (isUpload) {
    upload(stream, copy, {*to, copy.destination_pitch});
  } else {
    download(stream, copy, {*from, copy.source_pitch});
  }
}

// -------------------------------------------------------------------- fills

/// Fills with copies of staged patterns, for what the fill of Vulkan, which
/// knows words only, cannot do.
static void fillByCopies(Stream::Recording &recording,
                         const DeviceFunctions &vk, BufferRange to,
                         const char *pattern, uint64_t patternSize,
                         uint64_t size) {
  constexpr uint64_t kMost = 1u << 20;
  uint64_t space = std::min(size, kMost);
  Staged staged = recording.stage(space);
  for (uint64_t i = 0; i < space; i += patternSize)
    std::memcpy(staged.mapped + i, pattern, patternSize);
  std::vector<VkBufferCopy> regions;
  for (uint64_t done = 0; done < size; done += space)
    regions.push_back(
        {staged.offset, to.offset + done, std::min(space, size - done)});
  copyRegions(vk, recording.commands(Work::Copy), staged.buffer, to.buffer,
              regions);
}

void fill(Stream &stream, const nereid_fill_t &fill) {
  stream.device.requireAlive();
  uint64_t patternSize = fill.pattern_size, size = 0;
  if (patternSize != 1 && patternSize != 2 && patternSize != 4 &&
      patternSize != 8)
    throw Failure(NEREID_INVALID_ARGUMENT,
                  "fill with a pattern of " + std::to_string(patternSize) +
                      " bytes, 1, 2, 4 or 8 were expected");
  if (fill.destination % patternSize)
    throw Failure(NEREID_INVALID_ARGUMENT,
                  "the destination of a fill is not aligned to its pattern");
  if (__builtin_mul_overflow(patternSize, fill.count, &size))
    throw Failure(NEREID_INVALID_ARGUMENT, "a fill of more than 2^64 bytes");
  if (!size)
    return;
  BufferRange to = stream.device.memory->find(fill.destination, size,
                                              "the destination of a fill");
  char pattern[8];
  for (uint64_t i = 0; i < sizeof pattern; i += patternSize)
    std::memcpy(pattern + i, fill.pattern, patternSize);
  const DeviceFunctions &vk = stream.device.vk;
  Stream::Recording recording(stream);
  if (std::memcmp(pattern, pattern + 4, 4) != 0) {
    fillByCopies(recording, vk, to, pattern, 8, size);
  } else {
    // Bytes up to the first whole word, words, and the rest. The pattern's
    // phase is that of the destination, which is aligned to it.
    uint64_t head = std::min(size, (4 - to.offset % 4) % 4);
    uint64_t body = (size - head) / 4 * 4, tail = size - head - body;
    if (head)
      fillByCopies(recording, vk, to, pattern, patternSize, head);
    if (body) {
      uint32_t word;
      std::memcpy(&word, pattern, sizeof word);
      vk.CmdFillBuffer(recording.commands(Work::Copy), to.buffer,
                       to.offset + head, body, word);
    }
    if (tail)
      fillByCopies(recording, vk, {to.buffer, to.offset + head + body}, pattern,
                   patternSize, tail);
  }
  recording.finish();
}

} // namespace nereid::vulkan
