// compiler.h - the compiler's table.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_H
#define NEREID_CPU_COMPILER_H

#include "nereid/plugin.h"

namespace nereid::cpu {

extern const nereid_compiler_t kCompiler;

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_H
