// yaml_values.cpp - prints what the YAML files whose names are on stdin hold,
// one line of JSON for each, for comparison with PyYAML.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Scalars are [kind, text], lists {"list": [...]}, mappings {"map": [[key,
// value], ...]}; a document that is refused is {"error": text}.

#include "support/Json.h"
#include "yaml/Node.h"

#include <fstream>
#include <iostream>
#include <iterator>

using namespace nereid::ops;
using nereid::host::Json;

static Json jsonOf(const yaml::Node &node) {
  if (node.isSequence()) {
    Json list = Json::array();
    for (const yaml::NodePtr &item : node.items)
      list.push_back(jsonOf(*item));
    return {{"list", list}};
  }
  if (node.isMapping()) {
    Json map = Json::array();
    for (const yaml::Entry &entry : node.entries)
      map.push_back(Json::array({jsonOf(*entry.key), jsonOf(*entry.value)}));
    return {{"map", map}};
  }
  static constexpr const char *kinds[] = {"none", "bool", "int", "float",
                                          "string"};
  const Value &value = node.value;
  return Json::array({kinds[static_cast<int>(value.kind())],
                      value.isString() ? value.string() : value.repr()});
}

int main() {
  for (std::string path; std::getline(std::cin, path);) {
    std::ifstream file(path, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(file), {});
    nereid::host::Result<yaml::NodePtr> root = yaml::parse(text, path);
    Json line = root ? jsonOf(**root) : Json({{"error", root.failure().text}});
    std::cout << line.dump(-1, ' ', true, Json::error_handler_t::replace)
              << '\n';
  }
  return 0;
}
