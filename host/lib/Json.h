// Json.h - how libnereid makes JSON: members in the order they were added, and
// text that is not UTF-8 repaired instead of refused.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_JSON_H
#define NEREID_HOST_JSON_H

#include "JsonFwd.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace nereid {

/// Indented text that ends with a newline.
inline std::string dumpJson(const Json &json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace nereid

#endif // NEREID_HOST_JSON_H
