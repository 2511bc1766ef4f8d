// InstructionsTest.cpp - arithmetic, conversions and composites.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "SpirvFixture.h"

namespace nereid::spirv {
namespace {

using spv::Op;
using ::testing::HasSubstr;
using ::testing::Not;

class NumbersTest : public SpirvTest,
                    public ::testing::WithParamInterface<uint32_t> {
protected:
  /// A scalar, or a vector of four.
  TypeId shaped(TypeId scalar) {
    return GetParam() == 1 ? scalar : b.vectorType(scalar, GetParam());
  }
};

INSTANTIATE_TEST_SUITE_P(Shapes, NumbersTest, ::testing::Values(1, 4));

TEST_P(NumbersTest, IntegerArithmetic) {
  for (uint32_t bits : {8, 16, 32, 64}) {
    TypeId type = shaped(b.intType(bits));
    Id x = input(type), y = input(type);
    for (Id result :
         {b.iadd(x, y), b.isub(x, y), b.imul(x, y), b.sdiv(x, y), b.udiv(x, y),
          b.srem(x, y), b.smod(x, y), b.umod(x, y), b.ineg(x), b.bitAnd(x, y),
          b.bitOr(x, y), b.bitXor(x, y), b.bitNot(x), b.shl(x, y), b.lshr(x, y),
          b.ashr(x, y), b.select(b.slt(x, y), x, y)})
      EXPECT_EQ(b.typeOf(result), type);
    for (Id result :
         {b.ieq(x, y), b.ine(x, y), b.slt(x, y), b.sle(x, y), b.sgt(x, y),
          b.sge(x, y), b.ult(x, y), b.ule(x, y), b.ugt(x, y), b.uge(x, y)})
      EXPECT_EQ(b.typeOf(result), shaped(b.boolType()));
  }
  finish();
}

TEST_P(NumbersTest, BitOperations) {
  TypeId type = shaped(b.intType(32));
  Id x = input(type), y = input(type);
  b.bitCount(x);
  b.bitReverse(x);
  b.bitFieldInsert(x, y, b.u32(4), b.u32(8));
  b.bitFieldSExtract(x, b.u32(4), b.u32(8));
  b.bitFieldUExtract(x, b.u32(4), b.u32(8));
  for (Id product : {b.umulExtended(x, y), b.smulExtended(x, y)})
    EXPECT_EQ(b.typeOf(b.extract(product, {1})), type);
  finish();
}

TEST_P(NumbersTest, FloatArithmetic) {
  for (uint32_t bits : {16, 32, 64}) {
    TypeId type = shaped(b.floatType(bits));
    Id x = input(type), y = input(type);
    for (Id result :
         {b.fadd(x, y), b.fsub(x, y), b.fmul(x, y), b.fdiv(x, y), b.frem(x, y),
          b.fmod(x, y), b.fneg(x), b.fma(x, y, x), b.glsl(GLSLstd450Sqrt, {x}),
          b.glsl(GLSLstd450NMin, {x, y}), b.glsl(GLSLstd450FClamp, {x, y, x})})
      EXPECT_EQ(b.typeOf(result), type);
    for (uint32_t op = toWord(Op::OpFOrdEqual);
         op <= toWord(Op::OpFUnordGreaterThanEqual); ++op)
      EXPECT_EQ(b.typeOf(b.fcmp(Op(op), x, y)), shaped(b.boolType()));
    EXPECT_EQ(b.typeOf(b.isNan(x)), shaped(b.boolType()));
    EXPECT_EQ(b.typeOf(b.isInf(x)), shaped(b.boolType()));
  }
  Id x = input(shaped(b.floatType(32)));
  b.glsl(GLSLstd450Exp2, {x});
  b.glsl(GLSLstd450Sin, {x});
  b.glsl(GLSLstd450Ldexp, {x, input(shaped(b.intType(32)))});
  EXPECT_THAT(finish(), HasSubstr("OpExtInstImport \"GLSL.std.450\""));
}

TEST_P(NumbersTest, Logic) {
  TypeId type = shaped(b.intType(32));
  Id x = b.ine(input(type), b.splat(type, b.u32(0)));
  Id y = b.ieq(input(type), b.splat(type, b.u32(7)));
  for (Id result :
       {b.logicalAnd(x, y), b.logicalOr(x, y), b.logicalEqual(x, y),
        b.logicalNotEqual(x, y), b.logicalNot(x), b.select(x, x, y)})
    EXPECT_EQ(b.typeOf(result), shaped(b.boolType()));
  finish();
}

TEST_P(NumbersTest, Conversions) {
  TypeId i8 = shaped(b.intType(8)), i16 = shaped(b.intType(16)),
         i32 = shaped(b.intType(32)), i64 = shaped(b.intType(64)),
         f16 = shaped(b.floatType(16)), f32 = shaped(b.floatType(32)),
         f64 = shaped(b.floatType(64));
  Id x = input(i32), y = input(f32);
  for (TypeId to : {i8, i16, i32, i64}) {
    EXPECT_EQ(b.typeOf(b.uconvert(x, to)), to);
    EXPECT_EQ(b.typeOf(b.sconvert(x, to)), to);
    EXPECT_EQ(b.typeOf(b.convertFToS(y, to)), to);
    EXPECT_EQ(b.typeOf(b.convertFToU(y, to)), to);
  }
  for (TypeId to : {f16, f32, f64}) {
    EXPECT_EQ(b.typeOf(b.fconvert(y, to)), to);
    EXPECT_EQ(b.typeOf(b.convertSToF(x, to)), to);
    EXPECT_EQ(b.typeOf(b.convertUToF(x, to)), to);
  }
  EXPECT_EQ(b.typeOf(b.bitcast(x, f32)), f32);
  EXPECT_EQ(b.typeOf(b.bitcast(b.uconvert(x, i16), f16)), f16);
  EXPECT_EQ(b.bitcast(x, i32), x);
  finish();
}

TEST_F(SpirvTest, BitcastsBetweenVectorsAndScalars) {
  Id x = input(b.intType(64));
  TypeId pair = b.vectorType(b.intType(32), 2);
  EXPECT_EQ(b.typeOf(b.bitcast(x, pair)), pair);
  finish();
}

TEST_F(SpirvTest, Composites) {
  TypeId f32 = b.floatType(32), vec4 = b.vectorType(f32, 4);
  TypeId pair = b.structType({f32, vec4}), array = b.arrayType(f32, 3);
  Id x = input(f32), v = b.splat(vec4, x);
  Id s = b.construct(pair, {x, v});
  EXPECT_EQ(b.typeOf(b.extract(s, {1, 2})), f32);
  EXPECT_EQ(b.typeOf(b.extract(s, {1})), vec4);
  EXPECT_EQ(b.typeOf(b.insert(x, s, {1, 3})), pair);
  EXPECT_EQ(b.typeOf(b.insert(x, b.undef(array), {2})), array);
  EXPECT_EQ(b.typeOf(b.construct(array, {x, x, x})), array);
  EXPECT_EQ(b.typeOf(b.vectorShuffle(v, v, {0, 5})), b.vectorType(f32, 2));
  EXPECT_EQ(b.typeOf(b.extractDynamic(v, b.u32(1))), f32);
  EXPECT_EQ(b.typeOf(b.insertDynamic(v, x, b.u32(1))), vec4);
  finish();
}

TEST_F(SpirvTest, ContractionIsAllowedUnlessTurnedOff) {
  Id x = input(b.floatType(32));
  b.fadd(b.fmul(x, x), x);
  EXPECT_THAT(finish(), Not(HasSubstr("NoContraction")));
}

TEST_F(SpirvTest, WithoutContractionEveryResultIsExact) {
  Id x = input(b.floatType(32));
  b.allowContraction(false);
  b.name(b.fmul(x, x), "product");
  b.name(b.fadd(x, x), "sum");
  std::string text = finish();
  EXPECT_THAT(text, HasSubstr("OpDecorate %product NoContraction"));
  EXPECT_THAT(text, HasSubstr("OpDecorate %sum NoContraction"));
}

TEST_F(SpirvTest, AFusedMultiplyAddIsRoundedOnce) {
  Id x = input(b.floatType(32));
  b.name(b.fma(x, x, x), "fused");
  EXPECT_THAT(finish(), HasSubstr("OpDecorate %fused NoContraction"));
}

TEST_F(SpirvTest, FloatControls) {
  using Mode = spv::ExecutionMode;
  for (uint32_t width : {16u, 32u, 64u}) {
    b.floatType(width);
    b.executionMode(kernel, Mode::SignedZeroInfNanPreserve, width);
    b.executionMode(kernel, Mode::DenormPreserve, width);
    b.executionMode(kernel, Mode::RoundingModeRTE, width);
  }
  std::string text = finish();
  EXPECT_THAT(text, HasSubstr("SignedZeroInfNanPreserve 16"));
  EXPECT_THAT(text, HasSubstr("OpCapability RoundingModeRTE"));
}

} // namespace
} // namespace nereid::spirv
