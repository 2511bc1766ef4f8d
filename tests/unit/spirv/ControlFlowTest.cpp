// ControlFlowTest.cpp - functions, structured selections and loops, phis.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "SpirvFixture.h"

namespace nereid::spirv {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(SpirvTest, AnIfWithoutElse) {
  Id x = input(b.intType(32));
  b.beginIf(b.slt(x, b.u32(0)));
  Id negated = b.ineg(x);
  Merge merge = b.endIf();
  Id absolute = b.merged(merge, negated, x);
  EXPECT_EQ(b.typeOf(absolute), b.intType(32));
  std::string text = finish();
  EXPECT_THAT(text, HasSubstr("OpSelectionMerge"));
  EXPECT_THAT(text, HasSubstr("OpPhi %uint"));
}

TEST_F(SpirvTest, AnIfWithElseThatYieldsTwoValues) {
  Id x = input(b.floatType(32));
  b.beginIf(boolInput(), spv::SelectionControlMask::DontFlatten);
  Id left = b.fadd(x, x), leftCount = b.u32(1);
  b.beginElse();
  Id right = b.fmul(x, x), rightCount = b.u32(2);
  Merge merge = b.endIf();
  Id value = b.merged(merge, left, right);
  Id count = b.merged(merge, leftCount, rightCount);
  b.fadd(value, b.convertUToF(count, b.floatType(32)));
  EXPECT_THAT(finish(), HasSubstr("DontFlatten"));
}

TEST_F(SpirvTest, NestedIfsMergeFromTheInnerBlocks) {
  Id x = input(b.intType(32));
  b.beginIf(boolInput());
  b.beginIf(boolInput());
  Id inner = b.iadd(x, b.u32(1));
  b.beginElse();
  Id otherInner = b.iadd(x, b.u32(2));
  Merge innerMerge = b.endIf();
  Id left = b.merged(innerMerge, inner, otherInner);
  b.beginElse();
  b.beginIf(boolInput());
  b.memoryBarrier(spv::Scope::Workgroup,
                  spv::MemorySemanticsMask::AcquireRelease |
                      spv::MemorySemanticsMask::WorkgroupMemory);
  b.endIf();
  Id right = b.iadd(x, b.u32(3));
  Merge merge = b.endIf();
  b.merged(merge, left, right);
  finish();
}

TEST_F(SpirvTest, ABranchThatEndsYieldsNoValue) {
  Id x = input(b.intType(32));
  b.beginIf(b.ieq(x, b.u32(0)));
  b.ret();
  b.beginElse();
  Id y = b.udiv(b.u32(100), x);
  Merge merge = b.endIf();
  EXPECT_FALSE(merge.thenEnd);
  EXPECT_EQ(b.merged(merge, x, y), y);
  EXPECT_THAT(finish(), Not(HasSubstr("OpPhi")));
}

TEST_F(SpirvTest, AValueOfBothBranchesNeedsNoPhi) {
  Id x = input(b.intType(32));
  b.beginIf(boolInput());
  Merge merge = b.endIf();
  EXPECT_EQ(b.merged(merge, x, x), x);
  EXPECT_THAT(finish(), Not(HasSubstr("OpPhi")));
}

TEST_F(SpirvTest, UnreachableEndsABlock) {
  b.beginIf(boolInput());
  b.unreachable();
  b.endIf();
  EXPECT_THAT(finish(), HasSubstr("OpUnreachable"));
}

TEST_F(SpirvTest, ALoopCarriesValues) {
  Id n = input(b.intType(32)), step = input(b.floatType(32));
  Carried carried =
      b.beginLoop({b.u32(0), b.f32(0)}, spv::LoopControlMask::DontUnroll);
  ASSERT_EQ(carried.size(), 2u);
  b.loopCondition(b.ult(carried[0], n));
  Id next = b.iadd(carried[0], b.u32(1));
  Id sum = b.fadd(carried[1], step);
  b.endLoop({next, sum});
  b.fmul(carried[1], step); // of the last iteration
  std::string text = finish();
  EXPECT_THAT(text, HasSubstr("OpLoopMerge"));
  EXPECT_THAT(text, HasSubstr("DontUnroll"));
}

TEST_F(SpirvTest, ALoopWhoseConditionHasBlocksOfItsOwn) {
  Id n = input(b.intType(32));
  Carried carried = b.beginLoop({b.u32(0)});
  b.beginIf(b.ugt(n, b.u32(10)));
  Id small = b.ult(carried[0], b.u32(10));
  Merge merge = b.endIf();
  Id condition = b.merged(merge, small, b.boolean(false));
  b.loopCondition(condition);
  b.endLoop({b.iadd(carried[0], b.u32(1))});
  finish();
}

TEST_F(SpirvTest, LoopsAndIfsNest) {
  Id n = input(b.intType(32));
  Carried outer = b.beginLoop({b.u32(0), b.u32(0)});
  b.loopCondition(b.ult(outer[0], n));
  Carried inner = b.beginLoop({b.u32(0), outer[1]});
  b.loopCondition(b.ult(inner[0], outer[0]));
  b.beginIf(b.ieq(inner[0], b.u32(3)));
  Id more = b.iadd(inner[1], b.u32(5));
  Merge merge = b.endIf();
  Id total = b.merged(merge, more, inner[1]);
  b.endLoop({b.iadd(inner[0], b.u32(1)), total});
  b.endLoop({b.iadd(outer[0], b.u32(1)), inner[1]});
  finish();
}

TEST_F(SpirvTest, ALoopWithoutValues) {
  b.beginLoop({});
  b.loopCondition(boolInput());
  b.endLoop({});
  finish();
}

TEST_F(SpirvTest, PhisGetTheirEdgesLater) {
  Id x = input(b.intType(32)), condition = boolInput();
  BlockId left = b.newBlock(), right = b.newBlock(), join = b.newBlock();
  b.selectionMerge(join);
  b.branchConditional(condition, left, right);
  b.beginBlock(left);
  b.branch(join);
  b.beginBlock(right);
  Id y = b.iadd(x, b.u32(1));
  b.branch(join);
  b.beginBlock(join);
  Phi phi = b.phi(b.intType(32), 2);
  Id sum = b.iadd(phi, x);
  b.addIncoming(phi, x, left);
  b.addIncoming(phi, y, right);
  EXPECT_EQ(b.typeOf(sum), b.intType(32));
  finish();
}

TEST_F(SpirvTest, VariablesAreDeclaredInTheEntryBlock) {
  b.beginIf(boolInput());
  Id variable = b.localVariable(b.floatType(32));
  b.store(variable, b.f32(1));
  b.endIf();
  b.load(variable);
  std::string text = finish();
  EXPECT_LT(text.find("OpVariable %_ptr_Function_float"),
            text.find("OpSelectionMerge"));
}

TEST_F(SpirvTest, FunctionsAreCalledBeforeTheyAreBuilt) {
  TypeId f32 = b.floatType(32);
  FunctionId square = b.declareFunction(f32, {f32, b.intType(32)},
                                        spv::FunctionControlMask::DontInline);
  Id result = b.call(square, {input(f32), b.u32(1)});
  EXPECT_EQ(b.typeOf(result), f32);
  endKernel();
  b.beginFunction(square);
  b.ret(b.fmul(b.parameter(square, 0), b.parameter(square, 0)));
  b.endFunction();
  Words module = assemble();
  EXPECT_TRUE(isValid(module)) << problems;
  EXPECT_THAT(disassemble(module), HasSubstr("OpFunction %float DontInline"));
}

} // namespace
} // namespace nereid::spirv
