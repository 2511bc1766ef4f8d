// streams.h - the streams of a device.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CUDA_STREAMS_H
#define NEREID_CUDA_STREAMS_H

#include "device.h"

#include "nereid/plugin.h"

#include <unordered_set>

namespace nereid::cuda {

/// A stream of the ABI is the CUstream: a launch looks nothing up, and imported
/// streams are as fast as ours. 0 is CUDA's legacy default stream, on which
/// PyTorch works unless told otherwise. Ours do not synchronize with it.
inline CUstream streamOf(nereid_stream_t stream) {
  return reinterpret_cast<CUstream>(stream);
}
inline nereid_stream_t handleOf(CUstream stream) {
  return reinterpret_cast<nereid_stream_t>(stream);
}

/// All functions [any-thread]; those that fail throw.
class Streams {
public:
  explicit Streams(Device &device);
  /// Waits for the work of the streams and destroys them.
  ~Streams();
  Streams(const Streams &) = delete;
  Streams &operator=(const Streams &) = delete;

  /// A larger `priority` runs first.
  CUstream create(int priority);
  /// Waits for its work, destroys it, and throws what failed.
  void destroy(CUstream stream);
  bool isDone(CUstream stream);
  void synchronize(CUstream stream);
  void synchronizeAll();
  /// Throws unless `stream` is one of this device.
  void checkImported(CUstream stream);

private:
  Device &device;
  int least = 0,
      greatest = 0; // priorities; the greatest is the smallest number
  std::mutex mutex;
  std::unordered_set<CUstream> owned;
};

} // namespace nereid::cuda

#endif // NEREID_CUDA_STREAMS_H
