// ScopeTest.cpp - definitions in any order.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "expr/Scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nereid::ops;
using testing::HasSubstr;

static Definitions
define(std::initializer_list<std::pair<const char *, const char *>> texts) {
  Definitions definitions;
  for (const auto &[name, text] : texts)
    definitions.push_back({name, *Expression::parse(text), 1, 1});
  return definitions;
}

TEST(OpsScopeTest, DefinitionsMayBeInAnyOrder) {
  Definitions let = define({{"m", "x // n"}, {"n", "y + 1"}});
  Names names;
  names.set("x", 100);
  names.set("y", 9);
  Scope scope(let, names);
  EXPECT_EQ((*scope.find("m"))->repr(), "10");
  EXPECT_EQ((*scope.find("x"))->repr(), "100");
  EXPECT_EQ(*scope.find("z"), nullptr);
}

TEST(OpsScopeTest, WhatIsNotReadCannotFail) {
  Definitions let = define({{"bad", "1 // 0"}, {"good", "1 if x else bad"}});
  Names names;
  names.set("x", 1);
  Scope scope(let, names);
  EXPECT_EQ((*scope.find("good"))->repr(), "1");
  Result<const Value *> bad = scope.find("bad");
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.failure().text,
              HasSubstr("'bad': expression '1 // 0', column 3: division"));
}

TEST(OpsScopeTest, ACycleIsNamed) {
  EXPECT_EQ(findCycle(define({{"a", "b"}, {"b", "c + x"}, {"c", "1"}})),
            std::nullopt);
  EXPECT_EQ(findCycle(define({{"a", "b"}, {"b", "c + x"}, {"c", "b"}})),
            "b -> c -> b");
  EXPECT_EQ(findCycle(define({{"a", "a + 1"}})), "a -> a");
}
