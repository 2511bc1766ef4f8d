// ReferenceCheck.cpp: values that are used outside of their region.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ReferenceCheck.h"

using namespace llvm;
using namespace nereid::tt;

std::optional<ReferenceCheck::Misuse> ReferenceCheck::add(const Token &token) {
  if (malformed)
    return std::nullopt;
  resolveClosed(token);
  resolveAssigned(token);
  if (token.kind == TokenKind::Open)
    open(token);
  else if (token.kind == TokenKind::Close)
    close(token);
  else if (inRegion())
    addInRegion(token);
  else
    addInParentheses(token);
  beforePrevious = previous;
  previous = token;
  return misuse;
}

/// `(...)` held arguments of a block if it is part of `^label(...):`, and of a
/// region in `(%i) = (...)` and in `(%i) in (...)`.
void ReferenceCheck::resolveClosed(const Token &next) {
  if (!closed)
    return;
  if (closed->kind == BracketKind::Label && next.spelling == ":")
    define(closed->values);
  else if (next.spelling == "=" || next.spelling == "in")
    append_range(arguments, closed->values);
  else
    use(closed->values);
  closed.reset();
}

/// `%a, %b = op` defines results, `%i = %a` the argument of a region.
void ReferenceCheck::resolveAssigned(const Token &next) {
  if (!assigned)
    return;
  if (next.kind == TokenKind::Value)
    arguments.push_back(list.pop_back_val());
  else
    define(std::exchange(list, {}));
  use(list);
  list.clear();
  assigned = false;
}

void ReferenceCheck::addInRegion(const Token &token) {
  bool isCount =
      token.kind == TokenKind::Other && isDigit(token.spelling.front());
  if (!list.empty()) {
    if (token.spelling == "=") {
      assigned = true;
      return;
    }
    if (token.spelling == "," || token.spelling == ":" || isCount)
      return;
    if (token.kind != TokenKind::Value || previous.spelling != ",") {
      use(list);
      list.clear();
    }
  }
  if (token.kind == TokenKind::Value)
    list.push_back(token);

  // Another operation begins: the last one had no region.
  bool isFunction =
      token.spelling == "func" || token.spelling.ends_with(".func");
  if (token.kind == TokenKind::String || isFunction ||
      (token.kind == TokenKind::Identifier && token.spelling.contains('.')))
    arguments.clear();
  if (token.kind == TokenKind::Identifier && isFunction)
    expectsParameters = true;
}

void ReferenceCheck::addInParentheses(const Token &token) {
  Bracket &bracket = brackets.back();
  bool holdsBack =
      bracket.kind == BracketKind::Group || bracket.kind == BracketKind::Label;
  if (token.kind == TokenKind::Value) {
    if (bracket.kind == BracketKind::Parameters)
      arguments.push_back(token);
    else if (holdsBack)
      bracket.values.push_back(token);
    else
      use(token);
  } else if (token.spelling == "=" && holdsBack &&
             previous.kind == TokenKind::Value) {
    arguments.push_back(bracket.values.pop_back_val());
  }
}

ReferenceCheck::BracketKind ReferenceCheck::kindOf(const Token &open) const {
  char c = open.spelling.front();
  if (c == '{') {
    bool isRegion =
        inRegion() ? previous.spelling != "attributes"
                   : brackets.back().kind == BracketKind::Group &&
                         (previous.spelling == "(" || previous.spelling == ",");
    return isRegion ? BracketKind::Region : BracketKind::Other;
  }
  if (c != '(')
    return BracketKind::Other;
  if (!inRegion())
    return BracketKind::Group;
  if (expectsParameters || previous.spelling == "workgroup" ||
      previous.spelling == "private")
    return BracketKind::Parameters;
  // A successor of llvm.invoke is followed by a colon, too.
  if (previous.kind == TokenKind::Block && beforePrevious.spelling != "unwind")
    return BracketKind::Label;
  return BracketKind::Group;
}

void ReferenceCheck::open(const Token &token) {
  BracketKind kind = kindOf(token);
  use(list);
  list.clear();
  if (kind == BracketKind::Parameters)
    expectsParameters = false;
  if (kind == BracketKind::Region) {
    if (!brackets.empty()) {
      use(brackets.back().values);
      brackets.back().values.clear();
    }
    regions.push_back({token.offset, {}});
    define(std::exchange(arguments, {}));
  }
  static constexpr StringLiteral kOpening = "([{<", kClosing = ")]}>";
  brackets.push_back(
      {kind, kClosing[kOpening.find(token.spelling.front())], {}});
}

void ReferenceCheck::close(const Token &token) {
  use(list);
  list.clear();
  if (brackets.empty() || brackets.back().close != token.spelling.front()) {
    malformed = true;
    return;
  }
  Bracket bracket = brackets.pop_back_val();
  if (bracket.kind == BracketKind::Region) {
    for (StringRef name : regions.pop_back_val().defined)
      firstUse.erase(name);
    arguments.clear();
  } else if (token.spelling == ")") {
    closed = std::move(bracket);
  }
}

void ReferenceCheck::use(ArrayRef<Token> values) {
  for (const Token &value : values)
    firstUse.try_emplace(value.spelling, value.offset);
}

void ReferenceCheck::define(ArrayRef<Token> values) {
  Region &region = regions.back();
  for (const Token &value : values) {
    auto used = firstUse.find(value.spelling);
    if (used != firstUse.end() && used->second < region.begin && !misuse)
      misuse = Misuse{value.spelling, used->second, value.offset};
    region.defined.push_back(value.spelling);
  }
}
