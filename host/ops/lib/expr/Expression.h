// Expression.h - a subset of Python's expressions: parsed once, evaluated over
// the values of a call.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// There are no loops and no functions but the builtins, so every evaluation
// ends, after at most one step for each word of the text. docs/operators.md has
// the language.

#ifndef NEREID_OPS_EXPR_EXPRESSION_H
#define NEREID_OPS_EXPR_EXPRESSION_H

#include "expr/Arithmetic.h"
#include "expr/Value.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::ops {

/// The values that names stand for.
class Environment {
public:
  virtual ~Environment() = default;
  /// Null if there is no such name; a failure if it has no value this time.
  virtual Result<const Value *> find(std::string_view name) const = 0;
  /// All names, for suggestions.
  virtual std::vector<std::string> names() const = 0;
};

/// Names with their values, over those of another environment.
class Names : public Environment {
public:
  explicit Names(const Environment *outer = nullptr) : outer(outer) {}

  void set(std::string name, Value value) {
    values.insert_or_assign(std::move(name), std::move(value));
  }
  Result<const Value *> find(std::string_view name) const override;
  std::vector<std::string> names() const override;

private:
  std::map<std::string, Value, std::less<>> values;
  const Environment *outer;
};

/// A name that an expression reads, with the attribute behind it if there is
/// one: `x.shape` is x and shape.
struct NameUse {
  std::string name, attribute;
  size_t column = 1;
};

class Expression {
public:
  static constexpr size_t longestText = 4096;
  static constexpr size_t deepest = 64;

  /// An expression that is always \p value, None at first.
  explicit Expression(Value value = {});
  static Result<Expression> parse(std::string_view text);

  Result<Value> evaluate(const Environment &names) const;

  /// As it was written; of a constant its repr().
  const std::string &text() const { return source; }
  /// Every name that is read, in order, as often as it is.
  const std::vector<NameUse> &uses() const { return used; }
  bool reads(std::string_view name) const;
  /// Null unless the expression is one constant.
  const Value *constant() const;

  /// The failure of this expression at \p column.
  Failure failure(size_t column, std::string text) const;

private:
  friend class Parser;
  friend class Evaluation;

  enum class Op : uint8_t {
    Constant,     // push constants[operand]
    Name,         // push the value of uses[operand]
    Attribute,    // replace the top by its attribute texts[operand]
    Item,         // list, index -> item
    Slice,        // list, start, stop, step -> list
    MakeList,     // the operand topmost -> list
    Call,         // builtin operand >> 8 with operand & 255 arguments
    Binary,       // BinaryOperator
    Compare,      // Comparison
    CompareChain, // a, b -> b if it holds, else False and jump
    Negate,
    Plus,
    Not,
    Jump,              // by the operand
    JumpIfFalse,       // drops the condition
    JumpIfFalseOrDrop, // `and`: keeps what it jumps with
    JumpIfTrueOrDrop,  // `or`
  };
  struct Step {
    Op op;
    uint8_t detail; // a Comparison or a BinaryOperator
    uint16_t column;
    int32_t operand; // a jump's is relative to the step behind it
  };

  std::string source;
  std::vector<Step> steps;
  std::vector<Value> constants;
  std::vector<std::string> texts;
  std::vector<NameUse> used;
};

/// The builtin functions' names.
std::vector<std::string> builtinNames();

} // namespace nereid::ops

#endif // NEREID_OPS_EXPR_EXPRESSION_H
