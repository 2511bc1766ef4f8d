// Messages.cpp - what prints and assertions of a kernel say.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel/Messages.h"

using namespace mlir;

namespace nereid::codegen {

std::string printedType(Type element, bool isSigned) {
  if (isa<tt::PointerType>(element))
    return "ptr";
  if (element.isInteger() && !element.isInteger(1) && !isSigned)
    return "u" + std::to_string(element.getIntOrFloatBitWidth());
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return text;
}

std::string messageAt(Location place, StringRef message) {
  auto line = place->findInstanceOf<FileLineColLoc>();
  if (!line)
    return message.str();
  return (line.getFilename().getValue() + ":" + Twine(line.getLine()) + ": " +
          message)
      .str();
}

} // namespace nereid::codegen
