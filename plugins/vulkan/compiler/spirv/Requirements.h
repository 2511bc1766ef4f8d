// Requirements.h - which capability each part of a module requires.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// One table. What is not in it requires only `Shader`, the Vulkan memory model
// and what SPIR-V 1.6 has without an extension.

#ifndef NEREID_VULKAN_SPIRV_REQUIREMENTS_H
#define NEREID_VULKAN_SPIRV_REQUIREMENTS_H

#include "Type.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::spirv {

/// A capability, and the extension that it needs beyond SPIR-V 1.6; empty if
/// none.
struct CapabilityInfo {
  spv::Capability capability;
  std::string_view name;
  std::string_view extension;
};

std::span<const CapabilityInfo> capabilities();
/// Null if the builder never declares it.
const CapabilityInfo *findCapability(spv::Capability capability);
const CapabilityInfo *findCapability(std::string_view name);

/// What a requirement is about, and with it what its two keys are.
enum class Subject : uint8_t {
  Always,            // -, -
  Opcode,            // opcode, -
  GroupOperation,    // group operation, -
  Declared,          // Scalar, -: the type exists
  Arithmetic,        // Scalar, -: more than loads, stores and conversions
  MatrixComponent,   // Scalar, -
  Pointer,           // storage class, -
  PointerTo,         // storage class, bits: to data with such scalars
  ExplicitWorkgroup, // bits or 0, -: workgroup memory with offsets
  PointerArithmetic, // storage class, -
  Atomic,            // Scalar, -: an atomic on integers
  AtomicFloat,       // opcode, Scalar
  Scope,             // scope, -
  BuiltIn,           // built-in, -
  ExecutionMode,     // execution mode, -
  Decoration,        // decoration, -
};

struct Requirement {
  Subject subject;
  uint32_t key, secondKey;
  spv::Capability capability;
  std::string_view what; // requires it
};

/// Entry 0 is not used: 0 stands for "requires nothing".
std::span<const Requirement> requirements();

/// The index of a requirement, or 0.
uint8_t findRequirement(Subject subject, uint32_t key, uint32_t secondKey = 0);
template <typename Key> uint8_t findRequirement(Subject subject, Key key) {
  return findRequirement(subject, static_cast<uint32_t>(key));
}

inline constexpr uint32_t opcodeLimit = 6100;
/// findRequirement(Subject::Opcode, op), for each instruction.
extern const std::array<uint8_t, opcodeLimit> opcodeRequirements;

/// The table, one line for each requirement, for documentation.
std::string printRequirements();

/// What a device supports.
class DeviceCapabilities {
public:
  DeviceCapabilities() = default;
  explicit DeviceCapabilities(std::span<const spv::Capability> list)
      : list(list.begin(), list.end()) {}

  void add(spv::Capability capability) { list.push_back(capability); }
  bool has(spv::Capability capability) const;

private:
  std::vector<spv::Capability> list;
};

/// A capability that a module requires and a device lacks.
struct MissingCapability {
  const CapabilityInfo *capability;
  std::string_view what; // requires it
  std::string file;      // of its first use; empty if not known
  uint32_t line, column;

  /// "kernel.py:12:5: f64 requires the capability Float64".
  std::string message() const;
};

} // namespace nereid::spirv

#endif // NEREID_VULKAN_SPIRV_REQUIREMENTS_H
