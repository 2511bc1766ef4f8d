// print_format_test.cpp - the text of printed values.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/print_format.h"

#include <gtest/gtest.h>

namespace nereid::plugin {
namespace {

PrintedValue makePrint(std::string_view type, const void *data) {
  return {{0, 2, 0}, " x: ", type, false, {}, data, 1};
}

TEST(Print, Scalars) {
  int32_t minus = -5;
  uint8_t large = 200;
  float half = 0.5f;
  uint16_t bits16 = 0x3e00, brain = 0x3fc0;
  EXPECT_EQ(formatPrint(makePrint("i32", &minus)),
            "pid (0, 2, 0) idx () x: -5\n");
  EXPECT_EQ(formatPrint(makePrint("u8", &large)),
            "pid (0, 2, 0) idx () x: 200\n");
  EXPECT_EQ(formatPrint(makePrint("i8", &large)),
            "pid (0, 2, 0) idx () x: -56\n");
  EXPECT_EQ(formatPrint(makePrint("f32", &half)),
            "pid (0, 2, 0) idx () x: 0.500000\n");
  EXPECT_EQ(formatPrint(makePrint("f16", &bits16)),
            "pid (0, 2, 0) idx () x: 1.500000\n");
  EXPECT_EQ(formatPrint(makePrint("bf16", &brain)),
            "pid (0, 2, 0) idx () x: 1.500000\n");
}

TEST(Print, Hexadecimal) {
  int32_t minus = -1;
  PrintedValue print = makePrint("i32", &minus);
  print.hex = true;
  EXPECT_EQ(formatPrint(print), "pid (0, 2, 0) idx () x: 0xffffffff\n");
  float tenth = -0.1f;
  uint16_t half = 0x3e00;
  print = makePrint("f32", &tenth);
  print.hex = true;
  EXPECT_EQ(formatPrint(print), "pid (0, 2, 0) idx () x: -0x1.99999ap-4\n");
  print = makePrint("f16", &half);
  print.hex = true;
  EXPECT_EQ(formatPrint(print), "pid (0, 2, 0) idx () x: 0x1.8p+0\n");
  uint64_t address = 0x1000;
  EXPECT_EQ(formatPrint(makePrint("ptr", &address)),
            "pid (0, 2, 0) idx () x: 0x0000000000001000\n");
}

TEST(Print, TensorsHaveALineForEachElement) {
  int64_t shape[] = {2, 2};
  int64_t values[] = {1, 2, 3, 4};
  PrintedValue print = makePrint("i64", values);
  print.shape = shape;
  print.count = 4;
  EXPECT_EQ(formatPrint(print), "pid (0, 2, 0) idx (0, 0) x: 1\n"
                                "pid (0, 2, 0) idx (0, 1) x: 2\n"
                                "pid (0, 2, 0) idx (1, 0) x: 3\n"
                                "pid (0, 2, 0) idx (1, 1) x: 4\n");
}

TEST(Print, IndicesAreAlignedToTheRight) {
  int64_t shape[] = {11};
  int8_t values[11] = {};
  PrintedValue print = makePrint("i8", values);
  print.shape = shape;
  print.count = 11;
  std::string text = formatPrint(print);
  EXPECT_EQ(text.substr(0, text.find('\n')), "pid (0, 2, 0) idx ( 0) x: 0");
  EXPECT_NE(text.find("idx (10) x: 0"), std::string::npos) << text;
}

TEST(Print, WithoutValuesThePrefixStandsAlone) {
  PrintedValue print = makePrint("", nullptr);
  print.count = 0;
  EXPECT_EQ(formatPrint(print), "pid (0, 2, 0) x: \n");
}

TEST(Print, SeveralOperandsAreNumbered) {
  EXPECT_EQ(operandPrefix(" x: ", 0, 1), " x: ");
  EXPECT_EQ(operandPrefix(" x: ", 1, 2), " x: (operand 1) ");
}

} // namespace
} // namespace nereid::plugin
