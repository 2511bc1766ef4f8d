// slow_compiler_part.cpp - a compiler part that takes its time to load.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/compiler_functions.h"

#include <unistd.h>

using nereid::plugin::CompilerFunctions;

const CompilerFunctions *nereid_compiler_part() {
  static constexpr CompilerFunctions functions = {sizeof functions,
                                                  sizeof(uint64_t),
                                                  nullptr,
                                                  nullptr,
                                                  nullptr,
                                                  [] {},
                                                  [] {}};
  usleep(200000);
  return &functions;
}
