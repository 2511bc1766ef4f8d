// OperatorReader.cpp - an operator's file: every name in it is checked before
// anything calls it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "expr/Lexer.h"
#include "pack/Operator.h"
#include "text/EscapeForTerminal.h"
#include "text/Suggestions.h"

#include <algorithm>
#include <set>

namespace nereid::ops {

namespace {

using NameSet = std::set<std::string, std::less<>>;

class FileReader {
public:
  FileReader(const yaml::Node &root, const std::string &path,
             KernelFiles &kernels, Problems &problems)
      : root(root), path(path), kernels(kernels), problems(problems) {}

  std::optional<Operator> read();

private:
  void readSchema(const yaml::Node &node);
  void readInput(const yaml::Entry &entry);
  void readAttribute(const yaml::Entry &entry);
  void readOutput(const yaml::Entry &entry);
  void readRank(const yaml::Node &node, InputSchema &input);
  void readRequirements(const yaml::Node *node);
  void readKey(const yaml::Node *node);
  void readPointwise(const yaml::Node *node);
  void readAten(const yaml::Node *node);
  void readVariants(const yaml::Node *node);
  Variant readVariant(const yaml::Node &node);
  Temporary readTemporary(const yaml::Entry &entry);
  bool readTune(MappingReader &reader, Variant &variant);
  std::optional<Step> readStep(MappingReader &reader);
  Message readMessage(const yaml::Node &node);
  Strategy readStrategy(const yaml::Node &node, const std::string &name);
  Placed placed(const yaml::Node &node, std::string name = {});
  std::optional<Placed> optional(MappingReader &reader, std::string_view key);

  void checkKernel(const Step &step, const yaml::Node &place);
  void checkNames();
  void checkVariant(const Variant &variant, NameSet names);
  void check(const Placed &placed, const NameSet &names);
  void checkAll(const Definitions &definitions, const NameSet &names);
  bool isName(const yaml::Node &node, std::string_view kind);
  void addTensor(const std::string &name, std::string_view kind,
                 const yaml::Node &place);

  const yaml::Node &root;
  const std::string &path;
  KernelFiles &kernels;
  Problems &problems;
  Operator op;
  NameSet tensors; // names that stand for tensors
};

} // namespace

Placed FileReader::placed(const yaml::Node &node, std::string name) {
  return {std::move(name), readExpression(node, problems), node.line,
          node.column};
}

std::optional<Placed> FileReader::optional(MappingReader &reader,
                                           std::string_view key) {
  const yaml::Node *node = reader.get(key);
  if (!node)
    return std::nullopt;
  return placed(*node);
}

bool FileReader::isName(const yaml::Node &node, std::string_view kind) {
  if (ops::isName(node.text) && node.text != "device")
    return true;
  problems.add(node, "'" + escapeForTerminal(node.text) +
                         "' cannot be the name of " + std::string(kind));
  return false;
}

void FileReader::addTensor(const std::string &name, std::string_view kind,
                           const yaml::Node &place) {
  if (op.schema.attribute(name) || !tensors.insert(name).second)
    problems.add(place,
                 std::string(kind) + " '" + name + "' has the name of another");
}

void FileReader::readRank(const yaml::Node &node, InputSchema &input) {
  auto isRank = [](const yaml::Node &rank) {
    return rank.isScalar() && rank.value.isInt() && rank.value.integer() >= 0 &&
           rank.value.integer() <= 64;
  };
  if (isRank(node)) {
    input.leastRank = input.mostRank = node.value.integer();
  } else if (node.isSequence() && node.items.size() == 2 &&
             isRank(*node.items[0]) && isRank(*node.items[1]) &&
             node.items[0]->value.integer() <= node.items[1]->value.integer()) {
    input.leastRank = node.items[0]->value.integer();
    input.mostRank = node.items[1]->value.integer();
  } else {
    problems.add(node, "'rank' of '" + input.name +
                           "' is not a number or [least, most]");
  }
}

void FileReader::readInput(const yaml::Entry &entry) {
  if (!isName(*entry.key, "an input"))
    return;
  InputSchema input;
  input.name = entry.key->text;
  input.line = entry.key->line;
  addTensor(input.name, "input", *entry.key);
  MappingReader reader(*entry.value, "input '" + input.name + "'", problems);
  input.isOptional = reader.boolean("optional").value_or(false);
  input.isList = reader.boolean("list").value_or(false);
  if (const yaml::Node *rank = reader.get("rank"))
    readRank(*rank, input);
  const yaml::Node *dtype = reader.require("dtype");
  auto add = [&](const yaml::Node &node) {
    if (!sizeOfDtype(node.text))
      problems.add(node, unknown("type", node.text, dtypeNames()));
    else
      input.dtypes.push_back(node.text);
  };
  if (dtype && dtype->isSequence())
    for (const yaml::NodePtr &item : dtype->items)
      add(*item);
  else if (dtype && dtype->isString() && sizeOfDtype(dtype->text))
    add(*dtype);
  else if (dtype)
    input.dtype = placed(*dtype);
  if (const yaml::Node *values = reader.get("values")) {
    if (values->isSequence() && values->items.size() == 2)
      input.values.emplace(placed(*values->items[0]),
                           placed(*values->items[1]));
    else
      problems.add(*values,
                   "'values' of '" + input.name + "' is not [LOW, HIGH]");
  }
  input.isSorted = reader.boolean("sorted").value_or(false);
  reader.finish();
  op.schema.inputs.push_back(std::move(input));
}

void FileReader::readAttribute(const yaml::Entry &entry) {
  static const std::vector<std::string> types = {
      "int", "float", "number", "bool", "string", "list", "dtype"};
  if (!isName(*entry.key, "an attribute"))
    return;
  AttributeSchema attribute;
  attribute.name = entry.key->text;
  attribute.line = entry.key->line;
  MappingReader reader(*entry.value, "attribute '" + attribute.name + "'",
                       problems);
  attribute.type = reader.string("type").value_or("");
  const yaml::Node *type = reader.require("type");
  if (type &&
      std::find(types.begin(), types.end(), attribute.type) == types.end())
    problems.add(*type, unknown("type", type->text, types));
  if (const yaml::Node *node = reader.get("default")) {
    Value value = node->value;
    if (node->isSequence()) {
      List list;
      for (const yaml::NodePtr &item : node->items)
        list.push_back(item->value);
      value = Value(std::move(list));
    }
    if (node->isMapping() || (!value.isNone() && !attribute.accepts(value)))
      problems.add(*node, "the default of '" + attribute.name + "' is " +
                              std::string(node->kindName()) + ", expected " +
                              attribute.type);
    attribute.byDefault = std::move(value);
  }
  reader.finish();
  if (tensors.count(attribute.name))
    problems.add(*entry.key,
                 "attribute '" + attribute.name + "' has the name of another");
  op.schema.attributes.push_back(std::move(attribute));
}

void FileReader::readOutput(const yaml::Entry &entry) {
  if (!isName(*entry.key, "an output"))
    return;
  OutputSchema output;
  output.name = entry.key->text;
  addTensor(output.name, "output", *entry.key);
  MappingReader reader(*entry.value, "output '" + output.name + "'", problems);
  if (const yaml::Node *dtype = reader.require("dtype")) {
    if (dtype->isString() && sizeOfDtype(dtype->text))
      output.dtype = {{}, Expression(dtype->value), dtype->line, dtype->column};
    else
      output.dtype = placed(*dtype);
  }
  if (const yaml::Node *shape = reader.require("shape"))
    output.shape = placed(*shape);
  output.when = optional(reader, "when");
  reader.finish();
  op.schema.outputs.push_back(std::move(output));
}

void FileReader::readSchema(const yaml::Node &node) {
  MappingReader reader(node, "'schema' of '" + op.name + "'", problems);
  if (const yaml::Node *inputs = reader.mappingOf("inputs"))
    for (const yaml::Entry &entry : inputs->entries)
      readInput(entry);
  if (const yaml::Node *attributes = reader.mappingOf("attributes"))
    for (const yaml::Entry &entry : attributes->entries)
      readAttribute(entry);
  if (const yaml::Node *outputs = reader.mappingOf("outputs"))
    for (const yaml::Entry &entry : outputs->entries)
      readOutput(entry);
  reader.require("outputs");
  reader.finish();
}

Message FileReader::readMessage(const yaml::Node &node) {
  Message message;
  std::string text;
  std::string_view rest = node.text;
  auto flush = [&] {
    if (!text.empty())
      message.pieces.push_back({std::move(text), std::nullopt});
    text.clear();
  };
  while (!rest.empty()) {
    if (rest.starts_with("{{") || rest.starts_with("}}")) {
      text += rest[0];
      rest.remove_prefix(2);
    } else if (rest[0] == '{') {
      size_t end = rest.find('}');
      if (end == rest.npos) {
        problems.add(node, "the message has a '{' without '}'");
        return message;
      }
      flush();
      Result<Expression> expression =
          Expression::parse(rest.substr(1, end - 1));
      if (!expression)
        problems.add(node, expression.failure().text);
      else
        message.pieces.push_back(
            {std::string(rest.substr(1, end - 1)), std::move(*expression)});
      rest.remove_prefix(end + 1);
    } else {
      text += rest[0];
      rest.remove_prefix(1);
    }
  }
  flush();
  return message;
}

void FileReader::readRequirements(const yaml::Node *node) {
  if (!node)
    return;
  if (!node->isMapping()) {
    problems.add(*node, "'require' is " + std::string(node->kindName()) +
                            ", expected a mapping of conditions to messages");
    return;
  }
  for (const yaml::Entry &entry : node->entries) {
    if (!entry.value->isString())
      problems.add(*entry.value, "a message is " +
                                     std::string(entry.value->kindName()) +
                                     ", expected a string");
    op.require.push_back({placed(*entry.key), readMessage(*entry.value)});
  }
}

Strategy FileReader::readStrategy(const yaml::Node &node,
                                  const std::string &name) {
  static const std::vector<std::string> known = {"exact", "log2", "align32"};
  Strategy strategy;
  if (node.isSequence()) {
    strategy.kind = Strategy::Bins;
    for (const yaml::NodePtr &item : node.items) {
      if (!item->value.isNumber() ||
          (!strategy.bins.empty() &&
           item->value.number() <= strategy.bins.back())) {
        problems.add(*item,
                     "the bins of '" + name + "' are not ascending numbers");
        return strategy;
      }
      strategy.bins.push_back(item->value.number());
    }
    return strategy;
  }
  if (node.text == "log2")
    strategy.kind = Strategy::Log2;
  else if (node.text == "align32")
    strategy.kind = Strategy::Align32;
  else if (node.text != "exact")
    problems.add(node,
                 unknown("strategy", node.text, known) + "; a list is bins");
  return strategy;
}

void FileReader::readKey(const yaml::Node *node) {
  if (!node)
    return;
  op.key.emplace();
  if (!node->isMapping())
    problems.add(*node, "'key' is " + std::string(node->kindName()) +
                            ", expected a mapping of names to strategies");
  for (const yaml::Entry &entry : node->entries)
    op.key->push_back(
        {entry.key->text, readStrategy(*entry.value, entry.key->text)});
}

void FileReader::readPointwise(const yaml::Node *node) {
  if (!node)
    return;
  MappingReader reader(*node, "'pointwise' of '" + op.name + "'", problems);
  Pointwise pointwise;
  pointwise.inputs = reader.strings("inputs");
  pointwise.outputs = reader.strings("outputs");
  if (std::optional<std::string> output = reader.string("output"))
    pointwise.outputs.push_back(*output);
  reader.finish();
  if (pointwise.outputs.empty())
    problems.add(*node, "'pointwise' has no 'outputs'");
  std::vector<std::string> inputs, outputs;
  for (const InputSchema &input : op.schema.inputs)
    inputs.push_back(input.name);
  for (const OutputSchema &output : op.schema.outputs)
    outputs.push_back(output.name);
  auto checkList = [&](const std::vector<std::string> &names,
                       const std::vector<std::string> &known,
                       std::string_view kind) {
    for (const std::string &name : names)
      if (std::find(known.begin(), known.end(), name) == known.end())
        problems.add(*node, unknown(kind, name, known));
  };
  checkList(pointwise.inputs, inputs, "input");
  checkList(pointwise.outputs, outputs, "output");
  op.pointwise = std::move(pointwise);
}

void FileReader::readAten(const yaml::Node *node) {
  if (!node)
    return;
  for (const yaml::Entry &overload : node->entries) {
    std::vector<std::pair<std::string, std::string>> names;
    if (!overload.value->isMapping())
      problems.add(*overload.value,
                   "'aten' is " + std::string(overload.value->kindName()) +
                       ", expected a mapping of names");
    for (const yaml::Entry &entry : overload.value->entries) {
      if (!op.schema.input(entry.key->text) &&
          !op.schema.attribute(entry.key->text)) {
        std::vector<std::string> known;
        for (const InputSchema &input : op.schema.inputs)
          known.push_back(input.name);
        for (const AttributeSchema &attribute : op.schema.attributes)
          known.push_back(attribute.name);
        problems.add(*entry.key,
                     unknown("input or attribute", entry.key->text, known));
      }
      names.emplace_back(entry.key->text, entry.value->text);
    }
    op.aten.emplace_back(overload.key->text, std::move(names));
  }
}

void FileReader::checkKernel(const Step &step, const yaml::Node &place) {
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

std::optional<Step> FileReader::readStep(MappingReader &reader) {
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

Temporary FileReader::readTemporary(const yaml::Entry &entry) {
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
bool FileReader::readTune(MappingReader &reader, Variant &variant) {
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

Variant FileReader::readVariant(const yaml::Node &node) {
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

void FileReader::readVariants(const yaml::Node *node) {
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

// ---------------------------------------------------------------- names

static const std::vector<std::string> &tensorAttributes(bool isPointwise) {
  static const std::vector<std::string> plain = {
      "shape", "stride",   "rank",  "numel",
      "dtype", "itemsize", "align", "contiguous"};
  static const std::vector<std::string> pointwise = [] {
    std::vector<std::string> names = plain;
    names.push_back("steps");
    return names;
  }();
  return isPointwise ? pointwise : plain;
}

void FileReader::check(const Placed &placed, const NameSet &names) {
  for (const NameUse &use : placed.expression.uses()) {
    std::string what;
    const auto &attributes = tensorAttributes(op.pointwise.has_value());
    if (!names.count(use.name))
      what = unknown("name", use.name,
                     std::vector<std::string>(names.begin(), names.end()));
    else if (tensors.count(use.name) && !use.attribute.empty() &&
             std::find(attributes.begin(), attributes.end(), use.attribute) ==
                 attributes.end())
      what = "tensor '" + use.name + "' has no attribute '" + use.attribute +
             "'" + suggestNames(use.attribute, attributes);
    else
      continue;
    problems.add(placed.line, placed.column,
                 placed.expression.failure(use.column, what).text);
  }
}

void FileReader::checkAll(const Definitions &definitions,
                          const NameSet &names) {
  for (const Definition &definition : definitions)
    check(definition, names);
}

void FileReader::checkVariant(const Variant &variant, NameSet names) {
  if (variant.when)
    check(*variant.when, names);
  for (const Definition &definition : variant.let)
    names.insert(definition.name);
  for (const Temporary &temporary : variant.temporaries) {
    names.insert(temporary.name);
    tensors.insert(temporary.name);
  }
  checkAll(variant.let, names);
  for (const Temporary &temporary : variant.temporaries) {
    check(temporary.dtype, names);
    check(temporary.shape, names);
  }
  for (const Step &step : variant.steps) {
    NameSet inner = names;
    if (step.repeat)
      check(*step.repeat, names);
    inner.insert("step");
    if (step.when)
      check(*step.when, inner);
    for (const auto *settings : {&step.constants, &step.options})
      for (const Definition &definition : *settings)
        inner.insert(definition.name);
    checkAll(step.arguments, inner);
    checkAll(step.constants, inner);
    checkAll(step.options, inner);
    for (const Placed &size : step.grid)
      check(size, inner);
  }
  for (const Temporary &temporary : variant.temporaries)
    if (!op.schema.input(temporary.name))
      tensors.erase(temporary.name);
}

// Reading `let` in a context gives errors with that place; here each name is
// looked for once, where it is written.
void FileReader::checkNames() {
  NameSet names = {"device"};
  for (const InputSchema &input : op.schema.inputs)
    names.insert(input.name);
  for (const AttributeSchema &attribute : op.schema.attributes)
    names.insert(attribute.name);
  for (const OutputSchema &output : op.schema.outputs)
    names.insert(output.name);
  for (const Definition &definition : op.let) {
    if (!names.insert(definition.name).second)
      problems.add(definition.line, definition.column,
                   "'let' defines '" + definition.name +
                       "', which is the name of an input, an attribute or an "
                       "output");
  }
  if (op.pointwise)
    names.insert("dims");
  checkAll(op.let, names);
  for (const InputSchema &input : op.schema.inputs)
    for (const Placed *each : {input.dtype ? &*input.dtype : nullptr,
                               input.values ? &input.values->first : nullptr,
                               input.values ? &input.values->second : nullptr})
      if (each)
        check(*each, names);
  for (const OutputSchema &output : op.schema.outputs) {
    check(output.dtype, names);
    check(output.shape, names);
    if (output.when)
      check(*output.when, names);
  }
  // Requirements are checked before there are outputs.
  NameSet early = names;
  for (const OutputSchema &output : op.schema.outputs)
    early.erase(output.name);
  if (op.pointwise)
    early.erase("dims");
  for (const Requirement &requirement : op.require) {
    check(requirement.condition, early);
    for (const Message::Piece &piece : requirement.message.pieces)
      if (piece.expression)
        check({{},
               *piece.expression,
               requirement.condition.line,
               requirement.condition.column},
              early);
  }
  if (op.empty)
    check(*op.empty, names);
  if (op.key)
    for (const KeyPart &part : *op.key)
      if (!names.count(part.name))
        problems.add(root, "'key': " +
                               unknown("name", part.name,
                                       std::vector<std::string>(names.begin(),
                                                                names.end())));
  for (const Variant &variant : op.variants)
    checkVariant(variant, names);
}

std::optional<Operator> FileReader::read() {
  size_t before = problems.count();
  MappingReader reader(root, "the operator", problems);
  op.file = path;
  op.line = root.line;
  op.name = reader.string("operator").value_or("");
  const yaml::Node *name = reader.require("operator");
  if (name && !ops::isName(op.name))
    problems.add(*name, "'" + escapeForTerminal(op.name) +
                            "' cannot be the name of an operator");
  if (const yaml::Node *schema = reader.require("schema"))
    readSchema(*schema);
  op.let = readDefinitions(reader.get("let"), "'let'", problems);
  readRequirements(reader.get("require"));
  op.empty = optional(reader, "empty");
  readPointwise(reader.get("pointwise"));
  readKey(reader.get("key"));
  op.contiguous = reader.strings("contiguous");
  for (const std::string &input : op.contiguous)
    if (!op.schema.input(input)) {
      std::vector<std::string> known;
      for (const InputSchema &each : op.schema.inputs)
        known.push_back(each.name);
      problems.add(*reader.get("contiguous"), unknown("input", input, known));
    }
  op.backward = reader.string("backward").value_or("");
  readAten(reader.mappingOf("aten"));
  readVariants(reader.list("variants"));
  reader.require("variants");
  reader.finish();
  if (problems.count() > before)
    return std::nullopt;
  checkNames();
  if (problems.count() > before)
    return std::nullopt;
  return std::move(op);
}

std::optional<Operator> readOperator(const yaml::Node &root,
                                     const std::string &path,
                                     KernelFiles &kernels, Problems &problems) {
  return FileReader(root, path, kernels, problems).read();
}

} // namespace nereid::ops
