// OptionValues.cpp - converts option values to the types of the schema and
// reports those that do not fit.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compile/Options.h"
#include "support/Json.h"
#include "text/Suggestions.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>

namespace nereid::host {

static std::vector<std::string> namesOf(const std::vector<OptionSchema> &all) {
  std::vector<std::string> names;
  for (const OptionSchema &option : all)
    names.push_back(option.name);
  return names;
}

// What a user may write for `option`.
static std::string expectation(const OptionSchema &option) {
  switch (option.type) {
  case NEREID_TYPE_I64:
    if (option.hasRange())
      return "an integer from " + std::to_string(option.minimum) + " to " +
             std::to_string(option.maximum);
    return "an integer";
  case NEREID_TYPE_F64:
    return "a number";
  case NEREID_TYPE_BOOL:
    return "true or false";
  case NEREID_TYPE_STRING:
    if (!option.choices.empty())
      return "one of " + quotedList(option.choices);
    return "text";
  case NEREID_TYPE_BYTES:
    return "hexadecimal digits, two a byte";
  case NEREID_TYPE_I64_LIST:
    return "integers separated by commas";
  case NEREID_TYPE_F64_LIST:
    return "numbers separated by commas";
  case NEREID_TYPE_STRING_LIST:
    return "texts separated by commas";
  default:
    return typeName(option.type);
  }
}

// As C reads numbers (nereid_type_t), so 0x10 is one.
static bool parseNumber(std::string_view given, int64_t &number) {
  std::string text(given);
  if (text.empty() || std::isspace(static_cast<unsigned char>(text[0])))
    return false;
  char *end = nullptr;
  errno = 0;
  bool isHex = text.find_first_of("xX") != std::string::npos;
  number = std::strtoll(text.c_str(), &end, isHex ? 16 : 10);
  return errno == 0 && end == text.c_str() + text.size();
}

// Not strtod: that one follows the locale of the host program.
static bool parseNumber(std::string_view text, double &number) {
  bool isNegative = text.starts_with('-');
  if (isNegative || text.starts_with('+'))
    text.remove_prefix(1);
  bool isHex = text.starts_with("0x") || text.starts_with("0X");
  if (isHex)
    text.remove_prefix(2);
  if (text.starts_with('-'))
    return false;
  const char *last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, number,
                                      isHex ? std::chars_format::hex
                                            : std::chars_format::general);
  if (isNegative)
    number = -number;
  return error == std::errc() && end == last;
}

// Bytes as hexadecimal digits.
static bool parseBytes(std::string_view text, std::string &bytes) {
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    uint8_t byte = 0;
    const char *first = text.data() + i;
    auto [end, error] = std::from_chars(first, first + 2, byte, 16);
    if (error != std::errc() || end != first + 2)
      return false;
    bytes += static_cast<char>(byte);
  }
  return text.size() % 2 == 0;
}

static bool parseBool(std::string_view text, int64_t &value) {
  static constexpr std::string_view yes[] = {"true", "1", "on", "yes"};
  static constexpr std::string_view no[] = {"false", "0", "off", "no"};
  value = std::find(std::begin(yes), std::end(yes), text) != std::end(yes);
  return value || std::find(std::begin(no), std::end(no), text) != std::end(no);
}

static std::vector<std::string_view> splitCommas(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    size_t end = std::min(text.find(','), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

namespace {
/// Owns values given as text until they are copied.
struct TextStorage {
  std::string bytes;
  std::vector<int64_t> integers;
  std::vector<double> doubles;
  std::vector<nereid_string_t> strings;
};
} // namespace

static bool parseList(std::string_view text, nereid_value_t &value,
                      TextStorage &storage) {
  for (std::string_view part : splitCommas(text)) {
    if (value.type == NEREID_TYPE_I64_LIST) {
      if (!parseNumber(part, storage.integers.emplace_back()))
        return false;
    } else if (value.type == NEREID_TYPE_F64_LIST) {
      if (!parseNumber(part, storage.doubles.emplace_back()))
        return false;
    } else {
      storage.strings.push_back(borrow(part));
    }
    ++value.list_size;
  }
  value.list = value.type == NEREID_TYPE_I64_LIST
                   ? static_cast<const void *>(storage.integers.data())
               : value.type == NEREID_TYPE_F64_LIST
                   ? static_cast<const void *>(storage.doubles.data())
                   : static_cast<const void *>(storage.strings.data());
  return true;
}

// Turns a text into a value of `type`; false if it does not say one.
static bool parseText(std::string_view text, nereid_value_t &value,
                      TextStorage &storage) {
  switch (value.type) {
  case NEREID_TYPE_I64:
    return parseNumber(text, value.i64);
  case NEREID_TYPE_F64:
    return parseNumber(text, value.f64);
  case NEREID_TYPE_BOOL:
    return parseBool(text, value.i64);
  case NEREID_TYPE_I64_LIST:
  case NEREID_TYPE_F64_LIST:
  case NEREID_TYPE_STRING_LIST:
    return parseList(text, value, storage);
  case NEREID_TYPE_BYTES:
    if (!parseBytes(text, storage.bytes))
      return false;
    value.text = borrow(storage.bytes);
    return true;
  default:
    value.text = borrow(text);
    return true;
  }
}

// Lossless conversions: an integer for a number or for a truth value.
static bool convertNumber(const nereid_value_t &given, nereid_value_t &value) {
  if (given.type != NEREID_TYPE_I64 && given.type != NEREID_TYPE_BOOL)
    return false;
  if (value.type == NEREID_TYPE_F64)
    value.f64 = static_cast<double>(given.i64);
  else if (value.type == NEREID_TYPE_BOOL && (given.i64 == 0 || given.i64 == 1))
    value.i64 = given.i64;
  else
    return false;
  return given.type == NEREID_TYPE_I64 || value.type == NEREID_TYPE_BOOL;
}

static bool isLegal(const nereid_value_t &value, const OptionSchema &option) {
  if (value.type == NEREID_TYPE_I64 && option.hasRange())
    return value.i64 >= option.minimum && value.i64 <= option.maximum;
  if (value.type == NEREID_TYPE_STRING && !option.choices.empty())
    return std::find(option.choices.begin(), option.choices.end(),
                     view(value.text)) != option.choices.end();
  return true;
}

static std::string shown(const nereid_value_t &value) {
  if (value.type == NEREID_TYPE_STRING)
    return '\'' + std::string(view(value.text)) + '\'';
  Json json = valueJson(value);
  if (json.is_string()) // a number that JSON has no spelling for
    return json.get<std::string>();
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Adds `given` to `values` with the type of `option`, or returns the error.
static std::string convertOne(const nereid_value_t &given,
                              const OptionSchema &option, Values &values) {
  nereid_value_t value = {};
  TextStorage storage;
  value.name = given.name;
  value.type = option.type;
  bool fits;
  bool isUnknownType =
      option.type < NEREID_TYPE_I64 || option.type > NEREID_TYPE_STRING_LIST;
  if (given.type == option.type || isUnknownType) {
    value = given; // of a type we do not know, only the plugin can judge it
    fits = true;
  } else if (given.type == NEREID_TYPE_STRING) {
    fits = parseText(view(given.text), value, storage);
  } else {
    fits = convertNumber(given, value);
  }
  if (!fits || !isLegal(value, option))
    return "option '" + option.name + "' is " + shown(given) + ", expected " +
           expectation(option);
  if (Outcome added = values.add(value); !added)
    return added.failure().text;
  return {};
}

Result<Values> convertOptions(std::span<const nereid_value_t> given,
                              const std::vector<OptionSchema> &schema) {
  Values values;
  std::string problems;
  for (const nereid_value_t &value : given) {
    if (Outcome checked = checkValue(value); !checked)
      return checked.failure();
    std::string_view name = view(value.name);
    auto option = std::find_if(
        schema.begin(), schema.end(),
        [&](const OptionSchema &candidate) { return candidate.name == name; });
    std::string problem = option == schema.end()
                              ? "unknown option '" + std::string(name) + "'" +
                                    suggestNames(name, namesOf(schema))
                              : convertOne(value, *option, values);
    if (problem.empty())
      continue;
    problems += problems.empty() ? "" : "\n";
    problems += problem;
  }
  if (!problems.empty())
    return Failure{NEREID_INVALID_ARGUMENT, std::move(problems)};
  return values;
}

} // namespace nereid::host
