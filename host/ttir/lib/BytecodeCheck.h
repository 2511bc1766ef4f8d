// BytecodeCheck.h: the structure of bytecode that is not trusted.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_LIB_BYTECODECHECK_H
#define NEREID_TTIR_LIB_BYTECODECHECK_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace nereid::tt {

/// Says what is wrong with \p bytes, before MLIR reads them, of what it
/// believes: how many strings, attributes, values, regions there are, and
/// which uses an order of uses names. What attributes hold is not looked at
/// (BytecodeElements.h), but for those that are text: they may not nest deeper
/// than \p maxDepth, and neither may regions.
std::optional<std::string> checkBytecode(llvm::StringRef bytes,
                                         unsigned maxDepth);

} // namespace nereid::tt

#endif // NEREID_TTIR_LIB_BYTECODECHECK_H
