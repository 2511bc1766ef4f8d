// Progress.cpp - the thread that draws the line, and erases it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Progress.h"

#include <csignal>
#include <cstdio>
#include <unistd.h>

namespace nereid::tool {

using namespace std::chrono_literals;

Progress::Progress(std::string what) : what(std::move(what)) {
  if (!isatty(2))
    return;
  // Signals are for the main thread, whose calls they interrupt.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread = std::thread([this] { show(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Progress::~Progress() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard lock(mutex);
    isDone = true;
  }
  wake.notify_all();
  thread.join();
}

void Progress::show() {
  auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex);
  if (wake.wait_for(lock, 1s, [this] { return isDone; }))
    return;
  do {
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::steady_clock::now() - start);
    uint64_t done = steps.load(std::memory_order_relaxed);
    std::string count = done ? ", " + std::to_string(done) + " done" : "";
    std::fprintf(stderr, "\r\033[K%.60s ... %lld s%s", what.c_str(),
                 static_cast<long long>(seconds.count()), count.c_str());
    std::fflush(stderr);
  } while (!wake.wait_for(lock, 200ms, [this] { return isDone; }));
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

} // namespace nereid::tool
