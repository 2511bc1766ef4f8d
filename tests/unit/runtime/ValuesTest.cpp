// ValuesTest.cpp - values: copies, JSON, and bytes that nobody can trust.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Values.h"
#include "support/Json.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nereid::host;

static nereid_value_t named(const char *name, nereid_type_t type) {
  nereid_value_t value = {};
  value.name = borrow(name);
  value.type = type;
  return value;
}

// One value of each type.
static Values everyType() {
  static const int64_t integers[] = {-1, INT64_MAX};
  static const double doubles[] = {0.5, -1e300};
  static const nereid_string_t texts[] = {{"a", 1}, {nullptr, 0}, {"bc", 2}};
  Values values;
  values.addInteger("shared", -42);
  values.addString("name", "kernel");
  nereid_value_t value = named("ratio", NEREID_TYPE_F64);
  value.f64 = 2.5;
  EXPECT_TRUE(values.add(value));
  value = named("flag", NEREID_TYPE_BOOL);
  value.i64 = 1;
  EXPECT_TRUE(values.add(value));
  value = named("raw", NEREID_TYPE_BYTES);
  value.text = {"\0\xff", 2};
  EXPECT_TRUE(values.add(value));
  value = named("offsets", NEREID_TYPE_I64_LIST);
  value.list = integers;
  value.list_size = 2;
  EXPECT_TRUE(values.add(value));
  value = named("weights", NEREID_TYPE_F64_LIST);
  value.list = doubles;
  value.list_size = 2;
  EXPECT_TRUE(values.add(value));
  value = named("types", NEREID_TYPE_STRING_LIST);
  value.list = texts;
  value.list_size = 3;
  EXPECT_TRUE(values.add(value));
  return values;
}

TEST(ValuesTest, SpellsNumbersThatJsonLacksAsText) {
  static const double numbers[] = {1.5, NAN, -NAN, INFINITY, -INFINITY};
  Values values;
  nereid_value_t value = named("scale", NEREID_TYPE_F64);
  value.f64 = -INFINITY;
  EXPECT_TRUE(values.add(value));
  value = named("bounds", NEREID_TYPE_F64_LIST);
  value.list = numbers;
  value.list_size = std::size(numbers);
  EXPECT_TRUE(values.add(value));
  EXPECT_EQ(values.json().dump(),
            R"({"scale":"-inf","bounds":[1.5,"nan","nan","inf","-inf"]})");
}

TEST(ValuesTest, SpellsEveryTypeAsJson) {
  EXPECT_EQ(everyType().json().dump(),
            R"({"shared":-42,"name":"kernel","ratio":2.5,"flag":true,)"
            R"("raw":{"bytes":2},"offsets":[-1,9223372036854775807],)"
            R"("weights":[0.5,-1e+300],"types":["a","","bc"]})");
}

TEST(ValuesTest, KeepsItsPointersWhenMovedAndWhenItGrows) {
  Values values = everyType();
  for (int i = 0; i < 100; ++i)
    values.addInteger("n" + std::to_string(i), i);
  Values moved = std::move(values);
  EXPECT_EQ(moved.string("name"), "kernel");
  EXPECT_EQ(moved.integer("n99"), 99);
}

TEST(ValuesTest, ALaterValueReplacesAnEarlierOneOfTheSameName) {
  Values values;
  values.addString("x", "text");
  values.addInteger("y", 1);
  values.addInteger("x", 2);
  EXPECT_EQ(values.json().dump(), R"({"x":2,"y":1})");
}

TEST(ValuesTest, TakesManyValuesInLittleTime) {
  // In quadratic time this would not end within ctest's limit.
  constexpr int count = 500'000;
  Values values;
  for (int i = 0; i < count; ++i)
    values.addInteger("n" + std::to_string(i), i);
  EXPECT_EQ(values.integer("n77777"), 77777);
  EXPECT_EQ(values.json().size(), static_cast<size_t>(count));
  EXPECT_EQ(Values::decode(values.encode())->items().size(),
            static_cast<size_t>(count));
}

TEST(ValuesTest, DropsUnknownTypesAndRefusesContradictions) {
  Values values;
  EXPECT_TRUE(values.add(named("future", 99)));
  EXPECT_TRUE(values.items().empty());
  EXPECT_FALSE(values.add(named("", NEREID_TYPE_I64)));
  nereid_value_t list = named("list", NEREID_TYPE_I64_LIST);
  list.list_size = 3;
  EXPECT_FALSE(values.add(list));
}

TEST(ValuesTest, EncodingAndDecodingGiveTheSameValues) {
  Values values = everyType();
  Result<Values> decoded = Values::decode(values.encode());
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->json(), values.json());
  EXPECT_EQ(decoded->encode(), values.encode());
}

TEST(ValuesTest, EveryTruncationIsRefused) {
  std::string bytes = everyType().encode();
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(Values::decode(std::string_view(bytes).substr(0, size)))
        << size;
}

// Run under the sanitizers this shows that no byte makes the reader stray.
TEST(ValuesTest, NoChangedByteMakesTheReaderReadOutOfBounds) {
  std::string bytes = everyType().encode();
  for (size_t place = 0; place < bytes.size(); ++place)
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = bytes;
      changed[place] = static_cast<char>(changed[place] ^ (1 << bit));
      Result<Values> decoded = Values::decode(changed);
      if (decoded)
        EXPECT_EQ(decoded->encode().size(), changed.size());
    }
}

TEST(ValuesTest, AHugeCountAllocatesNoMemory) {
  std::string bytes = "\xff\xff\xff\x7f";
  bytes += everyType().encode().substr(4);
  EXPECT_FALSE(Values::decode(bytes));
}
