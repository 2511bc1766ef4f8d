// Value.h - what an expression is made of: the values of Python that operators
// need.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_EXPR_VALUE_H
#define NEREID_OPS_EXPR_VALUE_H

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace nereid::ops {

class Value;
using List = std::vector<Value>;

/// Something with attributes: a tensor, the device. Compared by identity.
struct Object;

/// An immutable value; copies share lists and objects.
class Value {
public:
  enum class Kind { None, Bool, Int, Float, String, List, Object };

  Value() = default;
  template <std::same_as<bool> T> Value(T truth) : data(truth) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Value(T number) : data(static_cast<int64_t>(number)) {}
  Value(double number) : data(number) {}
  Value(std::string text) : data(std::move(text)) {}
  Value(std::string_view text) : data(std::string(text)) {}
  Value(const char *text) : data(std::string(text)) {}
  Value(List items) : data(std::make_shared<const List>(std::move(items))) {}
  Value(std::shared_ptr<const Object> object) : data(std::move(object)) {}

  Kind kind() const { return static_cast<Kind>(data.index()); }
  bool isNone() const { return kind() == Kind::None; }
  bool isBool() const { return kind() == Kind::Bool; }
  bool isInt() const { return kind() == Kind::Int; }
  bool isFloat() const { return kind() == Kind::Float; }
  bool isString() const { return kind() == Kind::String; }
  bool isList() const { return kind() == Kind::List; }
  bool isObject() const { return kind() == Kind::Object; }
  /// An integer, or a boolean, which is one in Python.
  bool isIntegral() const { return isInt() || isBool(); }
  bool isNumber() const { return isIntegral() || isFloat(); }

  // Of that kind.
  bool truth() const { return std::get<bool>(data); }
  const std::string &string() const { return std::get<std::string>(data); }
  const List &list() const {
    return *std::get<std::shared_ptr<const List>>(data);
  }
  const Object &object() const {
    return *std::get<std::shared_ptr<const Object>>(data);
  }
  /// Of a boolean or an integer.
  int64_t integer() const {
    return isBool() ? truth() : std::get<int64_t>(data);
  }
  /// Of any number, rounded.
  double number() const {
    return isFloat() ? std::get<double>(data) : static_cast<double>(integer());
  }

  /// Python's bool(value).
  bool isTrue() const;
  /// Python's repr(value): "[1, 2.5, 'a', None]".
  std::string repr() const;
  /// "an integer", "a list", ..., for messages.
  std::string_view kindName() const;

  /// Python's ==: numbers by value, exactly; other kinds differ.
  friend bool operator==(const Value &a, const Value &b);
  /// The same kind and the same value: True is not 1, nor 1 1.0.
  bool isIdentical(const Value &other) const;

private:
  std::variant<std::monostate, bool, int64_t, double, std::string,
               std::shared_ptr<const List>, std::shared_ptr<const Object>>
      data;
};

struct Object {
  std::string kind; // "tensor 'x'", for messages
  std::string name; // what it is called in a call
  std::vector<std::pair<std::string, Value>> attributes;

  /// Null if there is no such attribute.
  const Value *find(std::string_view name) const;
  std::vector<std::string> names() const;
};

/// Python's repr() of a float: "1.0", "1e+16", "nan".
std::string reprOfFloat(double number);

/// -1, 0 or 1 for numbers, by their exact values; 2 if one is not a number.
int compareNumbers(const Value &a, const Value &b);

} // namespace nereid::ops

#endif // NEREID_OPS_EXPR_VALUE_H
