// NereidJson.cpp - our own format.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/JsonTree.h"
#include "store/Key.h"
#include "store/formats/Formats.h"
#include "text/Suggestions.h"

#include <algorithm>

namespace nereid::ops {

using Json = nlohmann::ordered_json;

static constexpr std::string_view formatWord = "nereid-tuned-results";
static constexpr int64_t formatVersion = 1;

// Fields that hold the text of an object, and are objects in the file.
static bool isObjectField(std::string_view name) {
  return name == "key_exact" || name == "key_bucket" || name == "configuration";
}

Json rowJson(const TunedResult &result) {
  Json row = Json::object();
  visitFields(result, [&](const char *name, const auto &field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::string>)
      if (isObjectField(name)) {
        row[name] = Json::parse(field, nullptr, false);
        return;
      }
    row[name] = field;
  });
  return row;
}

Exported exportJson(const Results &results) {
  Exported out;
  out.text = "{\n\"format\": \"" + std::string(formatWord) +
             "\",\n\"version\": " + std::to_string(formatVersion) +
             ",\n\"results\": [";
  // A line each, so that an error in an edited file is easy to find, and two
  // exports are easy to compare.
  for (const TunedResult &result : results)
    out.text +=
        (out.written++ ? ",\n" : "\n") +
        rowJson(result).dump(-1, ' ', false, Json::error_handler_t::replace);
  out.text += "\n]\n}\n";
  return out;
}

static bool readField(const JsonTree &value, std::string_view name,
                      std::string &field) {
  if (isObjectField(name) && value.isObject()) {
    field = canonicalObject(value.value());
    return true;
  }
  if (!value.isString() || isObjectField(name))
    return false;
  field = value.scalar.get<std::string>();
  return true;
}

static bool readField(const JsonTree &value, std::string_view, bool &field) {
  if (!value.scalar.is_boolean())
    return false;
  field = value.scalar.get<bool>();
  return true;
}

static bool readField(const JsonTree &value, std::string_view, double &field) {
  if (!value.scalar.is_number())
    return false;
  field = value.scalar.get<double>();
  return true;
}

static bool readField(const JsonTree &value, std::string_view, int64_t &field) {
  if (!value.scalar.is_number_integer() ||
      (value.scalar.is_number_unsigned() &&
       value.scalar.get<uint64_t>() > uint64_t(INT64_MAX)))
    return false;
  field = value.scalar.get<int64_t>();
  return true;
}

template <typename Field> static const char *wordFor(std::string_view name) {
  if (isObjectField(name))
    return "an object";
  if (std::is_same_v<Field, std::string>)
    return "a string";
  if (std::is_same_v<Field, bool>)
    return "true or false";
  return std::is_same_v<Field, double> ? "a number" : "an integer";
}

static void readRow(const JsonTree &row, Mistakes &mistakes, Results &results) {
  if (!row.isObject())
    return mistakes.add(row.line, "expected a result, an object");
  TunedResult result;
  std::vector<std::string> names;
  bool isGood = true;
  visitFields(result, [&](const char *name, auto &field) {
    names.emplace_back(name);
    const JsonTree *value = row.find(name);
    if (!value || readField(*value, name, field))
      return;
    isGood = false;
    mistakes.add(value->line, "'" + std::string(name) + "' is not " +
                                  wordFor<std::decay_t<decltype(field)>>(name));
  });
  for (const auto &[name, value] : row.members)
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      isGood = false;
      mistakes.add(value.line,
                   "unknown member '" + name + "'" + suggestNames(name, names));
    }
  for (const char *name : {"operator", "key_exact", "configuration", "status"})
    if (!row.find(name)) {
      isGood = false;
      mistakes.add(row.line, "a result without '" + std::string(name) + "'");
    }
  if (!isGood)
    return;
  if (Outcome checked = normalize(result); !checked)
    return mistakes.add(row.line, checked.failure().text);
  results.push_back(std::move(result));
}

void importJson(const JsonTree &root, Mistakes &mistakes, Results &results) {
  const JsonTree *format = root.find("format");
  const JsonTree *version = root.find("version");
  const JsonTree *rows = root.find("results");
  if (!format || !format->isString() || format->scalar != formatWord)
    return mistakes.add(root.line, "expected an object with \"format\": \"" +
                                       std::string(formatWord) + "\"");
  if (!version || version->scalar != formatVersion)
    return mistakes.add(version ? version->line : root.line,
                        "\"version\" is not " + std::to_string(formatVersion) +
                            ", the one that this Nereid reads");
  if (!rows || !rows->isArray())
    return mistakes.add(rows ? rows->line : root.line,
                        "\"results\" is not an array");
  for (const JsonTree &row : rows->items)
    readRow(row, mistakes, results);
}

} // namespace nereid::ops
