// TuneConfigs.cpp - reads and expands search spaces.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/TuneConfigs.h"

#include "expr/Json.h"
#include "expr/Lexer.h"
#include "support/Json.h"
#include "text/EscapeForTerminal.h"
#include "text/Suggestions.h"

#include <algorithm>
#include <charconv>

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

static const std::vector<std::string> &tritonOptions() {
  static const std::vector<std::string> names = {"num_warps", "num_stages",
                                                 "num_ctas", "maxnreg"};
  return names;
}

namespace {

/// Reads the list of one operator.
class OperatorReader {
public:
  OperatorReader(TunedOperator &out, const std::vector<std::string> &options,
                 Problems &problems)
      : out(out), options(options), problems(problems) {}

  void read(const yaml::Node &element);

private:
  bool isOption(std::string_view name) const {
    return std::find(options.begin(), options.end(), name) != options.end();
  }
  void readPlain(const yaml::Node &element);
  void readGenerated(const yaml::Node &element);
  void readStrategy(const yaml::Node &element);
  void readTable(const yaml::Node &element);
  void readDevices(const yaml::Node &devices, DeviceTable &table);
  void readRows(const yaml::Node &rows, const std::string &device,
                const std::string &keyText, DeviceTable &table);
  void readConditions(MappingReader &reader, SearchSpace &space);
  void addSpace(SearchSpace space, const yaml::Node &element);

  std::vector<Setting> readConstants(const yaml::Node &meta);
  void checkOption(const std::string &name, const Value &value,
                   const yaml::Node &place);
  const yaml::Node *valuesOf(MappingReader &reader, const yaml::Node &source,
                             const std::string &name);
  void addDimension(MappingReader &reader, const yaml::Entry &entry,
                    bool isOption, SearchSpace &space);
  void addGroups(MappingReader &reader, const yaml::Node &meta,
                 SearchSpace &space);

  TunedOperator &out;
  const std::vector<std::string> &options;
  Problems &problems;
  // The lists that param_map names, in the element that is read.
  std::vector<std::string> lists;
};

} // namespace

void OperatorReader::read(const yaml::Node &element) {
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

void OperatorReader::checkOption(const std::string &name, const Value &value,
                                 const yaml::Node &place) {
  bool isTritons = std::find(tritonOptions().begin(), tritonOptions().end(),
                             name) != tritonOptions().end();
  if (!isTritons || (value.isNone() && name == "maxnreg"))
    return;
  if (!value.isInt() || value.integer() < (name == "num_stages" ? 0 : 1))
    problems.add(place, "'" + name + "' is " + value.repr() +
                            ", expected a positive integer");
}

std::vector<Setting> OperatorReader::readConstants(const yaml::Node &meta) {
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

void OperatorReader::readConditions(MappingReader &reader, SearchSpace &space) {
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

void OperatorReader::addSpace(SearchSpace space, const yaml::Node &element) {
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

void OperatorReader::readPlain(const yaml::Node &element) {
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
const yaml::Node *OperatorReader::valuesOf(MappingReader &reader,
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

void OperatorReader::addDimension(MappingReader &reader,
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
void OperatorReader::addGroups(MappingReader &reader, const yaml::Node &meta,
                               SearchSpace &space) {
  const yaml::Node *values = valuesOf(reader, meta, "META");
  if (!values)
    return;
  Dimension dimension;
  for (const yaml::NodePtr &value : values->items)
    dimension.groups.push_back(readConstants(*value));
  space.dimensions.push_back(std::move(dimension));
}

void OperatorReader::readGenerated(const yaml::Node &element) {
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

void OperatorReader::readStrategy(const yaml::Node &element) {
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

void OperatorReader::readRows(const yaml::Node &rows, const std::string &device,
                              const std::string &keyText, DeviceTable &table) {
  std::vector<DeviceTable::Row> &list = table.devices[device][keyText];
  for (const yaml::Entry &entry : rows.entries) {
    DeviceTable::Row row;
    std::string_view text = entry.key->text;
    std::from_chars_result read =
        std::from_chars(text.data(), text.data() + text.size(), row.by);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
      problems.add(*entry.key, "'" + escapeForTerminal(text) +
                                   "' is not an integer, expected '" +
                                   table.by + "'");
      continue;
    }
    for (const yaml::NodePtr &value : entry.value->items)
      row.values.push_back(value->value);
    if (!entry.value->isSequence() || row.values.size() != table.names.size()) {
      problems.add(*entry.value,
                   "found " +
                       (entry.value->isSequence()
                            ? std::to_string(row.values.size()) + " values"
                            : std::string(entry.value->kindName())) +
                       ", expected " + std::to_string(table.names.size()) +
                       ": " + quotedList(table.names));
      continue;
    }
    list.push_back(std::move(row));
  }
  std::sort(list.begin(), list.end(),
            [](const DeviceTable::Row &a, const DeviceTable::Row &b) {
              return a.by < b.by;
            });
}

void OperatorReader::readDevices(const yaml::Node &devices,
                                 DeviceTable &table) {
  for (const yaml::Entry &device : devices.entries) {
    if (!device.value->isMapping()) {
      problems.add(*device.value, "the table of '" + device.key->text +
                                      "' is " +
                                      std::string(device.value->kindName()) +
                                      ", expected a mapping");
      continue;
    }
    for (const yaml::Entry &key : device.value->entries) {
      size_t count = 1 + static_cast<size_t>(std::count(
                             key.key->text.begin(), key.key->text.end(), ','));
      if (count != table.key.size())
        problems.add(*key.key, "'" + escapeForTerminal(key.key->text) +
                                   "' has " + std::to_string(count) +
                                   " values, expected " +
                                   std::to_string(table.key.size()) + ": " +
                                   quotedList(table.key));
      else if (!key.value->isMapping())
        problems.add(*key.value, "found " + std::string(key.value->kindName()) +
                                     ", expected a mapping of '" + table.by +
                                     "' to values");
      else
        readRows(*key.value, device.key->text, key.key->text, table);
    }
  }
}

void OperatorReader::readTable(const yaml::Node &element) {
  MappingReader reader(element, "the table of '" + out.name + "'", problems);
  DeviceTable table;
  table.line = element.line;
  if (const yaml::Node *head = reader.mappingOf("table")) {
    MappingReader names(*head, "'table' of '" + out.name + "'", problems);
    table.key = names.strings("key");
    table.by = names.string("by").value_or("");
    table.names = names.strings("values");
    for (const char *key : {"key", "by", "values"})
      names.require(key);
    names.finish();
  }
  if (const yaml::Node *fallback = reader.mappingOf("fallback"))
    for (const yaml::Entry &entry : fallback->entries)
      table.fallback.insert_or_assign(entry.key->text, entry.value->text);
  const yaml::Node *devices = reader.mappingOf("devices");
  if (devices)
    readDevices(*devices, table);
  reader.finish();
  out.tables.push_back(std::move(table));
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
    OperatorReader reader(op, known, problems);
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

const DeviceTable::Row *DeviceTable::find(std::string_view device,
                                          std::string_view keyText,
                                          int64_t wanted) const {
  auto found = devices.find(device);
  if (found == devices.end()) {
    auto other = fallback.find(device);
    if (other == fallback.end() ||
        (found = devices.find(other->second)) == devices.end())
      return nullptr;
  }
  auto rows = found->second.find(keyText);
  if (rows == found->second.end())
    return nullptr;
  const Row *nearest = nullptr;
  auto distance = [&](const Row &row) {
    return row.by < wanted
               ? static_cast<uint64_t>(wanted) - static_cast<uint64_t>(row.by)
               : static_cast<uint64_t>(row.by) - static_cast<uint64_t>(wanted);
  };
  for (const Row &row : rows->second)
    if (!nearest || distance(row) < distance(*nearest))
      nearest = &row;
  return nearest;
}

Configuration DeviceTable::configurationOf(const Row &row) const {
  Configuration configuration;
  for (size_t i = 0; i < names.size(); ++i) {
    bool isOption = std::find(tritonOptions().begin(), tritonOptions().end(),
                              names[i]) != tritonOptions().end();
    (isOption ? configuration.options : configuration.constants)
        .push_back({names[i], row.values[i]});
  }
  return configuration;
}

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
