// Input.h - errors in the input of a stage.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_INPUT_H
#define NEREID_CODEGEN_KERNEL_INPUT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace nereid::codegen {

/// An error at a position of the input; line and column count from 1.
class InputError : public llvm::ErrorInfo<InputError> {
public:
  InputError(unsigned line, unsigned column, llvm::StringRef text);
  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  static char ID;
  const unsigned line, column;
  const std::string text;
};

enum class InputKind { Ttir, LlvmIr, Assembly, Elf, Unknown };

/// Guesses the kind of `bytes` from the beginnings of its lines.
InputKind guessKind(llvm::StringRef bytes);

/// Reports bytes that are clearly of another kind than `wanted`, with a clearer
/// message than a parser's.
llvm::Error checkKind(llvm::StringRef bytes, InputKind wanted);

/// The error of a stage without input bytes and without a result of an earlier
/// stage.
llvm::Error missingInput();

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_INPUT_H
