// Json.cpp - values from and to JSON.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "expr/Json.h"

#include "support/Json.h"

namespace nereid::ops {

using host::Json;

static Result<Value> objectOfJson(const Json &json, std::string_view kind) {
  auto object = std::make_shared<Object>();
  object->kind = kind;
  for (const auto &[name, member] : json.items()) {
    Result<Value> value = valueOfJson(member, kind);
    if (!value)
      return value;
    object->attributes.emplace_back(name, std::move(*value));
  }
  return Value(std::shared_ptr<const Object>(std::move(object)));
}

static Result<Value> listOfJson(const Json &json, std::string_view kind) {
  if (json.size() > longestList)
    return wrong("a list has " + std::to_string(json.size()) +
                 " items, expected at most " + std::to_string(longestList));
  List list;
  for (const Json &item : json) {
    Result<Value> value = valueOfJson(item, kind);
    if (!value)
      return value;
    list.push_back(std::move(*value));
  }
  return Value(std::move(list));
}

Result<Value> valueOfJson(const Json &json, std::string_view kind) {
  switch (json.type()) {
  case Json::value_t::boolean:
    return Value(json.get<bool>());
  case Json::value_t::number_unsigned:
    if (json.get<uint64_t>() > INT64_MAX)
      return wrong(json.dump() + " does not fit an integer of 64 bits");
    return Value(json.get<int64_t>());
  case Json::value_t::number_integer:
    return Value(json.get<int64_t>());
  case Json::value_t::number_float:
    return Value(json.get<double>());
  case Json::value_t::string:
    return Value(json.get<std::string>());
  case Json::value_t::array:
    return listOfJson(json, kind);
  case Json::value_t::object:
    return objectOfJson(json, kind);
  default:
    return Value();
  }
}

Result<Names> namesOfJson(std::string_view text) {
  Names names;
  if (text.empty())
    return names;
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object())
    return wrong("the values are not a JSON object");
  for (const auto &[name, member] : json.items()) {
    Result<Value> value = valueOfJson(member);
    if (!value)
      return wrong("the value of '" + name + "': " + value.failure().text);
    names.set(name, std::move(*value));
  }
  return names;
}

Json jsonOfValue(const Value &value) {
  switch (value.kind()) {
  case Value::Kind::None:
    return nullptr;
  case Value::Kind::Bool:
    return value.truth();
  case Value::Kind::Int:
    return value.integer();
  case Value::Kind::Float:
    return value.number();
  case Value::Kind::String:
    return value.string();
  case Value::Kind::List: {
    Json list = Json::array();
    for (const Value &item : value.list())
      list.push_back(jsonOfValue(item));
    return list;
  }
  case Value::Kind::Object:
    break;
  }
  Json object = Json::object();
  for (const auto &[name, attribute] : value.object().attributes)
    object[name] = jsonOfValue(attribute);
  return object;
}

} // namespace nereid::ops
