// Requirements.cpp - which capability each part of a module requires.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Requirements.h"

#include <algorithm>

namespace nereid::spirv {

#define CORE(name) {spv::Capability::name, #name, ""}
#define EXTENSION(name, extension) {spv::Capability::name, #name, extension}
#define NEWER(name, extension) {newer::name, #name, extension}

static constexpr CapabilityInfo capabilityTable[] = {
    CORE(Shader),
    CORE(VulkanMemoryModel),
    CORE(VulkanMemoryModelDeviceScope),
    CORE(PhysicalStorageBufferAddresses),
    CORE(VariablePointersStorageBuffer),
    CORE(VariablePointers),
    CORE(Int8),
    CORE(Int16),
    CORE(Int64),
    CORE(Int64Atomics),
    CORE(Float16),
    CORE(Float64),
    CORE(StorageBuffer8BitAccess),
    CORE(UniformAndStorageBuffer8BitAccess),
    CORE(StoragePushConstant8),
    CORE(StorageBuffer16BitAccess),
    CORE(UniformAndStorageBuffer16BitAccess),
    CORE(StoragePushConstant16),
    CORE(GroupNonUniform),
    CORE(GroupNonUniformVote),
    CORE(GroupNonUniformArithmetic),
    CORE(GroupNonUniformBallot),
    CORE(GroupNonUniformShuffle),
    CORE(GroupNonUniformShuffleRelative),
    CORE(GroupNonUniformClustered),
    CORE(DenormPreserve),
    CORE(DenormFlushToZero),
    CORE(SignedZeroInfNanPreserve),
    CORE(RoundingModeRTE),
    CORE(RoundingModeRTZ),
    EXTENSION(WorkgroupMemoryExplicitLayoutKHR,
              "SPV_KHR_workgroup_memory_explicit_layout"),
    EXTENSION(WorkgroupMemoryExplicitLayout8BitAccessKHR,
              "SPV_KHR_workgroup_memory_explicit_layout"),
    EXTENSION(WorkgroupMemoryExplicitLayout16BitAccessKHR,
              "SPV_KHR_workgroup_memory_explicit_layout"),
    EXTENSION(AtomicFloat16AddEXT, "SPV_EXT_shader_atomic_float16_add"),
    EXTENSION(AtomicFloat32AddEXT, "SPV_EXT_shader_atomic_float_add"),
    EXTENSION(AtomicFloat64AddEXT, "SPV_EXT_shader_atomic_float_add"),
    EXTENSION(AtomicFloat16MinMaxEXT, "SPV_EXT_shader_atomic_float_min_max"),
    EXTENSION(AtomicFloat32MinMaxEXT, "SPV_EXT_shader_atomic_float_min_max"),
    EXTENSION(AtomicFloat64MinMaxEXT, "SPV_EXT_shader_atomic_float_min_max"),
    NEWER(CooperativeMatrixKHR, "SPV_KHR_cooperative_matrix"),
    NEWER(BFloat16TypeKHR, "SPV_KHR_bfloat16"),
    NEWER(BFloat16CooperativeMatrixKHR, "SPV_KHR_bfloat16"),
    NEWER(Float8EXT, "SPV_EXT_float8"),
    NEWER(Float8CooperativeMatrixEXT, "SPV_EXT_float8"),
};

#undef CORE
#undef EXTENSION
#undef NEWER

#define ALWAYS(capability)                                                     \
  {Subject::Always, 0, 0, spv::Capability::capability, "every kernel"}
#define OPCODE(op, capability)                                                 \
  {Subject::Opcode, uint32_t(spv::Op::op), 0, spv::Capability::capability, #op}
#define GROUP(operation, capability)                                           \
  {Subject::GroupOperation, uint32_t(spv::GroupOperation::operation), 0,       \
   spv::Capability::capability, "a subgroup's " #operation}
#define DECLARED(scalar, name, capability)                                     \
  {Subject::Declared, uint32_t(Scalar::scalar), 0, capability, name}
#define ARITHMETIC(scalar, name, capability)                                   \
  {Subject::Arithmetic, uint32_t(Scalar::scalar), 0,                           \
   spv::Capability::capability, "arithmetic on " name}
#define COMPONENT(scalar, name, capability)                                    \
  {Subject::MatrixComponent, uint32_t(Scalar::scalar), 0, capability,          \
   "a cooperative matrix of " name}
#define POINTER(storage, capability)                                           \
  {Subject::Pointer, uint32_t(spv::StorageClass::storage), 0,                  \
   spv::Capability::capability, "a pointer to " #storage}
#define POINTER_TO(storage, bits, capability)                                  \
  {Subject::PointerTo, uint32_t(spv::StorageClass::storage), bits,             \
   spv::Capability::capability, #bits " bits in " #storage}
#define WORKGROUP(bits, capability, what)                                      \
  {Subject::ExplicitWorkgroup, bits, 0, spv::Capability::capability, what}
#define STEP(storage, capability)                                              \
  {Subject::PointerArithmetic, uint32_t(spv::StorageClass::storage), 0,        \
   spv::Capability::capability, "OpPtrAccessChain in " #storage}
#define ATOMIC(scalar, name, capability)                                       \
  {Subject::Atomic, uint32_t(Scalar::scalar), 0, spv::Capability::capability,  \
   "an atomic operation on " name}
#define ATOMIC_FLOAT(op, scalar, name, capability)                             \
  {Subject::AtomicFloat, uint32_t(spv::Op::op), uint32_t(Scalar::scalar),      \
   spv::Capability::capability, #op " on " name}
#define SCOPE(scope, capability)                                               \
  {Subject::Scope, uint32_t(spv::Scope::scope), 0,                             \
   spv::Capability::capability, "the scope " #scope}
#define BUILT_IN(builtIn, capability)                                          \
  {Subject::BuiltIn, uint32_t(spv::BuiltIn::builtIn), 0,                       \
   spv::Capability::capability, #builtIn}
#define MODE(mode)                                                             \
  {Subject::ExecutionMode, uint32_t(spv::ExecutionMode::mode), 0,              \
   spv::Capability::mode, "the execution mode " #mode}

static constexpr Requirement requirementTable[] = {
    {},
    ALWAYS(Shader),
    ALWAYS(VulkanMemoryModel),
    OPCODE(OpConvertUToPtr, PhysicalStorageBufferAddresses),
    OPCODE(OpConvertPtrToU, PhysicalStorageBufferAddresses),
    OPCODE(OpGroupNonUniformElect, GroupNonUniform),
    OPCODE(OpGroupNonUniformAll, GroupNonUniformVote),
    OPCODE(OpGroupNonUniformAny, GroupNonUniformVote),
    OPCODE(OpGroupNonUniformAllEqual, GroupNonUniformVote),
    OPCODE(OpGroupNonUniformBroadcast, GroupNonUniformBallot),
    OPCODE(OpGroupNonUniformBroadcastFirst, GroupNonUniformBallot),
    OPCODE(OpGroupNonUniformBallot, GroupNonUniformBallot),
    OPCODE(OpGroupNonUniformBallotBitCount, GroupNonUniformBallot),
    OPCODE(OpGroupNonUniformShuffle, GroupNonUniformShuffle),
    OPCODE(OpGroupNonUniformShuffleXor, GroupNonUniformShuffle),
    OPCODE(OpGroupNonUniformShuffleUp, GroupNonUniformShuffleRelative),
    OPCODE(OpGroupNonUniformShuffleDown, GroupNonUniformShuffleRelative),
    GROUP(Reduce, GroupNonUniformArithmetic),
    GROUP(InclusiveScan, GroupNonUniformArithmetic),
    GROUP(ExclusiveScan, GroupNonUniformArithmetic),
    GROUP(ClusteredReduce, GroupNonUniformClustered),
    DECLARED(I64, "i64", spv::Capability::Int64),
    DECLARED(F64, "f64", spv::Capability::Float64),
    DECLARED(BFloat16, "bf16", newer::BFloat16TypeKHR),
    DECLARED(E4M3, "e4m3", newer::Float8EXT),
    DECLARED(E5M2, "e5m2", newer::Float8EXT),
    ARITHMETIC(I8, "i8", Int8),
    ARITHMETIC(I16, "i16", Int16),
    ARITHMETIC(F16, "f16", Float16),
    {Subject::Opcode, uint32_t(newer::OpTypeCooperativeMatrixKHR), 0,
     newer::CooperativeMatrixKHR, "a cooperative matrix"},
    COMPONENT(BFloat16, "bf16", newer::BFloat16CooperativeMatrixKHR),
    COMPONENT(E4M3, "e4m3", newer::Float8CooperativeMatrixEXT),
    COMPONENT(E5M2, "e5m2", newer::Float8CooperativeMatrixEXT),
    POINTER(PhysicalStorageBuffer, PhysicalStorageBufferAddresses),
    POINTER_TO(PhysicalStorageBuffer, 8, StorageBuffer8BitAccess),
    POINTER_TO(PhysicalStorageBuffer, 16, StorageBuffer16BitAccess),
    POINTER_TO(StorageBuffer, 8, StorageBuffer8BitAccess),
    POINTER_TO(StorageBuffer, 16, StorageBuffer16BitAccess),
    POINTER_TO(Uniform, 8, UniformAndStorageBuffer8BitAccess),
    POINTER_TO(Uniform, 16, UniformAndStorageBuffer16BitAccess),
    POINTER_TO(PushConstant, 8, StoragePushConstant8),
    POINTER_TO(PushConstant, 16, StoragePushConstant16),
    WORKGROUP(0, WorkgroupMemoryExplicitLayoutKHR,
              "workgroup memory with a layout"),
    WORKGROUP(8, WorkgroupMemoryExplicitLayout8BitAccessKHR,
              "8 bits in workgroup memory with a layout"),
    WORKGROUP(16, WorkgroupMemoryExplicitLayout16BitAccessKHR,
              "16 bits in workgroup memory with a layout"),
    STEP(StorageBuffer, VariablePointersStorageBuffer),
    STEP(Workgroup, VariablePointers),
    ATOMIC(I64, "i64", Int64Atomics),
    ATOMIC_FLOAT(OpAtomicFAddEXT, F16, "f16", AtomicFloat16AddEXT),
    ATOMIC_FLOAT(OpAtomicFAddEXT, F32, "f32", AtomicFloat32AddEXT),
    ATOMIC_FLOAT(OpAtomicFAddEXT, F64, "f64", AtomicFloat64AddEXT),
    ATOMIC_FLOAT(OpAtomicFMinEXT, F16, "f16", AtomicFloat16MinMaxEXT),
    ATOMIC_FLOAT(OpAtomicFMinEXT, F32, "f32", AtomicFloat32MinMaxEXT),
    ATOMIC_FLOAT(OpAtomicFMinEXT, F64, "f64", AtomicFloat64MinMaxEXT),
    ATOMIC_FLOAT(OpAtomicFMaxEXT, F16, "f16", AtomicFloat16MinMaxEXT),
    ATOMIC_FLOAT(OpAtomicFMaxEXT, F32, "f32", AtomicFloat32MinMaxEXT),
    ATOMIC_FLOAT(OpAtomicFMaxEXT, F64, "f64", AtomicFloat64MinMaxEXT),
    SCOPE(Device, VulkanMemoryModelDeviceScope),
    BUILT_IN(NumSubgroups, GroupNonUniform),
    BUILT_IN(SubgroupId, GroupNonUniform),
    BUILT_IN(SubgroupSize, GroupNonUniform),
    BUILT_IN(SubgroupLocalInvocationId, GroupNonUniform),
    MODE(DenormPreserve),
    MODE(DenormFlushToZero),
    MODE(SignedZeroInfNanPreserve),
    MODE(RoundingModeRTE),
    MODE(RoundingModeRTZ),
    {Subject::Decoration,
     uint32_t(newer::SaturatedToLargestFloat8NormalConversionEXT), 0,
     newer::Float8EXT, "saturating conversion to fp8"},
};
static_assert(std::size(requirementTable) < 256, "indices are of one byte");

#undef ALWAYS
#undef OPCODE
#undef GROUP
#undef DECLARED
#undef ARITHMETIC
#undef COMPONENT
#undef POINTER
#undef POINTER_TO
#undef WORKGROUP
#undef STEP
#undef ATOMIC
#undef ATOMIC_FLOAT
#undef SCOPE
#undef BUILT_IN
#undef MODE

constexpr std::array<uint8_t, opcodeLimit> opcodeRequirements = [] {
  std::array<uint8_t, opcodeLimit> all = {};
  for (size_t i = 1; i < std::size(requirementTable); ++i)
    if (requirementTable[i].subject == Subject::Opcode)
      all[requirementTable[i].key] = static_cast<uint8_t>(i);
  return all;
}();

std::span<const CapabilityInfo> capabilities() { return capabilityTable; }

const CapabilityInfo *findCapability(spv::Capability capability) {
  for (const CapabilityInfo &info : capabilityTable)
    if (info.capability == capability)
      return &info;
  return nullptr;
}

const CapabilityInfo *findCapability(std::string_view name) {
  for (const CapabilityInfo &info : capabilityTable)
    if (info.name == name)
      return &info;
  return nullptr;
}

std::span<const Requirement> requirements() { return requirementTable; }

uint8_t findRequirement(Subject subject, uint32_t key, uint32_t secondKey) {
  for (size_t i = 1; i < std::size(requirementTable); ++i)
    if (const Requirement &row = requirementTable[i];
        row.subject == subject && row.key == key && row.secondKey == secondKey)
      return static_cast<uint8_t>(i);
  return 0;
}

std::string printRequirements() {
  std::string text;
  for (const Requirement &row : requirements().subspan(1)) {
    const CapabilityInfo *info = findCapability(row.capability);
    text += std::string(row.what) + ": " + std::string(info->name);
    if (!info->extension.empty())
      text += " (" + std::string(info->extension) + ")";
    text += '\n';
  }
  return text;
}

bool DeviceCapabilities::has(spv::Capability capability) const {
  return std::ranges::find(list, capability) != list.end();
}

std::string MissingCapability::message() const {
  std::string text;
  if (!file.empty())
    text =
        file + ":" + std::to_string(line) + ":" + std::to_string(column) + ": ";
  text += std::string(what) + " requires the capability " +
          std::string(capability->name);
  if (!capability->extension.empty())
    text += " (" + std::string(capability->extension) + ")";
  return text;
}

} // namespace nereid::spirv
