// services_test.cpp - the text of printed values.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "services.h"

#include <gtest/gtest.h>

namespace nereid::cpu {
namespace {

nereid_cpu_print_t makePrint(const char *type, const void *data) {
  nereid_cpu_print_t print = {};
  print.struct_size = sizeof print;
  print.program[1] = 2;
  print.prefix = " x: ";
  print.prefix_size = 4;
  print.type = type;
  print.data = data;
  print.count = 1;
  return print;
}

TEST(Print, Scalars) {
  int32_t minus = -5;
  uint8_t large = 200;
  float half = 0.5f;
  uint16_t bits16 = 0x3e00, brain = 0x3fc0;
  EXPECT_EQ(formatPrint(makePrint("i32", &minus)), "pid (0, 2, 0) idx () x: -5\n");
  EXPECT_EQ(formatPrint(makePrint("u8", &large)), "pid (0, 2, 0) idx () x: 200\n");
  EXPECT_EQ(formatPrint(makePrint("i8", &large)), "pid (0, 2, 0) idx () x: -56\n");
  EXPECT_EQ(formatPrint(makePrint("f32", &half)),
            "pid (0, 2, 0) idx () x: 0.500000\n");
  EXPECT_EQ(formatPrint(makePrint("f16", &bits16)),
            "pid (0, 2, 0) idx () x: 1.500000\n");
  EXPECT_EQ(formatPrint(makePrint("bf16", &brain)),
            "pid (0, 2, 0) idx () x: 1.500000\n");
}

TEST(Print, Hexadecimal) {
  int32_t minus = -1;
  nereid_cpu_print_t print = makePrint("i32", &minus);
  print.hex = 1;
  EXPECT_EQ(formatPrint(print), "pid (0, 2, 0) idx () x: 0xffffffff\n");
  uint64_t address = 0x1000;
  EXPECT_EQ(formatPrint(makePrint("ptr", &address)),
            "pid (0, 2, 0) idx () x: 0x0000000000001000\n");
}

TEST(Print, TensorsHaveALineForEachElement) {
  int64_t shape[] = {2, 2};
  int64_t values[] = {1, 2, 3, 4};
  nereid_cpu_print_t print = makePrint("i64", values);
  print.rank = 2;
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
  nereid_cpu_print_t print = makePrint("i8", values);
  print.rank = 1;
  print.shape = shape;
  print.count = 11;
  std::string text = formatPrint(print);
  EXPECT_EQ(text.substr(0, text.find('\n')), "pid (0, 2, 0) idx ( 0) x: 0");
  EXPECT_NE(text.find("idx (10) x: 0"), std::string::npos) << text;
}

TEST(Print, WithoutValuesThePrefixStandsAlone) {
  nereid_cpu_print_t print = makePrint("", nullptr);
  print.count = 0;
  EXPECT_EQ(formatPrint(print), "pid (0, 2, 0) x: \n");
}

TEST(LaunchState, WritesAScalarAsOftenAsAsked) {
  Printing printing = {std::tmpfile(), 3};
  ASSERT_NE(printing.file, nullptr);
  int32_t number = 7;
  int64_t shape = 1;
  nereid_cpu_print_t scalar = makePrint("i32", &number), tile = scalar;
  tile.rank = 1;
  tile.shape = &shape;
  LaunchState state(printing);
  state.print(scalar);
  state.print(tile);
  std::rewind(printing.file);
  char text[256] = {};
  (void)!std::fread(text, 1, sizeof text - 1, printing.file);
  std::fclose(printing.file);
  EXPECT_STREQ(text, "pid (0, 2, 0) idx () x: 7\n"
                     "pid (0, 2, 0) idx () x: 7\n"
                     "pid (0, 2, 0) idx () x: 7\n"
                     "pid (0, 2, 0) idx (0) x: 7\n");
}

TEST(LaunchState, TheFirstFailureStays) {
  Printing printing;
  LaunchState state(printing);
  EXPECT_FALSE(state.failed());
  kServices.fail(&state, 1, 2, 3, "first", 5);
  kServices.fail(&state, 0, 0, 0, "second", 6);
  EXPECT_TRUE(state.failed());
  EXPECT_EQ(state.message(), "program (1, 2, 3): first");
  EXPECT_EQ(state.status(), NEREID_DEVICE_FAULT);
}

} // namespace
} // namespace nereid::cpu
