// JsonTree.h - JSON from a file of somebody else: values with their lines, so
// that an error says where.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_STORE_JSON_TREE_H
#define NEREID_OPS_STORE_JSON_TREE_H

#include "support/Result.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace nereid::ops {

struct JsonMember;

/// A value. Members keep their order; none has the name of another.
struct JsonTree {
  nlohmann::json::value_t kind = nlohmann::json::value_t::null;
  size_t line = 1;
  nlohmann::json scalar; ///< of what is not an array or an object
  std::vector<JsonMember> members;
  std::vector<JsonTree> items;

  bool isObject() const { return kind == nlohmann::json::value_t::object; }
  bool isArray() const { return kind == nlohmann::json::value_t::array; }
  bool isString() const { return kind == nlohmann::json::value_t::string; }
  /// Null if there is none.
  const JsonTree *find(std::string_view name) const;
  /// Without the lines.
  nlohmann::json value() const;
};

struct JsonMember {
  std::string name;
  JsonTree value;
};

/// The error says the line and what is wrong there: "line 3: expected ...".
host::Result<JsonTree> parseJsonTree(std::string_view text);

} // namespace nereid::ops

#endif // NEREID_OPS_STORE_JSON_TREE_H
