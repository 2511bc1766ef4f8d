// BytecodeElements.h: attributes and types of bytecode that is not trusted.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_LIB_BYTECODEELEMENTS_H
#define NEREID_TTIR_LIB_BYTECODEELEMENTS_H

#include "mlir/Bytecode/BytecodeReaderConfig.h"

namespace nereid::tt {

/// Reads the builtin attributes and types in MLIR's stead, which believes what
/// they say: one that holds itself, data that is shorter than its type, an
/// integer of a type that is none. At most \p maxDepth of them may be inside
/// one another.
void readElementsChecked(mlir::BytecodeReaderConfig &config, unsigned maxDepth);

} // namespace nereid::tt

#endif // NEREID_TTIR_LIB_BYTECODEELEMENTS_H
