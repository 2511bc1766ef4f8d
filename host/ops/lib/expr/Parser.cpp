// Parser.cpp - from the text of an expression to its steps.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "expr/Builtins.h"
#include "expr/Expression.h"
#include "expr/Lexer.h"
#include "text/Suggestions.h"

#include <algorithm>
#include <optional>

namespace nereid::ops {

/// Recursive descent by Python's precedence. Every function returns false once
/// `error` is set. The steps of an operand come before its operator's; jumps
/// are relative, so steps may be moved.
class Parser {
public:
  Parser(std::string_view text, Expression &out) : lexer(text), out(out) {}

  bool parse();
  ExpressionError error;

private:
  using Op = Expression::Op;

  bool advance() { return lexer.next(token, error); }
  bool isOperator(std::string_view text) const {
    return token.kind == TokenKind::Operator && token.text == text;
  }
  bool isKeyword(std::string_view text) const {
    return token.kind == TokenKind::Keyword && token.text == text;
  }
  bool expect(std::string_view text);
  bool fail(size_t column, std::string text) {
    error = {column, std::move(text)};
    return false;
  }
  std::string found() const;

  void emit(Op op, size_t column, int32_t operand = 0, uint8_t detail = 0) {
    out.steps.push_back({op, detail, static_cast<uint16_t>(column), operand});
  }
  void emitConstant(Value value, size_t column) {
    out.constants.push_back(std::move(value));
    emit(Op::Constant, column, static_cast<int32_t>(out.constants.size() - 1));
  }
  // Makes the jump at `step` lead to the end of the steps so far.
  void land(size_t step) {
    out.steps[step].operand = static_cast<int32_t>(out.steps.size() - step - 1);
  }

  bool conditional();
  bool disjunction();
  bool conjunction();
  bool inversion();
  bool comparison();
  bool readComparison(std::optional<Comparison> &op);
  bool sum();
  bool product();
  bool factor();
  bool power();
  bool primary();
  bool attribute();
  bool subscript();
  bool call(std::string_view name, size_t column);
  bool atom();
  bool list();

  // Counts how deep expressions are in each other.
  struct Level {
    explicit Level(Parser &parser) : parser(parser) { ++parser.depth; }
    ~Level() { --parser.depth; }
    Parser &parser;
  };
  bool tooDeep() {
    return depth > Expression::deepest &&
           !fail(token.column, "more than " +
                                   std::to_string(Expression::deepest) +
                                   " expressions inside each other");
  }

  Lexer lexer;
  Expression &out;
  Token token;
  size_t depth = 0;
};

std::string Parser::found() const {
  if (token.kind == TokenKind::End)
    return "the end";
  return "'" + std::string(token.text.substr(0, 40)) + "'";
}

bool Parser::expect(std::string_view text) {
  if (!isOperator(text))
    return fail(token.column,
                "found " + found() + ", expected '" + std::string(text) + "'");
  return advance();
}

bool Parser::parse() {
  if (!advance() || !conditional())
    return false;
  if (token.kind != TokenKind::End)
    return fail(token.column, "found " + found() + ", expected the end");
  return true;
}

// a if c else b: the condition is evaluated first, so the steps of `a` are
// moved behind it.
bool Parser::conditional() {
  Level level(*this);
  if (tooDeep())
    return false;
  size_t start = out.steps.size();
  if (!disjunction())
    return false;
  if (!isKeyword("if"))
    return true;
  size_t column = token.column;
  auto from = out.steps.begin() + static_cast<ptrdiff_t>(start);
  std::vector<Expression::Step> first(from, out.steps.end());
  out.steps.erase(from, out.steps.end());
  if (!advance() || !disjunction())
    return false;
  if (!isKeyword("else"))
    return fail(token.column, "found " + found() + ", expected 'else'");
  size_t toElse = out.steps.size();
  emit(Op::JumpIfFalse, column);
  out.steps.insert(out.steps.end(), first.begin(), first.end());
  size_t toEnd = out.steps.size();
  emit(Op::Jump, column);
  land(toElse);
  if (!advance() || !conditional())
    return false;
  land(toEnd);
  return true;
}

bool Parser::disjunction() {
  if (!conjunction())
    return false;
  std::vector<size_t> jumps;
  while (isKeyword("or")) {
    jumps.push_back(out.steps.size());
    emit(Op::JumpIfTrueOrDrop, token.column);
    if (!advance() || !conjunction())
      return false;
  }
  for (size_t jump : jumps)
    land(jump);
  return true;
}

bool Parser::conjunction() {
  if (!inversion())
    return false;
  std::vector<size_t> jumps;
  while (isKeyword("and")) {
    jumps.push_back(out.steps.size());
    emit(Op::JumpIfFalseOrDrop, token.column);
    if (!advance() || !inversion())
      return false;
  }
  for (size_t jump : jumps)
    land(jump);
  return true;
}

bool Parser::inversion() {
  if (!isKeyword("not"))
    return comparison();
  Level level(*this);
  size_t column = token.column;
  if (tooDeep() || !advance() || !inversion())
    return false;
  emit(Op::Not, column);
  return true;
}

// The operator at the token, if it is one; `in`, `not in`, `is None` and
// `is not None` too.
bool Parser::readComparison(std::optional<Comparison> &op) {
  static constexpr std::pair<std::string_view, Comparison> symbols[] = {
      {"==", Comparison::Equal},  {"!=", Comparison::NotEqual},
      {"<", Comparison::Less},    {"<=", Comparison::LessEqual},
      {">", Comparison::Greater}, {">=", Comparison::GreaterEqual},
  };
  op.reset();
  if (token.kind == TokenKind::Operator) {
    for (const auto &[symbol, comparison] : symbols)
      if (token.text == symbol)
        op = comparison;
    return !op || advance();
  }
  if (isKeyword("in")) {
    op = Comparison::In;
    return advance();
  }
  if (isKeyword("not")) {
    if (!advance())
      return false;
    if (!isKeyword("in"))
      return fail(token.column, "found " + found() + ", expected 'in'");
    op = Comparison::NotIn;
    return advance();
  }
  if (isKeyword("is")) {
    op = Comparison::Is;
    if (!advance())
      return false;
    if (isKeyword("not")) {
      op = Comparison::IsNot;
      if (!advance())
        return false;
    }
    if (!isKeyword("None"))
      return fail(token.column, "'is' compares with None only, found " +
                                    found() + "; use '=='");
  }
  return true;
}

bool Parser::comparison() {
  if (!sum())
    return false;
  std::vector<size_t> jumps;
  std::optional<Comparison> op, next;
  size_t column = token.column;
  if (!readComparison(op))
    return false;
  while (op) {
    if (!sum())
      return false;
    size_t nextColumn = token.column;
    if (!readComparison(next))
      return false;
    if (next) {
      jumps.push_back(out.steps.size());
      emit(Op::CompareChain, column, 0, static_cast<uint8_t>(*op));
    } else {
      emit(Op::Compare, column, 0, static_cast<uint8_t>(*op));
    }
    op = next;
    column = nextColumn;
  }
  for (size_t jump : jumps)
    land(jump);
  return true;
}

bool Parser::sum() {
  if (!product())
    return false;
  while (isOperator("+") || isOperator("-")) {
    BinaryOperator op =
        token.text == "+" ? BinaryOperator::Add : BinaryOperator::Sub;
    size_t column = token.column;
    if (!advance() || !product())
      return false;
    emit(Op::Binary, column, 0, static_cast<uint8_t>(op));
  }
  return true;
}

bool Parser::product() {
  if (!factor())
    return false;
  while (isOperator("*") || isOperator("/") || isOperator("//") ||
         isOperator("%")) {
    BinaryOperator op = token.text == "*"    ? BinaryOperator::Mul
                        : token.text == "/"  ? BinaryOperator::Divide
                        : token.text == "//" ? BinaryOperator::FloorDivide
                                             : BinaryOperator::Modulo;
    size_t column = token.column;
    if (!advance() || !factor())
      return false;
    emit(Op::Binary, column, 0, static_cast<uint8_t>(op));
  }
  return true;
}

bool Parser::factor() {
  if (!isOperator("+") && !isOperator("-"))
    return power();
  Level level(*this);
  Op op = token.text == "-" ? Op::Negate : Op::Plus;
  size_t column = token.column;
  if (tooDeep() || !advance())
    return false;
  if (!factor())
    return false;
  emit(op, column);
  return true;
}

bool Parser::power() {
  if (!primary())
    return false;
  if (!isOperator("**"))
    return true;
  Level level(*this);
  size_t column = token.column;
  if (tooDeep() || !advance() || !factor())
    return false;
  emit(Op::Binary, column, 0, static_cast<uint8_t>(BinaryOperator::Power));
  return true;
}

bool Parser::primary() {
  if (!atom())
    return false;
  while (true) {
    if (isOperator(".")) {
      if (!attribute())
        return false;
    } else if (isOperator("[")) {
      if (!subscript())
        return false;
    } else if (isOperator("(")) {
      return fail(token.column, "only the builtin functions can be called" +
                                    suggestNames("", builtinNames()));
    } else {
      return true;
    }
  }
}

bool Parser::attribute() {
  size_t column = token.column;
  if (!advance())
    return false;
  if (token.kind != TokenKind::Name)
    return fail(token.column,
                "found " + found() + ", expected the name of an attribute");
  // Remembered with the name before it, so that it can be checked early.
  if (!out.steps.empty() && out.steps.back().op == Op::Name) {
    NameUse &use = out.used[static_cast<size_t>(out.steps.back().operand)];
    use.attribute = token.text;
  }
  out.texts.emplace_back(token.text);
  emit(Op::Attribute, column, static_cast<int32_t>(out.texts.size() - 1));
  return advance();
}

bool Parser::subscript() {
  size_t column = token.column;
  if (!advance())
    return false;
  size_t parts = 0;
  bool isSlice = false;
  // Up to three parts, each of which may be missing in a slice.
  for (; parts < 3; ++parts) {
    if (isOperator(":") || isOperator("]")) {
      if (isOperator("]") && !isSlice)
        return fail(token.column, "found ']', expected an index");
      emitConstant(Value(), token.column);
    } else if (!conditional()) {
      return false;
    }
    if (!isOperator(":"))
      break;
    isSlice = true;
    if (parts == 2)
      break;
    if (!advance())
      return false;
  }
  if (!isSlice) {
    emit(Op::Item, column);
    return expect("]");
  }
  for (size_t given = parts + 1; given < 3; ++given)
    emitConstant(Value(), token.column);
  emit(Op::Slice, column);
  return expect("]");
}

bool Parser::call(std::string_view name, size_t column) {
  std::span<const Builtin> table = builtins();
  auto builtin =
      std::find_if(table.begin(), table.end(),
                   [&](const Builtin &each) { return each.name == name; });
  if (builtin == table.end())
    return fail(column, "no function is called '" + std::string(name) + "'" +
                            suggestNames(name, builtinNames()));
  if (!advance())
    return false;
  int32_t count = 0;
  while (!isOperator(")")) {
    if (!conditional())
      return false;
    ++count;
    if (isOperator(")"))
      break;
    if (!expect(","))
      return false;
  }
  if (count < builtin->least || count > builtin->most)
    return fail(column, std::string(name) + "() of " + std::to_string(count) +
                            " values, expected " +
                            std::to_string(builtin->least) +
                            (builtin->most > builtin->least
                                 ? " to " + std::to_string(builtin->most)
                                 : ""));
  emit(Op::Call, column,
       static_cast<int32_t>(builtin - table.begin()) << 8 | count);
  return advance();
}

bool Parser::list() {
  size_t column = token.column;
  if (!advance())
    return false;
  int32_t count = 0;
  while (!isOperator("]")) {
    if (!conditional())
      return false;
    if (++count > static_cast<int32_t>(longestList))
      return fail(column, "the list is longer than " +
                              std::to_string(longestList) + " items");
    if (isOperator("]"))
      break;
    if (!expect(","))
      return false;
  }
  emit(Op::MakeList, column, count);
  return advance();
}

bool Parser::atom() {
  Token here = token;
  if (here.kind == TokenKind::Number || here.kind == TokenKind::String) {
    emitConstant(std::move(here.value), here.column);
    return advance();
  }
  if (here.kind == TokenKind::Name) {
    if (!advance())
      return false;
    if (isOperator("("))
      return call(here.text, here.column);
    out.used.push_back({std::string(here.text), {}, here.column});
    emit(Op::Name, here.column, static_cast<int32_t>(out.used.size() - 1));
    return true;
  }
  if (isKeyword("True") || isKeyword("False")) {
    emitConstant(Value(here.text == "True"), here.column);
    return advance();
  }
  if (isKeyword("None")) {
    emitConstant(Value(), here.column);
    return advance();
  }
  if (isOperator("[")) {
    return list();
  }
  if (isOperator("(")) {
    if (!advance() || !conditional())
      return false;
    if (isOperator(","))
      return fail(token.column, "found ',', expected ')'; lists are written "
                                "with [ ]");
    return expect(")");
  }
  return fail(here.column, "found " + found() + ", expected a value");
}

Result<Expression> Expression::parse(std::string_view text) {
  if (text.size() > longestText)
    return Failure{NEREID_INVALID_ARGUMENT, "the expression has " +
                                                std::to_string(text.size()) +
                                                " bytes, expected at most " +
                                                std::to_string(longestText)};
  Expression expression;
  expression.steps.clear();
  expression.constants.clear();
  expression.source = text;
  Parser parser(expression.source, expression);
  if (!parser.parse())
    return describe(text, parser.error);
  return expression;
}

} // namespace nereid::ops
