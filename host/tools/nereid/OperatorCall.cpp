// OperatorCall.cpp - shapes, types, strides and attributes in texts.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "OperatorCall.h"

#include "text/Suggestions.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace nereid::tool {

// "NAME=TEXT" in two, the name empty if there is none.
static std::pair<std::string, std::string> split(const std::string &text) {
  size_t equals = text.find('=');
  if (equals == text.npos)
    return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// "4096x1024", "scalar"
static Expected<Json> parseSizes(const std::string &option,
                                 const std::string &text) {
  Json sizes = Json::array();
  if (text == "scalar" || text.empty())
    return sizes;
  for (size_t start = 0; start <= text.size();) {
    size_t end = std::min(text.find_first_of("x,", start), text.size());
    int64_t size = 0;
    std::from_chars_result read =
        std::from_chars(text.data() + start, text.data() + end, size);
    if (read.ec != std::errc() || read.ptr != text.data() + end)
      return invalid(option + " '" + text +
                     "': expected numbers with 'x' between them, as "
                     "4096x1024, or 'scalar'");
    sizes.push_back(size);
    start = end + 1;
  }
  return sizes;
}

static std::vector<std::string> inputNames(const Json &schema) {
  std::vector<std::string> names;
  for (const Json &input : schema["inputs"])
    names.push_back(input.value("name", ""));
  return names;
}

// What each input is given, by name; "" is for those that are not named.
static Expected<std::map<std::string, std::vector<std::string>>>
byInput(const std::string &option, const std::vector<std::string> &texts,
        const std::vector<std::string> &names) {
  std::map<std::string, std::vector<std::string>> given;
  for (const std::string &text : texts) {
    auto [name, value] = split(text);
    if (!name.empty() &&
        std::find(names.begin(), names.end(), name) == names.end())
      return invalid(option + ": no input is called '" + name + "'" +
                     suggestNames(name, names));
    given[name].push_back(value);
  }
  return given;
}

static bool mayBe(const Json &input, const std::string &dtype) {
  const Json &dtypes = input["dtype"];
  return !dtypes.is_array() || dtypes.empty() ||
         std::ranges::find(dtypes, Json(dtype)) != dtypes.end();
}

// The type of all inputs that may have it.
static std::string defaultDtype(const Json &input, const std::string &wanted) {
  return mayBe(input, wanted) ? wanted : input["dtype"][0].get<std::string>();
}

// The inputs of a call. Shapes without a name are those of the inputs in order;
// inputs that must be given and have none have the first shape.
static Expected<Json> makeInputs(const Json &schema,
                                 const OperatorCallOptions &options) {
  std::vector<std::string> names = inputNames(schema);
  auto shapes = byInput("--shape", options.shapes, names);
  auto dtypes = byInput("--dtype", options.dtypes, names);
  auto strides = byInput("--stride", options.strides, names);
  for (const auto *given : {&shapes, &dtypes, &strides})
    if (!*given)
      return given->error();
  std::vector<std::string> &unnamed = (*shapes)[""];
  size_t next = 0;
  std::string type = (*dtypes)[""].empty() ? "f32" : (*dtypes)[""].front();
  // A type that no input may have is an error of the call.
  bool isRefused = !(*dtypes)[""].empty() &&
                   std::ranges::none_of(schema["inputs"], [&](const Json &it) {
                     return it["dtype"].is_array() && mayBe(it, type);
                   });
  Json inputs = Json::object();
  for (const Json &input : schema["inputs"]) {
    std::string name = input.value("name", "");
    std::vector<std::string> own = (*shapes)[name];
    if (own.empty() && next < unnamed.size())
      own = {unnamed[next++]};
    if (own.empty() && input.value("optional", false))
      continue;
    if (own.empty() && !unnamed.empty())
      own = {unnamed.front()};
    if (own.empty())
      return invalid("input '" + name + "' has no shape; give --shape " + name +
                     "=4096x1024");
    Json members = Json::array();
    for (const std::string &text : own) {
      Expected<Json> shape = parseSizes("--shape", text);
      if (!shape)
        return shape.error();
      Json tensor = {{"shape", *shape}};
      if (!(*dtypes)[name].empty())
        tensor["dtype"] = (*dtypes)[name].front();
      else
        tensor["dtype"] = isRefused ? type : defaultDtype(input, type);
      if (!(*strides)[name].empty()) {
        Expected<Json> stride =
            parseSizes("--stride", (*strides)[name].front());
        if (!stride)
          return stride.error();
        tensor["stride"] = *stride;
      }
      members.push_back(std::move(tensor));
    }
    inputs[name] = input.value("list", false) ? members : members[0];
  }
  if (next < unnamed.size())
    return invalid("--shape is given " + std::to_string(unnamed.size()) +
                   " times without a name, expected at most " +
                   std::to_string(next));
  // A type that is that of another input.
  for (const Json &input : schema["inputs"]) {
    std::string name = input.value("name", "");
    if (input["dtype"].is_string() && inputs.contains(name) &&
        (*dtypes)[name].empty()) {
      std::string of = input["dtype"].get<std::string>();
      of = of.substr(0, of.find('.'));
      if (inputs.contains(of) && inputs[of].is_object() &&
          inputs[name].is_object())
        inputs[name]["dtype"] = inputs[of]["dtype"];
    }
  }
  return inputs;
}

static Expected<Json> makeAttributes(const OperatorCallOptions &options) {
  Json attributes = Json::object();
  for (const std::string &text : options.attributes) {
    auto [name, value] = split(text);
    if (name.empty())
      return invalid("--attribute '" + text + "': expected NAME=VALUE");
    Json parsed = Json::parse(value, nullptr, false);
    attributes[name] = parsed.is_discarded() ? Json(value) : parsed;
  }
  return attributes;
}

Expected<Json> makeCall(const Json &schema,
                        const OperatorCallOptions &options) {
  Expected<Json> inputs = makeInputs(schema, options);
  if (!inputs)
    return inputs.error();
  Expected<Json> attributes = makeAttributes(options);
  if (!attributes)
    return attributes.error();
  return Json{{"inputs", *inputs}, {"attributes", *attributes}};
}

} // namespace nereid::tool
