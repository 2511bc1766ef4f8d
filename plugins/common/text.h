// text.h - strings, errors and values in the types of the ABI.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PLUGINS_COMMON_TEXT_H
#define NEREID_PLUGINS_COMMON_TEXT_H

#include "nereid/plugin.h"

#include <cstring>
#include <string_view>

namespace nereid::plugin {

constexpr nereid_string_t text(std::string_view view) {
  return {view.data(), view.size()};
}

inline std::string_view view(nereid_string_t string) {
  return {string.data, string.size};
}

/// Reports an error through `call`, if there is one, and returns `status`.
inline nereid_status_t fail(const nereid_call_t *call, nereid_status_t status,
                            std::string_view message) {
  if (!call)
    return status;
  nereid_diagnostic_t diagnostic = {};
  diagnostic.struct_size = sizeof diagnostic;
  diagnostic.severity = NEREID_SEVERITY_ERROR;
  diagnostic.message = text(message);
  call->report(call, &diagnostic);
  return status;
}

inline nereid_status_t write(const nereid_writer_t *writer,
                             std::string_view data) {
  return writer->write(writer, data.data(), data.size());
}

inline nereid_status_t addInteger(const nereid_value_sink_t *sink,
                                  std::string_view name, int64_t value,
                                  nereid_type_t type = NEREID_TYPE_I64) {
  nereid_value_t out = {};
  out.name = text(name);
  out.type = type;
  out.i64 = value;
  return sink->add(sink, &out);
}

inline nereid_status_t addString(const nereid_value_sink_t *sink,
                                 std::string_view name,
                                 std::string_view value) {
  nereid_value_t out = {};
  out.name = text(name);
  out.type = NEREID_TYPE_STRING;
  out.text = text(value);
  return sink->add(sink, &out);
}

/// `list` has `size` items of the kind that `type` says.
inline nereid_status_t addList(const nereid_value_sink_t *sink,
                               std::string_view name, nereid_type_t type,
                               const void *list, uint64_t size) {
  nereid_value_t out = {};
  out.name = text(name);
  out.type = type;
  out.list = list;
  out.list_size = size;
  return sink->add(sink, &out);
}

/// Sets the fields of `out` that its writer's version of the struct has.
template <typename Struct> void copyOut(Struct *out, Struct filled) {
  uint32_t size = out->struct_size;
  filled.struct_size = size;
  std::memcpy(out, &filled, size < sizeof filled ? size : sizeof filled);
}

} // namespace nereid::plugin

#endif // NEREID_PLUGINS_COMMON_TEXT_H
