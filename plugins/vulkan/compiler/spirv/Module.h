// Module.h - types, constants, global variables and annotations of a module.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// SPIR-V 1.6 for Vulkan 1.3: the Vulkan memory model, and 64-bit device
// addresses once a pointer to PhysicalStorageBuffer exists. Types and constants
// are interned: equal ones have equal ids. Integers have no sign: instructions
// do. Capabilities and extensions are collected from what is emitted.

#ifndef NEREID_VULKAN_SPIRV_MODULE_H
#define NEREID_VULKAN_SPIRV_MODULE_H

#include "Interner.h"
#include "Requirements.h"

#include <array>
#include <optional>
#include <string>

namespace nereid::spirv {

struct Member {
  TypeId type;
  uint32_t offset;
};

class Module {
public:
  Module();
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  // Types.

  TypeId voidType();
  TypeId scalarType(Scalar scalar);
  TypeId boolType() { return scalarType(Scalar::Bool); }
  /// Of 8, 16, 32 or 64 bits.
  TypeId intType(uint32_t bits);
  /// Of 16, 32 or 64 bits.
  TypeId floatType(uint32_t bits);
  TypeId vectorType(TypeId element, uint32_t count);
  /// \p stride is 0 for memory without a layout.
  TypeId arrayType(TypeId element, uint32_t count, uint32_t stride = 0);
  TypeId runtimeArrayType(TypeId element, uint32_t stride);
  /// A struct without a layout.
  TypeId structType(List<TypeId> members);
  /// A struct with a layout; \p isBlock for that of a buffer's variable.
  TypeId layoutType(List<Member> members, bool isBlock = false);
  TypeId blockType(List<Member> members) { return layoutType(members, true); }
  /// With a \p stride for ptrAccessChain() in memory that has a layout.
  TypeId pointerType(spv::StorageClass storage, TypeId pointee,
                     uint32_t stride = 0);
  TypeId functionType(TypeId result, List<TypeId> parameters);
  TypeId matrixType(TypeId component, uint32_t rows, uint32_t columns,
                    MatrixUse use, spv::Scope scope = spv::Scope::Subgroup);

  /// By value: declaring another type moves them.
  Type type(TypeId id) const { return types[ids[id.number].detail]; }
  /// Of a struct or a function.
  std::span<const TypeId> membersOf(TypeId id) const;
  TypeId typeOf(Id id) const { return {ids[id.number].type}; }
  Type typeInfo(Id id) const { return type(typeOf(id)); }
  /// "vec4<f32>", "ptr<PhysicalStorageBuffer, i8>".
  std::string typeName(TypeId id) const;
  std::string typeName(Id id) const { return typeName(typeOf(id)); }

  // Constants.

  /// A scalar with the bits of \p value; those above its width are ignored.
  Id constant(TypeId type, uint64_t bits);
  Id boolean(bool value) { return constant(boolType(), value); }
  Id i32(int32_t value) { return u32(static_cast<uint32_t>(value)); }
  Id u32(uint32_t value);
  Id u64(uint64_t value) { return constant(intType(64), value); }
  Id f32(float value);
  Id f64(double value);
  /// A vector, array, struct or matrix whose \p parts are constants.
  Id constantComposite(TypeId type, List<Id> parts);
  /// \p value for each element of a vector or matrix; \p value for a scalar.
  Id constantSplat(TypeId type, Id value);
  Id null(TypeId type);
  Id undef(TypeId type);
  /// A scalar that is set when a pipeline is created. One for each number.
  Id specConstant(TypeId type, uint64_t bits, uint32_t specId);

  bool isConstant(Id id) const { return ids[id.number].detail != 0; }
  /// The bits of a scalar that is known now: spec constants are not.
  std::optional<uint64_t> constantBits(Id id) const;

  // Global variables.

  Id globalVariable(spv::StorageClass storage, TypeId pointee,
                    Id initializer = {});
  /// The input variable for a value of the invocation; the same one each time.
  Id builtIn(spv::BuiltIn which);

  // Annotations.

  template <typename Target, typename... Literals>
  void decorate(Target target, spv::Decoration decoration,
                Literals... literals) {
    note(findRequirement(Subject::Decoration, decoration));
    append(annotations, spv::Op::OpDecorate, target, decoration, literals...);
  }
  template <typename... Literals>
  void decorateMember(TypeId target, uint32_t member,
                      spv::Decoration decoration, Literals... literals) {
    append(annotations, spv::Op::OpMemberDecorate, target, member, decoration,
           literals...);
  }
  template <typename Target> void name(Target target, std::string_view text) {
    setName(target.number, text);
  }
  /// Records how the module was made.
  void processed(std::string_view text);

  // Source locations.

  FileId file(std::string_view name);
  /// Of what is emitted from now on, until another one is set. {}: unknown.
  void setLocation(const Location &location) { here = location; }
  const Location &location() const { return here; }

  // Entry points.

  void entryPoint(FunctionId function, std::string_view name);
  template <typename... Literals>
  void executionMode(FunctionId function, spv::ExecutionMode mode,
                     Literals... literals) {
    note(findRequirement(Subject::ExecutionMode, mode));
    append(executionModes, spv::Op::OpExecutionMode, function, mode,
           literals...);
  }
  void localSize(FunctionId function, uint32_t x, uint32_t y = 1,
                 uint32_t z = 1) {
    executionMode(function, spv::ExecutionMode::LocalSize, x, y, z);
  }

  // Results.

  /// Removes instructions whose results nothing uses. After the last function.
  void removeUnused();
  /// The first thing that was built wrongly: a bug of the caller, for instance
  /// operands whose types differ. Empty if there was none.
  const std::string &misuse() const { return firstMisuse; }
  /// The capabilities that the module declares.
  std::vector<spv::Capability> usedCapabilities() const;
  /// What of it \p device lacks, in the order of first use.
  std::vector<MissingCapability>
  missing(const DeviceCapabilities &device) const;

protected:
  uint32_t newNumber(uint32_t type = 0, uint32_t detail = 0) {
    ids.push_back({type, detail});
    return static_cast<uint32_t>(ids.size() - 1);
  }
  Id newId(TypeId type) { return {newNumber(type.number)}; }
  void note(uint8_t requirement) {
    if (!noted[requirement])
      noteFirst(requirement);
  }
  void noteVariable(TypeId pointee, bool hasExplicitLayout);
  void reportMisuse(std::string text);
  /// The id of GLSL.std.450.
  Id instructionSet();
  Words assembleSections() const;

  Words functions;

private:
  struct IdInfo {
    uint32_t type = 0; // of a value
    /// Of a type: its index in `types`. Of a value: 0, `isComposite`, or the
    /// index of the constant in `constants`.
    uint32_t detail = 0;
  };
  static constexpr uint32_t isComposite = 1;
  struct EntryPoint {
    FunctionId function;
    std::string name;
  };
  struct Use {
    uint8_t requirement;
    Location location;
  };

  template <typename... Operands>
  TypeId declareType(const Type &type, spv::Op op, Operands... operands);
  TypeId structure(List<Member> members, bool hasLayout, bool isBlock);
  Id declareConstant(TypeId type, spv::Op op);
  void noteStoredScalars(spv::StorageClass storage, TypeId pointee);
  void noteFirst(uint8_t requirement);
  std::vector<Use> allUses() const;
  void setName(uint32_t target, std::string_view text);
  std::string_view fileName(FileId file) const;

  std::vector<IdInfo> ids;
  std::vector<Type> types;
  std::vector<TypeId> memberTypes;
  std::vector<uint64_t> constants;
  Interner interned;
  Words key; // of the look-up in progress
  std::array<TypeId, 12> scalarTypes = {};

  Words strings, names, processes, annotations, globals;
  Words executionModes;
  std::vector<EntryPoint> entryPoints;
  std::vector<Id> interface;
  Id glsl;
  std::vector<std::pair<FileId, std::string>> files;

  std::array<bool, 256> noted = {};
  std::vector<Use> uses;
  std::vector<Use> smallTypes; // where they are declared
  Location here;
  std::string firstMisuse;
};

} // namespace nereid::spirv

#endif // NEREID_VULKAN_SPIRV_MODULE_H
