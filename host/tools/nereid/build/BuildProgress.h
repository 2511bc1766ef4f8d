// BuildProgress.h - how far a build is: a bar, lines, or JSON.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_BUILD_BUILDPROGRESS_H
#define NEREID_TOOL_BUILD_BUILDPROGRESS_H

#include "ProgressMode.h"

#include <chrono>
#include <mutex>
#include <string>

namespace nereid::tool {

/// On stderr. Every function may be called on any thread.
class BuildProgress {
public:
  BuildProgress(ProgressMode mode, size_t total);
  ~BuildProgress();
  BuildProgress(const BuildProgress &) = delete;

  /// One image is done.
  void step(const std::string &kernel, const std::string &target,
            std::chrono::nanoseconds time, bool isCached, bool isOk);

private:
  void draw(const std::string &last);

  const ProgressMode mode;
  const size_t total;
  std::mutex mutex;
  size_t done = 0;
  const std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

} // namespace nereid::tool

#endif // NEREID_TOOL_BUILD_BUILDPROGRESS_H
