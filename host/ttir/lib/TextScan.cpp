// TextScan.cpp: a token-aware pass over MLIR text.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "TextScan.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using nereid::tt::TextError;

namespace {

enum class TokenKind { End, Identifier, Alias, Open, Close, Other };

struct Token {
  TokenKind kind = TokenKind::End;
  size_t offset = 0;
  StringRef spelling;
};

/// Splits MLIR text into tokens, as coarsely as the checks below allow: numbers
/// and values are `Other`, strings and comments do not appear.
class Scanner {
public:
  explicit Scanner(StringRef text) : text(text) {}

  Token next() {
    while (position < text.size()) {
      char c = text[position];
      if (c == '"')
        skipString();
      else if (text.substr(position).starts_with("//"))
        position = std::min(text.find('\n', position), text.size());
      else if (isSpace(c))
        ++position;
      else
        return token(c);
    }
    return {};
  }

private:
  Token token(char c) {
    StringRef rest = text.substr(position);
    if (isAlpha(c) || c == '_')
      return take(TokenKind::Identifier, wordLength(rest));
    if (c == '#' || c == '!')
      return take(TokenKind::Alias, 1 + suffixLength(rest.drop_front()));
    if (c == '%' || c == '@' || c == '^')
      return take(TokenKind::Other, 1 + suffixLength(rest.drop_front()));
    if (rest.starts_with("->"))
      return take(TokenKind::Other, 2);
    if (StringRef("([{<").contains(c))
      return take(TokenKind::Open, 1);
    if (StringRef(")]}>").contains(c))
      return take(TokenKind::Close, 1);
    return take(TokenKind::Other, 1);
  }

  Token take(TokenKind kind, size_t length) {
    Token token{kind, position, text.substr(position, length)};
    position += length;
    return token;
  }

  static size_t wordLength(StringRef rest) {
    return rest
        .take_while([](char c) {
          return isAlnum(c) || c == '_' || c == '$' || c == '.';
        })
        .size();
  }

  static size_t suffixLength(StringRef rest) {
    return rest
        .take_while([](char c) {
          return isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-';
        })
        .size();
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

  StringRef text;
  size_t position = 0;
};

/// How deep the brackets nest, counting what an alias stands for: a chain of
/// aliases nests as deep as if it were written out.
class DepthCheck {
public:
  explicit DepthCheck(unsigned maxDepth) : maxDepth(maxDepth) {}

  /// Takes the next token; false when it lies too deep.
  bool add(const Token &token) {
    if (token.kind == TokenKind::Close) {
      depth -= depth > 0;
      return true;
    }
    unsigned reached = depth;
    if (token.kind == TokenKind::Open)
      reached = ++depth;
    else if (token.kind == TokenKind::Alias)
      reached += aliases.lookup(token.spelling) + 1;

    noteDefinition(token);
    if (!defined.empty()) {
      unsigned &known = aliases[defined];
      known = std::max(known, reached);
    }
    return reached <= maxDepth;
  }

private:
  /// `#name =` outside of all brackets begins a definition, which lasts until
  /// the next one or until an operation.
  void noteDefinition(const Token &token) {
    if (depth > 0)
      return;
    if (token.spelling == "=" && !last.empty())
      defined = last;
    else if (token.spelling == "module" || token.spelling == "tt.func")
      defined = {};
    last = token.kind == TokenKind::Alias ? token.spelling : StringRef();
  }

  unsigned maxDepth;
  unsigned depth = 0;
  StringMap<unsigned> aliases;
  StringRef defined;
  StringRef last;
};

} // namespace

static TextError errorAt(StringRef text, size_t offset, const Twine &message) {
  StringRef before = text.take_front(offset);
  size_t lineStart = before.rfind('\n') + 1;
  return {static_cast<unsigned>(before.count('\n') + 1),
          static_cast<unsigned>(offset - lineStart + 1), message.str()};
}

std::optional<TextError> nereid::tt::checkText(StringRef text,
                                               unsigned maxDepth) {
  size_t offset = 0;
  if (!json::isUTF8(text, &offset))
    return errorAt(text, offset,
                   "invalid UTF-8, byte 0x" +
                       utohexstr(static_cast<uint8_t>(text[offset]), true));

  Scanner scanner(text);
  DepthCheck depth(maxDepth);
  for (Token token = scanner.next(); token.kind != TokenKind::End;
       token = scanner.next()) {
    if (!depth.add(token))
      return errorAt(text, token.offset,
                     "nested more than " + Twine(maxDepth) + " deep");
    // Affine expressions nest without brackets, and Triton has none.
    if (token.spelling == "affine_map" || token.spelling == "affine_set")
      return errorAt(text, token.offset,
                     "found " + token.spelling + ", which Triton IR has not");
  }
  return std::nullopt;
}

std::string nereid::tt::renameOperation(StringRef text, StringRef from,
                                        StringRef to) {
  std::string result = text.str();
  if (!text.contains(from))
    return result;
  Scanner scanner(text);
  Token previous;
  for (Token token = scanner.next(); token.kind != TokenKind::End;
       token = scanner.next()) {
    if (previous.kind == TokenKind::Identifier && previous.spelling == from &&
        token.spelling.starts_with("%"))
      result.replace(previous.offset, from.size(), to.str());
    previous = token;
  }
  return result;
}
