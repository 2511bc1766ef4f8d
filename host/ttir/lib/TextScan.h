// TextScan.h: what is checked and changed in text before MLIR parses it.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_LIB_TEXTSCAN_H
#define NEREID_TTIR_LIB_TEXTSCAN_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace nereid::tt {

/// The name of LLVM's assume, and of the `tt` operation that stands in for it
/// in text. They have one length, so that replacing one moves nothing.
inline constexpr llvm::StringLiteral kAssumeName = "llvm.intr.assume";
inline constexpr llvm::StringLiteral kAssumeCustomName = "tt.assume_custom";
static_assert(kAssumeName.size() == kAssumeCustomName.size());

/// What is wrong with a text, and where: line and column count from 1.
struct TextError {
  unsigned line, column;
  std::string message;
};

/// Refuses \p text that is not UTF-8, that nests deeper than \p maxDepth
/// (MLIR's parser is recursive and would exhaust the stack), or that uses
/// values before the regions that define them (see ReferenceCheck).
std::optional<TextError> checkText(llvm::StringRef text, unsigned maxDepth);

/// Replaces operation \p from by \p to wherever it is used in custom form;
/// strings and comments stay as they are.
std::string renameOperation(llvm::StringRef text, llvm::StringRef from,
                            llvm::StringRef to);

} // namespace nereid::tt

#endif // NEREID_TTIR_LIB_TEXTSCAN_H
