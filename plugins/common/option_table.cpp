// option_table.cpp - parsing and printing the value of one option.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "option_table.h"

#include "text.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace nereid::plugin {

static nereid_type_t typeOf(const OptionField &field) {
  if (std::holds_alternative<std::string *>(field))
    return NEREID_TYPE_STRING;
  return std::holds_alternative<int64_t *>(field) ? NEREID_TYPE_I64
                                                  : NEREID_TYPE_BOOL;
}

nereid_status_t addOption(const nereid_option_sink_t *sink,
                          const OptionInfo &info, const OptionField &field) {
  std::vector<nereid_string_t> choices;
  for (std::string_view choice : info.choices)
    choices.push_back(text(choice));
  nereid_option_t option = {};
  option.struct_size = sizeof option;
  option.type = typeOf(field);
  option.name = text(info.name);
  option.doc = text(info.doc);
  option.default_value = text(info.defaultValue);
  option.minimum = info.minimum;
  option.maximum = info.maximum;
  option.choices = choices.data();
  option.choice_count = choices.size();
  return sink->add(sink, &option);
}

static bool readInteger(std::string_view from, int64_t &out) {
  auto [end, error] =
      std::from_chars(from.data(), from.data() + from.size(), out);
  return error == std::errc() && end == from.data() + from.size();
}

/// "a, b or c"; the empty choice stands for "not given".
static std::string listOf(std::span<const std::string_view> choices) {
  std::vector<std::string_view> named;
  std::copy_if(choices.begin(), choices.end(), std::back_inserter(named),
               [](std::string_view choice) { return !choice.empty(); });
  std::string list;
  for (size_t i = 0; i < named.size(); ++i)
    list += (i == 0                  ? ""
             : i + 1 == named.size() ? " or "
                                     : ", ") +
            std::string(named[i]);
  return list;
}

// The separators of the canonical text must not occur in a value.
static std::string setText(const OptionInfo &info, std::string &out,
                           const nereid_value_t &value) {
  if (value.type != NEREID_TYPE_STRING)
    return "a string was expected";
  std::string_view given = view(value.text);
  for (unsigned char byte : given)
    if (byte <= ' ' || byte == ';' || byte == '=' || byte >= 0x7f)
      return "text without blanks, ';' and '=' was expected";
  if (!info.choices.empty() &&
      std::ranges::find(info.choices, given) == info.choices.end())
    return "'" + std::string(given) + "' is not " + listOf(info.choices);
  out = given;
  return {};
}

static bool isNumber(const nereid_value_t &value) {
  return value.type == NEREID_TYPE_I64 || value.type == NEREID_TYPE_BOOL;
}

static std::string setInteger(const OptionInfo &info, int64_t &out,
                              const nereid_value_t &value) {
  int64_t number = value.i64;
  bool isText = value.type == NEREID_TYPE_STRING;
  if (!isNumber(value) && !(isText && readInteger(view(value.text), number)))
    return "an integer was expected";
  if (number < info.minimum || number > info.maximum)
    return std::to_string(number) + " is not between " +
           std::to_string(info.minimum) + " and " +
           std::to_string(info.maximum);
  out = number;
  return {};
}

static std::string setBoolean(bool &out, const nereid_value_t &value) {
  std::string_view word =
      value.type == NEREID_TYPE_STRING ? view(value.text) : std::string_view();
  if (word == "true" || word == "1")
    out = true;
  else if (word == "false" || word == "0")
    out = false;
  else if (isNumber(value) && (value.i64 == 0 || value.i64 == 1))
    out = value.i64 != 0;
  else
    return "true or false was expected";
  return {};
}

std::string setOption(const OptionInfo &info, const OptionField &field,
                      const nereid_value_t &value) {
  if (auto *const *member = std::get_if<std::string *>(&field))
    return setText(info, **member, value);
  if (auto *const *member = std::get_if<int64_t *>(&field))
    return setInteger(info, **member, value);
  return setBoolean(*std::get<bool *>(field), value);
}

std::string canonicalOption(const OptionInfo &info,
                            const ConstOptionField &field) {
  std::string text(info.name);
  text += '=';
  if (const auto *const *member = std::get_if<const std::string *>(&field))
    text += **member;
  else if (const auto *const *number = std::get_if<const int64_t *>(&field))
    text += std::to_string(**number);
  else
    text += *std::get<const bool *>(field) ? "true" : "false";
  return text + ';';
}

} // namespace nereid::plugin
