// Input.h - what is wrong with the bytes that a stage was given.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_INPUT_H
#define NEREID_CPU_COMPILER_BACKEND_INPUT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace nereid::cpu {

/// A mistake at a place of the input, both from 1.
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

enum class InputKind { Ttir, Llvm, Assembly, Elf, Unknown };

/// What `bytes` look like.
InputKind guessKind(llvm::StringRef bytes);

/// Refuses bytes that are clearly of another kind than `wanted`, of which a
/// parser would say something less helpful.
llvm::Error checkKind(llvm::StringRef bytes, InputKind wanted);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_INPUT_H
