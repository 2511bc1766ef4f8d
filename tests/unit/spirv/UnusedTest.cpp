// UnusedTest.cpp - instructions whose results nothing uses are removed.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "SpirvFixture.h"

namespace nereid::spirv {
namespace {

using testing::HasSubstr;
using testing::Not;

class UnusedTest : public SpirvTest {
protected:
  std::string finish() {
    endKernel();
    b.removeUnused();
    Words module = assemble();
    std::string text = disassemble(module);
    EXPECT_TRUE(isValid(module)) << problems << text;
    return text;
  }
};

TEST_F(UnusedTest, RemovesChains) {
  Id x = input(b.intType(32));
  b.imul(b.iadd(x, b.u32(5)), b.u32(7));
  std::string text = finish();
  EXPECT_THAT(text, Not(HasSubstr("OpIMul")));
  EXPECT_THAT(text, Not(HasSubstr("OpIAdd")));
  EXPECT_THAT(text, Not(HasSubstr("OpLoad")));
}

TEST_F(UnusedTest, KeepsOperandsOfWhatIsUsed) {
  Id sum = b.iadd(input(b.intType(32)), b.u32(5));
  b.store(devicePointer(b.intType(32)), b.imul(sum, b.u32(7)),
          {.alignment = 4});
  std::string text = finish();
  EXPECT_THAT(text, HasSubstr("OpIMul"));
  EXPECT_THAT(text, HasSubstr("OpIAdd"));
}

TEST_F(UnusedTest, KeepsLoadsThroughAddresses) {
  b.load(devicePointer(b.intType(32)), {.alignment = 4});
  EXPECT_THAT(finish(), HasSubstr("Aligned"));
}

TEST_F(UnusedTest, RemovesWhatALoopOnlyCarries) {
  Carried carried = b.beginLoop({b.u32(0), b.f32(1)});
  b.loopCondition(b.ult(carried[0], input(b.intType(32))));
  Id product = b.fmul(carried[1], b.f32(2));
  b.endLoop({b.iadd(carried[0], b.u32(1)), product});
  std::string text = finish();
  EXPECT_THAT(text, Not(HasSubstr("OpFMul")));
  EXPECT_THAT(text, Not(HasSubstr("OpPhi %float")));
  EXPECT_THAT(text, HasSubstr("OpPhi %uint"));
}

TEST_F(UnusedTest, RemovesDecorationsOfWhatItRemoves) {
  b.allowContraction(false);
  b.fadd(input(b.floatType(32)), b.f32(1));
  EXPECT_THAT(finish(), Not(HasSubstr("NoContraction")));
}

TEST_F(UnusedTest, RemovesLinesOfNothing) {
  Id x = input(b.intType(32));
  FileId file = b.file("kernel.py");
  b.setLocation({file, 3, 1});
  b.iadd(x, b.u32(5));
  b.setLocation({file, 4, 1});
  b.store(devicePointer(b.intType(32)), x, {.alignment = 4});
  std::string text = finish();
  EXPECT_THAT(text, Not(HasSubstr(" 3 1")));
  EXPECT_THAT(text, HasSubstr(" 4 1"));
}

} // namespace
} // namespace nereid::spirv
