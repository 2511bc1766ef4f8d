// CompareTest.cpp - when two arrays are equal enough.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace nereid::tools;

static Array array(DType type, const std::vector<double> &values) {
  Array made = std::move(*Array::make(type, {values.size()}));
  for (size_t i = 0; i < values.size(); ++i)
    storeNumber(type, values[i], made.at(i));
  return made;
}

static const double notANumber = std::numeric_limits<double>::quiet_NaN();
static const double infinite = std::numeric_limits<double>::infinity();

TEST(CompareTest, ReportsWhereAndByHowMuch) {
  Comparison result = compareArrays(array(DType::F64, {1, 2.5, 3, 4.25}),
                                    array(DType::F64, {1, 2, 3, 4}), {0, 0});
  EXPECT_EQ(result.mismatches, 2u);
  EXPECT_EQ(result.maxAbsolute, 0.5);
  EXPECT_EQ(result.maxRelative, 0.25);
  EXPECT_EQ(describeMismatch(result, {2, 2}),
            "2 of 4 differ, the first at [0, 1]: found 2.5, expected 2");
}

TEST(CompareTest, TakesBothTolerances) {
  Array found = array(DType::F64, {100.9, 0.09});
  Array expected = array(DType::F64, {100, 0});
  EXPECT_TRUE(compareArrays(found, expected, {0.01, 0.1}).matches());
  EXPECT_FALSE(compareArrays(found, expected, {0.01, 0.01}).matches());
  EXPECT_FALSE(compareArrays(found, expected, {0, 0.1}).matches());
}

TEST(CompareTest, ANanEqualsANanAndNothingElse) {
  EXPECT_TRUE(compareArrays(array(DType::F32, {notANumber}),
                            array(DType::F32, {-notANumber}), {0, 0})
                  .matches());
  EXPECT_FALSE(compareArrays(array(DType::F32, {notANumber}),
                             array(DType::F32, {1}), {1, 1e30})
                   .matches());
  EXPECT_FALSE(compareArrays(array(DType::F32, {1}),
                             array(DType::F32, {notANumber}), {1, 1e30})
                   .matches());
}

TEST(CompareTest, AnInfinityEqualsItselfAlone) {
  EXPECT_TRUE(compareArrays(array(DType::F16, {infinite}),
                            array(DType::F16, {infinite}), {0, 0})
                  .matches());
  EXPECT_FALSE(compareArrays(array(DType::F16, {infinite}),
                             array(DType::F16, {-infinite}), {1, 1})
                   .matches());
  EXPECT_FALSE(compareArrays(array(DType::F32, {1}),
                             array(DType::F32, {infinite}), {1, 1})
                   .matches());
}

TEST(CompareTest, SeesTheLastBitOfALongInteger) {
  Array found = array(DType::I64, {0});
  Array expected = array(DType::I64, {0});
  storeInteger(DType::I64, INT64_MAX, found.at(0));
  storeInteger(DType::I64, INT64_MAX - 1, expected.at(0));
  EXPECT_EQ(compareArrays(found, expected, {0, 0}).maxAbsolute, 1);
  EXPECT_FALSE(compareArrays(found, expected, {0, 0}).matches());
}

TEST(CompareTest, ZerosOfBothSignsAreEqual) {
  EXPECT_TRUE(
      compareArrays(array(DType::F32, {-0.0}), array(DType::F32, {0.0}), {0, 0})
          .matches());
}
