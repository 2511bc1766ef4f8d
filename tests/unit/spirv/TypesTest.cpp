// TypesTest.cpp - types are declared once, with their layout.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "SpirvFixture.h"

namespace nereid::spirv {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(SpirvTest, EqualTypesHaveEqualIds) {
  TypeId f32 = b.floatType(32), i32 = b.intType(32);
  EXPECT_EQ(b.floatType(32), f32);
  EXPECT_NE(f32, i32);
  EXPECT_EQ(b.vectorType(f32, 4), b.vectorType(f32, 4));
  EXPECT_NE(b.vectorType(f32, 4), b.vectorType(f32, 2));
  EXPECT_EQ(b.arrayType(f32, 8, 4), b.arrayType(f32, 8, 4));
  EXPECT_NE(b.arrayType(f32, 8, 4), b.arrayType(f32, 8));
  EXPECT_EQ(b.structType({f32, i32}), b.structType({f32, i32}));
  EXPECT_NE(b.structType({f32, i32}), b.structType({i32, f32}));
  EXPECT_EQ(b.layoutType({{f32, 0}, {i32, 4}}),
            b.layoutType({{f32, 0}, {i32, 4}}));
  EXPECT_NE(b.layoutType({{f32, 0}, {i32, 4}}),
            b.layoutType({{f32, 0}, {i32, 8}}));
  EXPECT_NE(b.layoutType({{f32, 0}}), b.blockType({{f32, 0}}));
  EXPECT_NE(b.layoutType({{f32, 0}}), b.structType({f32}));
  constexpr auto workgroup = spv::StorageClass::Workgroup;
  EXPECT_EQ(b.pointerType(workgroup, f32), b.pointerType(workgroup, f32));
  EXPECT_NE(b.pointerType(workgroup, f32), b.pointerType(workgroup, f32, 4));
  EXPECT_EQ(b.functionType(f32, {i32}), b.functionType(f32, {i32}));
  EXPECT_NE(b.functionType(f32, {i32}), b.functionType(f32, {i32, i32}));
  finish();
}

TEST_F(SpirvTest, TypesHaveNames) {
  TypeId f16 = b.floatType(16), i8 = b.intType(8);
  EXPECT_EQ(b.typeName(b.vectorType(f16, 4)), "vec4<f16>");
  EXPECT_EQ(b.typeName(b.arrayType(i8, 16, 1)), "array<i8, 16>");
  EXPECT_EQ(b.typeName(b.runtimeArrayType(i8, 1)), "array<i8>");
  EXPECT_EQ(b.typeName(b.structType({f16, b.boolType()})), "struct<f16, bool>");
  EXPECT_EQ(
      b.typeName(b.pointerType(spv::StorageClass::PhysicalStorageBuffer, i8)),
      "ptr<PhysicalStorageBuffer, i8>");
  EXPECT_EQ(b.typeName(b.functionType(b.voidType(), {f16, i8})),
            "function(f16, i8) -> void");
  EXPECT_EQ(b.typeName(b.matrixType(f16, 16, 8, MatrixUse::A)),
            "matrix<f16, 16x8, A>");
  EXPECT_EQ(b.typeName(b.scalarType(Scalar::BFloat16)), "bf16");
  EXPECT_EQ(b.typeName(b.scalarType(Scalar::E4M3)), "e4m3");
}

TEST_F(SpirvTest, EveryScalarOfVulkanIsDeclared) {
  for (uint32_t bits : {8, 16, 32, 64})
    b.null(b.vectorType(b.intType(bits), 2));
  for (uint32_t bits : {16, 32, 64})
    b.null(b.floatType(bits));
  b.boolean(true);
  std::string text = finish();
  EXPECT_THAT(text, HasSubstr("OpTypeInt 8 0"));
  EXPECT_THAT(text, HasSubstr("OpTypeInt 64 0"));
  EXPECT_THAT(text, HasSubstr("OpTypeFloat 16"));
}

TEST_F(SpirvTest, LayoutsAreDecorated) {
  TypeId f32 = b.floatType(32);
  TypeId inner = b.layoutType({{f32, 0}, {b.vectorType(f32, 2), 8}});
  TypeId block =
      b.blockType({{b.intType(32), 0}, {b.runtimeArrayType(inner, 16), 16}});
  Id buffer = b.globalVariable(spv::StorageClass::StorageBuffer, block);
  b.decorate(buffer, spv::Decoration::DescriptorSet, 0u);
  b.decorate(buffer, spv::Decoration::Binding, 0u);
  b.name(buffer, "buffer");
  b.load(b.accessChain(buffer, {b.u32(1), b.u32(7), b.u32(1), b.u32(0)}));
  std::string text = finish();
  EXPECT_THAT(text, HasSubstr("ArrayStride 16"));
  EXPECT_THAT(text, HasSubstr("1 Offset 8"));
  EXPECT_THAT(text, HasSubstr("Block"));
  EXPECT_THAT(text, HasSubstr("%buffer = OpVariable"));
}

TEST_F(SpirvTest, WorkgroupMemoryWithALayout) {
  TypeId array = b.arrayType(b.intType(8), 64, 1);
  Id shared =
      b.globalVariable(spv::StorageClass::Workgroup, b.blockType({{array, 0}}));
  Id other =
      b.globalVariable(spv::StorageClass::Workgroup,
                       b.blockType({{b.arrayType(b.floatType(32), 16, 4), 0}}));
  for (Id one : {shared, other})
    b.decorate(one, spv::Decoration::Aliased);
  Id byte = b.load(b.accessChain(shared, {b.u32(0), b.u32(3)}));
  b.store(b.accessChain(shared, {b.u32(0), b.u32(4)}), byte);
  EXPECT_THAT(finish(),
              HasSubstr("WorkgroupMemoryExplicitLayout8BitAccessKHR"));
}

TEST_F(SpirvTest, PlainWorkgroupMemoryNeedsNoExtension) {
  Id shared = b.globalVariable(spv::StorageClass::Workgroup,
                               b.arrayType(b.floatType(32), 64));
  b.store(b.accessChain(shared, {b.u32(3)}), b.f32(1));
  EXPECT_THAT(finish(), Not(HasSubstr("OpExtension")));
}

TEST_F(SpirvTest, AddressesAreDeclaredOnlyIfUsed) {
  EXPECT_THAT(finish(), HasSubstr("OpMemoryModel Logical Vulkan"));
}

TEST_F(SpirvTest, ManyTypesAreStillFound) {
  TypeId f32 = b.floatType(32);
  std::vector<TypeId> arrays;
  for (uint32_t i = 1; i < 2000; ++i)
    arrays.push_back(b.arrayType(f32, i));
  for (uint32_t i = 1; i < 2000; ++i)
    ASSERT_EQ(b.arrayType(f32, i), arrays[i - 1]);
  finish();
}

} // namespace
} // namespace nereid::spirv
