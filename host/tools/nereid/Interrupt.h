// Interrupt.h - Ctrl-C handling: ends the process without leaving partial
// files.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_INTERRUPT_H
#define NEREID_TOOL_INTERRUPT_H

namespace nereid::tool {

/// From now on SIGINT and SIGTERM remove unfinished files, then end the
/// process as they would have.
void installInterrupts();

/// While one exists, the first SIGINT only sets a flag; a second one ends the
/// process.
class InterruptFlag {
public:
  InterruptFlag();
  ~InterruptFlag();
  bool isSet() const;
};

} // namespace nereid::tool

#endif // NEREID_TOOL_INTERRUPT_H
