// Part.cpp - the only function that the compiler part exports.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel/Part.h"
#include "Session.h"

const nereid::plugin::CompilerFunctions *nereid_compiler_part() {
  return nereid::codegen::compilerFunctions<nereid::cpu::Session,
                                            nereid_cpu_options_t>();
}
