// SearchSpaces.cpp - expands search spaces to configurations.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/TuneConfigs.h"

#include <algorithm>

namespace nereid::ops {

// Whether the expression reads nothing but names that have a value, and
// definitions of which the same is true.
static bool canBeDecided(const Expression &expression,
                         const Definitions &definitions,
                         const Environment &names) {
  for (const NameUse &use : expression.uses()) {
    auto definition =
        std::find_if(definitions.begin(), definitions.end(),
                     [&](const Definition &d) { return d.name == use.name; });
    if (definition != definitions.end()) {
      if (!canBeDecided(definition->expression, definitions, names))
        return false;
      continue;
    }
    Result<const Value *> value = names.find(use.name);
    if (!value || !*value)
      return false;
  }
  return true;
}

static Failure inLine(uint32_t line, Failure failure) {
  failure.text = "line " + std::to_string(line) + ": " + failure.text;
  return failure;
}

// Adds what is derived; false if a condition does not hold.
static Result<bool> complete(const SearchSpace &space, const Environment *call,
                             Configuration &configuration) {
  Names names(call);
  for (const auto *settings :
       {&configuration.constants, &configuration.options})
    for (const Setting &setting : *settings)
      names.set(setting.name, setting.value);
  Scope scope(space.let, names);
  for (const Definition &definition : space.let) {
    if (!call && !canBeDecided(definition.expression, space.let, names))
      continue;
    Result<const Value *> value = scope.find(definition.name);
    if (!value)
      return inLine(definition.line, value.failure());
    configuration.constants.push_back({definition.name, **value});
  }
  for (const Definition &condition : space.where) {
    if (!call && !canBeDecided(condition.expression, space.let, names))
      continue;
    Result<Value> holds = condition.expression.evaluate(scope);
    if (!holds)
      return inLine(condition.line, holds.failure());
    if (!holds->isTrue())
      return false;
  }
  return true;
}

static Outcome expandSpace(const SearchSpace &space, const Environment *call,
                           std::vector<Configuration> &out) {
  std::vector<size_t> at(space.dimensions.size());
  for (const Dimension &dimension : space.dimensions)
    if (dimension.size() == 0)
      return {};
  while (true) {
    Configuration configuration;
    for (size_t i = 0; i < at.size(); ++i) {
      const Dimension &dimension = space.dimensions[i];
      if (dimension.name.empty())
        for (const Setting &setting : dimension.groups[at[i]])
          configuration.constants.push_back(setting);
      else
        (dimension.isOption ? configuration.options : configuration.constants)
            .push_back({dimension.name, dimension.values[at[i]]});
    }
    Result<bool> isWanted = complete(space, call, configuration);
    if (!isWanted)
      return isWanted.failure();
    if (*isWanted)
      out.push_back(std::move(configuration));
    // The next combination: the last name changes fastest.
    size_t i = at.size();
    while (i > 0 && ++at[i - 1] == space.dimensions[i - 1].size())
      at[--i] = 0;
    if (i == 0)
      return {};
  }
}

Result<std::vector<Configuration>>
expand(const TunedOperator &op, Search search, const Environment *call) {
  std::vector<Configuration> configurations;
  for (const SearchSpace &space : op.spaces) {
    if (space.isExpanded != (search == Search::Expanded))
      continue;
    if (Outcome expanded = expandSpace(space, call, configurations);
        !expanded) {
      Failure failure = expanded.failure();
      failure.text = "the configurations of '" + op.name + "', " + failure.text;
      return failure;
    }
  }
  return configurations;
}

} // namespace nereid::ops
