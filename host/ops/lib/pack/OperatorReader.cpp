// OperatorReader.cpp - an operator's file, but for its variants.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/OperatorReader.h"
#include "expr/Lexer.h"
#include "text/EscapeForTerminal.h"
#include "text/Suggestions.h"

#include <algorithm>

namespace nereid::ops {

Placed OperatorReader::placed(const yaml::Node &node, std::string name) {
  return {std::move(name), readExpression(node, problems), node.line,
          node.column};
}

std::optional<Placed> OperatorReader::optional(MappingReader &reader,
                                               std::string_view key) {
  const yaml::Node *node = reader.get(key);
  if (!node)
    return std::nullopt;
  return placed(*node);
}

bool OperatorReader::isName(const yaml::Node &node, std::string_view kind) {
  if (ops::isName(node.text) && node.text != "device")
    return true;
  problems.add(node, "'" + escapeForTerminal(node.text) +
                         "' cannot be the name of " + std::string(kind));
  return false;
}

void OperatorReader::addTensor(const std::string &name, std::string_view kind,
                               const yaml::Node &place) {
  if (op.schema.attribute(name) || !tensors.insert(name).second)
    problems.add(place,
                 std::string(kind) + " '" + name + "' has the name of another");
}

void OperatorReader::readRank(const yaml::Node &node, InputSchema &input) {
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

void OperatorReader::readInput(const yaml::Entry &entry) {
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

void OperatorReader::readAttribute(const yaml::Entry &entry) {
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

void OperatorReader::readOutput(const yaml::Entry &entry) {
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

void OperatorReader::readSchema(const yaml::Node &node) {
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

Message OperatorReader::readMessage(const yaml::Node &node) {
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

void OperatorReader::readRequirements(const yaml::Node *node) {
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

Strategy OperatorReader::readStrategy(const yaml::Node &node,
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

void OperatorReader::readKey(const yaml::Node *node) {
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

void OperatorReader::readPointwise(const yaml::Node *node) {
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

void OperatorReader::readAten(const yaml::Node *node) {
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

std::optional<Operator> OperatorReader::read() {
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
  return OperatorReader(root, path, kernels, problems).read();
}

} // namespace nereid::ops
