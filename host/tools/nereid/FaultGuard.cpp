// FaultGuard.cpp - the handlers of SIGSEGV and SIGBUS during a launch.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "FaultGuard.h"

#include "Files.h"

#include <atomic>
#include <unistd.h>

namespace nereid::tool {

static const PreparedError *prepared;
static std::atomic_flag isTold = ATOMIC_FLAG_INIT;

// The kernel may have used up the launching thread's own stack.
alignas(16) static char handlerStack[1 << 16];

static void handle(int) {
  // Several threads may fault at once; the first one ends the process.
  while (isTold.test_and_set())
    pause();
  (void)writeAll(2, prepared->lines);
  (void)writeAll(prepared->file, prepared->document);
  _exit(exitFault);
}

FaultGuard::FaultGuard(const PreparedError &message) {
  prepared = &message;
  stack_t stack = {};
  stack.ss_sp = handlerStack;
  stack.ss_size = sizeof handlerStack;
  sigaltstack(&stack, &stackBefore);
  struct sigaction action = {};
  action.sa_handler = handle;
  sigfillset(&action.sa_mask);
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &action, &segvBefore);
  sigaction(SIGBUS, &action, &busBefore);
}

FaultGuard::~FaultGuard() {
  sigaction(SIGSEGV, &segvBefore, nullptr);
  sigaction(SIGBUS, &busBefore, nullptr);
  sigaltstack(&stackBefore, nullptr);
}

} // namespace nereid::tool
