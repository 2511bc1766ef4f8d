// ReferenceCheck.h: values that are used outside of their region.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_LIB_REFERENCECHECK_H
#define NEREID_TTIR_LIB_REFERENCECHECK_H

#include "Scanner.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace nereid::tt {

/// Finds values that are used before the region begins that defines them. No
/// valid text has them, and MLIR 19's parser, which takes any definition of the
/// name that comes later, touches freed memory: when the operation of the
/// region is the user itself, or when the region is dropped because of another
/// error.
///
/// Malformed text is left to the parser, which stops at it.
class ReferenceCheck {
public:
  struct Misuse {
    llvm::StringRef name;
    size_t use, definition; // offsets
  };

  ReferenceCheck() : regions(1) {}

  /// Takes the next token.
  std::optional<Misuse> add(const Token &token);

private:
  struct Region {
    size_t begin = 0;
    llvm::SmallVector<llvm::StringRef, 0> defined;
  };

  enum class BracketKind { Region, Parameters, Label, Group, Other };

  struct Bracket {
    BracketKind kind;
    char close;
    llvm::SmallVector<Token, 0> values; // of Label and Group: seen so far
  };

  bool inRegion() const {
    return brackets.empty() || brackets.back().kind == BracketKind::Region;
  }

  void resolveClosed(const Token &next);
  void resolveAssigned(const Token &next);
  void addInRegion(const Token &token);
  void addInParentheses(const Token &token);
  void open(const Token &token);
  void close(const Token &token);
  BracketKind kindOf(const Token &open) const;

  void use(llvm::ArrayRef<Token> values);
  void define(llvm::ArrayRef<Token> values);

  llvm::SmallVector<Bracket> brackets;
  llvm::SmallVector<Region> regions; // the text itself first
  /// Where names were first used that no closed region has defined.
  llvm::DenseMap<llvm::StringRef, size_t> firstUse;

  /// `%a, %b:2`, which are results if `=` follows.
  llvm::SmallVector<Token> list;
  bool assigned = false; // it did
  /// The parentheses that the last token closed.
  std::optional<Bracket> closed;
  /// Arguments of the region that begins next.
  llvm::SmallVector<Token> arguments;
  bool expectsParameters = false;
  Token previous, beforePrevious;

  std::optional<Misuse> misuse;
  bool malformed = false;
};

} // namespace nereid::tt

#endif // NEREID_TTIR_LIB_REFERENCECHECK_H
