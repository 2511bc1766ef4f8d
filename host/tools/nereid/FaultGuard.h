// FaultGuard.h - turns a kernel's invalid memory access into a message and
// an exit code instead of a crash.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_FAULTGUARD_H
#define NEREID_TOOL_FAULTGUARD_H

#include "Output.h"

#include <csignal>

namespace nereid::tool {

/// While one exists, SIGSEGV and SIGBUS write \p message and end the process
/// with exitFault. Only during a launch: elsewhere they are crashes. One at
/// a time.
class FaultGuard {
public:
  explicit FaultGuard(const PreparedError &message);
  ~FaultGuard();
  FaultGuard(const FaultGuard &) = delete;

private:
  struct sigaction segvBefore, busBefore;
  stack_t stackBefore;
};

} // namespace nereid::tool

#endif // NEREID_TOOL_FAULTGUARD_H
