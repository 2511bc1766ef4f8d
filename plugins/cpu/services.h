// services.h - services for a running kernel: printing and failing.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_SERVICES_H
#define NEREID_CPU_SERVICES_H

#include "image.h"
#include "nereid/base.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>

namespace nereid::cpu {

/// How kernels print.
struct Printing {
  std::FILE *file = stdout;
  /// How often a line without an index is written: a GPU writes it once for
  /// each thread of a program, and some host programs rely on that.
  unsigned scalarLines = 1;
};

/// The `state` of nereid_cpu_launch_t. Creating one costs nothing; the first
/// failing program writes the text.
class LaunchState {
public:
  explicit LaunchState(const Printing &printing) : printing(printing) {}

  bool failed() const { return code.load(std::memory_order_acquire) != 0; }
  nereid_status_t status() const { return failed() ? code.load() : kFault; }
  /// Call after the launch.
  std::string message() const {
    return failed() ? text : "it stopped and gave no reason";
  }

  void fail(nereid_status_t status, std::string message);
  void outOfMemory(uint64_t scratch);
  void print(const std::string &lines);
  void print(const nereid_cpu_print_t &value);

private:
  static constexpr nereid_status_t kFault = NEREID_DEVICE_FAULT;

  const Printing &printing;
  std::atomic<nereid_status_t> code{NEREID_OK};
  std::atomic<bool> claimed{false};
  std::string text;
};

extern const nereid_cpu_services_t kServices;

} // namespace nereid::cpu

#endif // NEREID_CPU_SERVICES_H
