// tune_values.cpp - prints the configurations of the tune_configs.yaml files
// whose names are on stdin, one line of JSON for each.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A line of stdin is a path and the vendor's own options, with tabs between
// them. A line of stdout: {"problems": [text], "operators": {name: {"usual":
// [...], "expanded": [...], "strategy": {...}, "tables": {...}}}}.

#include "pack/TuneConfigs.h"
#include "support/Json.h"

#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

using namespace nereid::ops;
using nereid::host::Json;

static Json expandedTo(const TunedOperator &op, Search search) {
  auto list = expand(op, search);
  if (!list)
    return list.failure().text;
  Json json = Json::array();
  for (const Configuration &configuration : *list)
    json.push_back(jsonOf(configuration));
  return json;
}

static Json tablesOf(const TunedOperator &op) {
  Json json = Json::array();
  for (const DeviceTable &table : op.tables) {
    Json devices = Json::object();
    for (const auto &[device, keys] : table.devices)
      for (const auto &[key, rows] : keys)
        for (const DeviceTable::Row &row : rows)
          devices[device][key][std::to_string(row.by)] =
              jsonOf(table.configurationOf(row));
    json.push_back({{"key", table.key},
                    {"by", table.by},
                    {"fallback", table.fallback},
                    {"devices", devices}});
  }
  return json;
}

static Json valuesOf(const std::string &path,
                     const std::vector<std::string> &options) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  auto root = yaml::parse(text, path);
  if (!root)
    return {{"problems", {root.failure().text}}};
  std::vector<Problem> list;
  Problems problems(path, list);
  TuneConfigs configs = TuneConfigs::read(**root, options, problems);
  Json operators = Json::object(), texts = Json::array();
  for (const auto &[name, op] : configs.operators()) {
    Json strategy = Json::object();
    for (const auto &[key, value] : op.strategy)
      strategy[key] = value;
    operators[name] = {{"usual", expandedTo(op, Search::Usual)},
                       {"expanded", expandedTo(op, Search::Expanded)},
                       {"strategy", strategy},
                       {"tables", tablesOf(op)}};
  }
  for (const Problem &problem : list)
    texts.push_back(problem.message());
  return {{"problems", texts}, {"operators", operators}};
}

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string path, word;
    std::getline(words, path, '\t');
    std::vector<std::string> options;
    while (std::getline(words, word, '\t'))
      options.push_back(word);
    std::cout << valuesOf(path, options).dump() << '\n';
  }
  return 0;
}
