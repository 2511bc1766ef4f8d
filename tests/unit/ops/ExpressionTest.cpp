// ExpressionTest.cpp - the language of operator packs: values, errors with
// their column, limits.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "expr/Expression.h"
#include "expr/Json.h"
#include "nereid/ops.h"
#include "support/Guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

using namespace nereid::ops;
using testing::HasSubstr;

static constexpr std::string_view values = R"({
  "n": 1000, "zero": 0, "half": 0.5, "dim": -1, "name": "row", "none": null,
  "yes": true, "least": -9223372036854775808, "most": 9223372036854775807,
  "x": {"shape": [4, 1000], "rank": 2, "dtype": "f16", "numel": 4000},
  "empty": []
})";

static std::string evaluate(std::string_view text) {
  Result<Expression> expression = Expression::parse(text);
  if (!expression)
    return expression.failure().text;
  Result<Names> names = namesOfJson(values);
  if (!names)
    return names.failure().text;
  Result<Value> value = expression->evaluate(*names);
  return value ? value->repr() : value.failure().text;
}

TEST(OpsExpressionTest, ValuesAreThoseOfPython) {
  const std::pair<const char *, const char *> cases[] = {
      {"1 + 2 * 3", "7"},
      {"(1 + 2) * 3", "9"},
      {"-2 ** 2", "-4"},
      {"2 ** -1", "0.5"},
      {"2 ** 3 ** 2", "512"},
      {"-7 // 2", "-4"},
      {"-7 % 3", "2"},
      {"7 % -3", "-2"},
      {"-7.5 // 2", "-4.0"},
      {"-7.5 % 2", "0.5"},
      {"7 / 2", "3.5"},
      {"most / 3", "3.0744573456182584e+18"},
      {"True + True", "2"},
      {"not n", "False"},
      {"zero or name", "'row'"},
      {"n and half", "0.5"},
      {"zero and 1 // 0", "0"},
      {"1 < 2 < 3", "True"},
      {"3 > 2 > 2", "False"},
      {"0 > 1 < 1 // 0", "False"},
      {"1 if n > 999 else 1 // 0", "1"},
      {"1 // 0 if n < 0 else 2 if zero else 3", "3"},
      {"x.shape", "[4, 1000]"},
      {"x.shape[-1]", "1000"},
      {"x.shape[:-1] + [1]", "[4, 1]"},
      {"x.shape[::-1]", "[1000, 4]"},
      {"[1, 2, 3, 4][1:10:2]", "[2, 4]"},
      {"[0] * 3", "[0, 0, 0]"},
      {"2 in [1, 2.0]", "True"},
      {"'ow' in name", "True"},
      {"name not in ['row']", "False"},
      {"none is None", "True"},
      {"x is not None", "True"},
      {"x.dtype == 'f16'", "True"},
      {"[1, 2] < [1, 3]", "True"},
      {"1 == True", "True"},
      {"1 == 1.0", "True"},
      {"'1' == 1", "False"},
      {"most == float(most)", "False"},
      {"most < float(most)", "True"},
      {"cdiv(n, 128)", "8"},
      {"cdiv(-7, 2)", "-3"},
      {"cdiv(least, most)", "-1"},
      {"round_up(n, 128)", "1024"},
      {"next_power_of_2(n)", "1024"},
      {"[next_power_of_2(i) for_one]", "expression '[next_power_of_2(i) "
                                       "for_one]', column 21: found "
                                       "'for_one', expected ','"},
      {"[next_power_of_2(0), next_power_of_2(1), next_power_of_2(1024)]",
       "[1, 1, 1024]"},
      {"prev_power_of_2(n)", "512"},
      {"log2(n)", "9"},
      {"[is_power_of_2(512), is_power_of_2(0)]", "[True, False]"},
      {"min(3, 1.5, 2)", "1.5"},
      {"max(x.shape)", "1000"},
      {"prod(x.shape)", "4000"},
      {"sum([1, 2.5])", "3.5"},
      {"len(x.shape)", "2"},
      {"[any([0, 1]), all([]), all([0])]", "[True, True, False]"},
      {"[round(0.5), round(1.5), round(-2.5), round(2.6)]", "[0, 2, -2, 3]"},
      {"[int(-1.9), float(2), abs(-3)]", "[-1, 2.0, 3]"},
      {"0x1F + 0b11 + 0o7 + 1_000", "1041"},
      {"[.5, 5., 1e3, 1e16, 1e-5]", "[0.5, 5.0, 1000.0, 1e+16, 1e-05]"},
      {"'it\\'s'", "\"it's\""},
      {"+yes", "1"},
      {"-yes", "-1"},
      {"1\n  + 1", "2"},
  };
  for (const auto &[text, expected] : cases)
    EXPECT_EQ(evaluate(text), expected) << text;
}

TEST(OpsExpressionTest, ErrorsNameTheColumn) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "expression '', column 1: found the end, expected a value"},
      {"n +", "column 4: found the end, expected a value"},
      {"n n", "column 3: found 'n', expected the end"},
      {"(n", "column 3: found the end, expected ')'"},
      {"(1, 2)", "column 3: found ',', expected ')'; lists are written with"},
      {"n // zero", "expression 'n // zero', column 3: division by zero"},
      {"n % 0", "column 3: division by zero"},
      {"zero ** -1", "column 6: 0 cannot be raised to a negative power"},
      {"(-8.0) ** 0.5", "column 8: a negative number has no power"},
      {"1.0e300 ** 2", "column 9: the result is too large for a float"},
      {"most + 1", "column 6: the result does not fit an integer of 64 bits"},
      {"-least", "column 1: the result does not fit"},
      {"least // -1", "column 7: the result does not fit"},
      {"2 ** 63", "column 3: the result does not fit"},
      {"abs(least)", "column 1: the result does not fit"},
      {"next_power_of_2(most)", "column 1: the result does not fit"},
      {"dmi + 1", "column 1: unknown name 'dmi'; did you mean 'dim'"},
      {"x.shpe", "column 2: an object has no attribute 'shpe'; did you mean "
                 "'shape'"},
      {"n.shape", "column 2: an integer has no attribute 'shape'"},
      {"x.shape[2]", "column 8: the index is 2, the list has 2 items"},
      {"empty[0]", "column 6: the index is 0, the list has 0 items"},
      {"n[0]", "column 2: [...] of an integer, expected a list"},
      {"x.shape['a']", "column 8: the index is a string, expected an integer"},
      {"[1][::0]", "column 4: the step of the slice is 0"},
      {"name + 1", "column 6: '+' between a string and an integer"},
      {"none < 1", "column 6: '<' between None and an integer"},
      {"1 in n", "column 3: 'in' an integer, expected a list"},
      {"n is 1", "column 6: 'is' compares with None only"},
      {"cdvi(n, 2)", "column 1: no function is called 'cdvi'; did you mean "
                     "'cdiv'"},
      {"cdiv(n)", "column 1: cdiv() of 1 values, expected 2"},
      {"cdiv(n, 2.0)", "column 1: cdiv() of a float, expected an integer"},
      {"log2(0)", "column 1: log2() of 0, expected 1 or more"},
      {"max(empty)", "column 1: max() of an empty list"},
      {"x.shape(1)", "column 8: only the builtin functions can be called"},
      {"lambda", "column 1: found 'lambda', expected a value"},
      {"1 if n", "column 7: found the end, expected 'else'"},
      {"n = 1", "column 3: '=' has no meaning in an expression"},
      {"n @ 1", "column 3: '@' has no meaning"},
      {"\xc3\xa9", "column 1: '\xc3\xa9' has no meaning"},
      {"'abc", "column 1: the string has no end, expected '"},
      {"'\\q'", "column 2: a backslash in a string is followed by one of"},
      {"9223372036854775808", "column 1: '9223372036854775808' does not fit"},
      {"1e400", "column 1: '1e400' is too large or too small"},
      {"012", "column 1: '012' starts with a zero"},
      {"1_", "column 1: '1_' is not a number"},
      {"1a", "column 1: '1a' is not a number"},
      {"0x", "column 1: '0x' is not a number"},
      {"1.2.3", "column 1: '1.2.3' is not a number"},
      {"[0] * 65", "column 5: the list is longer than 64 items"},
      {"int(1e300)", "column 1: the result does not fit"},
  };
  for (const auto &[text, expected] : cases)
    EXPECT_THAT(evaluate(text), HasSubstr(expected)) << text;
}

TEST(OpsExpressionTest, TextAndDepthAreBounded) {
  auto nested = [](size_t count) {
    return std::string(count, '(') + "1" + std::string(count, ')');
  };
  EXPECT_EQ(evaluate(nested(60)), "1");
  for (const std::string &deep : {nested(65), std::string(200, '-') + "1",
                                  nested(2000), "1" + std::string(4000, '('),
                                  [] {
                                    std::string text = "2";
                                    for (int i = 0; i < 100; ++i)
                                      text += "**2";
                                    return text;
                                  }(),
                                  [] {
                                    std::string text = "1";
                                    for (int i = 0; i < 100; ++i)
                                      text += " if 1 else 1";
                                    return text;
                                  }()})
    EXPECT_THAT(evaluate(deep), testing::AnyOf(HasSubstr("more than 64"),
                                               HasSubstr("only the builtin")))
        << deep;
  std::string sum = "1";
  while (sum.size() < Expression::longestText - 2)
    sum += "+1";
  EXPECT_EQ(evaluate(sum), std::to_string((sum.size() + 1) / 2));
  EXPECT_THAT(evaluate(sum + "+1+1"), HasSubstr("expected at most 4096"));
}

TEST(OpsExpressionTest, KnowsTheNamesItReads) {
  Result<Expression> expression =
      Expression::parse("x.shape[dim] if n else x.dtype + m");
  ASSERT_TRUE(expression);
  std::vector<std::string> uses;
  for (const NameUse &use : expression->uses())
    uses.push_back(use.name + "." + use.attribute + "@" +
                   std::to_string(use.column));
  EXPECT_THAT(uses, testing::ElementsAre("x.shape@1", "dim.@9", "n.@17",
                                         "x.dtype@24", "m.@34"));
  EXPECT_TRUE(expression->reads("n"));
  EXPECT_FALSE(expression->reads("shape"));
}

TEST(OpsExpressionTest, AConstantIsKnownWithoutNames) {
  EXPECT_EQ(Expression(Value(4)).constant()->repr(), "4");
  EXPECT_EQ(Expression::parse("'tf32'")->constant()->repr(), "'tf32'");
  EXPECT_EQ(Expression::parse("1 + 1")->constant(), nullptr);
}

TEST(OpsExpressionTest, IdentityKeepsKindsApart) {
  EXPECT_TRUE(Value(1) == Value(true));
  EXPECT_FALSE(Value(1).isIdentical(Value(true)));
  EXPECT_FALSE(Value(1).isIdentical(Value(1.0)));
  EXPECT_TRUE(Value(List{1, 2}).isIdentical(Value(List{1, 2})));
  EXPECT_FALSE(Value(0.0).isIdentical(Value(-0.0)));
  double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(Value(nan).isIdentical(Value(nan)));
}

TEST(OpsExpressionTest, TheCInterfaceEvaluatesAndExplains) {
  nereid_expression_t *expression = nullptr;
  std::string_view text = "cdiv(x.numel, 128)";
  ASSERT_EQ(nereid_expression_parse({text.data(), text.size()}, &expression),
            NEREID_OK);
  nereid_buffer_t *result = nullptr;
  ASSERT_EQ(nereid_expression_evaluate(expression,
                                       {values.data(), values.size()}, &result),
            NEREID_OK);
  nereid_bytes_t bytes = nereid_buffer_bytes(result);
  EXPECT_EQ(std::string_view(static_cast<const char *>(bytes.data), bytes.size),
            "32");
  nereid_buffer_destroy(result);
  EXPECT_EQ(nereid_expression_evaluate(expression, {"{}", 2}, &result),
            NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(std::string(nereid::host::view(nereid_error())),
              HasSubstr("error: expression 'cdiv(x.numel, 128)', column 6: "
                        "unknown name 'x'"));
  EXPECT_EQ(nereid_expression_evaluate(expression, {"[", 1}, &result),
            NEREID_INVALID_ARGUMENT);
  nereid_expression_destroy(expression);
  EXPECT_EQ(nereid_expression_parse({"1 +", 3}, &expression),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(nereid_expression_parse({"1", 1}, nullptr),
            NEREID_INVALID_ARGUMENT);
}
