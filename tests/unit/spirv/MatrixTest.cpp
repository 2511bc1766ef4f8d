// MatrixTest.cpp - cooperative matrices, bf16 and fp8.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "SpirvFixture.h"

namespace nereid::spirv {
namespace {

using ::testing::ElementsAre;

/// The instructions of \p module with \p opcode, without their first word.
std::vector<Words> find(const Words &module, spv::Op opcode) {
  std::vector<Words> found;
  for (size_t at = 5; at < module.size(); at += module[at] >> 16)
    if ((module[at] & 0xffff) == toWord(opcode))
      found.emplace_back(module.begin() + at + 1,
                         module.begin() + at + (module[at] >> 16));
  return found;
}

/// What SPIRV-Tools of the distribution do not know is tested word by word,
/// and validated where they do.
class MatrixTest : public SpirvTest {
protected:
  void validate(const Words &module, const char *capability) {
    ASSERT_FALSE(module.empty());
    if (knows(capability))
      EXPECT_TRUE(isValid(module)) << problems;
  }
  uint32_t constant(uint32_t value) { return b.u32(value).number; }
};

TEST_F(MatrixTest, NewerNumbersAreThoseOfTheRegistry) {
  EXPECT_EQ(toWord(newer::OpTypeCooperativeMatrixKHR), 4456u);
  EXPECT_EQ(toWord(newer::OpCooperativeMatrixLengthKHR), 4460u);
  EXPECT_EQ(toWord(newer::CooperativeMatrixKHR), 6022u);
}

TEST_F(MatrixTest, AProductWithMemoryOperands) {
  TypeId f16 = b.floatType(16), f32 = b.floatType(32);
  TypeId typeA = b.matrixType(f16, 16, 8, MatrixUse::A);
  TypeId typeB = b.matrixType(f16, 8, 32, MatrixUse::B);
  TypeId typeC = b.matrixType(f32, 16, 32, MatrixUse::Accumulator);
  EXPECT_EQ(b.matrixType(f16, 16, 8, MatrixUse::A), typeA);
  Id pointer = devicePointer(f16), result = devicePointer(f32);
  Id stride = b.u32(64);
  Id left = b.matrixLoad(typeA, pointer, MatrixLayout::RowMajor, stride,
                         {.alignment = 16});
  Id right = b.matrixLoad(typeB, pointer, MatrixLayout::ColumnMajor, stride,
                          {.alignment = 16});
  Id zero = b.splat(typeC, b.f32(0));
  Id product = b.matrixMulAdd(left, right, zero);
  Id scaled = b.matrixTimesScalar(b.fadd(product, product), b.f32(2));
  Id length = b.matrixLength(typeC);
  b.matrixStore(result, scaled, MatrixLayout::RowMajor, stride,
                {.alignment = 16});
  Words module = end();

  EXPECT_THAT(find(module, newer::OpTypeCooperativeMatrixKHR),
              ElementsAre(Words{typeA.number, f16.number, constant(3),
                                constant(16), constant(8), constant(0)},
                          Words{typeB.number, f16.number, constant(3),
                                constant(8), constant(32), constant(1)},
                          Words{typeC.number, f32.number, constant(3),
                                constant(16), constant(32), constant(2)}));
  EXPECT_THAT(find(module, newer::OpCooperativeMatrixLoadKHR),
              ElementsAre(Words{typeA.number, left.number, pointer.number,
                                constant(0), stride.number, 2, 16},
                          Words{typeB.number, right.number, pointer.number,
                                constant(1), stride.number, 2, 16}));
  EXPECT_THAT(find(module, newer::OpCooperativeMatrixMulAddKHR),
              ElementsAre(Words{typeC.number, product.number, left.number,
                                right.number, zero.number}));
  EXPECT_THAT(find(module, newer::OpCooperativeMatrixStoreKHR),
              ElementsAre(Words{result.number, scaled.number, constant(0),
                                stride.number, 2, 16}));
  EXPECT_THAT(
      find(module, newer::OpCooperativeMatrixLengthKHR),
      ElementsAre(Words{b.intType(32).number, length.number, typeC.number}));
  validate(module, "CooperativeMatrixKHR");
}

TEST_F(MatrixTest, SignedIntegersAreFlags) {
  TypeId i8 = b.intType(8), i32 = b.intType(32);
  Id left = b.undef(b.matrixType(i8, 16, 32, MatrixUse::A));
  Id right = b.undef(b.matrixType(i8, 32, 16, MatrixUse::B));
  Id sum = b.undef(b.matrixType(i32, 16, 16, MatrixUse::Accumulator));
  b.matrixMulAdd(left, right, sum,
                 matrixOperands::signedA | matrixOperands::signedB |
                     matrixOperands::signedC | matrixOperands::signedResult);
  Words module = end();
  EXPECT_EQ(find(module, newer::OpCooperativeMatrixMulAddKHR)[0][5], 15u);
  validate(module, "CooperativeMatrixKHR");
}

TEST_F(MatrixTest, NarrowFloatsHaveAnEncoding) {
  TypeId bf16 = b.scalarType(Scalar::BFloat16);
  TypeId e4m3 = b.scalarType(Scalar::E4M3), e5m2 = b.scalarType(Scalar::E5M2);
  EXPECT_NE(bf16, b.floatType(16));
  Id x = input(b.floatType(32));
  for (TypeId type : {bf16, e4m3, e5m2})
    b.fconvert(b.fconvert(x, type), b.floatType(32));
  Id saturated = b.fconvert(x, e4m3);
  b.decorate(saturated, newer::SaturatedToLargestFloat8NormalConversionEXT);
  Words module = end();
  EXPECT_THAT(find(module, spv::Op::OpTypeFloat),
              ::testing::UnorderedElementsAre(
                  Words{b.floatType(32).number, 32},
                  Words{b.floatType(16).number, 16}, Words{bf16.number, 16, 0},
                  Words{e4m3.number, 8, 4214}, Words{e5m2.number, 8, 4215}));
  EXPECT_THAT(find(module, spv::Op::OpDecorate),
              ::testing::Contains(Words{saturated.number, 4216}));
  std::vector<uint32_t> declared;
  for (const Words &one : find(module, spv::Op::OpCapability))
    declared.push_back(one[0]);
  EXPECT_THAT(declared, ::testing::IsSupersetOf({5116u, 4212u}));
  EXPECT_EQ(find(module, spv::Op::OpExtension).size(), 2u);
  validate(module, "Float8EXT");
}

TEST_F(MatrixTest, MatricesOfNarrowFloatsNeedMore) {
  b.undef(b.matrixType(b.scalarType(Scalar::BFloat16), 16, 16, MatrixUse::A));
  b.undef(b.matrixType(b.scalarType(Scalar::E5M2), 16, 32, MatrixUse::A));
  EXPECT_THAT(b.usedCapabilities(),
              ::testing::IsSupersetOf({newer::CooperativeMatrixKHR,
                                       newer::BFloat16CooperativeMatrixKHR,
                                       newer::Float8CooperativeMatrixEXT}));
  validate(end(), "Float8CooperativeMatrixEXT");
}

} // namespace
} // namespace nereid::spirv
