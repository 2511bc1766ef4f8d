// Scanner.h: MLIR text as tokens.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_LIB_SCANNER_H
#define NEREID_TTIR_LIB_SCANNER_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace nereid::tt {

enum class TokenKind {
  End,
  Identifier,
  Alias,
  Value,
  Block,
  String,
  Open,
  Close,
  Other
};

struct Token {
  TokenKind kind = TokenKind::End;
  size_t offset = 0;
  llvm::StringRef spelling;
};

/// Splits MLIR text into tokens, as coarsely as the checks below allow: the
/// digits of numbers are `Other`, comments do not appear.
class Scanner {
public:
  explicit Scanner(llvm::StringRef text) : text(text) {}

  Token next() {
    while (position < text.size()) {
      char c = text[position];
      if (c == '"')
        return string();
      if (text.substr(position).starts_with("//"))
        position = std::min(text.find('\n', position), text.size());
      else if (llvm::isSpace(c) || c == '\0') // as for MLIR
        ++position;
      else
        return token(c);
    }
    return {};
  }

private:
  Token token(char c) {
    llvm::StringRef rest = text.substr(position);
    if (llvm::isAlpha(c) || c == '_')
      return take(TokenKind::Identifier, wordLength(rest));
    if (c == '#' || c == '!')
      return take(TokenKind::Alias, 1 + suffixLength(rest.drop_front()));
    if (c == '%' || c == '@' || c == '^')
      return take(c == '%'   ? TokenKind::Value
                  : c == '^' ? TokenKind::Block
                             : TokenKind::Other,
                  1 + suffixLength(rest.drop_front()));
    if (rest.starts_with("->"))
      return take(TokenKind::Other, 2);
    if (llvm::StringRef("([{<").contains(c))
      return take(TokenKind::Open, 1);
    if (llvm::StringRef(")]}>").contains(c))
      return take(TokenKind::Close, 1);
    return take(TokenKind::Other, 1);
  }

  Token take(TokenKind kind, size_t length) {
    Token token{kind, position, text.substr(position, length)};
    position += length;
    return token;
  }

  static size_t wordLength(llvm::StringRef rest) {
    return rest
        .take_while([](char c) {
          return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.';
        })
        .size();
  }

  /// A name that begins with a digit holds nothing else.
  static size_t suffixLength(llvm::StringRef rest) {
    if (!rest.empty() && llvm::isDigit(rest.front()))
      return rest.take_while(llvm::isDigit).size();
    return rest
        .take_while([](char c) {
          return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' ||
                 c == '-';
        })
        .size();
  }

  Token string() {
    size_t start = position;
    skipString();
    return {TokenKind::String, start, text.slice(start, position)};
  }

  /// A string ends on its line at the latest, as it does for MLIR.
  void skipString() {
    for (++position; position < text.size(); ++position) {
      char c = text[position];
      if (c == '\\') {
        ++position;
        continue;
      }
      if (c == '"')
        ++position;
      if (c == '"' || c == '\n')
        return;
    }
    position = std::min(position, text.size());
  }

  llvm::StringRef text;
  size_t position = 0;
};

} // namespace nereid::tt

#endif // NEREID_TTIR_LIB_SCANNER_H
