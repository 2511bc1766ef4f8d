// staging.cpp - the pinned memory that copies go through.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "staging.h"

#include <algorithm>
#include <cstring>

namespace nereid::cuda {

static constexpr uint64_t kSmall = 64 << 10, kLarge = 4 << 20;
/// Bytes that are kept for later copies.
static constexpr uint64_t kKept = 64 << 20;

/// A piece of pinned memory, and the copy that it is used for.
struct Staging::Piece {
  enum State : uint8_t {
    Free,
    Uploading, // until `event` is reached
    Taken      // by a call, or by a download until finishDownload
  };

  std::atomic<State> state{Free};
  char *memory = nullptr;
  uint64_t size = 0;
  CUevent event = nullptr;
  // A download: where the rows go.
  char *to = nullptr;
  uint64_t pitch = 0, width = 0, height = 0;
};

Staging::Staging(Device &device) : device(device) {}

Staging::~Staging() {
  for (const auto &piece : pieces) {
    // Of a lost device nothing says that it does not write any more.
    if (device.isLost())
      break;
    device.cuda.cuMemFreeHost(piece->memory);
    device.cuda.cuEventDestroy(piece->event);
  }
}

Staging::Piece &Staging::take(uint64_t size) {
  uint64_t wanted = size <= kSmall ? kSmall : kLarge;
  std::lock_guard lock(mutex);
  for (const auto &piece : pieces) {
    if (piece->size != wanted)
      continue;
    Piece::State state = piece->state.load(std::memory_order_acquire);
    if (state == Piece::Free ||
        (state == Piece::Uploading &&
         device.cuda.cuEventQuery(piece->event) == CUDA_SUCCESS)) {
      piece->state.store(Piece::Taken, std::memory_order_relaxed);
      return *piece;
    }
  }
  auto piece = std::make_unique<Piece>();
  piece->size = wanted;
  void *memory = nullptr;
  device.check(
      device.cuda.cuMemHostAlloc(&memory, wanted, CU_MEMHOSTALLOC_PORTABLE),
      "cannot allocate pinned memory for a copy");
  piece->memory = static_cast<char *>(memory);
  CUresult result =
      device.cuda.cuEventCreate(&piece->event, CU_EVENT_DISABLE_TIMING);
  if (result != CUDA_SUCCESS)
    device.cuda.cuMemFreeHost(memory);
  device.check(result, "cannot create an event for a copy");
  piece->state.store(Piece::Taken, std::memory_order_relaxed);
  pieces.push_back(std::move(piece));
  return *pieces.back();
}

/// `body(row, column, width, height)` for parts that fit a piece of memory.
template <typename Body>
void Staging::forEachPiece(const Rows &rows, Body body) {
  if (rows.width > kLarge) {
    for (uint64_t row = 0; row < rows.height; ++row)
      for (uint64_t column = 0; column < rows.width; column += kLarge)
        body(row, column, std::min(kLarge, rows.width - column), uint64_t{1});
    return;
  }
  uint64_t most = rows.width ? kLarge / rows.width : rows.height;
  for (uint64_t row = 0; row < rows.height; row += most)
    body(row, uint64_t{0}, rows.width, std::min(most, rows.height - row));
}

/// A copy of rows, packed on both sides.
static CUDA_MEMCPY2D rectangle(uint64_t width, uint64_t height) {
  CUDA_MEMCPY2D copy = {};
  copy.srcPitch = copy.dstPitch = width;
  copy.WidthInBytes = width;
  copy.Height = height;
  return copy;
}

void Staging::upload(CUdeviceptr to, const void *from, const Rows &rows,
                     CUstream stream) {
  forEachPiece(rows, [&](uint64_t row, uint64_t column, uint64_t width,
                         uint64_t height) {
    Piece &piece = take(width * height);
    const char *source =
        static_cast<const char *>(from) + row * rows.hostPitch + column;
    for (uint64_t i = 0; i < height; ++i)
      std::memcpy(piece.memory + i * width, source + i * rows.hostPitch, width);
    CUDA_MEMCPY2D copy = rectangle(width, height);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = piece.memory;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = to + row * rows.devicePitch + column;
    copy.dstPitch = height > 1 ? rows.devicePitch : width;
    device.check(device.cuda.cuMemcpy2DAsync(&copy, stream), "cannot copy");
    device.check(device.cuda.cuEventRecord(piece.event, stream), "cannot copy");
    piece.state.store(Piece::Uploading, std::memory_order_release);
  });
}

/// Runs on a thread of the driver library, where none of its functions may be
/// called.
void Staging::finishDownload(void *user) {
  Piece &piece = *static_cast<Piece *>(user);
  for (uint64_t i = 0; i < piece.height; ++i)
    std::memcpy(piece.to + i * piece.pitch, piece.memory + i * piece.width,
                piece.width);
  piece.state.store(Piece::Free, std::memory_order_release);
}

void Staging::download(void *to, CUdeviceptr from, const Rows &rows,
                       CUstream stream) {
  forEachPiece(rows, [&](uint64_t row, uint64_t column, uint64_t width,
                         uint64_t height) {
    Piece &piece = take(width * height);
    piece.to = static_cast<char *>(to) + row * rows.hostPitch + column;
    piece.pitch = rows.hostPitch;
    piece.width = width;
    piece.height = height;
    CUDA_MEMCPY2D copy = rectangle(width, height);
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = from + row * rows.devicePitch + column;
    copy.srcPitch = height > 1 ? rows.devicePitch : width;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = piece.memory;
    device.check(device.cuda.cuMemcpy2DAsync(&copy, stream), "cannot copy");
    device.check(device.cuda.cuLaunchHostFunc(stream, finishDownload, &piece),
                 "cannot copy");
  });
}

void Staging::trim() {
  std::lock_guard lock(mutex);
  uint64_t bytes = 0;
  std::erase_if(pieces, [&](const std::unique_ptr<Piece> &piece) {
    bytes += piece->size;
    if (bytes <= kKept)
      return false;
    Piece::State state = piece->state.load(std::memory_order_acquire);
    if (state == Piece::Taken ||
        (state == Piece::Uploading &&
         device.cuda.cuEventQuery(piece->event) != CUDA_SUCCESS))
      return false;
    device.cuda.cuMemFreeHost(piece->memory);
    device.cuda.cuEventDestroy(piece->event);
    return true;
  });
}

} // namespace nereid::cuda
