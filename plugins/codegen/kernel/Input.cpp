// Input.cpp - recognises kinds of input by their first words.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel/Input.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/raw_ostream.h"

namespace nereid::codegen {

char InputError::ID;

/// LLVM's assembler begins its sentences with a capital.
static std::string lowerFirst(llvm::StringRef text) {
  std::string lower = text.str();
  if (text.size() > 1 && llvm::isLower(text[1]))
    lower[0] = llvm::toLower(text[0]);
  return lower;
}

InputError::InputError(unsigned line, unsigned column, llvm::StringRef text)
    : line(line), column(column), text(lowerFirst(text)) {}

void InputError::log(llvm::raw_ostream &stream) const {
  stream << line << ':' << column << ": " << text;
}

InputKind guessKind(llvm::StringRef bytes) {
  if (bytes.starts_with("ML\xefR"))
    return InputKind::Ttir;
  if (bytes.starts_with("\x7f"
                        "ELF"))
    return InputKind::Elf;
  if (llvm::identify_magic(bytes) == llvm::file_magic::bitcode)
    return InputKind::LlvmIr;
  for (llvm::StringRef line : llvm::split(bytes, '\n')) {
    line = line.ltrim();
    auto starts = [&](llvm::StringRef word) { return line.starts_with(word); };
    if (starts("tt.func") || starts("module {") || starts("module attributes"))
      return InputKind::Ttir;
    if (starts("define ") || starts("source_filename") || starts("target "))
      return InputKind::LlvmIr;
    if (starts(".text") || starts(".section") || starts(".globl"))
      return InputKind::Assembly;
  }
  return InputKind::Unknown;
}

static llvm::StringRef nameOf(InputKind kind) {
  switch (kind) {
  case InputKind::Ttir:
    return "TTIR";
  case InputKind::LlvmIr:
    return "LLVM IR";
  case InputKind::Assembly:
    return "assembly";
  case InputKind::Elf:
    return "an ELF file";
  case InputKind::Unknown:
    break;
  }
  return "something else";
}

llvm::Error checkKind(llvm::StringRef bytes, InputKind wanted) {
  InputKind found = guessKind(bytes);
  if (found == wanted || found == InputKind::Unknown)
    return llvm::Error::success();
  return llvm::createStringError("found " + nameOf(found) + ", expected " +
                                 nameOf(wanted));
}

llvm::Error missingInput() {
  return llvm::createStringError(
      "no input was given, and no stage ran before");
}

} // namespace nereid::codegen
