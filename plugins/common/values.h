// values.h - reports named values to the host: properties, facts.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PLUGINS_COMMON_VALUES_H
#define NEREID_PLUGINS_COMMON_VALUES_H

#include "text.h"

#include <initializer_list>
#include <span>
#include <utility>

namespace nereid::plugin {

/// Adds values to a sink, up to the first one that it refuses.
class ValueWriter {
public:
  explicit ValueWriter(const nereid_value_sink_t *sink) : sink(sink) {}

  void addInteger(std::string_view name, int64_t value) {
    nereid_value_t out = named(name, NEREID_TYPE_I64);
    out.i64 = value;
    add(out);
  }
  void addBool(std::string_view name, bool value) {
    nereid_value_t out = named(name, NEREID_TYPE_BOOL);
    out.i64 = value;
    add(out);
  }
  void addString(std::string_view name, std::string_view value) {
    nereid_value_t out = named(name, NEREID_TYPE_STRING);
    out.text = text(value);
    add(out);
  }
  void addList(std::string_view name, std::span<const int64_t> values) {
    add(listed(name, NEREID_TYPE_I64_LIST, values.data(), values.size()));
  }
  void addList(std::string_view name, std::span<const nereid_string_t> values) {
    add(listed(name, NEREID_TYPE_STRING_LIST, values.data(), values.size()));
  }

  void addIntegers(
      std::initializer_list<std::pair<std::string_view, int64_t>> values) {
    for (auto [name, value] : values)
      addInteger(name, value);
  }

  /// What the slot returns: NEREID_OK, or the sink's status for the value that
  /// it refused.
  nereid_status_t status() const { return result; }

private:
  static nereid_value_t named(std::string_view name, nereid_type_t type) {
    nereid_value_t out = {};
    out.name = text(name);
    out.type = type;
    return out;
  }
  static nereid_value_t listed(std::string_view name, nereid_type_t type,
                               const void *items, uint64_t size) {
    nereid_value_t out = named(name, type);
    out.list = items;
    out.list_size = size;
    return out;
  }
  void add(const nereid_value_t &value) {
    if (result == NEREID_OK)
      result = sink->add(sink, &value);
  }

  const nereid_value_sink_t *const sink;
  nereid_status_t result = NEREID_OK;
};

} // namespace nereid::plugin

#endif // NEREID_PLUGINS_COMMON_VALUES_H
