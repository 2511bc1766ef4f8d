// Lexer.cpp - names, numbers and strings as Python writes them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "expr/Lexer.h"

#include "text/EscapeForTerminal.h"

#include <algorithm>
#include <charconv>

namespace nereid::ops {

static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool startsName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool isWordPart(char c) { return startsName(c) || isDigit(c); }

// Python's words, also those that have no use here: nothing can be called so.
static constexpr std::string_view keywords[] = {
    "False",  "None",   "True",    "and",      "as",       "assert", "async",
    "await",  "break",  "class",   "continue", "def",      "del",    "elif",
    "else",   "except", "finally", "for",      "from",     "global", "if",
    "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
    "pass",   "raise",  "return",  "try",      "while",    "with",   "yield"};

static bool isKeyword(std::string_view word) {
  return std::find(std::begin(keywords), std::end(keywords), word) !=
         std::end(keywords);
}

bool isName(std::string_view name) {
  return !name.empty() && startsName(name[0]) &&
         std::all_of(name.begin(), name.end(), isWordPart) && !isKeyword(name);
}

host::Failure describe(std::string_view expression,
                       const ExpressionError &error) {
  constexpr size_t longest = 100;
  std::string shown = escapeForTerminal(expression.substr(0, longest));
  std::replace(shown.begin(), shown.end(), '\n', ' ');
  if (expression.size() > longest)
    shown += "...";
  return {NEREID_INVALID_ARGUMENT, "expression '" + shown + "', column " +
                                       std::to_string(error.column) + ": " +
                                       error.text};
}

// One of "0x1f", "0b1", "0o7", "12_345", "1.5", ".5e-3".
bool Lexer::number(Token &token, ExpressionError &error) {
  size_t end = at;
  int base = 10;
  if (text[at] == '0' && at + 1 < text.size()) {
    char mark = text[at + 1] | 0x20;
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : mark == 'o' ? 8 : 10;
  }
  bool isFloat = false;
  if (base != 10) {
    end += 2;
    while (end < text.size() && isWordPart(text[end]))
      ++end;
  } else {
    while (end < text.size()) {
      char c = text[end];
      if ((c | 0x20) == 'e' && end + 1 < text.size() &&
          (isDigit(text[end + 1]) ||
           ((text[end + 1] == '+' || text[end + 1] == '-') &&
            end + 2 < text.size() && isDigit(text[end + 2])))) {
        isFloat = true;
        end += 2;
      } else if (c == '.') {
        isFloat = true;
        ++end;
      } else if (isWordPart(c)) {
        ++end;
      } else {
        break;
      }
    }
  }
  token.text = text.substr(at, end - at);
  auto fail = [&](std::string_view why) {
    error = {at + 1, "'" + std::string(token.text.substr(0, 40)) + "' " +
                         std::string(why)};
    return false;
  };
  // Underscores are between two digits, or after the base.
  std::string digits;
  for (size_t i = base == 10 ? 0 : 2; i < token.text.size(); ++i) {
    char c = token.text[i];
    if (c != '_') {
      digits += c;
    } else if (i + 1 == token.text.size() || !isWordPart(token.text[i + 1]) ||
               token.text[i + 1] == '_' ||
               (base == 10 && (i == 0 || !isDigit(token.text[i - 1]) ||
                               !isDigit(token.text[i + 1])))) {
      return fail("is not a number");
    }
  }
  const char *first = digits.data(), *last = first + digits.size();
  if (isFloat) {
    double number = 0;
    std::from_chars_result read = std::from_chars(first, last, number);
    if (read.ptr != last ||
        (read.ec != std::errc() && read.ec != std::errc::result_out_of_range))
      return fail("is not a number");
    if (read.ec != std::errc())
      return fail("is too large or too small for a float");
    token.value = Value(number);
  } else {
    uint64_t number = 0;
    std::from_chars_result read = std::from_chars(first, last, number, base);
    if (read.ptr != last || digits.empty() ||
        (read.ec == std::errc::invalid_argument))
      return fail("is not a number");
    if (read.ec != std::errc() || number > INT64_MAX)
      return fail("does not fit an integer of 64 bits");
    if (base == 10 && digits.size() > 1 && digits[0] == '0' && number != 0)
      return fail("starts with a zero; octal numbers start with 0o");
    token.value = Value(static_cast<int64_t>(number));
  }
  token.kind = TokenKind::Number;
  at = end;
  return true;
}

bool Lexer::string(Token &token, ExpressionError &error) {
  size_t start = at;
  char quote = text[at++];
  std::string content;
  for (; at < text.size() && text[at] != quote; ++at) {
    if (text[at] != '\\') {
      content += text[at];
      continue;
    }
    static constexpr std::string_view letters = "\\'\"ntr";
    static constexpr std::string_view meanings = "\\'\"\n\t\r";
    size_t which =
        at + 1 < text.size() ? letters.find(text[at + 1]) : letters.npos;
    if (which == letters.npos) {
      error = {at + 1, "a backslash in a string is followed by one of \\ ' \" "
                       "n t r"};
      return false;
    }
    content += meanings[which];
    ++at;
  }
  if (at == text.size()) {
    error = {start + 1,
             "the string has no end, expected " + std::string(1, quote)};
    return false;
  }
  ++at;
  token.kind = TokenKind::String;
  token.text = text.substr(start, at - start);
  token.value = Value(std::move(content));
  return true;
}

bool Lexer::next(Token &token, ExpressionError &error) {
  while (at < text.size() &&
         std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos)
    ++at;
  token = {};
  token.column = at + 1;
  if (at == text.size())
    return true;
  char c = text[at];
  if (isDigit(c) || (c == '.' && at + 1 < text.size() && isDigit(text[at + 1])))
    return number(token, error);
  if (c == '\'' || c == '"')
    return string(token, error);
  if (startsName(c)) {
    size_t end = at;
    while (end < text.size() && isWordPart(text[end]))
      ++end;
    token.text = text.substr(at, end - at);
    token.kind = isKeyword(token.text) ? TokenKind::Keyword : TokenKind::Name;
    at = end;
    return true;
  }
  static constexpr std::string_view operators[] = {
      "**", "//", "<=", ">=", "==", "!=", "+", "-", "*", "/",
      "%",  "<",  ">",  "(",  ")",  "[",  "]", ",", ".", ":"};
  for (std::string_view each : operators)
    if (text.substr(at).starts_with(each)) {
      token.kind = TokenKind::Operator;
      token.text = text.substr(at, each.size());
      at += each.size();
      return true;
    }
  // The whole character, if it is one of several bytes.
  size_t end = at + 1;
  while (end < text.size() && (text[end] & 0xc0) == 0x80)
    ++end;
  error = {at + 1, "'" + escapeForTerminal(text.substr(at, end - at)) +
                       "' has no meaning in an expression"};
  return false;
}

} // namespace nereid::ops
