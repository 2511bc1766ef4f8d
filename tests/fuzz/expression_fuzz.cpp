// expression_fuzz.cpp - any bytes as an expression: a value or an error with a
// column that is in the text, and the value written and read is the same.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "expr/Expression.h"

#include <cstdint>
#include <cstdlib>

using namespace nereid::ops;

static Names makeNames() {
  Names names;
  for (int64_t i = 0; i < 4; ++i)
    names.set(std::string(1, static_cast<char>('a' + i)), Value(i * 37 - 1));
  names.set("f", Value(0.75));
  names.set("s", Value("f16"));
  names.set("l", Value(List{4, 1, 1000}));
  auto object = std::make_shared<Object>();
  object->kind = "a tensor";
  object->attributes = {{"shape", Value(List{4, 1000})}, {"rank", Value(2)}};
  names.set("x", Value(std::shared_ptr<const Object>(std::move(object))));
  return names;
}

static void checkError(const Failure &failure, size_t size) {
  size_t place = failure.text.rfind("column ");
  bool isPlaced = failure.text.starts_with("expression '");
  if (!isPlaced && !failure.text.starts_with("the expression has "))
    std::abort();
  if (isPlaced && place == std::string::npos)
    std::abort();
  if (isPlaced && size == 0 &&
      failure.text.find("column 1") == std::string::npos)
    std::abort();
}

// What repr() writes of a value without objects is an expression for it.
static bool canBeWritten(const Value &value) {
  if (value.isList()) {
    for (const Value &item : value.list())
      if (!canBeWritten(item))
        return false;
    return true;
  }
  if (value.isFloat())
    return value.number() - value.number() == 0;
  // Python's escapes of other characters are not in the language.
  if (value.isString()) {
    for (char c : value.string())
      if (static_cast<unsigned char>(c) < 32 || c == 127)
        return false;
    return true;
  }
  return !value.isObject() && !(value.isInt() && value.integer() == INT64_MIN);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Names names = makeNames();
  std::string_view text(reinterpret_cast<const char *>(data), size);
  Result<Expression> expression = Expression::parse(text);
  if (!expression) {
    checkError(expression.failure(), size);
    return 0;
  }
  Result<Value> value = expression->evaluate(names);
  if (!value) {
    checkError(value.failure(), size);
    return 0;
  }
  std::string written = value->repr();
  if (!canBeWritten(*value) || written.size() > Expression::longestText)
    return 0;
  Result<Expression> again = Expression::parse(written);
  if (!again) {
    // The minus of a number may be one level too many.
    if (again.failure().text.find("inside each other") == std::string::npos)
      std::abort();
    return 0;
  }
  Result<Value> same = again->evaluate(names);
  if (!same || !same->isIdentical(*value))
    std::abort();
  return 0;
}
