// DType.h - the element types of kernels: names, sizes and conversions.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOLS_DTYPE_H
#define NEREID_TOOLS_DTYPE_H

#include "Errors.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nereid::tools {

enum class DType : uint8_t {
  F64,
  F32,
  F16,
  BF16,
  F8E4M3,
  F8E5M2,
  I64,
  I32,
  I16,
  I8,
  I1
};

/// The type of that name, in any spelling that Triton, MLIR or numpy's users
/// know: "f32", "fp32", "bf16", "fp8e4nv", "f8E4M3FN", "u8". Unsigned types
/// are those of their width: TTIR's have no sign.
std::optional<DType> parseDType(std::string_view name);

/// "f32, f16, ...", for messages.
std::string dtypeNames();

std::string_view dtypeName(DType type);
/// Bytes of an element in memory.
uint32_t dtypeSize(DType type);
bool isFloat(DType type);

/// The range of finite numbers of \p type, how it is typed. Integers reach
/// from the least signed to the largest unsigned one.
struct NumberRange {
  std::string least, largest;
};
NumberRange rangeOf(DType type);

/// The element at \p element as a number; integers of 64 bits are rounded.
double loadNumber(DType type, const void *element);
int64_t loadInteger(DType type, const void *element);

/// Stores \p value: floats are rounded to nearest even, integers truncated
/// and wrapped.
void storeNumber(DType type, double value, void *element);
void storeInteger(DType type, int64_t value, void *element);

/// Stores the number in \p text, which must fit: an integer for
/// integers ("0x" is legal), "true" or "false" too for i1, "nan" and "inf" too
/// for floats.
Expected<void> storeText(DType type, std::string_view text, void *element);

} // namespace nereid::tools

#endif // NEREID_TOOLS_DTYPE_H
