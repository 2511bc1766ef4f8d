// The external functions that kernels may call, as data.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Nothing of MLIR here: a plugin lists them before it has loaded a compiler.

#ifndef NEREID_CODEGEN_LIBDEVICE_EXTERNFUNCTIONS_H
#define NEREID_CODEGEN_LIBDEVICE_EXTERNFUNCTIONS_H

#include <cstddef>
#include <string_view>

namespace nereid::codegen {

/// Types are "f32", "f64", "i32", "i64", and "u32", "u64" where Python tells
/// them from the signed ones; in TTIR both are i32 and i64. A result of "i1"
/// may also be asked for as i32, which is then 0 or 1.
struct ExternFunction {
  std::string_view name;     // what a kernel calls: "sin"
  std::string_view symbol;   // what its TTIR names: "__nv_sinf"
  std::string_view result;   // "f32"
  std::string_view operands; // "f32 f32"
};

/// A list that is there as long as the program.
struct ExternFunctions {
  const ExternFunction *first;
  size_t count;
  const ExternFunction *begin() const { return first; }
  const ExternFunction *end() const { return first + count; }
};

/// All of ExternFunctions.def, in its order.
ExternFunctions externFunctions();

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_LIBDEVICE_EXTERNFUNCTIONS_H
