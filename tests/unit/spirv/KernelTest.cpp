// KernelTest.cpp - whole kernels, as the compiler builds them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "SpirvFixture.h"

namespace nereid::spirv {
namespace {

using ::testing::HasSubstr;

/// z[i] = x[i] + y[i] for i < n; each workgroup adds `blocks` blocks of 128
/// elements, four to an invocation.
class VectorAdd {
public:
  explicit VectorAdd(Builder &b) : b(b) {}

  void build(FunctionId kernel) {
    TypeId i32 = b.intType(32), i64 = b.intType(64);
    Id arguments = b.globalVariable(
        spv::StorageClass::PushConstant,
        b.blockType({{i64, 0}, {i64, 8}, {i64, 16}, {i32, 24}, {i32, 28}}));
    auto argument = [&](uint32_t index) {
      return b.load(b.accessChain(arguments, {b.u32(index)}));
    };
    Id x = argument(0), y = argument(1), z = argument(2), n = argument(3),
       blocks = argument(4);
    Id group = b.extract(b.load(b.builtIn(spv::BuiltIn::WorkgroupId)), {0});
    Id lane = b.load(b.builtIn(spv::BuiltIn::LocalInvocationIndex));
    Id first = b.imul(b.imul(group, blocks), b.u32(128));
    Id mine = b.imul(lane, b.u32(4));

    Carried block = b.beginLoop({b.u32(0)});
    b.loopCondition(b.ult(block[0], blocks));
    Id start = b.iadd(b.iadd(first, b.imul(block[0], b.u32(128))), mine);
    // Four elements at once where all are inside, else one by one.
    Id isFull = b.sle(b.iadd(start, b.u32(4)), n);
    b.beginIf(isFull);
    addVector(x, y, z, start);
    b.beginElse();
    for (uint32_t i = 0; i < 4; ++i)
      addMasked(x, y, z, b.iadd(start, b.u32(i)), n);
    b.endIf();
    b.endLoop({b.iadd(block[0], b.u32(1))});
    b.ret();
    b.endFunction();
    b.localSize(kernel, 32);
    b.entryPoint(kernel, "add_kernel");
  }

private:
  Id at(Id base, Id index, TypeId type) {
    Id bytes = b.shl(b.sconvert(index, b.intType(64)), b.u32(2));
    return b.convertUToPtr(
        b.iadd(base, bytes),
        b.pointerType(spv::StorageClass::PhysicalStorageBuffer, type));
  }

  void addVector(Id x, Id y, Id z, Id index) {
    TypeId vec4 = b.vectorType(b.floatType(32), 4);
    Id sum = b.fadd(b.load(at(x, index, vec4), {.alignment = 16}),
                    b.load(at(y, index, vec4), {.alignment = 16}));
    b.store(at(z, index, vec4), sum, {.alignment = 16});
  }

  void addMasked(Id x, Id y, Id z, Id index, Id n) {
    TypeId f32 = b.floatType(32);
    Id mask = b.slt(index, n), other = b.f32(0);
    auto loadMasked = [&](Id base) {
      b.beginIf(mask);
      Id loaded = b.load(at(base, index, f32), {.alignment = 4});
      Merge merge = b.endIf();
      return b.merged(merge, loaded, other);
    };
    Id left = loadMasked(x), right = loadMasked(y);
    Id sum = b.fadd(left, right);
    b.beginIf(mask);
    b.store(at(z, index, f32), sum, {.alignment = 4});
    b.endIf();
  }

  Builder &b;
};

TEST_F(SpirvTest, AVectorAddWithMasksAndALoop) {
  b.name(kernel, "add_kernel");
  VectorAdd(b).build(kernel);
  ASSERT_EQ(b.misuse(), "");
  Words module = b.assemble();
  std::string text = disassemble(module);
  EXPECT_TRUE(isValid(module)) << problems << text;
  EXPECT_THAT(text, HasSubstr("OpEntryPoint GLCompute"));
  EXPECT_THAT(text, HasSubstr("OpExecutionMode %add_kernel LocalSize 32 1 1"));
  DeviceCapabilities device;
  for (spv::Capability one :
       {spv::Capability::Shader, spv::Capability::VulkanMemoryModel,
        spv::Capability::PhysicalStorageBufferAddresses,
        spv::Capability::Int64})
    device.add(one);
  EXPECT_TRUE(b.missing(device).empty());
}

TEST_F(SpirvTest, TheSameKernelHasTheSameWords) {
  VectorAdd(b).build(kernel);
  Builder other;
  FunctionId function = other.declareFunction(other.voidType(), {});
  other.beginFunction(function);
  VectorAdd(other).build(function);
  EXPECT_EQ(b.assemble(), other.assemble());
}

/// Tree sums in the subgroup, then in workgroup memory.
TEST_F(SpirvTest, AReductionAcrossSubgroups) {
  TypeId f32 = b.floatType(32);
  Id slots =
      b.globalVariable(spv::StorageClass::Workgroup, b.arrayType(f32, 4));
  Id subgroup = b.load(b.builtIn(spv::BuiltIn::SubgroupId));
  Id sum = b.reduce(spv::Op::OpGroupNonUniformFAdd, input(f32));
  b.beginIf(b.elect());
  b.store(b.accessChain(slots, {subgroup}), sum);
  b.endIf();
  b.workgroupBarrier();
  Id total = b.f32(0);
  for (uint32_t i = 0; i < 4; ++i)
    total = b.fadd(total, b.load(b.accessChain(slots, {b.u32(i)})));
  b.store(devicePointer(f32), total, {.alignment = 4});
  finish();
}

} // namespace
} // namespace nereid::spirv
