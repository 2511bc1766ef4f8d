// Lexer.h - the words of an expression.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_EXPR_LEXER_H
#define NEREID_OPS_EXPR_LEXER_H

#include "expr/Value.h"
#include "support/Result.h"

#include <string>
#include <string_view>

namespace nereid::ops {

enum class TokenKind { End, Name, Keyword, Number, String, Operator };

struct Token {
  TokenKind kind = TokenKind::End;
  size_t column = 1;
  std::string_view text; // as written
  Value value;           // of a number or a string
};

/// Where an expression is wrong: the column, from 1, and why.
struct ExpressionError {
  size_t column = 1;
  std::string text;
};

/// "expression 'a +', column 4: ..."
host::Failure describe(std::string_view expression,
                       const ExpressionError &error);

class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}

  /// The next word, or why there is none; the end again and again.
  bool next(Token &token, ExpressionError &error);

private:
  bool number(Token &token, ExpressionError &error);
  bool string(Token &token, ExpressionError &error);

  std::string_view text;
  size_t at = 0;
};

/// Whether \p name can be the name of a value.
bool isName(std::string_view name);

} // namespace nereid::ops

#endif // NEREID_OPS_EXPR_LEXER_H
