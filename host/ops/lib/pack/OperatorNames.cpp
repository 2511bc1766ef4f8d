// OperatorNames.cpp - looks for each name that an operator's file uses.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/OperatorReader.h"
#include "text/Suggestions.h"

#include <algorithm>

namespace nereid::ops {

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

void OperatorReader::check(const Placed &placed, const NameSet &names) {
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

void OperatorReader::checkAll(const Definitions &definitions,
                              const NameSet &names) {
  for (const Definition &definition : definitions)
    check(definition, names);
}

void OperatorReader::checkVariant(const Variant &variant, NameSet names) {
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
void OperatorReader::checkNames() {
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

} // namespace nereid::ops
