// print_format.h - formats the output of tl.device_print.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The format of Triton on a GPU: one line per element, with the program and the
// index, "pid (0, 0, 0) idx (1, 2) prefix: 3.000000".

#ifndef NEREID_PLUGINS_COMMON_PRINT_FORMAT_H
#define NEREID_PLUGINS_COMMON_PRINT_FORMAT_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace nereid::plugin {

/// One operand of a print, with all its elements.
struct PrintedValue {
  uint32_t program[3];
  /// Starts with its own space.
  std::string_view prefix;
  /// "f32", "bf16", "i8", "u8" (of an unsigned integer), "i1", "ptr" ...
  std::string_view type;
  /// Integers in hexadecimal, as pointers always are, and floating-point values
  /// in hexadecimal notation (0x1.8p+0).
  bool hex;
  /// Empty for a scalar.
  std::span<const int64_t> shape;
  /// The elements in row-major order, an i1 in a byte.
  const void *data;
  /// 0 for a print without operands: the prefix stands alone.
  uint64_t count;
};

std::string formatPrint(const PrintedValue &value);

/// What precedes the value of operand \p number: \p prefix, and which operand
/// it is if there are several.
std::string operandPrefix(std::string_view prefix, unsigned number,
                          unsigned operands);

/// "(0, 1, 2)", as in every message about a program.
std::string formatProgram(uint32_t x, uint32_t y, uint32_t z);

} // namespace nereid::plugin

#endif // NEREID_PLUGINS_COMMON_PRINT_FORMAT_H
