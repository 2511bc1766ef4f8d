// Value.cpp - truth, equality and text of values, as in Python.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "expr/Value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace nereid::ops {

const Value *Object::find(std::string_view name) const {
  for (const auto &[each, value] : attributes)
    if (each == name)
      return &value;
  return nullptr;
}

std::vector<std::string> Object::names() const {
  std::vector<std::string> list;
  for (const auto &[name, value] : attributes)
    list.push_back(name);
  return list;
}

bool Value::isTrue() const {
  switch (kind()) {
  case Kind::None:
    return false;
  case Kind::Bool:
    return truth();
  case Kind::Int:
    return integer() != 0;
  case Kind::Float:
    return number() != 0;
  case Kind::String:
    return !string().empty();
  case Kind::List:
    return !list().empty();
  case Kind::Object:
    break;
  }
  return true;
}

std::string_view Value::kindName() const {
  switch (kind()) {
  case Kind::None:
    return "None";
  case Kind::Bool:
    return "a boolean";
  case Kind::Int:
    return "an integer";
  case Kind::Float:
    return "a float";
  case Kind::String:
    return "a string";
  case Kind::List:
    return "a list";
  case Kind::Object:
    break;
  }
  return object().kind;
}

// An integer with a float: the float is never rounded to an integer, nor the
// integer to a float.
static int compareIntFloat(int64_t a, double b) {
  if (std::isnan(b))
    return 2;
  if (b >= 0x1p63)
    return -1;
  if (b < -0x1p63)
    return 1;
  double whole = std::floor(b);
  int64_t below = static_cast<int64_t>(whole);
  if (a != below)
    return a < below ? -1 : 1;
  return b > whole ? -1 : 0;
}

int compareNumbers(const Value &a, const Value &b) {
  if (a.isFloat() && b.isFloat()) {
    double x = a.number(), y = b.number();
    if (std::isnan(x) || std::isnan(y))
      return 2;
    return x < y ? -1 : x > y;
  }
  if (a.isFloat()) {
    int order = compareIntFloat(b.integer(), a.number());
    return order == 2 ? 2 : -order;
  }
  if (b.isFloat())
    return compareIntFloat(a.integer(), b.number());
  int64_t x = a.integer(), y = b.integer();
  return x < y ? -1 : x > y;
}

bool operator==(const Value &a, const Value &b) {
  if (a.isNumber() && b.isNumber())
    return compareNumbers(a, b) == 0;
  if (a.kind() != b.kind())
    return false;
  switch (a.kind()) {
  case Value::Kind::String:
    return a.string() == b.string();
  case Value::Kind::List:
    return &a.list() == &b.list() || a.list() == b.list();
  case Value::Kind::Object:
    return &a.object() == &b.object();
  default:
    return true;
  }
}

bool Value::isIdentical(const Value &other) const {
  if (kind() != other.kind())
    return false;
  if (isList())
    return std::equal(
        list().begin(), list().end(), other.list().begin(), other.list().end(),
        [](const Value &a, const Value &b) { return a.isIdentical(b); });
  if (isFloat())
    return number() == other.number()
               ? std::signbit(number()) == std::signbit(other.number())
               : std::isnan(number()) && std::isnan(other.number());
  return *this == other;
}

std::string reprOfFloat(double number) {
  if (std::isnan(number))
    return "nan";
  if (std::isinf(number))
    return number < 0 ? "-inf" : "inf";
  char text[32];
  std::to_chars_result end = std::to_chars(text, text + sizeof text, number,
                                           std::chars_format::scientific);
  std::string_view shortest(text, end.ptr - text);
  size_t e = shortest.find('e');
  int exponent = 0;
  const char *digits = shortest.data() + e + 1;
  std::from_chars(digits + (*digits == '+'), end.ptr, exponent);
  if (exponent < -4 || exponent >= 16)
    return std::string(shortest);
  end =
      std::to_chars(text, text + sizeof text, number, std::chars_format::fixed);
  std::string fixed(text, end.ptr - text);
  if (fixed.find('.') == fixed.npos)
    fixed += ".0";
  return fixed;
}

static std::string reprOfString(const std::string &text) {
  bool hasSingle = text.find('\'') != text.npos;
  char quote = hasSingle && text.find('"') == text.npos ? '"' : '\'';
  std::string out(1, quote);
  for (char c : text) {
    unsigned char byte = static_cast<unsigned char>(c);
    static constexpr char hex[] = "0123456789abcdef";
    if (c == quote || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else if (byte < 32 || byte == 127)
      ((out += "\\x") += hex[byte >> 4]) += hex[byte & 15];
    else
      out += c;
  }
  return out + quote;
}

std::string Value::repr() const {
  switch (kind()) {
  case Kind::None:
    return "None";
  case Kind::Bool:
    return truth() ? "True" : "False";
  case Kind::Int:
    return std::to_string(integer());
  case Kind::Float:
    return reprOfFloat(number());
  case Kind::String:
    return reprOfString(string());
  case Kind::List: {
    std::string text = "[";
    for (const Value &item : list())
      text += (text.size() > 1 ? ", " : "") + item.repr();
    return text + "]";
  }
  case Kind::Object:
    break;
  }
  return "<" + object().kind + ">";
}

} // namespace nereid::ops
