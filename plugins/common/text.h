// text.h - strings, errors and structs in the types of the ABI.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PLUGINS_COMMON_TEXT_H
#define NEREID_PLUGINS_COMMON_TEXT_H

#include "nereid/plugin.h"

#include <algorithm>
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

/// Removes the first item of `list` and the separator after it.
inline std::string_view takeItem(std::string_view &list, char separator) {
  size_t end = std::min(list.find(separator), list.size());
  std::string_view item = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return item;
}

/// Sets the fields of `out` that its writer's version of the struct has.
template <typename Struct> void copyOut(Struct *out, Struct filled) {
  uint32_t size = out->struct_size;
  filled.struct_size = size;
  std::memcpy(out, &filled, size < sizeof filled ? size : sizeof filled);
}

} // namespace nereid::plugin

#endif // NEREID_PLUGINS_COMMON_TEXT_H
