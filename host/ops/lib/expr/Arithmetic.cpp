// Arithmetic.cpp - integers that do not overflow unnoticed, floats as Python
// divides them, lists.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "expr/Arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace nereid::ops {

Failure overflow() {
  return wrong("the result does not fit an integer of 64 bits");
}

static Failure divisionByZero() { return wrong("division by zero"); }

static uint64_t magnitude(int64_t value) {
  return value < 0 ? 0 - static_cast<uint64_t>(value)
                   : static_cast<uint64_t>(value);
}

// The float nearest to a / b, which a division of rounded operands may miss.
static double divideIntegers(int64_t a, int64_t b) {
  constexpr int64_t exact = int64_t(1) << 53;
  if (a >= -exact && a <= exact && b >= -exact && b <= exact)
    return static_cast<double>(a) / static_cast<double>(b);
  uint64_t x = magnitude(a), y = magnitude(b);
  if (x == 0)
    return b < 0 ? -0.0 : 0.0;
  // At least two bits more than a float has, the lowest of them sticky.
  int shift = 55 + std::bit_width(y) - std::bit_width(x);
  shift = std::max(shift, 0);
  __extension__ using Wide = unsigned __int128;
  Wide dividend = static_cast<Wide>(x) << shift;
  uint64_t quotient = static_cast<uint64_t>(dividend / y);
  if (dividend % y != 0)
    quotient |= 1;
  double result = std::ldexp(static_cast<double>(quotient), -shift);
  return (a < 0) != (b < 0) ? -result : result;
}

static Result<Value> powerOfIntegers(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 0)
      return wrong("0 cannot be raised to a negative power");
    return Value(
        std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  }
  int64_t result = 1;
  while (exponent) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result))
      return overflow();
    exponent >>= 1;
    if (exponent && __builtin_mul_overflow(base, base, &base))
      return overflow();
  }
  return Value(result);
}

static Result<Value> applyToIntegers(BinaryOperator op, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (op) {
  case BinaryOperator::Add:
    if (__builtin_add_overflow(a, b, &result))
      return overflow();
    return Value(result);
  case BinaryOperator::Sub:
    if (__builtin_sub_overflow(a, b, &result))
      return overflow();
    return Value(result);
  case BinaryOperator::Mul:
    if (__builtin_mul_overflow(a, b, &result))
      return overflow();
    return Value(result);
  case BinaryOperator::Divide:
    if (b == 0)
      return divisionByZero();
    return Value(divideIntegers(a, b));
  case BinaryOperator::FloorDivide:
    if (b == 0)
      return divisionByZero();
    if (b == -1) {
      if (__builtin_sub_overflow(int64_t(0), a, &result))
        return overflow();
      return Value(result);
    }
    return Value(a / b - (a % b != 0 && (a < 0) != (b < 0)));
  case BinaryOperator::Modulo:
    if (b == 0)
      return divisionByZero();
    if (b == -1)
      return Value(0);
    result = a % b;
    return Value(result != 0 && (a < 0) != (b < 0) ? result + b : result);
  case BinaryOperator::Power:
    return powerOfIntegers(a, b);
  }
  return overflow();
}

// CPython's float_divmod: the quotient is exact, and the remainder has the
// sign of the divisor.
static void divideFloats(double a, double b, double &quotient,
                         double &remainder) {
  remainder = std::fmod(a, b);
  double divided = (a - remainder) / b;
  if (remainder != 0) {
    if ((b < 0) != (remainder < 0)) {
      remainder += b;
      divided -= 1;
    }
  } else {
    remainder = std::copysign(0.0, b);
  }
  if (divided != 0) {
    quotient = std::floor(divided);
    if (divided - quotient > 0.5)
      quotient += 1;
  } else {
    quotient = std::copysign(0.0, a / b);
  }
}

static Result<Value> powerOfFloats(double a, double b) {
  if (a == 0 && b < 0)
    return wrong("0 cannot be raised to a negative power");
  if (a < 0 && std::isfinite(a) && std::isfinite(b) && std::floor(b) != b)
    return wrong("a negative number has no power with a fraction");
  double result = std::pow(a, b);
  if (std::isinf(result) && std::isfinite(a) && std::isfinite(b))
    return wrong("the result is too large for a float");
  return Value(result);
}

static Result<Value> applyToFloats(BinaryOperator op, double a, double b) {
  double quotient = 0, remainder = 0;
  switch (op) {
  case BinaryOperator::Add:
    return Value(a + b);
  case BinaryOperator::Sub:
    return Value(a - b);
  case BinaryOperator::Mul:
    return Value(a * b);
  case BinaryOperator::Divide:
    if (b == 0)
      return divisionByZero();
    return Value(a / b);
  case BinaryOperator::FloorDivide:
  case BinaryOperator::Modulo:
    if (b == 0)
      return divisionByZero();
    divideFloats(a, b, quotient, remainder);
    return Value(op == BinaryOperator::Modulo ? remainder : quotient);
  case BinaryOperator::Power:
    return powerOfFloats(a, b);
  }
  return overflow();
}

static std::string_view symbolOf(BinaryOperator op) {
  static constexpr std::string_view symbols[] = {"+",  "-", "*", "/",
                                                 "//", "%", "**"};
  return symbols[static_cast<int>(op)];
}

static Failure tooLong() {
  return wrong("the list is longer than " + std::to_string(longestList) +
               " items");
}

static Result<Value> repeat(const Value &value, int64_t count) {
  count = std::max<int64_t>(count, 0);
  const List &items = value.list();
  if (!items.empty() &&
      count > static_cast<int64_t>(longestList / items.size()))
    return tooLong();
  List repeated;
  // Zero times any number of items, too.
  for (int64_t i = 0; i < (items.empty() ? 0 : count); ++i)
    repeated.insert(repeated.end(), items.begin(), items.end());
  return Value(std::move(repeated));
}

Result<Value> apply(BinaryOperator op, const Value &a, const Value &b) {
  if (a.isIntegral() && b.isIntegral())
    return applyToIntegers(op, a.integer(), b.integer());
  if (a.isNumber() && b.isNumber())
    return applyToFloats(op, a.number(), b.number());
  if (op == BinaryOperator::Add && a.isList() && b.isList()) {
    if (a.list().size() + b.list().size() > longestList)
      return tooLong();
    List joined = a.list();
    joined.insert(joined.end(), b.list().begin(), b.list().end());
    return Value(std::move(joined));
  }
  if (op == BinaryOperator::Add && a.isString() && b.isString()) {
    if (a.string().size() + b.string().size() > longestString)
      return wrong("the string is longer than " +
                   std::to_string(longestString) + " bytes");
    return Value(a.string() + b.string());
  }
  if (op == BinaryOperator::Mul && a.isList() && b.isIntegral())
    return repeat(a, b.integer());
  if (op == BinaryOperator::Mul && a.isIntegral() && b.isList())
    return repeat(b, a.integer());
  return wrong("'" + std::string(symbolOf(op)) + "' between " +
               std::string(a.kindName()) + " and " + std::string(b.kindName()) +
               ", expected numbers");
}

static std::string_view symbolOf(Comparison op) {
  static constexpr std::string_view symbols[] = {
      "==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"};
  return symbols[static_cast<int>(op)];
}

static bool holds(Comparison op, int order) {
  switch (op) {
  case Comparison::Less:
    return order < 0;
  case Comparison::LessEqual:
    return order <= 0;
  case Comparison::Greater:
    return order == 1;
  default:
    return order == 0 || order == 1;
  }
}

static Result<bool> contains(const Value &item, const Value &where) {
  if (where.isList())
    return std::find(where.list().begin(), where.list().end(), item) !=
           where.list().end();
  if (where.isString() && item.isString())
    return where.string().find(item.string()) != std::string::npos;
  return wrong("'in' " + std::string(where.kindName()) +
               (where.isString() ? " of " + std::string(item.kindName()) +
                                       ", expected a string"
                                 : ", expected a list"));
}

static Result<bool> order(Comparison op, const Value &a, const Value &b) {
  if (a.isNumber() && b.isNumber()) {
    int result = compareNumbers(a, b);
    return result != 2 && holds(op, result);
  }
  if (a.isString() && b.isString()) {
    int result = a.string().compare(b.string());
    return holds(op, result < 0 ? -1 : result > 0);
  }
  if (a.isList() && b.isList()) {
    const List &x = a.list(), &y = b.list();
    for (size_t i = 0; i < std::min(x.size(), y.size()); ++i)
      if (!(x[i] == y[i]))
        return order(op, x[i], y[i]);
    return holds(op, x.size() < y.size() ? -1 : x.size() > y.size());
  }
  return wrong("'" + std::string(symbolOf(op)) + "' between " +
               std::string(a.kindName()) + " and " + std::string(b.kindName()));
}

Result<bool> compare(Comparison op, const Value &a, const Value &b) {
  switch (op) {
  case Comparison::Equal:
    return a == b;
  case Comparison::NotEqual:
    return !(a == b);
  case Comparison::In:
    return contains(a, b);
  case Comparison::NotIn: {
    Result<bool> found = contains(a, b);
    if (!found)
      return found;
    return !*found;
  }
  case Comparison::Is:
    return a.isNone();
  case Comparison::IsNot:
    return !a.isNone();
  default:
    return order(op, a, b);
  }
}

static Failure notANumber(std::string_view op, const Value &value) {
  return wrong("'" + std::string(op) + "' of " + std::string(value.kindName()) +
               ", expected a number");
}

Result<Value> negate(const Value &value) {
  if (value.isFloat())
    return Value(-value.number());
  if (!value.isIntegral())
    return notANumber("-", value);
  return applyToIntegers(BinaryOperator::Sub, 0, value.integer());
}

Result<Value> plus(const Value &value) {
  if (value.isFloat())
    return value;
  if (!value.isIntegral())
    return notANumber("+", value);
  return Value(value.integer());
}

Result<Value> itemOf(const Value &list, const Value &index) {
  if (!list.isList())
    return wrong("[...] of " + std::string(list.kindName()) +
                 ", expected a list");
  if (!index.isIntegral())
    return wrong("the index is " + std::string(index.kindName()) +
                 ", expected an integer");
  int64_t size = static_cast<int64_t>(list.list().size());
  int64_t at = index.integer();
  if (at < -size || at >= size)
    return wrong("the index is " + std::to_string(at) + ", the list has " +
                 std::to_string(size) + (size == 1 ? " item" : " items"));
  return list.list()[at < 0 ? at + size : at];
}

Result<Value> sliceOf(const Value &list, const Value &start, const Value &stop,
                      const Value &step) {
  if (!list.isList())
    return wrong("[...] of " + std::string(list.kindName()) +
                 ", expected a list");
  for (const Value *part : {&start, &stop, &step})
    if (!part->isNone() && !part->isIntegral())
      return wrong("a part of the slice is " + std::string(part->kindName()) +
                   ", expected an integer");
  int64_t by = step.isNone() ? 1 : step.integer();
  if (by == 0)
    return wrong("the step of the slice is 0");
  int64_t size = static_cast<int64_t>(list.list().size());
  // Where Python's slice.indices() puts an end that is out of range.
  auto place = [&](const Value &part, int64_t missing) {
    if (part.isNone())
      return missing;
    int64_t at = part.integer();
    if (at < 0)
      at = at < -size ? -1 : at + size;
    else if (at >= size)
      return by < 0 ? size - 1 : size;
    return at < 0 ? (by < 0 ? -1 : int64_t(0)) : at;
  };
  int64_t at = place(start, by < 0 ? size - 1 : 0);
  int64_t end = place(stop, by < 0 ? -1 : size);
  // A larger step takes one item, like this one, and does not overflow.
  by = std::clamp<int64_t>(by, -size - 1, size + 1);
  List items;
  for (; by > 0 ? at < end : at > end; at += by)
    items.push_back(list.list()[at]);
  return Value(std::move(items));
}

} // namespace nereid::ops
