// Arithmetic.h - the operators of expressions, with Python's meaning.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_EXPR_ARITHMETIC_H
#define NEREID_OPS_EXPR_ARITHMETIC_H

#include "expr/Value.h"
#include "support/Result.h"

#include <string_view>

namespace nereid::ops {

using host::Failure;
using host::Outcome;
using host::Result;

enum class BinaryOperator { Add, Sub, Mul, Divide, FloorDivide, Modulo, Power };
enum class Comparison {
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  In,
  NotIn,
  Is,
  IsNot
};

/// The most items that a list may have, and bytes that a string may have.
constexpr size_t longestList = 64;
constexpr size_t longestString = 4096;

/// What is wrong with an operand, as a failure.
inline Failure wrong(std::string text) {
  return {NEREID_INVALID_ARGUMENT, std::move(text)};
}
/// "the integer is too large: expected 64 bits"
Failure overflow();

// The failures are texts without a place, "division by zero".
Result<Value> apply(BinaryOperator op, const Value &a, const Value &b);
Result<bool> compare(Comparison op, const Value &a, const Value &b);
Result<Value> negate(const Value &value);
Result<Value> plus(const Value &value);
Result<Value> itemOf(const Value &list, const Value &index);
/// list[start:stop:step]; None for a missing part.
Result<Value> sliceOf(const Value &list, const Value &start, const Value &stop,
                      const Value &step);

} // namespace nereid::ops

#endif // NEREID_OPS_EXPR_ARITHMETIC_H
