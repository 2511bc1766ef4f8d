// nereid-probe.cpp - the child process of an isolated probe: nereid-probe
// PLUGIN, with a pipe as file 3.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "process/IsolatedProbe.h"

#include <sys/prctl.h>

#include <csignal>
#include <cstdio>

int main(int count, char **arguments) {
  if (count != 2) {
    std::fputs("usage: nereid-probe PLUGIN (run by libnereid)\n", stderr);
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  nereid::host::runProbe(arguments[1], 3);
  // Destructors run now: a plugin that crashes there fails its probe too.
}
