// MemoryTest.cpp - loads, stores, pointers, atomics and barriers.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "SpirvFixture.h"

namespace nereid::spirv {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Semantics = spv::MemorySemanticsMask;
constexpr auto deviceMemory = spv::StorageClass::PhysicalStorageBuffer;

TEST_F(SpirvTest, AccessesStateTheirAlignment) {
  TypeId vec4 = b.vectorType(b.floatType(32), 4);
  Id pointer = devicePointer(vec4);
  b.store(pointer, b.load(pointer, {.alignment = 16}), {.alignment = 4});
  std::string text = finish();
  EXPECT_THAT(text, HasSubstr("Aligned 16"));
  EXPECT_THAT(text, HasSubstr("Aligned 4"));
  EXPECT_THAT(text, HasSubstr("OpMemoryModel PhysicalStorageBuffer64 Vulkan"));
}

TEST_F(SpirvTest, VolatileAndNontemporalAccesses) {
  Id pointer = devicePointer(b.intType(32));
  b.load(pointer, {.alignment = 4, .isVolatile = true});
  b.load(pointer, {.alignment = 4, .isNontemporal = true});
  std::string text = finish();
  EXPECT_THAT(text, HasSubstr("Volatile|Aligned 4"));
  EXPECT_THAT(text, HasSubstr("Aligned|Nontemporal 4"));
}

TEST_F(SpirvTest, CoherentAccessesHaveAScope) {
  Id pointer = devicePointer(b.intType(32));
  Id value = b.load(pointer, {.alignment = 4, .coherence = spv::Scope::Device});
  b.store(pointer, value,
          {.alignment = 4, .coherence = spv::Scope::QueueFamily});
  b.load(pointer, {.alignment = 4, .isNonPrivate = true});
  std::string text = finish();
  EXPECT_THAT(text,
              HasSubstr("Aligned|MakePointerVisible|NonPrivatePointer 4"));
  EXPECT_THAT(text,
              HasSubstr("Aligned|MakePointerAvailable|NonPrivatePointer 4"));
  EXPECT_THAT(text, HasSubstr("Aligned|NonPrivatePointer 4"));
  EXPECT_THAT(text, HasSubstr("VulkanMemoryModelDeviceScope"));
}

TEST_F(SpirvTest, SmallTypesInMemoryAreNotArithmetic) {
  Id bytes = devicePointer(b.intType(8)),
     halves = devicePointer(b.floatType(16));
  Id byte = b.load(bytes, {.alignment = 1});
  Id half = b.load(halves, {.alignment = 2});
  b.store(bytes, b.uconvert(b.uconvert(byte, b.intType(32)), b.intType(8)),
          {.alignment = 1});
  b.store(halves,
          b.fconvert(b.fconvert(half, b.floatType(32)), b.floatType(16)),
          {.alignment = 2});
  std::string text = finish();
  EXPECT_THAT(text, HasSubstr("OpCapability StorageBuffer8BitAccess"));
  EXPECT_THAT(text, HasSubstr("OpCapability StorageBuffer16BitAccess"));
  EXPECT_THAT(text, Not(HasSubstr("OpCapability Int8")));
  EXPECT_THAT(text, Not(HasSubstr("OpCapability Float16")));
}

TEST_F(SpirvTest, PointersStepOverObjects) {
  TypeId i32 = b.intType(32);
  Id base = devicePointer(i32, 4);
  Id next = b.ptrAccessChain(base, b.u64(3));
  EXPECT_EQ(b.typeOf(next), b.typeOf(base));
  b.store(next, b.load(next, {.alignment = 4}), {.alignment = 4});
  EXPECT_EQ(b.typeOf(b.convertPtrToU(next, b.intType(64))), b.intType(64));
  EXPECT_THAT(finish(), HasSubstr("ArrayStride 4"));
}

TEST_F(SpirvTest, PointersStepInsideObjects) {
  TypeId f32 = b.floatType(32), vec2 = b.vectorType(f32, 2);
  Id base = devicePointer(b.layoutType({{f32, 0}, {vec2, 8}}), 16);
  Id part = b.ptrAccessChain(base, b.u32(2), {b.u32(1), b.u32(0)});
  EXPECT_EQ(b.typeOf(part), b.pointerType(deviceMemory, f32));
  b.load(part, {.alignment = 8});
  Id member = b.accessChain(base, {b.u32(1)});
  EXPECT_EQ(b.typeOf(member), b.pointerType(deviceMemory, vec2));
  finish();
}

TEST_F(SpirvTest, PointersInPushConstantsAndVariables) {
  TypeId pointer = b.pointerType(deviceMemory, b.floatType(32), 4);
  Id arguments = b.globalVariable(
      spv::StorageClass::PushConstant,
      b.blockType({{pointer, 0}, {pointer, 8}, {b.intType(32), 16}}));
  Id local = b.localVariable(pointer);
  b.decorate(local, spv::Decoration::RestrictPointer);
  b.store(local, b.load(b.accessChain(arguments, {b.u32(1)})));
  b.load(b.load(local), {.alignment = 4});
  EXPECT_THAT(finish(), HasSubstr("RestrictPointer"));
}

TEST_F(SpirvTest, PointersAsArguments) {
  TypeId pointer = b.pointerType(deviceMemory, b.floatType(32));
  FunctionId callee = b.declareFunction(b.voidType(), {pointer});
  b.decorate(b.parameter(callee, 0), spv::Decoration::Aliased);
  b.call(callee, {devicePointer(b.floatType(32))});
  endKernel();
  b.beginFunction(callee);
  b.store(b.parameter(callee, 0), b.f32(1), {.alignment = 4});
  b.ret();
  b.endFunction();
  Words module = assemble();
  EXPECT_TRUE(isValid(module)) << problems << disassemble(module);
}

TEST_F(SpirvTest, IntegerAtomics) {
  using spv::Op;
  constexpr auto scope = spv::Scope::Device;
  constexpr auto relaxed = Semantics::MaskNone;
  for (uint32_t bits : {32, 64}) {
    TypeId type = b.intType(bits);
    Id pointer = devicePointer(type), value = input(type);
    for (Op op :
         {Op::OpAtomicExchange, Op::OpAtomicIAdd, Op::OpAtomicISub,
          Op::OpAtomicSMin, Op::OpAtomicUMin, Op::OpAtomicSMax,
          Op::OpAtomicUMax, Op::OpAtomicAnd, Op::OpAtomicOr, Op::OpAtomicXor})
      EXPECT_EQ(b.typeOf(b.atomic(op, pointer, scope, relaxed, value)), type);
    b.atomicIncrement(pointer, scope, relaxed);
    b.atomicDecrement(pointer, scope, relaxed);
    b.atomicStore(pointer, scope, Semantics::Release | Semantics::UniformMemory,
                  b.atomicLoad(pointer, scope,
                               Semantics::Acquire | Semantics::UniformMemory));
    b.atomicCompareExchange(
        pointer, scope, Semantics::AcquireRelease | Semantics::UniformMemory,
        Semantics::Acquire | Semantics::UniformMemory, value, b.null(type));
  }
  std::string text = finish();
  EXPECT_THAT(text, HasSubstr("OpCapability Int64Atomics"));
  EXPECT_THAT(text, HasSubstr("OpAtomicCompareExchange"));
}

TEST_F(SpirvTest, FloatAtomics) {
  using spv::Op;
  for (uint32_t bits : {16, 32, 64}) {
    TypeId type = b.floatType(bits);
    Id pointer = devicePointer(type), value = input(type);
    for (Op op :
         {Op::OpAtomicFAddEXT, Op::OpAtomicFMinEXT, Op::OpAtomicFMaxEXT})
      b.atomic(op, pointer, spv::Scope::Device, Semantics::MaskNone, value);
  }
  std::string text = finish();
  for (const char *extension :
       {"SPV_EXT_shader_atomic_float_add", "SPV_EXT_shader_atomic_float16_add",
        "SPV_EXT_shader_atomic_float_min_max"})
    EXPECT_THAT(text, HasSubstr(std::string("OpExtension \"") + extension));
}

TEST_F(SpirvTest, Barriers) {
  b.workgroupBarrier();
  b.workgroupBarrier(Semantics::WorkgroupMemory | Semantics::UniformMemory);
  b.controlBarrier(spv::Scope::Subgroup, spv::Scope::Subgroup,
                   Semantics::MaskNone);
  b.memoryBarrier(spv::Scope::Device,
                  Semantics::AcquireRelease | Semantics::UniformMemory);
  std::string text = finish();
  EXPECT_THAT(text, HasSubstr("OpControlBarrier %uint_2 %uint_2 %uint_24840"));
  EXPECT_THAT(text, HasSubstr("OpMemoryBarrier %uint_1 %uint_72"));
}

TEST_F(SpirvTest, BuiltInsAreOneVariableEach) {
  using spv::BuiltIn;
  for (BuiltIn one : {BuiltIn::NumWorkgroups, BuiltIn::WorkgroupId,
                      BuiltIn::LocalInvocationId, BuiltIn::GlobalInvocationId,
                      BuiltIn::LocalInvocationIndex, BuiltIn::NumSubgroups,
                      BuiltIn::SubgroupId, BuiltIn::SubgroupSize,
                      BuiltIn::SubgroupLocalInvocationId}) {
    Id variable = b.builtIn(one);
    EXPECT_EQ(b.builtIn(one), variable);
    b.load(variable);
  }
  EXPECT_THAT(finish(), HasSubstr("BuiltIn SubgroupLocalInvocationId"));
}

} // namespace
} // namespace nereid::spirv
