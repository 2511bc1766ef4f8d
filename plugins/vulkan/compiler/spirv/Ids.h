// Ids.h - what instructions refer to, as distinct types.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_SPIRV_IDS_H
#define NEREID_VULKAN_SPIRV_IDS_H

#include <cstdint>

namespace nereid::spirv {

namespace detail {
template <typename Tag> struct Number {
  uint32_t number = 0; // 0: none

  explicit operator bool() const { return number != 0; }
  bool operator==(const Number &) const = default;
};
} // namespace detail

/// A value: a constant, a variable or the result of an instruction.
using Id = detail::Number<struct ValueTag>;
using TypeId = detail::Number<struct TypeTag>;
using BlockId = detail::Number<struct BlockTag>;
using FunctionId = detail::Number<struct FunctionTag>;
/// A file name for source locations.
using FileId = detail::Number<struct FileTag>;

/// Where in the kernel's source the instructions that follow come from.
struct Location {
  FileId file;
  uint32_t line = 0, column = 0;

  bool operator==(const Location &) const = default;
};

} // namespace nereid::spirv

#endif // NEREID_VULKAN_SPIRV_IDS_H
