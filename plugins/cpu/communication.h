// communication.h - launches whose programs communicate.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMMUNICATION_H
#define NEREID_CPU_COMMUNICATION_H

#include "image.h"

namespace nereid::cpu {

/// Part of a launch of a kernel whose programs communicate; does nothing for
/// any other. In a process several such launches run at the same time, or an
/// exclusive one, whose atomic operations need no locks. The others wait for
/// that: it must end, or share(), without them.
class Communication {
public:
  /// If `mayExclude`, it is exclusive unless others run; else it waits for an
  /// exclusive one to end. [any-thread]
  Communication(const nereid_cpu_kernel_t &image, bool mayExclude);
  ~Communication();
  Communication(const Communication &) = delete;
  Communication &operator=(const Communication &) = delete;

  bool isExclusive() const { return excludes; }
  /// Does another launch wait for this exclusive one?
  bool isAwaited() const;
  /// Lets others run; this exclusive one is one of several from now on.
  void share();

private:
  const bool communicates;
  bool excludes = false;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMMUNICATION_H
