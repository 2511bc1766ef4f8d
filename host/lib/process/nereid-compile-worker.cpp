// nereid-compile-worker.cpp - the process in which libnereid compiles with one
// plugin, if it is told to (docs/workers.md): `nereid-compile-worker PLUGIN
// safe|writable LEVEL`, with a socket as file 3.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "process/CompileWorkers.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

int main(int count, char **arguments) {
  if (count != 4) {
    std::fputs("usage: nereid-compile-worker PLUGIN safe|writable LEVEL (run "
               "by libnereid)\n",
               stderr);
    return 2;
  }
  int status = nereid::host::serveCompiler(
      arguments[1], std::string_view(arguments[2]) == "writable",
      std::atoi(arguments[3]));
  // Without destructors: a plugin may crash in its own.
  _exit(status);
}
