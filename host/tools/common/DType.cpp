// DType.cpp - names of element types, and numbers in memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "DType.h"

#include "NarrowFloat.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace nereid::tools {

namespace {
struct Facts {
  DType type;
  uint32_t size;
  bool isFloat;
  std::string_view largest; ///< of floats, the largest finite number
  std::string_view name;
  std::string_view others; ///< other spellings, with spaces around each
};
} // namespace

// In the order of the enumerators.
static constexpr Facts facts[] = {
    {DType::F64, 8, true, "1.7976931348623157e308", "f64",
     " fp64 float64 double "},
    {DType::F32, 4, true, "3.4028235e38", "f32", " fp32 float32 float "},
    {DType::F16, 2, true, "65504", "f16", " fp16 float16 half "},
    {DType::BF16, 2, true, "3.3895314e38", "bf16", " bfloat16 "},
    {DType::F8E4M3, 1, true, "448", "f8e4m3fn",
     " fp8e4m3 fp8e4m3fn f8e4m3 fp8e4nv f8E4M3FN float8_e4m3fn "},
    {DType::F8E5M2, 1, true, "57344", "f8e5m2",
     " fp8e5m2 fp8e5 f8E5M2 float8_e5m2 "},
    {DType::I64, 8, false, "", "i64", " u64 int64 uint64 "},
    {DType::I32, 4, false, "", "i32", " u32 int32 uint32 "},
    {DType::I16, 2, false, "", "i16", " u16 int16 uint16 "},
    {DType::I8, 1, false, "", "i8", " u8 int8 uint8 "},
    {DType::I1, 1, false, "", "i1", " bool b1 u1 "},
};

static const Facts &factsOf(DType type) {
  return facts[static_cast<size_t>(type)];
}

std::optional<DType> parseDType(std::string_view name) {
  if (name.empty() || name.find(' ') != name.npos)
    return std::nullopt;
  std::string word = ' ' + std::string(name) + ' ';
  for (const Facts &known : facts)
    if (known.name == name || known.others.find(word) != known.others.npos)
      return known.type;
  return std::nullopt;
}

std::string dtypeNames() {
  std::string names;
  for (const Facts &known : facts)
    names.append(names.empty() ? "" : ", ").append(known.name);
  return names;
}

std::string_view dtypeName(DType type) { return factsOf(type).name; }
uint32_t dtypeSize(DType type) { return factsOf(type).size; }
bool isFloat(DType type) { return factsOf(type).isFloat; }

static uint32_t widthOf(DType type) {
  return type == DType::I1 ? 1 : dtypeSize(type) * 8;
}

NumberRange rangeOf(DType type) {
  std::string largest(factsOf(type).largest);
  if (isFloat(type))
    return {'-' + largest, largest};
  uint32_t width = widthOf(type);
  largest = std::to_string(UINT64_MAX >> (64 - width));
  if (width == 1)
    return {"0", largest};
  return {std::to_string(INT64_MIN >> (64 - width)), largest};
}

template <typename T> static T load(const void *element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}
template <typename T> static void store(void *element, T value) {
  std::memcpy(element, &value, sizeof value);
}

double loadNumber(DType type, const void *element) {
  switch (type) {
  case DType::F64:
    return load<double>(element);
  case DType::F32:
    return load<float>(element);
  case DType::F16:
    return decodeNarrow(formatF16, load<uint16_t>(element));
  case DType::BF16:
    return decodeNarrow(formatBF16, load<uint16_t>(element));
  case DType::F8E4M3:
    return decodeNarrow(formatF8E4M3, load<uint8_t>(element));
  case DType::F8E5M2:
    return decodeNarrow(formatF8E5M2, load<uint8_t>(element));
  default:
    return static_cast<double>(loadInteger(type, element));
  }
}

int64_t loadInteger(DType type, const void *element) {
  switch (dtypeSize(type)) {
  case 8:
    return load<int64_t>(element);
  case 4:
    return load<int32_t>(element);
  case 2:
    return load<int16_t>(element);
  default:
    // An i1 is a byte of 0 or 1; other bytes are kept, so that they are seen.
    return type == DType::I1 ? load<uint8_t>(element) : load<int8_t>(element);
  }
}

// A conversion of a value outside the range is undefined.
static int64_t truncated(double value) {
  if (std::isnan(value))
    return 0;
  if (value >= 0x1p63)
    return INT64_MAX;
  if (value < -0x1p63)
    return INT64_MIN;
  return static_cast<int64_t>(value);
}

void storeNumber(DType type, double value, void *element) {
  switch (type) {
  case DType::F64:
    return store(element, value);
  case DType::F32:
    return store(element, static_cast<float>(value));
  case DType::F16:
    return store(element, uint16_t(encodeNarrow(formatF16, value)));
  case DType::BF16:
    return store(element, uint16_t(encodeNarrow(formatBF16, value)));
  case DType::F8E4M3:
    return store(element, uint8_t(encodeNarrow(formatF8E4M3, value)));
  case DType::F8E5M2:
    return store(element, uint8_t(encodeNarrow(formatF8E5M2, value)));
  default:
    return storeInteger(type, truncated(value), element);
  }
}

void storeInteger(DType type, int64_t value, void *element) {
  if (isFloat(type))
    return storeNumber(type, static_cast<double>(value), element);
  switch (dtypeSize(type)) {
  case 8:
    return store(element, value);
  case 4:
    return store(element, static_cast<int32_t>(value));
  case 2:
    return store(element, static_cast<int16_t>(value));
  default:
    return store(element, type == DType::I1 ? int8_t(value & 1)
                                            : static_cast<int8_t>(value));
  }
}

static Error notA(DType type, std::string_view text) {
  return invalid("'" + std::string(text) + "' is not a valid " +
                 std::string(dtypeName(type)) + ", expected " +
                 (type == DType::I1 ? "0, 1, true or false"
                  : isFloat(type)   ? "a number, nan or inf"
                                    : "an integer"));
}

static Error outOfRange(DType type, std::string_view text) {
  NumberRange range = rangeOf(type);
  return invalid("'" + std::string(text) + "' does not fit " +
                 std::string(dtypeName(type)) + ", expected " + range.least +
                 " to " + range.largest);
}

// The bits of an integer, signed or unsigned.
static Expected<int64_t> parseInteger(DType type, std::string_view text) {
  std::string_view whole = text;
  bool isNegative = text.starts_with('-');
  if (isNegative)
    text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  }
  uint64_t magnitude = 0;
  auto [end, problem] =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (problem == std::errc::invalid_argument ||
      end != text.data() + text.size())
    return notA(type, whole);
  uint32_t width = widthOf(type);
  uint64_t largest = UINT64_MAX >> (64 - width);
  if (isNegative)
    largest = width == 1 ? 0 : uint64_t(1) << (width - 1);
  if (problem != std::errc() || magnitude > largest)
    return outOfRange(type, whole);
  return static_cast<int64_t>(isNegative ? 0 - magnitude : magnitude);
}

static Expected<double> parseFloat(DType type, std::string_view text) {
  std::string copy(text);
  if (copy.empty() || std::isspace(static_cast<unsigned char>(copy[0])))
    return notA(type, text);
  char *end = nullptr;
  errno = 0;
  double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size())
    return notA(type, text);
  if (errno == ERANGE && std::isinf(value))
    return outOfRange(type, text);
  return value;
}

Expected<void> storeText(DType type, std::string_view text, void *element) {
  if (type == DType::I1 && (text == "true" || text == "false")) {
    storeInteger(type, text == "true", element);
    return {};
  }
  if (isFloat(type)) {
    Expected<double> value = parseFloat(type, text);
    if (!value)
      return value.error();
    storeNumber(type, *value, element);
    if (std::isfinite(*value) && !std::isfinite(loadNumber(type, element)))
      return outOfRange(type, text);
    return {};
  }
  Expected<int64_t> value = parseInteger(type, text);
  if (!value)
    return value.error();
  storeInteger(type, *value, element);
  return {};
}

Error systemError(const std::string &path, int code) {
  nereid_status_t status =
      code == ENOENT || code == ENOTDIR ? NEREID_NOT_FOUND : NEREID_IO_ERROR;
  std::string reason = std::strerror(code);
  reason[0] =
      static_cast<char>(std::tolower(static_cast<unsigned char>(reason[0])));
  return failure(status, path + ": " + reason);
}

} // namespace nereid::tools
