// ConstantsTest.cpp - constants are declared once, with the right bits.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "SpirvFixture.h"

namespace nereid::spirv {
namespace {

using ::testing::HasSubstr;

TEST_F(SpirvTest, EqualConstantsHaveEqualIds) {
  EXPECT_EQ(b.u32(7), b.u32(7));
  EXPECT_EQ(b.u32(7), b.i32(7));
  EXPECT_NE(b.u32(7), b.u64(7));
  EXPECT_NE(b.f32(0.0f), b.f32(-0.0f));
  EXPECT_NE(b.boolean(true), b.boolean(false));
  TypeId vec2 = b.vectorType(b.floatType(32), 2);
  EXPECT_EQ(b.constantSplat(vec2, b.f32(1)), b.constantSplat(vec2, b.f32(1)));
  EXPECT_EQ(b.undef(vec2), b.undef(vec2));
  EXPECT_EQ(b.null(vec2), b.null(vec2));
  EXPECT_NE(b.null(vec2), b.undef(vec2));
  EXPECT_EQ(b.null(b.intType(32)), b.u32(0));
  finish();
}

TEST_F(SpirvTest, ConstantsHaveTheBitsOfTheirValue) {
  EXPECT_EQ(b.constantBits(b.i32(-1)), 0xffffffffu);
  EXPECT_EQ(b.constantBits(b.constant(b.intType(8), 0x1ff)), 0xffu);
  EXPECT_EQ(b.constantBits(b.f32(1.0f)), 0x3f800000u);
  EXPECT_EQ(b.constantBits(b.f64(1.0)), 0x3ff0000000000000u);
  EXPECT_EQ(b.constantBits(b.u64(~uint64_t(0))), ~uint64_t(0));
  EXPECT_EQ(b.constantBits(b.undef(b.intType(32))), std::nullopt);
  EXPECT_EQ(b.constantBits(b.builtIn(spv::BuiltIn::WorkgroupId)), std::nullopt);
  b.constant(b.floatType(16), 0x3c00);
  b.name(b.f32(0.5f), "half");
  EXPECT_THAT(finish(), HasSubstr("OpConstant %float 0.5"));
}

TEST_F(SpirvTest, CompositesOfConstantsAreConstants) {
  TypeId f32 = b.floatType(32), vec4 = b.vectorType(f32, 4);
  Id splat = b.splat(vec4, b.f32(2));
  EXPECT_TRUE(b.isConstant(splat));
  Id nested = b.construct(b.structType({vec4, f32}), {splat, b.f32(1)});
  EXPECT_TRUE(b.isConstant(nested));
  EXPECT_EQ(b.construct(b.structType({vec4, f32}), {splat, b.f32(1)}), nested);
  EXPECT_FALSE(b.isConstant(b.splat(vec4, input(f32))));
  finish();
}

TEST_F(SpirvTest, SpecConstantsAreNotKnown) {
  Id block = b.specConstant(b.intType(32), 128, 3);
  EXPECT_EQ(b.specConstant(b.intType(32), 128, 3), block);
  EXPECT_EQ(b.constantBits(block), std::nullopt);
  Id flag = b.specConstant(b.boolType(), 1, 4);
  Id wide = b.specConstant(b.intType(64), uint64_t(1) << 40, 5);
  b.select(flag, b.iadd(wide, b.u64(1)), wide);
  EXPECT_NE(b.iadd(block, b.u32(1)), b.u32(129));
  std::string text = finish();
  EXPECT_THAT(text, HasSubstr("SpecId 3"));
  EXPECT_THAT(text, HasSubstr("OpSpecConstantTrue"));
  EXPECT_THAT(text, HasSubstr("OpSpecConstant %ulong 1099511627776"));
}

} // namespace
} // namespace nereid::spirv
