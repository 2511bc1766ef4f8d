// Scalar.cpp - the regular expressions of PyYAML's resolver, and its
// constructors, by hand.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "yaml/Scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace nereid::ops::yaml {

using host::Failure;
using host::Result;

static bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Reads a text from the left; each function moves on if it matches.
class Scan {
public:
  explicit Scan(std::string_view text) : rest(text) {}

  bool atEnd() const { return rest.empty(); }
  bool one(std::string_view letters) {
    if (rest.empty() || letters.find(rest[0]) == letters.npos)
      return false;
    rest.remove_prefix(1);
    return true;
  }
  /// At least `least` and at most `most` of these letters.
  bool several(std::string_view letters, size_t least,
               size_t most = std::string_view::npos) {
    size_t count = std::min(rest.find_first_not_of(letters), rest.size());
    count = std::min(count, most);
    if (count < least)
      return false;
    rest.remove_prefix(count);
    return true;
  }
  bool word(std::string_view expected) {
    if (!rest.starts_with(expected))
      return false;
    rest.remove_prefix(expected.size());
    return true;
  }
  /// (?::[0-5]?[0-9])+ where all of what follows belongs to it or to a
  /// fraction.
  bool sixties() {
    bool any = false;
    while (!rest.empty() && rest[0] == ':') {
      Scan next(rest.substr(1));
      if (next.rest.size() >= 2 && next.rest[0] >= '0' && next.rest[0] <= '5' &&
          isDigit(next.rest[1]))
        next.rest.remove_prefix(2);
      else if (!next.one(digits))
        return false;
      rest = next.rest;
      any = true;
    }
    return any;
  }

  static constexpr std::string_view digits = "0123456789";
  static constexpr std::string_view digitsAndUnderscores = "0123456789_";

private:
  std::string_view rest;
};

static bool isFloat(std::string_view text) {
  auto exponent = [](Scan scan) {
    if (scan.atEnd())
      return true;
    return scan.one("eE") && scan.one("-+") && scan.several(Scan::digits, 1) &&
           scan.atEnd();
  };
  Scan scan(text);
  if (scan.one("-+")) {
    if (Scan infinity = scan; infinity.one("."))
      for (std::string_view word : {"inf", "Inf", "INF"})
        if (Scan rest = infinity; rest.word(word) && rest.atEnd())
          return true;
  } else if (Scan point = scan; point.one(".")) {
    for (std::string_view word : {"inf", "Inf", "INF", "nan", "NaN", "NAN"})
      if (Scan rest = point; rest.word(word) && rest.atEnd())
        return true;
    return point.one(Scan::digits) &&
           point.several(Scan::digitsAndUnderscores, 0) && exponent(point);
  }
  if (!scan.one(Scan::digits) || !scan.several(Scan::digitsAndUnderscores, 0))
    return false;
  if (Scan sixties = scan; sixties.sixties() && sixties.one(".") &&
                           sixties.several(Scan::digitsAndUnderscores, 0) &&
                           sixties.atEnd())
    return true;
  return scan.one(".") && scan.several(Scan::digitsAndUnderscores, 0) &&
         exponent(scan);
}

static bool isInteger(std::string_view text) {
  Scan scan(text);
  scan.one("-+");
  if (Scan binary = scan;
      binary.word("0b") && binary.several("01_", 1) && binary.atEnd())
    return true;
  if (Scan octal = scan;
      octal.one("0") && octal.several("01234567_", 0) && octal.atEnd())
    return true;
  if (Scan hexadecimal = scan;
      hexadecimal.word("0x") &&
      hexadecimal.several("0123456789abcdefABCDEF_", 1) && hexadecimal.atEnd())
    return true;
  return scan.one("123456789") && scan.several(Scan::digitsAndUnderscores, 0) &&
         (scan.atEnd() || (scan.sixties() && scan.atEnd()));
}

static bool isTimestamp(std::string_view text) {
  Scan date(text);
  if (!date.several(Scan::digits, 4, 4) || !date.one("-"))
    return false;
  if (Scan day = date; day.several(Scan::digits, 2, 2) && day.one("-") &&
                       day.several(Scan::digits, 2, 2) && day.atEnd())
    return true;
  if (!date.several(Scan::digits, 1, 2) || !date.one("-") ||
      !date.several(Scan::digits, 1, 2))
    return false;
  if (!date.one("Tt") && !date.several(" \t", 1))
    return false;
  if (!date.several(Scan::digits, 1, 2) || !date.one(":") ||
      !date.several(Scan::digits, 2, 2) || !date.one(":") ||
      !date.several(Scan::digits, 2, 2))
    return false;
  if (date.one("."))
    date.several(Scan::digits, 0);
  if (date.atEnd())
    return true;
  date.several(" \t", 0);
  if (date.one("Z"))
    return date.atEnd();
  if (!date.one("-+") || !date.several(Scan::digits, 1, 2))
    return false;
  return date.atEnd() ||
         (date.one(":") && date.several(Scan::digits, 2, 2) && date.atEnd());
}

static bool isOneOf(std::string_view text,
                    std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

static bool isTrueWord(std::string_view text) {
  return isOneOf(
      text, {"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"});
}

static bool isFalseWord(std::string_view text) {
  return isOneOf(
      text, {"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"});
}

Tag resolve(std::string_view text) {
  if (isTrueWord(text) || isFalseWord(text))
    return Tag::Bool;
  if (isFloat(text))
    return Tag::Float;
  if (isInteger(text))
    return Tag::Int;
  if (text == "<<")
    return Tag::Merge;
  if (isOneOf(text, {"", "~", "null", "Null", "NULL"}))
    return Tag::Null;
  if (isTimestamp(text))
    return Tag::Timestamp;
  if (text == "=")
    return Tag::Value;
  return Tag::String;
}

static Failure notANumber(std::string_view text) {
  return {NEREID_INVALID_ARGUMENT,
          "'" + std::string(text.substr(0, 40)) + "' is not a number"};
}

static Failure tooLarge(std::string_view text) {
  return {NEREID_INVALID_ARGUMENT, "'" + std::string(text.substr(0, 40)) +
                                       "' does not fit an integer of 64 bits"};
}

// The text without sign and underscores.
static std::string digitsOf(std::string_view text, bool &isNegative) {
  isNegative = text.starts_with('-');
  if (isNegative || text.starts_with('+'))
    text.remove_prefix(1);
  std::string digits;
  for (char c : text)
    if (c != '_')
      digits += c;
  return digits;
}

static Result<ops::Value> constructInteger(std::string_view text) {
  bool isNegative = false;
  std::string digits = digitsOf(text, isNegative);
  uint64_t number = 0;
  auto read = [&](std::string_view part, int base, uint64_t &out) {
    std::from_chars_result end =
        std::from_chars(part.data(), part.data() + part.size(), out, base);
    return end.ec == std::errc() && end.ptr == part.data() + part.size();
  };
  bool isRead = true;
  if (digits.starts_with("0b") || digits.starts_with("0x")) {
    if (digits.size() == 2)
      return notANumber(text);
    isRead = read(std::string_view(digits).substr(2), digits[1] == 'b' ? 2 : 16,
                  number);
  } else if (digits[0] == '0') {
    isRead = read(digits, 8, number);
  } else {
    // Base 60, of which the first digit may be any number.
    for (std::string_view rest = digits; isRead && !rest.empty();) {
      size_t end = std::min(rest.find(':'), rest.size());
      uint64_t digit = 0;
      isRead = read(rest.substr(0, end), 10, digit) &&
               !__builtin_mul_overflow(number, uint64_t(60), &number) &&
               !__builtin_add_overflow(number, digit, &number);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  uint64_t limit = static_cast<uint64_t>(INT64_MAX) + isNegative;
  if (!isRead || number > limit)
    return tooLarge(text);
  return ops::Value(
      static_cast<int64_t>(isNegative ? uint64_t(0) - number : number));
}

// float(): what is too large is infinite, what is too small is 0.
static bool readFloat(std::string_view text, double &out) {
  std::from_chars_result end =
      std::from_chars(text.data(), text.data() + text.size(), out);
  if (end.ec == std::errc::result_out_of_range)
    out = text.find("e-") != text.npos || text.find("E-") != text.npos
              ? 0.0
              : std::numeric_limits<double>::infinity();
  else if (end.ec != std::errc())
    return false;
  return end.ptr == text.data() + text.size();
}

static Result<ops::Value> constructFloat(std::string_view text) {
  bool isNegative = false;
  std::string digits = digitsOf(text, isNegative);
  double sign = isNegative ? -1 : 1, number = 0;
  if (digits.size() == 4 && digits[0] == '.' && !isDigit(digits[1])) {
    if ((digits[1] | 0x20) == 'i')
      return ops::Value(sign * std::numeric_limits<double>::infinity());
    return ops::Value(std::numeric_limits<double>::quiet_NaN());
  }
  if (digits.find(':') == digits.npos) {
    // from_chars does not know the sign of an exponent.
    size_t plus = digits.find('+');
    if (plus != digits.npos)
      digits.erase(plus, 1);
    if (!readFloat(digits, number))
      return notANumber(text);
    return ops::Value(sign * number);
  }
  // As PyYAML computes it, from the last digit on.
  double base = 1;
  for (std::string_view rest = digits; !rest.empty();) {
    size_t colon = rest.rfind(':');
    std::string_view part = colon == rest.npos ? rest : rest.substr(colon + 1);
    double digit = 0;
    if (!readFloat(part, digit))
      return notANumber(text);
    number += digit * base;
    base *= 60;
    rest = rest.substr(0, colon == rest.npos ? 0 : colon);
  }
  return ops::Value(sign * number);
}

Result<ops::Value> construct(Tag tag, std::string_view text) {
  switch (tag) {
  case Tag::Null:
    return ops::Value();
  case Tag::Bool:
    return ops::Value(isTrueWord(text));
  case Tag::Int:
    return constructInteger(text);
  case Tag::Float:
    return constructFloat(text);
  default:
    return ops::Value(text);
  }
}

} // namespace nereid::ops::yaml
