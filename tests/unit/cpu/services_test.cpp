// services_test.cpp - printing and failing of kernels.
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
  ASSERT_EQ(std::fseek(printing.file, 0, SEEK_SET), 0);
  char text[256] = {};
  (void)!std::fread(text, 1, sizeof text - 1, printing.file);
  std::fclose(printing.file);
  EXPECT_STREQ(text, "pid (0, 2, 0) idx () x: 7\n"
                     "pid (0, 2, 0) idx () x: 7\n"
                     "pid (0, 2, 0) idx () x: 7\n"
                     "pid (0, 2, 0) idx (0) x: 7\n");
}

TEST(LaunchState, ReportsTheFirstFailure) {
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
