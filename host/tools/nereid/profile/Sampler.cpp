// Sampler.cpp - timers of the threads' processor time, and their handler.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "profile/Sampler.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sys/types.h>
#include <ucontext.h>

namespace nereid::tool {

// A minute of 16 threads; what is beyond is not recorded.
static constexpr size_t mostSamples = 1 << 20;
static constexpr long interval = 1'000'000; // nanoseconds

// What the handler writes to, null while there is no sampler.
static std::atomic<uintptr_t *> samples;
static std::atomic<size_t> count;

static uintptr_t addressIn(const ucontext_t &context) {
#if defined(__x86_64__)
  return static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.pc;
#else
  return 0;
#endif
}

static void record(int, siginfo_t *, void *context) {
  uintptr_t *target = samples;
  size_t index = count.fetch_add(1);
  if (target && index < mostSamples)
    target[index] = addressIn(*static_cast<const ucontext_t *>(context));
}

/// The clock of the processor time of a thread of this process, which
/// pthread_getcpuclockid() gives for threads with a handle only: the number as
/// the Linux kernel reads it, with 6 for a thread's scheduled time.
static clockid_t clockOf(pid_t thread) {
  return static_cast<clockid_t>(~static_cast<uint32_t>(thread) << 3 | 6);
}

static std::vector<pid_t> threadsOfThisProcess() {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto &entry :
       std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    std::string name = entry.path().filename();
    pid_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    found.push_back(thread);
  }
  return found;
}

Sampler::Sampler() : addresses(mostSamples) {
  count = 0;
  samples = addresses.data();
  struct sigaction action = {};
  action.sa_sigaction = record;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  for (pid_t thread : threadsOfThisProcess()) {
    struct sigevent event = {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event._sigev_un._tid = thread;
    timer_t timer = {};
    if (timer_create(clockOf(thread), &event, &timer) != 0)
      continue;
    timers.push_back(timer);
    struct itimerspec times = {{0, interval}, {0, interval}};
    timer_settime(timer, 0, &times, nullptr);
  }
}

void Sampler::stop() {
  for (timer_t timer : timers)
    timer_delete(timer);
  timers.clear();
  samples = nullptr;
}

// A signal may still be pending, which would end the process by default.
Sampler::~Sampler() {
  stop();
  signal(SIGPROF, SIG_IGN);
}

std::vector<uintptr_t> Sampler::take() {
  stop();
  addresses.resize(std::min(count.load(), mostSamples));
  return std::move(addresses);
}

} // namespace nereid::tool
