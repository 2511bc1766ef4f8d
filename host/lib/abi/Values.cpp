// Values.cpp - an owned list of named values.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Values.h"

#include "support/Json.h"

#include <cmath>

namespace nereid::host {

static bool isList(nereid_type_t type) {
  return type == NEREID_TYPE_I64_LIST || type == NEREID_TYPE_F64_LIST ||
         type == NEREID_TYPE_STRING_LIST;
}

static bool isKnown(nereid_type_t type) {
  return type >= NEREID_TYPE_I64 && type <= NEREID_TYPE_STRING_LIST;
}

Outcome checkValue(const nereid_value_t &value) {
  std::string name(view(value.name));
  if (name.empty())
    return Failure{NEREID_INVALID_ARGUMENT, "a value has no name"};
  if (isList(value.type) && value.list_size && !value.list)
    return Failure{NEREID_INVALID_ARGUMENT,
                   "value '" + name + "' is a list of " +
                       std::to_string(value.list_size) + " items without data"};
  if ((value.type == NEREID_TYPE_STRING || value.type == NEREID_TYPE_BYTES) &&
      value.text.size && !value.text.data)
    return Failure{NEREID_INVALID_ARGUMENT,
                   "value '" + name + "' has a size but no data"};
  return {};
}

Outcome Values::add(const nereid_value_t &value) {
  if (Outcome checked = checkValue(value); !checked)
    return checked;
  if (!isKnown(value.type))
    return {};

  Item item;
  item.text = view(value.text);
  if (value.type == NEREID_TYPE_I64_LIST) {
    const int64_t *list = static_cast<const int64_t *>(value.list);
    item.integers.assign(list, list + value.list_size);
  } else if (value.type == NEREID_TYPE_F64_LIST) {
    const double *list = static_cast<const double *>(value.list);
    item.doubles.assign(list, list + value.list_size);
  } else if (value.type == NEREID_TYPE_STRING_LIST) {
    const nereid_string_t *list =
        static_cast<const nereid_string_t *>(value.list);
    for (uint64_t i = 0; i < value.list_size; ++i)
      item.strings.emplace_back(view(list[i]));
  }

  auto [place, isNew] =
      places.try_emplace(std::string(view(value.name)), views.size());
  const auto &[name, index] = *place;
  if (isNew) {
    views.emplace_back();
    storage.emplace_back();
  }
  Item &kept = storage[index] = std::move(item);
  for (const std::string &text : kept.strings)
    kept.stringViews.push_back(borrow(text));

  nereid_value_t &out = views[index];
  out = {};
  out.name = borrow(name);
  out.type = value.type;
  if (value.type == NEREID_TYPE_I64)
    out.i64 = value.i64;
  else if (value.type == NEREID_TYPE_BOOL)
    out.i64 = value.i64 != 0;
  else if (value.type == NEREID_TYPE_F64)
    out.f64 = value.f64;
  else if (value.type == NEREID_TYPE_I64_LIST)
    out.list = kept.integers.data();
  else if (value.type == NEREID_TYPE_F64_LIST)
    out.list = kept.doubles.data();
  else if (value.type == NEREID_TYPE_STRING_LIST)
    out.list = kept.stringViews.data();
  else
    out.text = borrow(kept.text);
  out.list_size = isList(value.type) ? value.list_size : 0;
  return {};
}

void Values::addString(std::string_view name, std::string_view text) {
  nereid_value_t value = {};
  value.name = borrow(name);
  value.type = NEREID_TYPE_STRING;
  value.text = borrow(text);
  (void)add(value);
}

void Values::addInteger(std::string_view name, int64_t number) {
  nereid_value_t value = {};
  value.name = borrow(name);
  value.type = NEREID_TYPE_I64;
  value.i64 = number;
  (void)add(value);
}

const nereid_value_t *Values::find(std::string_view name) const {
  auto known = places.find(name);
  return known == places.end() ? nullptr : &views[known->second];
}

std::optional<std::string_view> Values::string(std::string_view name) const {
  const nereid_value_t *value = find(name);
  if (!value || value->type != NEREID_TYPE_STRING)
    return std::nullopt;
  return view(value->text);
}

std::optional<int64_t> Values::integer(std::string_view name) const {
  const nereid_value_t *value = find(name);
  if (!value || value->type != NEREID_TYPE_I64)
    return std::nullopt;
  return value->i64;
}

// JSON has no number for these; options accept the same words.
static Json numberJson(double number) {
  if (std::isfinite(number))
    return number;
  return std::isnan(number) ? "nan" : number < 0 ? "-inf" : "inf";
}

Json valueJson(const nereid_value_t &value) {
  Json list = Json::array();
  switch (value.type) {
  case NEREID_TYPE_I64:
    return value.i64;
  case NEREID_TYPE_F64:
    return numberJson(value.f64);
  case NEREID_TYPE_BOOL:
    return value.i64 != 0;
  case NEREID_TYPE_STRING:
    return std::string(view(value.text));
  case NEREID_TYPE_BYTES:
    return Json{{"bytes", value.text.size}};
  case NEREID_TYPE_I64_LIST:
    for (uint64_t i = 0; i < value.list_size; ++i)
      list.push_back(static_cast<const int64_t *>(value.list)[i]);
    return list;
  case NEREID_TYPE_F64_LIST:
    for (uint64_t i = 0; i < value.list_size; ++i)
      list.push_back(numberJson(static_cast<const double *>(value.list)[i]));
    return list;
  case NEREID_TYPE_STRING_LIST:
    for (uint64_t i = 0; i < value.list_size; ++i)
      list.push_back(std::string(
          view(static_cast<const nereid_string_t *>(value.list)[i])));
    return list;
  default:
    return nullptr;
  }
}

Json Values::json() const {
  Json object = Json::object();
  // The names differ: appending need not look for them.
  auto &members = object.get_ref<Json::object_t &>();
  for (const nereid_value_t &value : views)
    members.emplace_back(std::string(view(value.name)), valueJson(value));
  return object;
}

std::string typeName(nereid_type_t type) {
  static constexpr std::string_view names[] = {
      "i64",   "f64",      "bool",     "string",
      "bytes", "i64-list", "f64-list", "string-list"};
  if (isKnown(type))
    return std::string(names[type - NEREID_TYPE_I64]);
  return "type " + std::to_string(type);
}

nereid_status_t ValueSink::add(const nereid_value_sink_t *sink,
                               const nereid_value_t *value) noexcept {
  ValueSink &self = *static_cast<ValueSink *>(sink->user);
  try {
    if (!value)
      return self.call.refuseMalformed("a value is a null pointer");
    if (Outcome added = self.values.add(*value); !added)
      return self.call.refuseMalformed(added.failure().text);
    return NEREID_OK;
  } catch (...) {
    return self.call.refuseForMemory();
  }
}

} // namespace nereid::host
