// Messages.h - what prints and assertions of a kernel say.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_MESSAGES_H
#define NEREID_CODEGEN_KERNEL_MESSAGES_H

#include "nereid/ttir/Dialect.h"

#include <string>

namespace nereid::codegen {

/// The name of the type of an element that is printed, as print_format.h of
/// the plugins knows it.
std::string printedType(mlir::Type element, bool isSigned);

/// "file.py:12: " and \p message; the message alone if the place is not known.
std::string messageAt(mlir::Location place, llvm::StringRef message);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_MESSAGES_H
