// RequirementsTest.cpp - capabilities and extensions are collected from uses.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "SpirvFixture.h"

#include <algorithm>
#include <functional>
#include <set>

// GoogleTest finds it by argument-dependent lookup.
namespace spv {
static void PrintTo(Capability capability, std::ostream *stream) {
  const auto *info = nereid::spirv::findCapability(capability);
  *stream << (info ? info->name : "an unknown capability");
}
} // namespace spv

namespace nereid::spirv {
namespace {

using spv::Capability;
using spv::Op;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(RequirementsTest, EachIsInTheTableOnce) {
  std::set<std::tuple<Subject, uint32_t, uint32_t>> keys;
  for (const Requirement &row : requirements().subspan(1)) {
    EXPECT_NE(findCapability(row.capability), nullptr) << row.what;
    if (row.subject != Subject::Always)
      EXPECT_TRUE(keys.insert({row.subject, row.key, row.secondKey}).second)
          << row.what;
  }
}

TEST(RequirementsTest, CapabilitiesAreFoundByNumberAndName) {
  for (const CapabilityInfo &info : capabilities()) {
    EXPECT_EQ(findCapability(info.capability), &info);
    EXPECT_EQ(findCapability(info.name), &info);
  }
  EXPECT_EQ(findCapability("Geometry"), nullptr);
}

TEST(RequirementsTest, TheTableIsPrinted) {
  std::string text = printRequirements();
  EXPECT_EQ(size_t(std::ranges::count(text, '\n')), requirements().size() - 1);
  EXPECT_THAT(text, HasSubstr("f64: Float64\n"));
  EXPECT_THAT(text, HasSubstr("arithmetic on i8: Int8\n"));
  EXPECT_THAT(text, HasSubstr("8 bits in PhysicalStorageBuffer: "
                              "StorageBuffer8BitAccess\n"));
  EXPECT_THAT(text, HasSubstr("OpAtomicFAddEXT on f32: AtomicFloat32AddEXT "
                              "(SPV_EXT_shader_atomic_float_add)\n"));
}

class MissingTest : public SpirvTest {
protected:
  static DeviceCapabilities minimum() {
    DeviceCapabilities device;
    for (Capability one :
         {Capability::Shader, Capability::VulkanMemoryModel,
          Capability::PhysicalStorageBufferAddresses, Capability::Int64})
      device.add(one);
    return device;
  }
};

TEST_F(MissingTest, NothingIsMissingThatTheDeviceHas) {
  b.load(devicePointer(b.floatType(32)), {.alignment = 4});
  EXPECT_THAT(b.missing(minimum()), IsEmpty());
  EXPECT_EQ(b.missing(DeviceCapabilities()).size(), 4u);
}

TEST_F(MissingTest, TheFirstUseIsNamed) {
  FileId file = b.file("kernel.py");
  Id pointer = devicePointer(b.floatType(32));
  b.setLocation({file, 10, 3});
  Id x = b.load(pointer, {.alignment = 4});
  b.setLocation({file, 12, 5});
  Id wide = b.fconvert(x, b.floatType(64));
  b.setLocation({file, 13, 9});
  b.fadd(wide, wide);
  b.atomic(Op::OpAtomicFAddEXT, pointer, spv::Scope::QueueFamily,
           spv::MemorySemanticsMask::MaskNone, x);
  std::vector<std::string> messages;
  for (const MissingCapability &one : b.missing(minimum()))
    messages.push_back(one.message());
  EXPECT_THAT(messages,
              ElementsAre("kernel.py:12:5: f64 requires the capability Float64",
                          "kernel.py:13:9: OpAtomicFAddEXT on f32 requires the "
                          "capability AtomicFloat32AddEXT "
                          "(SPV_EXT_shader_atomic_float_add)"));
}

TEST_F(MissingTest, WithoutALocationTheUseIsNamed) {
  b.floatType(64);
  ASSERT_EQ(b.missing(minimum()).size(), 1u);
  EXPECT_EQ(b.missing(minimum())[0].message(),
            "f64 requires the capability Float64");
}

/// A use, and the capabilities that it requires.
struct Use {
  const char *name;
  std::vector<Capability> capabilities;
  std::function<void(Builder &)> emit;
  /// Those of them that SPIRV-Tools do not miss: another one implies them, or
  /// only Vulkan demands them.
  std::vector<Capability> unchecked = {};
};

void atomic(Builder &b, Op op, TypeId type) {
  Id pointer = b.convertUToPtr(
      b.undef(b.intType(64)),
      b.pointerType(spv::StorageClass::PhysicalStorageBuffer, type));
  b.atomic(op, pointer, spv::Scope::QueueFamily,
           spv::MemorySemanticsMask::MaskNone, b.null(type));
}

void pushConstant(Builder &b, TypeId type) {
  Id variable = b.globalVariable(spv::StorageClass::PushConstant,
                                 b.blockType({{type, 0}}));
  b.load(b.accessChain(variable, {b.u32(0)}));
}

void workgroup(Builder &b, TypeId type) {
  Id variable =
      b.globalVariable(spv::StorageClass::Workgroup, b.blockType({{type, 0}}));
  b.load(b.accessChain(variable, {b.u32(0)}));
}

void deviceMemory(Builder &b, TypeId type) {
  b.load(b.convertUToPtr(
             b.undef(b.intType(64)),
             b.pointerType(spv::StorageClass::PhysicalStorageBuffer, type)),
         {.alignment = 8});
}

const Capability addresses = Capability::PhysicalStorageBufferAddresses;

const Use uses[] = {
    {"Nothing", {}, [](Builder &) {}},
    {"I64",
     {Capability::Int64},
     [](Builder &b) { b.bitNot(b.undef(b.intType(64))); }},
    {"F64",
     {Capability::Float64},
     [](Builder &b) { b.fneg(b.undef(b.floatType(64))); }},
    {"I8",
     {Capability::Int8},
     [](Builder &b) { b.bitNot(b.undef(b.intType(8))); }},
    {"I16",
     {Capability::Int16},
     [](Builder &b) { b.bitNot(b.undef(b.intType(16))); }},
    {"F16",
     {Capability::Float16},
     [](Builder &b) { b.fneg(b.undef(b.floatType(16))); }},
    {"DeviceAddress",
     {Capability::Int64, addresses},
     [](Builder &b) { deviceMemory(b, b.floatType(32)); }},
    {"StoredI8",
     {Capability::Int64, addresses, Capability::StorageBuffer8BitAccess},
     [](Builder &b) { deviceMemory(b, b.intType(8)); }},
    {"StoredF16",
     {Capability::Int64, addresses, Capability::StorageBuffer16BitAccess},
     [](Builder &b) { deviceMemory(b, b.floatType(16)); }},
    {"PushedI8",
     {Capability::StoragePushConstant8},
     [](Builder &b) { pushConstant(b, b.intType(8)); }},
    {"PushedF16",
     {Capability::StoragePushConstant16},
     [](Builder &b) { pushConstant(b, b.floatType(16)); }},
    {"LayoutInWorkgroup",
     {Capability::WorkgroupMemoryExplicitLayoutKHR},
     [](Builder &b) { workgroup(b, b.floatType(32)); },
     {Capability::WorkgroupMemoryExplicitLayoutKHR}},
    {"I8LayoutInWorkgroup",
     {Capability::WorkgroupMemoryExplicitLayoutKHR,
      Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR},
     [](Builder &b) { workgroup(b, b.intType(8)); },
     {Capability::WorkgroupMemoryExplicitLayoutKHR}},
    {"F16LayoutInWorkgroup",
     {Capability::WorkgroupMemoryExplicitLayoutKHR,
      Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR},
     [](Builder &b) { workgroup(b, b.floatType(16)); },
     {Capability::WorkgroupMemoryExplicitLayoutKHR}},
    {"RoundingToF16",
     {Capability::Float16},
     [](Builder &b) {
       b.fconvert(b.fconvert(b.f32(0.1f), b.floatType(16)), b.floatType(32));
     }},
    {"PlainF16InWorkgroup",
     {Capability::Float16},
     [](Builder &b) {
       b.globalVariable(spv::StorageClass::Workgroup, b.floatType(16));
     }},
    {"StepInWorkgroup",
     {Capability::VariablePointers},
     [](Builder &b) {
       Id array = b.globalVariable(spv::StorageClass::Workgroup,
                                   b.arrayType(b.floatType(32), 8));
       b.load(b.ptrAccessChain(b.accessChain(array, {b.u32(0)}), b.u32(2)));
     }},
    {"Elect", {Capability::GroupNonUniform}, [](Builder &b) { b.elect(); }},
    {"Vote",
     {Capability::GroupNonUniformVote},
     [](Builder &b) { b.any(b.boolean(true)); }},
    {"Ballot",
     {Capability::GroupNonUniformBallot},
     [](Builder &b) { b.ballot(b.boolean(true)); }},
    {"Broadcast",
     {Capability::GroupNonUniformBallot},
     [](Builder &b) { b.broadcast(b.u32(1), b.u32(0)); }},
    {"Shuffle",
     {Capability::GroupNonUniformShuffle},
     [](Builder &b) { b.shuffleXor(b.u32(1), b.u32(1)); }},
    {"ShuffleDown",
     {Capability::GroupNonUniformShuffleRelative},
     [](Builder &b) { b.shuffleDown(b.u32(1), b.u32(1)); }},
    {"Reduce",
     {Capability::GroupNonUniformArithmetic},
     [](Builder &b) { b.reduce(Op::OpGroupNonUniformIAdd, b.u32(1)); }},
    {"ClusteredReduce",
     {Capability::GroupNonUniformClustered},
     [](Builder &b) {
       b.clusteredReduce(Op::OpGroupNonUniformIAdd, b.u32(1), 4);
     }},
    {"SubgroupId",
     {Capability::GroupNonUniform},
     [](Builder &b) { b.builtIn(spv::BuiltIn::SubgroupId); }},
    {"DeviceScope",
     {Capability::VulkanMemoryModelDeviceScope},
     [](Builder &b) {
       b.memoryBarrier(spv::Scope::Device,
                       spv::MemorySemanticsMask::AcquireRelease |
                           spv::MemorySemanticsMask::UniformMemory);
     }},
    {"AtomicI64",
     {Capability::Int64, addresses, Capability::Int64Atomics},
     [](Builder &b) { atomic(b, Op::OpAtomicIAdd, b.intType(64)); },
     {Capability::Int64}},
    {"AtomicAddF16",
     {Capability::Int64, addresses, Capability::StorageBuffer16BitAccess,
      Capability::Float16, Capability::AtomicFloat16AddEXT},
     [](Builder &b) { atomic(b, Op::OpAtomicFAddEXT, b.floatType(16)); },
     {Capability::StorageBuffer16BitAccess}},
    {"AtomicAddF32",
     {Capability::Int64, addresses, Capability::AtomicFloat32AddEXT},
     [](Builder &b) { atomic(b, Op::OpAtomicFAddEXT, b.floatType(32)); }},
    {"AtomicAddF64",
     {Capability::Float64, Capability::Int64, addresses,
      Capability::AtomicFloat64AddEXT},
     [](Builder &b) { atomic(b, Op::OpAtomicFAddEXT, b.floatType(64)); }},
    {"AtomicMinF32",
     {Capability::Int64, addresses, Capability::AtomicFloat32MinMaxEXT},
     [](Builder &b) { atomic(b, Op::OpAtomicFMinEXT, b.floatType(32)); }},
    {"AtomicMaxF64",
     {Capability::Float64, Capability::Int64, addresses,
      Capability::AtomicFloat64MinMaxEXT},
     [](Builder &b) { atomic(b, Op::OpAtomicFMaxEXT, b.floatType(64)); }},
};

void PrintTo(const Use &use, std::ostream *stream) { *stream << use.name; }

class UseTest : public SpirvTest, public ::testing::WithParamInterface<Use> {
protected:
  static Words without(Capability capability, const Words &module) {
    Words less(module.begin(), module.begin() + 5);
    for (size_t at = 5, next; at < module.size(); at = next) {
      next = at + (module[at] >> 16);
      if (module[at] != opWord(Op::OpCapability, 2) ||
          module[at + 1] != toWord(capability))
        less.insert(less.end(), module.begin() + at, module.begin() + next);
    }
    return less;
  }
};

INSTANTIATE_TEST_SUITE_P(All, UseTest, ::testing::ValuesIn(uses),
                         [](const auto &info) { return info.param.name; });

TEST_P(UseTest, RequiresExactlyItsCapabilities) {
  GetParam().emit(b);
  Words module = end();
  EXPECT_TRUE(isValid(module)) << problems << disassemble(module);
  std::vector<Capability> expected = {Capability::Shader,
                                      Capability::VulkanMemoryModel};
  expected.insert(expected.end(), GetParam().capabilities.begin(),
                  GetParam().capabilities.end());
  EXPECT_THAT(b.usedCapabilities(),
              ::testing::UnorderedElementsAreArray(expected));
  for (Capability one : GetParam().capabilities)
    if (std::ranges::find(GetParam().unchecked, one) ==
        GetParam().unchecked.end())
      EXPECT_FALSE(isValid(without(one, module)))
          << findCapability(one)->name << " is not required";
}

} // namespace
} // namespace nereid::spirv
