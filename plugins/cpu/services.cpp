// services.cpp - printing values of kernels, and recording why one failed.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "services.h"

#include "common/print_format.h"

#include <chrono>

namespace nereid::cpu {

void LaunchState::fail(nereid_status_t status, std::string message) {
  if (claimed.exchange(true))
    return;
  text = std::move(message);
  code.store(status, std::memory_order_release);
}

void LaunchState::outOfMemory(uint64_t scratch) {
  fail(NEREID_OUT_OF_RESOURCES,
       "no memory for " + std::to_string(scratch) + " bytes of scratch");
}

/// One call, so that lines of several threads do not mix.
void LaunchState::print(const std::string &lines) {
  std::fwrite(lines.data(), 1, lines.size(), printing.file);
  std::fflush(printing.file);
}

static void printText(void *state, const char *text, uint64_t size) {
  static_cast<LaunchState *>(state)->print(std::string(text, size));
}

static std::string formatRecord(const nereid_cpu_print_t &value) {
  return plugin::formatPrint(
      {{value.program[0], value.program[1], value.program[2]},
       {value.prefix, value.prefix_size},
       value.type,
       value.hex != 0,
       {value.shape, value.rank},
       value.data,
       value.count});
}

void LaunchState::print(const nereid_cpu_print_t &value) {
  std::string once = formatRecord(value), lines = once;
  for (unsigned i = 1; value.rank == 0 && i < printing.scalarLines; ++i)
    lines += once;
  print(lines);
}

static void printValue(void *state, const nereid_cpu_print_t *value) {
  static_cast<LaunchState *>(state)->print(*value);
}

static void failLaunch(void *state, uint32_t x, uint32_t y, uint32_t z,
                       const char *message, uint64_t size) {
  static_cast<LaunchState *>(state)->fail(
      NEREID_DEVICE_FAULT,
      "program " + plugin::formatProgram(x, y, z) + ": " + std::string(message, size));
}

static int64_t now() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

const nereid_cpu_services_t kServices = {
    sizeof(nereid_cpu_services_t), 0, printText, printValue, failLaunch, now};

} // namespace nereid::cpu
