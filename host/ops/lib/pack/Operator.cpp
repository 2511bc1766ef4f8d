// Operator.cpp - schemas of operators, and messages with expressions.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/Operator.h"

#include "expr/Json.h"
#include "support/Json.h"
#include "text/Suggestions.h"

#include <algorithm>

namespace nereid::ops {

using host::Json;

static constexpr std::pair<std::string_view, size_t> dtypes[] = {
    {"i1", 1},   {"i8", 1},  {"i16", 2}, {"i32", 4},    {"i64", 8},
    {"u8", 1},   {"u16", 2}, {"u32", 4}, {"u64", 8},    {"f16", 2},
    {"bf16", 2}, {"f32", 4}, {"f64", 8}, {"f8e4m3", 1}, {"f8e5m2", 1},
};

size_t sizeOfDtype(std::string_view name) {
  for (const auto &[each, size] : dtypes)
    if (each == name)
      return size;
  return 0;
}

const std::vector<std::string> &dtypeNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto &[name, size] : dtypes)
      list.emplace_back(name);
    return list;
  }();
  return names;
}

const InputSchema *Schema::input(std::string_view name) const {
  for (const InputSchema &input : inputs)
    if (input.name == name)
      return &input;
  return nullptr;
}

bool AttributeSchema::accepts(const Value &value) const {
  if (type == "int")
    return value.isInt();
  if (type == "float" || type == "number")
    return value.isInt() || value.isFloat();
  if (type == "bool")
    return value.isBool();
  if (type == "list")
    return value.isList();
  return value.isString();
}

const AttributeSchema *Schema::attribute(std::string_view name) const {
  for (const AttributeSchema &attribute : attributes)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

static Json jsonOf(const InputSchema &input) {
  Json json = {{"name", input.name}};
  if (input.dtype)
    json["dtype"] = input.dtype->expression.text();
  else
    json["dtype"] = input.dtypes;
  json["rank"] = {input.leastRank, input.mostRank};
  json["optional"] = input.isOptional;
  json["list"] = input.isList;
  return json;
}

static Json jsonOf(const AttributeSchema &attribute) {
  Json json = {{"name", attribute.name}, {"type", attribute.type}};
  if (attribute.byDefault)
    json["default"] = jsonOfValue(*attribute.byDefault);
  return json;
}

Json jsonOf(const Schema &schema) {
  Json inputs = Json::array(), attributes = Json::array(),
       outputs = Json::array();
  for (const InputSchema &input : schema.inputs)
    inputs.push_back(jsonOf(input));
  for (const AttributeSchema &attribute : schema.attributes)
    attributes.push_back(jsonOf(attribute));
  for (const OutputSchema &output : schema.outputs)
    outputs.push_back({{"name", output.name},
                       {"dtype", output.dtype.expression.text()},
                       {"shape", output.shape.expression.text()}});
  return {{"inputs", inputs}, {"attributes", attributes}, {"outputs", outputs}};
}

// The types and shapes of outputs are expressions over a layer's own `let`, so
// only their names are compared.
std::optional<std::string> difference(const Schema &a, const Schema &b) {
  Json x = jsonOf(a), y = jsonOf(b);
  for (Json *schema : {&x, &y})
    for (Json &output : (*schema)["outputs"])
      output = {{"name", output["name"]}};
  for (const char *part : {"inputs", "attributes", "outputs"}) {
    const Json &mine = x[part], &other = y[part];
    std::string kind =
        std::string(part).substr(0, std::string(part).size() - 1);
    for (size_t i = 0; i < std::max(mine.size(), other.size()); ++i) {
      if (i >= mine.size())
        return kind + " '" + other[i].value("name", "") + "' is missing";
      if (i >= other.size())
        return kind + " '" + mine[i].value("name", "") + "' is not there";
      if (mine[i] != other[i])
        return kind + " is " + mine[i].dump() + ", expected " + other[i].dump();
    }
  }
  return std::nullopt;
}

std::string Message::fill(const Environment &names) const {
  std::string text;
  for (const Piece &piece : pieces) {
    if (!piece.expression) {
      text += piece.text;
      continue;
    }
    Result<Value> value = piece.expression->evaluate(names);
    if (!value)
      text += '{' + piece.text + '}';
    else
      text += value->isString() ? value->string() : value->repr();
  }
  return text;
}

} // namespace nereid::ops
