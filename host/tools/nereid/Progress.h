// Progress.h - a line on the terminal while something takes long.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_PROGRESS_H
#define NEREID_TOOL_PROGRESS_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace nereid::tool {

/// From construction to destruction, after the first second and only if stderr
/// is a terminal, shows \p what, the time and the steps done.
class Progress {
public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress &) = delete;

  void step() { steps.fetch_add(1, std::memory_order_relaxed); }

private:
  void show();

  std::string what;
  std::atomic<uint64_t> steps{0};
  std::mutex mutex;
  std::condition_variable wake;
  bool isDone = false;
  std::thread thread; // last: it uses the others
};

} // namespace nereid::tool

#endif // NEREID_TOOL_PROGRESS_H
