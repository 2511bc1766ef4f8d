// TuneConfigs.cpp - the search spaces of a pack.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/TunedOperatorReader.h"

#include "expr/Json.h"
#include "support/Json.h"
#include "text/EscapeForTerminal.h"

#include <algorithm>

namespace nereid::ops {

using host::Json;

Json jsonOf(const Configuration &configuration) {
  auto objectOf = [](std::vector<Setting> settings) {
    std::sort(
        settings.begin(), settings.end(),
        [](const Setting &a, const Setting &b) { return a.name < b.name; });
    Json object = Json::object();
    for (const Setting &setting : settings)
      object[setting.name] = jsonOfValue(setting.value);
    return object;
  };
  return {{"constants", objectOf(configuration.constants)},
          {"options", objectOf(configuration.options)}};
}

TuneConfigs TuneConfigs::read(const yaml::Node &root,
                              const std::vector<std::string> &options,
                              Problems &problems) {
  TuneConfigs configs;
  if (root.isNull())
    return configs;
  if (!root.isMapping()) {
    problems.add(root, "found " + std::string(root.kindName()) +
                           ", expected a mapping of operators");
    return configs;
  }
  std::vector<std::string> known = tritonOptions();
  known.insert(known.end(), options.begin(), options.end());
  for (const yaml::Entry &entry : root.entries) {
    TunedOperator op;
    op.name = entry.key->text;
    op.line = entry.key->line;
    size_t before = problems.count();
    if (!entry.value->isSequence())
      problems.add(*entry.value, "'" + escapeForTerminal(op.name) + "' is " +
                                     std::string(entry.value->kindName()) +
                                     ", expected a list of configurations");
    TunedOperatorReader reader(op, known, problems);
    for (const yaml::NodePtr &element : entry.value->items)
      reader.read(*element);
    if (problems.count() == before)
      configs.all.emplace(op.name, std::move(op));
  }
  return configs;
}

const TunedOperator *TuneConfigs::find(std::string_view name) const {
  auto found = all.find(name);
  return found == all.end() ? nullptr : &found->second;
}

} // namespace nereid::ops
