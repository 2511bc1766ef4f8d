// Expression.cpp - evaluates the steps of an expression.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "expr/Expression.h"

#include "expr/Builtins.h"
#include "expr/Lexer.h"
#include "text/Suggestions.h"

#include <algorithm>

namespace nereid::ops {

Result<const Value *> Names::find(std::string_view name) const {
  auto found = values.find(name);
  if (found != values.end())
    return &found->second;
  if (outer)
    return outer->find(name);
  return static_cast<const Value *>(nullptr);
}

std::vector<std::string> Names::names() const {
  std::vector<std::string> list =
      outer ? outer->names() : std::vector<std::string>();
  for (const auto &[name, value] : values)
    list.push_back(name);
  return list;
}

std::vector<std::string> builtinNames() {
  std::vector<std::string> names;
  for (const Builtin &builtin : builtins())
    names.emplace_back(builtin.name);
  return names;
}

Expression::Expression(Value value)
    : source(value.repr()), steps{{Op::Constant, 0, 1, 0}},
      constants{std::move(value)} {}

const Value *Expression::constant() const {
  return steps.size() == 1 && steps[0].op == Op::Constant ? &constants[0]
                                                          : nullptr;
}

bool Expression::reads(std::string_view name) const {
  return std::any_of(used.begin(), used.end(),
                     [&](const NameUse &use) { return use.name == name; });
}

Failure Expression::failure(size_t column, std::string text) const {
  return describe(source, {column, std::move(text)});
}

/// One evaluation: the stack of values.
class Evaluation {
public:
  Evaluation(const Expression &expression, const Environment &names)
      : expression(expression), names(names) {}

  Result<Value> run();

private:
  using Op = Expression::Op;
  using Step = Expression::Step;

  Value pop() {
    Value value = std::move(stack.back());
    stack.pop_back();
    return value;
  }
  // Replaces the `count` topmost values by the result.
  Outcome finish(size_t count, Result<Value> result);
  Outcome pushName(const Step &step);
  Outcome readAttribute(const Step &step);
  Outcome call(const Step &step);
  Outcome compareTop(const Step &step, size_t &at);
  Outcome jump(const Step &step, size_t &at);
  Outcome take(const Step &step, size_t &at);

  const Expression &expression;
  const Environment &names;
  std::vector<Value> stack;
  // The failure is that of a name, with an expression and column of its own.
  bool isPlaced = false;
};

Outcome Evaluation::finish(size_t count, Result<Value> result) {
  if (!result)
    return result.failure();
  stack.resize(stack.size() - count);
  stack.push_back(std::move(*result));
  return {};
}

Outcome Evaluation::pushName(const Step &step) {
  const NameUse &use = expression.used[static_cast<size_t>(step.operand)];
  Result<const Value *> value = names.find(use.name);
  if (!value) {
    isPlaced = true;
    return value.failure();
  }
  if (!*value)
    return wrong("unknown name '" + use.name + "'" +
                 suggestNames(use.name, names.names()));
  stack.push_back(**value);
  return {};
}

// The attribute of a list is the list of its members' attributes.
static Result<Value> attributeOf(const Value &value, const std::string &name) {
  if (value.isList()) {
    List list;
    for (const Value &item : value.list()) {
      Result<Value> attribute = attributeOf(item, name);
      if (!attribute)
        return attribute;
      list.push_back(std::move(*attribute));
    }
    return Value(std::move(list));
  }
  if (!value.isObject())
    return wrong(std::string(value.kindName()) + " has no attribute '" + name +
                 "'");
  const Value *attribute = value.object().find(name);
  if (!attribute)
    return wrong(value.object().kind + " has no attribute '" + name + "'" +
                 suggestNames(name, value.object().names()));
  return *attribute;
}

Outcome Evaluation::readAttribute(const Step &step) {
  const std::string &name = expression.texts[static_cast<size_t>(step.operand)];
  const Value &value = stack.back();
  Result<Value> attribute = attributeOf(value, name);
  return finish(1, std::move(attribute));
}

Outcome Evaluation::call(const Step &step) {
  size_t count = static_cast<size_t>(step.operand & 255);
  std::span<const Value> arguments = std::span<const Value>(stack).last(count);
  return finish(count, builtins()[static_cast<size_t>(step.operand >> 8)].call(
                           arguments));
}

Outcome Evaluation::compareTop(const Step &step, size_t &at) {
  const Value &a = stack[stack.size() - 2], &b = stack.back();
  Result<bool> holds = compare(static_cast<Comparison>(step.detail), a, b);
  if (!holds)
    return holds.failure();
  if (step.op == Op::Compare)
    return finish(2, Value(*holds));
  if (!*holds) {
    at += static_cast<size_t>(step.operand);
    return finish(2, Value(false));
  }
  Value kept = pop();
  stack.back() = std::move(kept);
  return {};
}

Outcome Evaluation::jump(const Step &step, size_t &at) {
  if (step.op == Op::Jump) {
    at += static_cast<size_t>(step.operand);
    return {};
  }
  bool isTrue = stack.back().isTrue();
  bool jumps = isTrue == (step.op == Op::JumpIfTrueOrDrop);
  if (jumps)
    at += static_cast<size_t>(step.operand);
  if (!jumps || step.op == Op::JumpIfFalse)
    stack.pop_back();
  return {};
}

Outcome Evaluation::take(const Step &step, size_t &at) {
  size_t count = static_cast<size_t>(step.operand);
  auto top = [&](size_t below) -> const Value & {
    return stack[stack.size() - 1 - below];
  };
  switch (step.op) {
  case Op::Constant:
    stack.push_back(expression.constants[count]);
    return {};
  case Op::Name:
    return pushName(step);
  case Op::Attribute:
    return readAttribute(step);
  case Op::Item:
    return finish(2, itemOf(top(1), top(0)));
  case Op::Slice:
    return finish(4, sliceOf(top(3), top(2), top(1), top(0)));
  case Op::MakeList:
    return finish(count, Value(List(stack.end() - step.operand, stack.end())));
  case Op::Call:
    return call(step);
  case Op::Binary:
    return finish(
        2, apply(static_cast<BinaryOperator>(step.detail), top(1), top(0)));
  case Op::Compare:
  case Op::CompareChain:
    return compareTop(step, at);
  case Op::Negate:
    return finish(1, negate(top(0)));
  case Op::Plus:
    return finish(1, plus(top(0)));
  case Op::Not:
    return finish(1, Value(!top(0).isTrue()));
  default:
    return jump(step, at);
  }
}

Result<Value> Evaluation::run() {
  stack.reserve(16);
  for (size_t at = 0; at < expression.steps.size();) {
    const Step &step = expression.steps[at++];
    if (Outcome taken = take(step, at); !taken) {
      if (isPlaced)
        return taken.failure();
      return expression.failure(step.column, taken.failure().text);
    }
  }
  return pop();
}

Result<Value> Expression::evaluate(const Environment &names) const {
  return Evaluation(*this, names).run();
}

} // namespace nereid::ops
