// TextScan.cpp: a token-aware pass over MLIR text.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "TextScan.h"
#include "ReferenceCheck.h"
#include "Scanner.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using nereid::tt::ReferenceCheck;
using nereid::tt::Scanner;
using nereid::tt::TextError;
using nereid::tt::Token;
using nereid::tt::TokenKind;

namespace {

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

static TextError errorAt(StringRef text, const ReferenceCheck::Misuse &misuse) {
  TextError definition = errorAt(text, misuse.definition, "");
  return errorAt(text, misuse.use,
                 "'" + misuse.name +
                     "' is used here, outside of the region that defines it "
                     "at " +
                     Twine(definition.line) + ":" + Twine(definition.column));
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
  ReferenceCheck references;
  for (Token token = scanner.next(); token.kind != TokenKind::End;
       token = scanner.next()) {
    if (!depth.add(token))
      return errorAt(text, token.offset,
                     "nested more than " + Twine(maxDepth) + " deep");
    // Affine expressions nest without brackets, and Triton has none.
    if (token.spelling == "affine_map" || token.spelling == "affine_set")
      return errorAt(text, token.offset,
                     "found " + token.spelling + ", which Triton IR has not");
    if (std::optional<ReferenceCheck::Misuse> misuse = references.add(token))
      return errorAt(text, *misuse);
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
