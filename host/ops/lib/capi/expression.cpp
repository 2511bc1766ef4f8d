// expression.cpp - expressions, for host programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "expr/Expression.h"
#include "expr/Json.h"
#include "nereid/ops.h"
#include "support/Guard.h"

using namespace nereid::ops;

struct nereid_expression_t {
  Expression expression;
};

nereid_status_t nereid_expression_parse(nereid_string_t text,
                                        nereid_expression_t **out_expression) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(out_expression, "out_expression"); !given)
      return given;
    Result<Expression> expression = Expression::parse(view(text));
    if (!expression)
      return expression.failure();
    *out_expression = new nereid_expression_t{std::move(*expression)};
    return {};
  });
}

void nereid_expression_destroy(nereid_expression_t *expression) {
  delete expression;
}

nereid_status_t
nereid_expression_evaluate(const nereid_expression_t *expression,
                           nereid_string_t values, nereid_buffer_t **out_text) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(expression, "expression"), require(out_text, "out_text")})
      if (!given)
        return given;
    Result<Names> names = namesOfJson(view(values));
    if (!names)
      return names.failure();
    Result<Value> value = expression->expression.evaluate(*names);
    if (!value)
      return value.failure();
    return giveText(value->repr(), out_text);
  });
}
