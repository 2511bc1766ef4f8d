// OperatorVariants.cpp - the variants of an operator's file, their steps and
// kernels.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/OperatorReader.h"
#include "text/EscapeForTerminal.h"
#include "text/Suggestions.h"

#include <algorithm>

namespace nereid::ops {

void OperatorReader::checkKernel(const Step &step, const yaml::Node &place) {
  Result<const KernelFunctions *> functions = kernels.of(step.file);
  if (!functions) {
    problems.add(place, functions.failure().text);
    return;
  }
  auto found = (*functions)->find(step.function);
  if (found == (*functions)->end()) {
    std::vector<std::string> names;
    for (const auto &[name, function] : **functions)
      names.push_back(name);
    problems.add(place, unknown("kernel", step.function, names));
    return;
  }
  const KernelFunction &function = found->second;
  std::vector<std::string> names;
  for (const Parameter &parameter : function.parameters)
    names.push_back(parameter.name);
  NameSet given;
  for (const auto *definitions : {&step.arguments, &step.constants})
    for (const Definition &definition : *definitions) {
      given.insert(definition.name);
      if (!function.isOpen &&
          std::find(names.begin(), names.end(), definition.name) == names.end())
        problems.add(definition.line, definition.column,
                     "kernel '" + step.function + "' has no parameter '" +
                         definition.name + "'" +
                         suggestNames(definition.name, names));
    }
  for (const Parameter &parameter : function.parameters) {
    bool isConstant = std::any_of(step.constants.begin(), step.constants.end(),
                                  [&](const Definition &definition) {
                                    return definition.name == parameter.name;
                                  });
    if (!given.count(parameter.name) && !parameter.hasDefault)
      problems.add(place, "parameter '" + parameter.name + "' of kernel '" +
                              step.function + "' is not given");
    else if (given.count(parameter.name) && isConstant != parameter.isConstant)
      problems.add(place, "parameter '" + parameter.name + "' of kernel '" +
                              step.function + "' is " +
                              (parameter.isConstant
                                   ? "a constexpr, expected in 'constants'"
                                   : "not a constexpr, expected in "
                                     "'arguments'"));
  }
}

std::optional<Step> OperatorReader::readStep(MappingReader &reader) {
  const yaml::Node *kernel = reader.require("kernel");
  Step step;
  step.line = reader.node().line;
  step.arguments =
      readSettings(reader.get("arguments"), "'arguments'", problems);
  const yaml::Node *constants = reader.get("constants");
  step.constants = readSettings(constants, "'constants'", problems);
  step.options = readSettings(reader.get("options"), "'options'", problems);
  // Constants and options see each other, in any order.
  Definitions settings = step.constants;
  settings.insert(settings.end(), step.options.begin(), step.options.end());
  if (std::optional<std::string> cycle = findCycle(settings))
    problems.add(constants ? *constants : reader.node(),
                 "'constants' and 'options' need each other: " + *cycle);
  const yaml::Node *grid = reader.require("grid");
  if (grid &&
      (!grid->isSequence() || grid->items.empty() || grid->items.size() > 3))
    problems.add(*grid, "'grid' is not a list of one to three expressions");
  else if (grid)
    for (const yaml::NodePtr &item : grid->items)
      step.grid.push_back(placed(*item));
  if (!kernel)
    return std::nullopt;
  size_t colon = kernel->text.find(':');
  std::string file = kernel->text.substr(0, colon);
  if (!kernel->isString() || colon == std::string::npos ||
      !file.ends_with(".py") || file.find('/') != std::string::npos) {
    problems.add(*kernel, "the kernel is '" + escapeForTerminal(kernel->text) +
                              "', expected FILE.py:FUNCTION, a file beside "
                              "this one");
    return std::nullopt;
  }
  step.file = path.substr(0, path.rfind('/') + 1) + file;
  step.function = kernel->text.substr(colon + 1);
  checkKernel(step, *kernel);
  return step;
}

Temporary OperatorReader::readTemporary(const yaml::Entry &entry) {
  Temporary temporary;
  temporary.name = entry.key->text;
  isName(*entry.key, "a temporary");
  MappingReader reader(*entry.value, "temporary '" + temporary.name + "'",
                       problems);
  if (const yaml::Node *dtype = reader.require("dtype")) {
    if (dtype->isString() && sizeOfDtype(dtype->text))
      temporary.dtype = {
          {}, Expression(dtype->value), dtype->line, dtype->column};
    else
      temporary.dtype = placed(*dtype);
  }
  if (const yaml::Node *shape = reader.require("shape"))
    temporary.shape = placed(*shape);
  reader.finish();
  return temporary;
}

// `tune` of a variant, or of the steps that its entry is for: one entry in all.
bool OperatorReader::readTune(MappingReader &reader, Variant &variant) {
  std::optional<std::string> tune = reader.string("tune");
  if (!tune)
    return false;
  const yaml::Node &place = *reader.get("tune");
  if (!variant.tune.empty() && variant.tune != *tune)
    problems.add(place, "variant '" + variant.name + "' is tuned by '" +
                            variant.tune + "' and by '" + *tune +
                            "', expected one entry");
  variant.tune = *tune;
  variant.tuneLine = place.line;
  variant.tuneColumn = place.column;
  return true;
}

Variant OperatorReader::readVariant(const yaml::Node &node) {
  Variant variant;
  variant.line = node.line;
  MappingReader reader(node, "a variant of '" + op.name + "'", problems);
  variant.name = reader.string("name").value_or("");
  reader.require("name");
  variant.when = optional(reader, "when");
  variant.let = readDefinitions(reader.get("let"),
                                "'let' of '" + variant.name + "'", problems);
  if (const yaml::Node *temporaries = reader.mappingOf("temporaries"))
    for (const yaml::Entry &entry : temporaries->entries)
      variant.temporaries.push_back(readTemporary(entry));
  bool tunesAll = readTune(reader, variant);
  if (const yaml::Node *steps = reader.list("steps")) {
    for (const yaml::NodePtr &item : steps->items) {
      MappingReader stepReader(*item, "a step of '" + variant.name + "'",
                               problems);
      std::optional<Placed> when = optional(stepReader, "when");
      std::optional<Placed> repeat = optional(stepReader, "repeat");
      bool isTuned = readTune(stepReader, variant);
      if (std::optional<Step> step = readStep(stepReader)) {
        step->isTuned = isTuned || tunesAll;
        step->when = std::move(when);
        step->repeat = std::move(repeat);
        variant.steps.push_back(std::move(*step));
      }
      stepReader.finish();
    }
    if (steps->items.empty())
      problems.add(*steps, "'steps' is empty");
  } else if (std::optional<Step> step = readStep(reader)) {
    step->isTuned = tunesAll;
    variant.steps.push_back(std::move(*step));
  }
  reader.finish();
  return variant;
}

void OperatorReader::readVariants(const yaml::Node *node) {
  if (!node)
    return;
  if (node->items.empty())
    problems.add(*node, "'variants' is empty");
  for (const yaml::NodePtr &item : node->items) {
    Variant variant = readVariant(*item);
    for (const Variant &other : op.variants)
      if (other.name == variant.name)
        problems.add(*item, "the variant '" + variant.name +
                                "' is there twice, first in line " +
                                std::to_string(other.line));
    op.variants.push_back(std::move(variant));
  }
}

} // namespace nereid::ops
