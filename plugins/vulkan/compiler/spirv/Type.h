// Type.h - what the builder knows about a type.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_SPIRV_TYPE_H
#define NEREID_VULKAN_SPIRV_TYPE_H

#include "Ids.h"
#include "Newer.h"

namespace nereid::spirv {

enum class Scalar : uint8_t {
  None,
  Bool,
  I8,
  I16,
  I32,
  I64,
  F16,
  F32,
  F64,
  BFloat16,
  E4M3,
  E5M2,
};

constexpr bool isInteger(Scalar scalar) {
  return scalar >= Scalar::I8 && scalar <= Scalar::I64;
}
constexpr bool isFloat(Scalar scalar) { return scalar >= Scalar::F16; }
/// A format that is only stored, converted and multiplied by matrix units.
constexpr bool isStorageFloat(Scalar scalar) {
  return scalar >= Scalar::BFloat16;
}
constexpr uint32_t bitsOf(Scalar scalar) {
  constexpr uint8_t bits[] = {0, 1, 8, 16, 32, 64, 16, 32, 64, 16, 8, 8};
  return bits[static_cast<uint32_t>(scalar)];
}
constexpr const char *nameOf(Scalar scalar) {
  constexpr const char *names[] = {"none", "bool", "i8",   "i16",
                                   "i32",  "i64",  "f16",  "f32",
                                   "f64",  "bf16", "e4m3", "e5m2"};
  return names[static_cast<uint32_t>(scalar)];
}

enum class TypeKind : uint8_t {
  None, // of what is not a value
  Void,
  Scalar,
  Vector,
  Array,
  RuntimeArray,
  Struct,
  Pointer,
  Function,
  Matrix, // cooperative
};

struct Type {
  TypeKind kind = TypeKind::None;
  /// The scalar itself, or that of a vector's or matrix' elements.
  Scalar scalar = Scalar::None;
  /// What arithmetic on it requires; an index into the table of requirements.
  uint8_t arithmeticRule = 0;
  spv::StorageClass storage = {}; // of a pointer
  /// Elements of a vector or array, members, parameters, or rows.
  uint32_t count = 1;
  uint32_t columns = 1;
  MatrixUse use = {};
  /// Of a vector, an array or a matrix; what a pointer points to; what a
  /// function returns.
  TypeId element = {};
  /// Of a struct or function: where its members are in the list of members.
  uint32_t firstMember = 0;
  /// Bytes between elements of an array, or between the objects that a
  /// pointer steps over; 0 if there is no layout.
  uint32_t stride = 0;
  bool isBlock = false;

  bool isScalar() const { return kind == TypeKind::Scalar; }
  bool isPointer() const { return kind == TypeKind::Pointer; }
  /// True for what instructions compute with: scalars, vectors, matrices.
  bool isArithmetic() const { return scalar != Scalar::None; }
};

} // namespace nereid::spirv

#endif // NEREID_VULKAN_SPIRV_TYPE_H
