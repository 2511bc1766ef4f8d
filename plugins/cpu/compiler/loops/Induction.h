// Induction.h - tiles of pointers or indices that a loop only advances.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_INDUCTION_H
#define NEREID_CPU_COMPILER_INDUCTION_H

#include "nereid/ttir/Dialect.h"

namespace nereid::cpu {

/// Turns each tile that an scf.for carries only to add the same thing to it
/// every time (`ptrs += BLOCK_K * stride`) into its first value plus a scalar
/// that the loop carries instead. The tile is then an index function.
void scalarizeInductions(tt::FuncOp function);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_INDUCTION_H
