// print_format.cpp - formats the output of tl.device_print.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "print_format.h"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace nereid::plugin {

template <typename T> static T elementAt(const void *data, uint64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + index * sizeof value,
              sizeof value);
  return value;
}

static float halfToFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16, exponent = half >> 10 & 0x1f;
  uint32_t fraction = half & 0x3ff;
  if (exponent == 0x1f)
    return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
  if (exponent)
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  float tiny = static_cast<float>(fraction) * 0x1p-24f;
  return sign ? -tiny : tiny;
}

/// The bits of an integer element, extended by its type's sign.
static int64_t integerAt(std::string_view type, const void *data,
                         uint64_t index) {
  if (type == "i1")
    return elementAt<uint8_t>(data, index) & 1;
  if (type == "i8")
    return elementAt<int8_t>(data, index);
  if (type == "u8")
    return elementAt<uint8_t>(data, index);
  if (type == "i16")
    return elementAt<int16_t>(data, index);
  if (type == "u16")
    return elementAt<uint16_t>(data, index);
  if (type == "i32")
    return elementAt<int32_t>(data, index);
  if (type == "u32")
    return elementAt<uint32_t>(data, index);
  return elementAt<int64_t>(data, index);
}

static unsigned bytesOf(std::string_view type) {
  if (type == "i1" || type.ends_with("8"))
    return 1;
  if (type.ends_with("16"))
    return 2;
  return type.ends_with("32") ? 4 : 8;
}

static std::string formatElement(const PrintedValue &value, uint64_t index) {
  std::string_view type = value.type;
  char text[64];
  double number;
  if (type == "f64")
    number = elementAt<double>(value.data, index);
  else if (type == "f32")
    number = elementAt<float>(value.data, index);
  else if (type == "f16")
    number = halfToFloat(elementAt<uint16_t>(value.data, index));
  else if (type == "bf16")
    number = std::bit_cast<float>(
        uint32_t(elementAt<uint16_t>(value.data, index)) << 16);
  else {
    int64_t bits = integerAt(type, value.data, index);
    unsigned digits = bytesOf(type) * 2;
    if (value.hex || type == "ptr") {
      uint64_t mask = digits == 16 ? ~0ull : (1ull << digits * 4) - 1;
      std::snprintf(text, sizeof text, "0x%0*" PRIx64, static_cast<int>(digits),
                    uint64_t(bits) & mask);
    } else if (type == "u64") {
      std::snprintf(text, sizeof text, "%" PRIu64, uint64_t(bits));
    } else {
      std::snprintf(text, sizeof text, "%" PRId64, bits);
    }
    return text;
  }
  if (value.hex) {
    std::snprintf(text, sizeof text, "%a", number);
    return text;
  }
  std::snprintf(text, sizeof text, "%f", number);
  // A long number, of up to 300 digits, is printed in exponent form.
  if (std::strlen(text) > 40)
    std::snprintf(text, sizeof text, "%g", number);
  return text;
}

/// " idx (1,  2)" of element `index`, each number as wide as the largest of
/// its dimension; " idx ()" for a scalar.
static std::string formatIndex(const PrintedValue &value, uint64_t index) {
  std::string out;
  for (size_t i = value.shape.size(); i-- > 0;) {
    uint64_t size = static_cast<uint64_t>(value.shape[i]);
    std::string number = std::to_string(size ? index % size : 0);
    size_t width = std::to_string(size ? size - 1 : 0).size();
    number.insert(0, width - std::min(width, number.size()), ' ');
    out = number + (out.empty() ? "" : ", ") + out;
    index = size ? index / size : 0;
  }
  return " idx (" + out + ")";
}

std::string formatProgram(uint32_t x, uint32_t y, uint32_t z) {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " +
         std::to_string(z) + ")";
}

std::string operandPrefix(std::string_view prefix, unsigned number,
                          unsigned operands) {
  std::string text(prefix);
  if (operands > 1)
    text += "(operand " + std::to_string(number) + ") ";
  return text;
}

std::string formatPrint(const PrintedValue &value) {
  std::string head = "pid " + formatProgram(value.program[0], value.program[1],
                                            value.program[2]);
  std::string prefix(value.prefix);
  if (!value.count)
    return head + prefix + "\n";
  std::string out;
  for (uint64_t i = 0; i < value.count; ++i)
    out +=
        head + formatIndex(value, i) + prefix + formatElement(value, i) + "\n";
  return out;
}

} // namespace nereid::plugin
