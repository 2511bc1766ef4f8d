// ArgumentSpecTest.cpp - kernel arguments as text.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ArgumentSpec.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace nereid;
using namespace nereid::tools;

static ArgumentValue make(const std::string &text) {
  Expected<ArgumentSpec> spec = ArgumentSpec::parse(text);
  EXPECT_TRUE(spec) << text;
  Expected<ArgumentValue> value = spec->make();
  EXPECT_TRUE(value) << text;
  return std::move(*value);
}

static std::string problem(const std::string &text) {
  Expected<ArgumentSpec> spec = ArgumentSpec::parse(text);
  return spec ? "no error" : spec.error().text;
}

TEST(ArgumentSpecTest, MakesScalars) {
  ArgumentValue value = make("i32=-7");
  EXPECT_FALSE(value.isTensor);
  EXPECT_EQ(value.array.size(), 4u);
  EXPECT_EQ(loadInteger(DType::I32, value.array.data()), -7);
  EXPECT_EQ(loadNumber(DType::BF16, make("bf16=1.5").array.data()), 1.5);
}

TEST(ArgumentSpecTest, MakesTensors) {
  ArgumentValue value = make("f16[2,3]=range");
  EXPECT_TRUE(value.isTensor);
  EXPECT_EQ(value.array.shape(), (Shape{2, 3}));
  for (uint64_t i = 0; i < 6; ++i)
    EXPECT_EQ(loadNumber(DType::F16, value.array.at(i)), i);
  EXPECT_EQ(loadNumber(DType::F32, make("f32[3]=ones").array.at(2)), 1);
  EXPECT_EQ(loadNumber(DType::F32, make("f32[3]=full:-2.5").array.at(2)), -2.5);
  EXPECT_EQ(loadInteger(DType::I8, make("i8[3]=9").array.at(2)), 9);
}

TEST(ArgumentSpecTest, ANullPointerHasNoElements) {
  ArgumentValue value = make("f32[0]=zeros");
  EXPECT_TRUE(value.isTensor);
  EXPECT_EQ(value.array.size(), 0u);
}

TEST(ArgumentSpecTest, RandomNumbersDependOnTheSeedAlone) {
  Array a = make("f32[1000]=random:7").array;
  Array b = make("f32[1000]=random:7").array;
  Array c = make("f32[1000]=random:8").array;
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size()), 0);
  EXPECT_NE(std::memcmp(a.data(), c.data(), a.size()), 0);
  double sum = 0;
  for (uint64_t i = 0; i < a.count(); ++i) {
    double value = loadNumber(DType::F32, a.at(i));
    EXPECT_LE(std::abs(value), 1);
    sum += value;
  }
  EXPECT_NEAR(sum / 1000, 0, 0.1);
}

TEST(ArgumentSpecTest, RandomIntegersReachTheirBoundsAndNoFurther) {
  Array array = make("i32[1000]=random:0:3:6").array;
  std::vector<int> seen(3);
  for (uint64_t i = 0; i < array.count(); ++i) {
    int64_t value = loadInteger(DType::I32, array.at(i));
    ASSERT_TRUE(value >= 3 && value < 6) << value;
    ++seen[value - 3];
  }
  for (int count : seen)
    EXPECT_GT(count, 200);
}

TEST(ArgumentSpecTest, ReportsWhatIsWrong) {
  EXPECT_EQ(problem("f33=1"),
            "error: 'f33=1': unknown type 'f33', known are f64, f32, f16, "
            "bf16, f8e4m3fn, f8e5m2, i64, i32, i16, i8, i1");
  EXPECT_EQ(problem("i32=1.5"),
            "error: 'i32=1.5': '1.5' is not a valid i32, expected an integer");
  EXPECT_EQ(problem("f32[2,x]=1"),
            "error: 'f32[2,x]=1': the shape has 'x', expected numbers of 0 to "
            "18446744073709551615 with ',' between");
  EXPECT_EQ(problem("f32[2=1"), "error: 'f32[2=1': no ']' after the shape");
  EXPECT_EQ(problem("f32[2]=rand"),
            "error: 'f32[2]=rand': unknown value 'rand', expected zeros, "
            "ones, range, full:NUMBER, random:SEED, a number or @FILE.npy");
  EXPECT_EQ(problem("f32[2]=random:x"),
            "error: 'f32[2]=random:x': the seed is 'x', expected a number "
            "from 0 to 18446744073709551615");
  EXPECT_EQ(problem("f32[2]=random:1:2:2"),
            "error: 'f32[2]=random:1:2:2': the range is '2:2', expected "
            "LOW:HIGH with LOW below HIGH");
  EXPECT_EQ(problem("f32[9223372036854775807,4]=0"),
            "error: 'f32[9223372036854775807,4]=0': shape "
            "[9223372036854775807, 4] of f32 has more bytes than an address "
            "can count, expected at most 2305843009213693951 elements");
  EXPECT_EQ(problem("@"), "error: '@': no file after '@'");
  EXPECT_NE(problem("i32"), "no error");
}

TEST(ArgumentSpecTest, NumbersOutOfRangeGetTheRange) {
  EXPECT_EQ(problem("f16[16]=65520"),
            "error: 'f16[16]=65520': '65520' does not "
            "fit f16, expected -65504 to 65504");
  EXPECT_EQ(problem("i8[16]=256"),
            "error: 'i8[16]=256': '256' does not fit i8, expected -128 to 255");
  EXPECT_EQ(problem("i32=-2147483649"),
            "error: 'i32=-2147483649': '-2147483649' does not fit i32, "
            "expected -2147483648 to 4294967295");
  EXPECT_EQ(problem("i64=18446744073709551616"),
            "error: 'i64=18446744073709551616': '18446744073709551616' does "
            "not fit i64, expected -9223372036854775808 to "
            "18446744073709551615");
  EXPECT_EQ(problem("i1=2"),
            "error: 'i1=2': '2' does not fit i1, expected 0 to 1");
  EXPECT_EQ(problem("f64[2]=full:1e400"),
            "error: 'f64[2]=full:1e400': '1e400' does not fit f64, expected "
            "-1.7976931348623157e308 to 1.7976931348623157e308");
  EXPECT_EQ(problem("f32[2]=inf"), "no error");
}

TEST(ArgumentSpecTest, BoundsOfRandomNumbersFitTheType) {
  EXPECT_EQ(problem("f16[2]=random:1:0:1e6"),
            "error: 'f16[2]=random:1:0:1e6': the range is '0:1e6', expected "
            "bounds from -65504 to 65504 for f16");
  EXPECT_EQ(problem("i8[2]=random:1:0:300"),
            "error: 'i8[2]=random:1:0:300': the range is '0:300', expected "
            "bounds from -128 to 256 for i8");
  EXPECT_EQ(problem("f64[2]=random:1:-1e308:1e308"),
            "error: 'f64[2]=random:1:-1e308:1e308': the range is "
            "'-1e308:1e308', expected bounds from -8e307 to 8e307 for f64");
  EXPECT_EQ(problem("i8[2]=random:1:-128:256"), "no error");
  EXPECT_EQ(problem("i1[2]=random:1:0:2"), "no error");
  EXPECT_EQ(problem("i64[2]=random"), "no error");
}

TEST(ArgumentSpecTest, ATensorThatDoesNotFitIsAnError) {
  Expected<ArgumentSpec> spec =
      ArgumentSpec::parse("i8[4611686018427387904]=0");
  ASSERT_TRUE(spec);
  Expected<ArgumentValue> value = spec->make();
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().status, NEREID_OUT_OF_RESOURCES);
}
