// staging.h - copies between the device and host memory that is not pinned.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The driver library copies such memory in the call, after the earlier work of
// the stream. A caller that would submit what that work waits for could then
// wait for good. So on a stream that is busy these copies go through pinned
// memory of ours, piece by piece, and do not wait.

#ifndef NEREID_CUDA_STAGING_H
#define NEREID_CUDA_STAGING_H

#include "device.h"

#include <memory>
#include <vector>

namespace nereid::cuda {

/// Rows of `width` bytes, from row to row `hostPitch` bytes in host memory and
/// `devicePitch` on the device.
struct Rows {
  uint64_t hostPitch, devicePitch, width, height;
};

/// All functions [any-thread]; those that fail throw.
class Staging {
public:
  explicit Staging(Device &device);
  /// The caller has waited for the work.
  ~Staging();
  Staging(const Staging &) = delete;
  Staging &operator=(const Staging &) = delete;

  /// The host memory is read before the call returns.
  void upload(CUdeviceptr to, const void *from, const Rows &rows,
              CUstream stream);
  /// The host memory is written by the time that the stream has got there.
  void download(void *to, CUdeviceptr from, const Rows &rows, CUstream stream);

  /// Frees what exceeds the memory that is kept. The library may wait for all
  /// work of the device.
  void trim();

private:
  struct Piece;

  template <typename Body> void forEachPiece(const Rows &rows, Body body);
  Piece &take(uint64_t size);
  static void finishDownload(void *piece);

  Device &device;
  std::mutex mutex;
  std::vector<std::unique_ptr<Piece>> pieces;
};

} // namespace nereid::cuda

#endif // NEREID_CUDA_STAGING_H
