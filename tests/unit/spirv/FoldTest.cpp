// FoldTest.cpp - integer operations that are not emitted.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "spirv/Fold.h"
#include "SpirvFixture.h"

namespace nereid::spirv {
namespace {

using spv::Op;

uint64_t computed(Op op, uint32_t bits, uint64_t x, uint64_t y) {
  std::optional<Folded> folded = fold(op, bits, x, y);
  EXPECT_TRUE(folded && folded->result == FoldRule::Computed);
  return folded ? folded->bits : 0;
}

TEST(FoldTest, ComputesOnKnownOperands) {
  EXPECT_EQ(computed(Op::OpIAdd, 32, 0xffffffff, 2), 1u);
  EXPECT_EQ(computed(Op::OpIAdd, 64, ~uint64_t(0), 2), 1u);
  EXPECT_EQ(computed(Op::OpISub, 8, 1, 2), 0xffu);
  EXPECT_EQ(computed(Op::OpIMul, 16, 300, 300), 90000u & 0xffff);
  EXPECT_EQ(computed(Op::OpShiftLeftLogical, 32, 0x80000001, 1), 2u);
  EXPECT_EQ(computed(Op::OpShiftRightLogical, 32, 0x80000000, 31), 1u);
  EXPECT_EQ(computed(Op::OpShiftRightArithmetic, 32, 0x80000000, 31),
            0xffffffffu);
}

TEST(FoldTest, LeavesUndefinedShifts) {
  EXPECT_FALSE(fold(Op::OpShiftLeftLogical, 32, 1, 32));
  EXPECT_FALSE(fold(Op::OpShiftRightArithmetic, 8, 1, 9));
}

TEST(FoldTest, LeavesWhatIsNotInTheTable) {
  EXPECT_FALSE(fold(Op::OpSDiv, 32, 8, 2));
  EXPECT_FALSE(fold(Op::OpIAdd, 32, std::nullopt, 1));
  EXPECT_FALSE(fold(Op::OpISub, 32, 0, std::nullopt));
}

/// Each rule yields what the operation yields for every value of the other
/// operand.
TEST(FoldTest, EveryRuleOfAnIdentityIsExact) {
  auto evaluate = [](Op op, uint32_t bits, uint64_t x, uint64_t y) {
    uint64_t mask = (uint64_t(1) << bits) - 1;
    switch (op) {
    case Op::OpIAdd:
      return (x + y) & mask;
    case Op::OpISub:
      return (x - y) & mask;
    case Op::OpIMul:
      return (x * y) & mask;
    case Op::OpShiftLeftLogical:
      return (x << y) & mask;
    case Op::OpBitwiseAnd:
      return x & y;
    case Op::OpBitwiseOr:
      return x | y;
    case Op::OpBitwiseXor:
      return x ^ y;
    case Op::OpShiftRightLogical:
      return x >> y;
    case Op::OpShiftRightArithmetic:
      return uint64_t(int8_t(x) >> y) & mask;
    default:
      ADD_FAILURE() << "opcode " << toWord(op);
      return uint64_t(0);
    }
  };
  for (const FoldRule &rule : foldRules()) {
    bool isShift = rule.op == Op::OpShiftLeftLogical ||
                   rule.op == Op::OpShiftRightLogical ||
                   rule.op == Op::OpShiftRightArithmetic;
    if (rule.when == FoldRule::BothKnown)
      continue;
    for (uint64_t other = 0; other < 256; ++other) {
      uint64_t x = rule.when == FoldRule::LeftIs ? rule.value : other;
      uint64_t y = rule.when == FoldRule::RightIs ? rule.value : other;
      if (isShift && y >= 8)
        continue;
      EXPECT_EQ(rule.result == FoldRule::Left ? x : y,
                evaluate(rule.op, 8, x, y))
          << toWord(rule.op) << " " << x << " " << y;
    }
  }
}

TEST(FoldTest, ConvertsIntegers) {
  EXPECT_EQ(convertInteger(0xff, 8, 32, true), 0xffffffffu);
  EXPECT_EQ(convertInteger(0xff, 8, 32, false), 0xffu);
  EXPECT_EQ(convertInteger(0x12345678, 32, 8, true), 0x78u);
  EXPECT_EQ(convertInteger(0x80000000, 32, 64, true), 0xffffffff80000000u);
}

TEST_F(SpirvTest, AddressArithmeticIsFolded) {
  Id x = input(b.intType(32));
  EXPECT_EQ(b.iadd(x, b.u32(0)), x);
  EXPECT_EQ(b.iadd(b.u32(0), x), x);
  EXPECT_EQ(b.imul(x, b.u32(1)), x);
  EXPECT_EQ(b.imul(x, b.u32(0)), b.u32(0));
  EXPECT_EQ(b.shl(x, b.u32(0)), x);
  EXPECT_EQ(b.iadd(b.u32(3), b.u32(4)), b.u32(7));
  EXPECT_EQ(b.shl(b.u32(3), b.u32(4)), b.u32(48));
  EXPECT_EQ(b.sconvert(b.i32(-1), b.intType(64)), b.u64(~uint64_t(0)));
  EXPECT_EQ(b.uconvert(b.i32(-1), b.intType(64)), b.u64(0xffffffff));
  EXPECT_EQ(b.uconvert(x, b.intType(32)), x);
  std::string text = finish();
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("OpIAdd")));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("OpIMul")));
}

TEST_F(SpirvTest, FoldingKeepsAShiftsOwnWidth) {
  Id x = b.constant(b.intType(64), uint64_t(1) << 40);
  EXPECT_EQ(b.lshr(x, b.u32(36)), b.u64(16));
  EXPECT_EQ(b.shl(b.u32(1), b.u64(31)), b.u32(0x80000000));
  finish();
}

} // namespace
} // namespace nereid::spirv
