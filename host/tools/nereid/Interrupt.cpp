// Interrupt.cpp - the handlers of SIGINT and SIGTERM.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Interrupt.h"

#include "Files.h"

#include <csignal>

namespace nereid::tool {

static volatile std::sig_atomic_t isAwaited = 0;
static volatile std::sig_atomic_t isInterrupted = 0;

static void handle(int number) {
  if (number == SIGINT && isAwaited && !isInterrupted) {
    isInterrupted = 1;
    return;
  }
  tools::removeUnfinishedFile();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void installInterrupts() {
  struct sigaction action = {};
  action.sa_handler = handle;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (int number : {SIGINT, SIGTERM}) {
    struct sigaction before;
    // A signal that was ignored at the start stays ignored.
    if (sigaction(number, nullptr, &before) == 0 &&
        before.sa_handler != SIG_IGN)
      sigaction(number, &action, nullptr);
  }
}

InterruptFlag::InterruptFlag() {
  isInterrupted = 0;
  isAwaited = 1;
}
InterruptFlag::~InterruptFlag() { isAwaited = 0; }
bool InterruptFlag::isSet() const { return isInterrupted != 0; }

} // namespace nereid::tool
