// Call.cpp - checks a call against a schema.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "select/Call.h"

#include "text/Suggestions.h"

#include <algorithm>

namespace nereid::ops {

Failure unsupported(std::string text) {
  return {NEREID_UNIMPLEMENTED, std::move(text)};
}

std::string listed(const std::vector<std::string> &words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

const NamedTensors *find(const std::vector<NamedTensors> &list,
                         std::string_view name) {
  for (const NamedTensors &each : list)
    if (each.name == name)
      return &each;
  return nullptr;
}

const Value *find(const std::vector<NamedValue> &list, std::string_view name) {
  for (const NamedValue &each : list)
    if (each.name == name)
      return &each.value;
  return nullptr;
}

// Whether every name of the call is one of the schema.
static Outcome checkNames(const Operator &op, const CallFacts &call) {
  auto check = [&](const auto &given, const auto &schema,
                   std::string_view kind) {
    std::vector<std::string> known;
    for (const auto &each : schema)
      known.push_back(each.name);
    for (const auto &each : given)
      if (std::find(known.begin(), known.end(), each.name) == known.end())
        return Outcome(wrong(op.name + ": " + unknown(kind, each.name, known)));
    return Outcome();
  };
  if (Outcome fits = check(call.inputs, op.schema.inputs, "input"); !fits)
    return fits;
  if (Outcome fits = check(call.outputs, op.schema.outputs, "output"); !fits)
    return fits;
  return check(call.attributes, op.schema.attributes, "attribute");
}

static Outcome checkTensor(const Operator &op, const InputSchema &input,
                           const TensorFacts &facts) {
  std::string start = op.name + ": " + input.name;
  int64_t rank = static_cast<int64_t>(facts.shape.size());
  if (rank < input.leastRank || rank > input.mostRank)
    return unsupported(start + " has " + std::to_string(rank) +
                       (rank == 1 ? " dimension" : " dimensions") +
                       ", expected " + std::to_string(input.leastRank) +
                       (input.mostRank > input.leastRank
                            ? " to " + std::to_string(input.mostRank)
                            : ""));
  if (!input.dtype && std::find(input.dtypes.begin(), input.dtypes.end(),
                                facts.dtype) == input.dtypes.end())
    return unsupported(start + " is " + facts.dtype + ", expected " +
                       listed(input.dtypes));
  return {};
}

Outcome checkCall(const Operator &op, const CallFacts &call) {
  if (Outcome known = checkNames(op, call); !known)
    return known;
  for (const InputSchema &input : op.schema.inputs) {
    const NamedTensors *given = find(call.inputs, input.name);
    if (!given) {
      if (!input.isOptional)
        return wrong(op.name + ": input '" + input.name + "' is not given");
      continue;
    }
    if (input.isList != given->isList ||
        (!input.isList && given->members.size() != 1))
      return wrong(op.name + ": " + input.name + " is " +
                   (given->isList ? "a list" : "one tensor") + ", expected " +
                   (input.isList ? "a list of tensors" : "one tensor"));
    if (given->members.size() > longestList)
      return unsupported(op.name + ": " + input.name + " has " +
                         std::to_string(given->members.size()) +
                         " tensors, expected at most " +
                         std::to_string(longestList));
    for (const TensorFacts &facts : given->members)
      if (Outcome fits = checkTensor(op, input, facts); !fits)
        return fits;
  }
  for (const NamedTensors &output : call.outputs)
    if (output.isList || output.members.size() != 1)
      return wrong(op.name + ": " + output.name +
                   " is a list, expected one tensor");
  for (const AttributeSchema &attribute : op.schema.attributes) {
    const Value *given = find(call.attributes, attribute.name);
    bool mayBeNone = attribute.byDefault && attribute.byDefault->isNone();
    if (!given) {
      if (!attribute.byDefault)
        return wrong(op.name + ": attribute '" + attribute.name +
                     "' is not given");
    } else if (!attribute.accepts(*given) && !(given->isNone() && mayBeNone)) {
      return wrong(
          op.name + ": " + attribute.name + " is " + given->repr() +
          ", expected " +
          (attribute.type == "int" ? "an int" : "a " + attribute.type));
    }
  }
  return {};
}

} // namespace nereid::ops
