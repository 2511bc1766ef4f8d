// TunedOperatorReader.cpp - reads search spaces and strategies.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/TunedOperatorReader.h"

#include "expr/Lexer.h"
#include "text/EscapeForTerminal.h"
#include "text/Suggestions.h"

#include <algorithm>

namespace nereid::ops {

const std::vector<std::string> &tritonOptions() {
  static const std::vector<std::string> names = {"num_warps", "num_stages",
                                                 "num_ctas", "maxnreg"};
  return names;
}

void TunedOperatorReader::read(const yaml::Node &element) {
  if (!element.isMapping()) {
    problems.add(element, "a configuration of '" + out.name + "' is " +
                              std::string(element.kindName()) +
                              ", expected a mapping");
    return;
  }
  if (element.find("gen") || element.find("config") ||
      element.find("param_map"))
    return readGenerated(element);
  if (element.find("strategy"))
    return readStrategy(element);
  if (element.find("table"))
    return readTable(element);
  readPlain(element);
}

void TunedOperatorReader::checkOption(const std::string &name,
                                      const Value &value,
                                      const yaml::Node &place) {
  bool isTritons = std::find(tritonOptions().begin(), tritonOptions().end(),
                             name) != tritonOptions().end();
  if (!isTritons || (value.isNone() && name == "maxnreg"))
    return;
  if (!value.isInt() || value.integer() < (name == "num_stages" ? 0 : 1))
    problems.add(place, "'" + name + "' is " + value.repr() +
                            ", expected a positive integer");
}

std::vector<Setting>
TunedOperatorReader::readConstants(const yaml::Node &meta) {
  std::vector<Setting> constants;
  if (!meta.isMapping()) {
    problems.add(meta, "'META' of '" + out.name + "' is " +
                           std::string(meta.kindName()) +
                           ", expected a mapping of constants");
    return constants;
  }
  for (const yaml::Entry &entry : meta.entries) {
    if (!isName(entry.key->text))
      problems.add(*entry.key, "'" + escapeForTerminal(entry.key->text) +
                                   "' cannot be the name of a constant");
    else if (!entry.value->isScalar())
      problems.add(*entry.value, "'" + entry.key->text + "' is " +
                                     std::string(entry.value->kindName()) +
                                     ", expected a number, a boolean or a "
                                     "string");
    else
      constants.push_back({entry.key->text, entry.value->value});
  }
  return constants;
}

void TunedOperatorReader::readConditions(MappingReader &reader,
                                         SearchSpace &space) {
  space.let = readDefinitions(reader.get("let"), "'let' of '" + out.name + "'",
                              problems);
  const yaml::Node *where = reader.get("where");
  if (!where)
    return;
  auto add = [&](const yaml::Node &node) {
    space.where.push_back(
        {{}, readExpression(node, problems), node.line, node.column});
  };
  if (where->isSequence())
    for (const yaml::NodePtr &item : where->items)
      add(*item);
  else
    add(*where);
}

void TunedOperatorReader::addSpace(SearchSpace space,
                                   const yaml::Node &element) {
  size_t count = 1;
  for (const Dimension &dimension : space.dimensions)
    if (__builtin_mul_overflow(count, dimension.size(), &count) ||
        count > TuneConfigs::mostConfigurations) {
      problems.add(element,
                   "'" + out.name + "' has more than " +
                       std::to_string(TuneConfigs::mostConfigurations) +
                       " configurations; take some values away");
      return;
    }
  space.line = element.line;
  out.spaces.push_back(std::move(space));
}

void TunedOperatorReader::readPlain(const yaml::Node &element) {
  MappingReader reader(element, "a configuration of '" + out.name + "'",
                       problems);
  SearchSpace space;
  // Known even if they are not there, for suggestions.
  for (const char *key : {"gen", "config", "param_map", "strategy", "table"})
    reader.get(key);
  const yaml::Node *meta = reader.get("META");
  if (meta)
    for (Setting &constant : readConstants(*meta))
      space.dimensions.push_back(
          {false, std::move(constant.name), {std::move(constant.value)}, {}});
  bool hasOption = false;
  for (const std::string &name : options) {
    const yaml::Node *value = reader.get(name);
    if (!value)
      continue;
    hasOption = true;
    if (!value->isScalar()) {
      problems.add(*value, "'" + name + "' is " +
                               std::string(value->kindName()) +
                               ", expected a number");
      continue;
    }
    checkOption(name, value->value, *value);
    space.dimensions.push_back({true, name, {value->value}, {}});
  }
  readConditions(reader, space);
  reader.finish();
  if (!meta && !hasOption)
    problems.add(element, reader.name() + " has no 'META'");
  addSpace(std::move(space), element);
}

// The list that `source` names, `source` itself if it is one; null and a
// problem if there is no such list.
const yaml::Node *TunedOperatorReader::valuesOf(MappingReader &reader,
                                                const yaml::Node &source,
                                                const std::string &name) {
  if (source.isSequence())
    return &source;
  if (!source.isString()) {
    problems.add(source, "'" + name + "' is " + std::string(source.kindName()) +
                             ", expected a number, a list or the name of one");
    return nullptr;
  }
  const std::string &list = source.value.string();
  lists.push_back(list);
  const yaml::Node *values = reader.get(list);
  if (!values) {
    std::vector<std::string> names;
    for (const yaml::Entry &entry : reader.node().entries)
      if (entry.value->isSequence())
        names.push_back(entry.key->text);
    problems.add(source, "'" + name + "': " + unknown("list", list, names));
    return nullptr;
  }
  if (!values->isSequence()) {
    problems.add(*values, "'" + list + "' is " +
                              std::string(values->kindName()) +
                              ", expected a list");
    return nullptr;
  }
  if (values->items.empty())
    problems.add(*values, "'" + list + "' is empty");
  return values;
}

void TunedOperatorReader::addDimension(MappingReader &reader,
                                       const yaml::Entry &entry, bool isOption,
                                       SearchSpace &space) {
  const std::string &name = entry.key->text;
  if (!isName(name)) {
    problems.add(*entry.key, "'" + escapeForTerminal(name) +
                                 "' cannot be the name of a constant");
    return;
  }
  Dimension dimension{isOption, name, {}, {}};
  auto add = [&](const yaml::Node &value) {
    if (!value.isScalar()) {
      problems.add(value, "a value of '" + name + "' is " +
                              std::string(value.kindName()) +
                              ", expected a number, a boolean or a string");
      return;
    }
    if (isOption)
      checkOption(name, value.value, value);
    dimension.values.push_back(value.value);
  };
  if (entry.value->isScalar() && entry.value->value.isIntegral()) {
    add(*entry.value);
  } else if (const yaml::Node *values = valuesOf(reader, *entry.value, name)) {
    for (const yaml::NodePtr &value : values->items)
      add(*value);
  }
  space.dimensions.push_back(std::move(dimension));
}

// META is the name of a list of whole sets of constants.
void TunedOperatorReader::addGroups(MappingReader &reader,
                                    const yaml::Node &meta,
                                    SearchSpace &space) {
  const yaml::Node *values = valuesOf(reader, meta, "META");
  if (!values)
    return;
  Dimension dimension;
  for (const yaml::NodePtr &value : values->items)
    dimension.groups.push_back(readConstants(*value));
  space.dimensions.push_back(std::move(dimension));
}

void TunedOperatorReader::readGenerated(const yaml::Node &element) {
  MappingReader reader(element, "the search space of '" + out.name + "'",
                       problems);
  SearchSpace space;
  const yaml::Node *gen = reader.get("gen"), *config = reader.get("config");
  if (gen && !(gen->isScalar() && gen->value.isBool() && gen->value.truth()))
    problems.add(*gen, "'gen' is " + gen->text + ", expected true");
  if (config && !config->isNull())
    problems.add(*config, "'config' marks an expanded search space, expected "
                          "no value");
  space.isExpanded = !gen;
  lists.clear();
  if (const yaml::Node *map = reader.require("param_map")) {
    if (!map->isMapping())
      problems.add(*map, "'param_map' is " + std::string(map->kindName()) +
                             ", expected a mapping");
    for (const yaml::Entry &entry : map->entries) {
      if (entry.key->text == "META" && entry.value->isMapping()) {
        for (const yaml::Entry &constant : entry.value->entries)
          addDimension(reader, constant, false, space);
      } else if (entry.key->text == "META") {
        addGroups(reader, *entry.value, space);
      } else if (isOption(entry.key->text)) {
        addDimension(reader, entry, true, space);
      } else {
        std::vector<std::string> names = options;
        names.push_back("META");
        problems.add(*entry.key, unknown("key", entry.key->text, names) +
                                     ", in 'param_map' of '" + out.name + "'");
      }
    }
  }
  readConditions(reader, space);
  reader.finish();
  addSpace(std::move(space), element);
}

void TunedOperatorReader::readStrategy(const yaml::Node &element) {
  static const std::vector<std::string> known = {"default", "exact", "log",
                                                 "log2", "align32"};
  MappingReader reader(element, "the strategy of '" + out.name + "'", problems);
  const yaml::Node *strategy = reader.mappingOf("strategy");
  for (const yaml::Entry &entry :
       strategy ? strategy->entries : std::vector<yaml::Entry>()) {
    if (std::find(known.begin(), known.end(), entry.value->text) ==
            known.end() ||
        !entry.value->isScalar()) {
      problems.add(*entry.value, unknown("strategy", entry.value->text, known));
      continue;
    }
    out.strategy.emplace_back(entry.key->text, entry.value->text);
  }
  reader.finish();
}

} // namespace nereid::ops
