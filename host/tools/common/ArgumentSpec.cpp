// ArgumentSpec.cpp - parses arguments and makes their values.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ArgumentSpec.h"

#include "Npy.h"

#include <charconv>

namespace nereid::tools {

static constexpr std::string_view inits =
    "zeros, ones, range, full:NUMBER, random:SEED, a number or @FILE.npy";

static bool readUnsigned(std::string_view text, uint64_t &value) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

static bool readDouble(std::string_view text, double &value) {
  return static_cast<bool>(storeText(DType::F64, text, &value));
}

// "7x", "-7" or ".5": a number, if perhaps not one of the type.
static bool looksLikeNumber(std::string_view text) {
  return text.find_first_of("0123456789") <= text.find_first_not_of("+-.");
}

static std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

Expected<ArgumentSpec> ArgumentSpec::parse(std::string_view text) {
  ArgumentSpec spec;
  auto fail = [&](const std::string &what) {
    return invalid(quoted(text) + ": " + what);
  };
  if (text.starts_with('@')) {
    spec.isTensor = true;
    spec.fill = Fill::File;
    spec.file = text.substr(1);
    if (spec.file.empty())
      return fail("no file after '@'");
    return spec;
  }
  size_t equals = text.find('=');
  if (equals == text.npos)
    return fail("no '=', expected TYPE[SHAPE]=VALUE, as in "
                "'f32[4096,781]=random:1' or 'i32=781', or @FILE.npy");
  std::string_view left = text.substr(0, equals);
  size_t bracket = left.find('[');
  Expected<void> parsed = spec.parseType(left.substr(0, bracket));
  if (parsed && bracket != left.npos)
    parsed = spec.parseShape(left.substr(bracket));
  if (parsed)
    parsed = spec.parseInit(text.substr(equals + 1));
  if (!parsed)
    return fail(parsed.error().text.substr(7)); // without "error: "
  return spec;
}

Expected<void> ArgumentSpec::parseType(std::string_view text) {
  type = parseDType(text);
  if (!type)
    return invalid("unknown type " + quoted(text) + ", known are " +
                   dtypeNames());
  return {};
}

Expected<void> ArgumentSpec::parseShape(std::string_view text) {
  if (!text.ends_with(']'))
    return invalid("no ']' after the shape");
  isTensor = true;
  shape.emplace();
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    uint64_t extent = 0;
    if (!readUnsigned(item, extent))
      return invalid("the shape has " + quoted(item) +
                     ", expected numbers of 0 to " +
                     std::to_string(UINT64_MAX) + " with ',' between");
    shape->push_back(extent);
    if (comma == text.npos)
      break;
    text.remove_prefix(comma + 1);
    if (text.empty())
      return invalid("the shape ends with ','");
  }
  Expected<uint64_t> count = elementCount(*type, *shape);
  if (!count)
    return count.error();
  return {};
}

Expected<void> ArgumentSpec::setNumber(std::string_view text) {
  fill = Fill::Number;
  return storeText(*type, text, number);
}

Expected<void> ArgumentSpec::parseInit(std::string_view text) {
  if (!isTensor)
    return setNumber(text);
  if (text == "zeros" || text == "ones")
    return setNumber(text == "ones" ? "1" : "0");
  if (text == "range") {
    fill = Fill::Range;
    return {};
  }
  if (text.starts_with("full:"))
    return setNumber(text.substr(5));
  if (text == "random" || text.starts_with("random:"))
    return parseRandom(text.substr(6));
  if (text.starts_with('@') && text.size() > 1) {
    fill = Fill::File;
    file = text.substr(1);
    return {};
  }
  Expected<void> isNumber = setNumber(text);
  if (isNumber || looksLikeNumber(text))
    return isNumber;
  return invalid("unknown value " + quoted(text) + ", expected " +
                 std::string(inits));
}

// What LOW and HIGH may be. HIGH itself is never reached, and the difference
// of two numbers must be finite.
static NumberRange randomBounds(DType type) {
  NumberRange range = rangeOf(type);
  if (type == DType::F64)
    return {"-8e307", "8e307"};
  if (type == DType::I64)
    return {range.least, "9223372036854775808"};
  if (!isFloat(type))
    range.largest = std::to_string(std::stoull(range.largest) + 1);
  return range;
}

// "", ":SEED" or ":SEED:LOW:HIGH"
Expected<void> ArgumentSpec::parseRandom(std::string_view text) {
  fill = Fill::Random;
  low = isFloat(*type) ? -1 : type == DType::I1 ? 0 : -100;
  high = isFloat(*type) ? 1 : type == DType::I1 ? 2 : 100;
  if (text.empty())
    return {};
  std::string_view fields = text.substr(1);
  size_t colon = fields.find(':');
  if (!readUnsigned(fields.substr(0, colon), seed))
    return invalid("the seed is " + quoted(fields.substr(0, colon)) +
                   ", expected a number from 0 to " +
                   std::to_string(UINT64_MAX));
  if (colon == fields.npos)
    return {};
  fields.remove_prefix(colon + 1);
  colon = fields.find(':');
  if (colon == fields.npos || !readDouble(fields.substr(0, colon), low) ||
      !readDouble(fields.substr(colon + 1), high) || !(low < high))
    return invalid("the range is " + quoted(fields) +
                   ", expected LOW:HIGH with LOW below HIGH");
  NumberRange bounds = randomBounds(*type);
  double least = 0, largest = 0;
  if (!readDouble(bounds.least, least) ||
      !readDouble(bounds.largest, largest) || low < least || high > largest)
    return invalid("the range is " + quoted(fields) +
                   ", expected bounds from " + bounds.least + " to " +
                   bounds.largest + " for " + std::string(dtypeName(*type)));
  return {};
}

Expected<ArgumentValue> ArgumentSpec::make() const {
  if (fill == Fill::File) {
    Expected<Array> array = readNpy(file, type);
    if (!array)
      return array.error();
    if (shape && array->shape() != *shape)
      return invalid(file + ": the shape is " + shapeText(array->shape()) +
                     ", expected " + shapeText(*shape));
    return ArgumentValue{true, std::move(*array)};
  }
  Expected<Array> array = Array::make(*type, shape.value_or(Shape()));
  if (!array)
    return array.error();
  if (fill == Fill::Range)
    array->fillRange();
  else if (fill == Fill::Random)
    array->fillRandom(seed, low, high);
  else
    array->fill(number);
  return ArgumentValue{isTensor, std::move(*array)};
}

} // namespace nereid::tools
