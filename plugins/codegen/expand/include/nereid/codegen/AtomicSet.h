// The atomic operations that a target has.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_ATOMICSET_H
#define NEREID_CODEGEN_ATOMICSET_H

#include "nereid/ttir/Dialect.h"

#include <array>
#include <cstdint>
#include <initializer_list>

namespace nereid::codegen {

enum class AtomicType : uint8_t {
  I1, I8, I16, I32, I64, F8, F16, BF16, F32, F64, Pointer
};

/// Read-modify-write operations by kind and type of element.
class AtomicSet {
public:
  /// The empty set.
  AtomicSet() = default;
  /// All operations on integers, exchanges of any type, additions of f32 and
  /// f64: what LLVM can emit for every CPU.
  static AtomicSet ofCpu();

  void add(tt::RMWOp kind, std::initializer_list<AtomicType> types);
  void remove(tt::RMWOp kind, std::initializer_list<AtomicType> types);
  bool has(tt::RMWOp kind, mlir::Type element) const;

private:
  uint16_t &typesOf(tt::RMWOp kind) { return types[unsigned(kind)]; }

  std::array<uint16_t, 16> types = {};
};

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_ATOMICSET_H
