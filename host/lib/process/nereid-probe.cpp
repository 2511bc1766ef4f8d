// nereid-probe.cpp - the process in which libnereid tries a plugin, with a pipe
// as file 3: `nereid-probe PLUGIN` loads it, `nereid-probe --check NAME PLUGIN
// COMPILER [BACKEND ARCH FEATURES WARP_SIZE]` runs a conformance check, with an
// empty COMPILER for none.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "check/Check.h"
#include "process/HelperProcess.h"
#include "process/IsolatedProbe.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

using namespace nereid::host;

int main(int count, char **arguments) {
  bool isCheck = count > 1 && std::string_view(arguments[1]) == "--check";
  if (isCheck ? count != 5 && count != 9 : count != 2) {
    std::fputs("usage: nereid-probe PLUGIN (run by libnereid)\n", stderr);
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A plugin that crashes here is expected: no core file.
  rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (isCheck) {
    CheckRequest request = {arguments[3], arguments[4], {}};
    if (count == 9)
      request.target = {arguments[5], arguments[6], arguments[7],
                        std::atoi(arguments[8])};
    bool isKnown = runCheck(arguments[2], request, helperPipe);
    // Without destructors: one that crashes fails a check of its own.
    _exit(isKnown ? 0 : 2);
  }
  runProbe(arguments[1], helperPipe);
  // Destructors run now: a plugin that crashes there fails its probe too.
}
