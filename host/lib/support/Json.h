// Json.h - how libnereid makes JSON: members in the order they were added, and
// text that is not UTF-8 repaired instead of refused.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_SUPPORT_JSON_H
#define NEREID_HOST_SUPPORT_JSON_H

#include "support/JsonFwd.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace nereid::host {

/// Indented text that ends with a newline.
inline std::string dumpJson(const Json &json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace nereid::host

#endif // NEREID_HOST_SUPPORT_JSON_H
