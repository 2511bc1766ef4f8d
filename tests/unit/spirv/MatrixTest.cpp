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

TEST_F(MatrixTest, TheEpilogueOfAProduct) {
  TypeId f32 = b.floatType(32), f16 = b.floatType(16);
  TypeId sums = b.matrixType(f32, 16, 16, MatrixUse::Accumulator);
  TypeId halves = b.matrixType(f16, 16, 16, MatrixUse::Accumulator);
  TypeId array = b.arrayType(f32, 256);
  Id tile = b.globalVariable(spv::StorageClass::Workgroup, array);
  Id corner = b.accessChain(tile, {b.u32(0)});
  Id sum = b.matrixLoad(sums, corner, MatrixLayout::ColumnMajor, b.u32(16),
                        {.isVolatile = true});
  Id element = b.extract(sum, {0});
  EXPECT_EQ(b.typeOf(element), f32);
  sum = b.insert(b.fneg(element), sum, {0});
  sum = b.fmul(b.fsub(sum, sum), b.splat(sums, b.f32(2)));
  Id local = b.localVariable(sums);
  b.store(local, sum);
  b.store(b.accessChain(local, {b.u32(1)}), b.f32(1));
  Id rounded = b.fconvert(b.load(local), halves);
  EXPECT_EQ(b.typeOf(rounded), halves);
  b.matrixStore(devicePointer(f16), rounded, MatrixLayout::RowMajor, b.u32(16),
                {.alignment = 16, .coherence = spv::Scope::Device});
  Words module = end();
  EXPECT_THAT(find(module, newer::OpCooperativeMatrixLoadKHR)[0],
              ::testing::SizeIs(6));
  Words store = find(module, newer::OpCooperativeMatrixStoreKHR)[0];
  EXPECT_THAT(std::span(store).subspan(4),
              ElementsAre(0x2a, 16, constant(toWord(spv::Scope::Device))));
  validate(module, "CooperativeMatrixKHR");
}

TEST_F(MatrixTest, ALoopCarriesAMatrix) {
  TypeId f16 = b.floatType(16);
  TypeId typeA = b.matrixType(f16, 16, 16, MatrixUse::A);
  TypeId typeB = b.matrixType(f16, 16, 16, MatrixUse::B);
  TypeId typeC = b.matrixType(b.floatType(32), 16, 16, MatrixUse::Accumulator);
  Id pointer = devicePointer(f16), n = input(b.intType(32));
  Carried carried = b.beginLoop({b.u32(0), b.splat(typeC, b.f32(0))});
  b.loopCondition(b.slt(carried[0], n));
  auto part = [&](TypeId type) {
    return b.matrixLoad(type, pointer, MatrixLayout::RowMajor, n,
                        {.alignment = 16});
  };
  Id left = part(typeA), right = part(typeB);
  Id next = b.iadd(carried[0], b.u32(1));
  b.endLoop({next, b.matrixMulAdd(left, right, carried[1])});
  b.matrixStore(devicePointer(b.floatType(32)), carried[1],
                MatrixLayout::RowMajor, n, {.alignment = 16});
  validate(end(), "CooperativeMatrixKHR");
}

TEST_F(MatrixTest, NarrowFloatsAreStored) {
  for (Scalar scalar : {Scalar::BFloat16, Scalar::E4M3, Scalar::E5M2}) {
    TypeId type = b.scalarType(scalar);
    uint32_t bytes = bitsOf(scalar) / 8;
    Id pointer = devicePointer(b.vectorType(type, 4));
    Id value = b.load(pointer, {.alignment = bytes * 4});
    Id wide = b.fconvert(value, b.vectorType(b.floatType(32), 4));
    b.store(pointer, b.fconvert(wide, b.vectorType(type, 4)),
            {.alignment = bytes});
    Id element = b.extract(value, {1});
    Id bits = b.bitcast(element, b.intType(bitsOf(scalar)));
    EXPECT_EQ(b.typeOf(b.bitcast(bits, type)), type);
    b.globalVariable(spv::StorageClass::Workgroup, b.arrayType(type, 64));
  }
  Words module = end();
  EXPECT_THAT(
      b.usedCapabilities(),
      ::testing::IsSupersetOf({spv::Capability::StorageBuffer8BitAccess,
                               spv::Capability::StorageBuffer16BitAccess,
                               newer::BFloat16TypeKHR, newer::Float8EXT}));
  validate(module, "Float8EXT");
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
