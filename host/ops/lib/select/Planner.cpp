// Planner.cpp - what is known of a call before a variant is taken: its inputs,
// outputs, copies, and what a tuned result depends on.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "select/Planner.h"

#include "expr/Json.h"
#include "select/Call.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace nereid::ops {

Failure Planner::place(const Placed &placed, std::string_view what,
                       const Failure &failure) const {
  return {failure.status, op.file + ":" + std::to_string(placed.line) + ": " +
                              std::string(what) + ": " + failure.text};
}

Result<Value> Planner::evaluate(const Placed &placed, const Environment &names,
                                std::string_view what) {
  Result<Value> value = placed.expression.evaluate(names);
  if (!value)
    return place(placed, what, value.failure());
  return value;
}

std::shared_ptr<const Object> Planner::know(SelectedTensor tensor,
                                            const std::vector<int64_t> *steps) {
  std::string shown = tensor.name;
  const InputSchema *input = op.schema.input(tensor.name);
  if (input && input->isList)
    shown += "[" + std::to_string(tensor.member) + "]";
  std::shared_ptr<const Object> object =
      tensorObject(shown, tensor.facts, steps);
  objects[object.get()] = {std::move(tensor), SelectedItem::none};
  kept.push_back(object);
  return object;
}

void Planner::define(const std::string &name, SelectedTensor::Role role,
                     const TensorFacts &facts,
                     const std::vector<int64_t> *steps) {
  SelectedTensor tensor;
  tensor.role = role;
  tensor.name = name;
  tensor.isCopied = copied.count(name);
  tensor.facts = facts;
  base.set(name, Value(know(std::move(tensor), steps)));
  tensors[name] = facts;
  roles[name] = role;
}

// The tensor's place in the selection, where each is once.
size_t Planner::indexOf(Known &known) {
  std::vector<SelectedTensor> &list = plan.selection.tensors;
  for (size_t i = 0; known.index == SelectedItem::none && i < list.size(); ++i)
    if (list[i].role == known.tensor.role &&
        list[i].name == known.tensor.name &&
        list[i].member == known.tensor.member)
      known.index = i;
  if (known.index == SelectedItem::none) {
    known.index = list.size();
    list.push_back(known.tensor);
  }
  return known.index;
}

void Planner::setInputs() {
  base.set("device", target.device ? Value(target.device) : Value());
  for (const InputSchema &input : op.schema.inputs) {
    const NamedTensors *given = find(call.inputs, input.name);
    if (!given) {
      base.set(input.name, Value());
    } else if (input.isList) {
      setList(input.name, given->members, {});
    } else {
      define(input.name, SelectedTensor::Role::Input, given->members[0]);
    }
  }
  for (const AttributeSchema &attribute : op.schema.attributes) {
    const Value *given = find(call.attributes, attribute.name);
    base.set(attribute.name, given ? *given : *attribute.byDefault);
  }
}

void Planner::setList(const std::string &name,
                      const std::vector<TensorFacts> &members,
                      const std::vector<bool> &isCopied) {
  List list;
  for (size_t i = 0; i < members.size(); ++i) {
    SelectedTensor tensor;
    tensor.name = name;
    tensor.member = static_cast<uint32_t>(i);
    tensor.isCopied = !isCopied.empty() && isCopied[i];
    tensor.facts = members[i];
    list.emplace_back(know(std::move(tensor)));
  }
  base.set(name, Value(std::move(list)));
}

// Types that are those of other inputs.
Outcome Planner::checkTypes(const Scope &names) {
  for (const InputSchema &input : op.schema.inputs) {
    const NamedTensors *given = find(call.inputs, input.name);
    if (!input.dtype || !given)
      continue;
    Result<Value> dtype =
        evaluate(*input.dtype, names, "the type of '" + input.name + "'");
    if (!dtype)
      return dtype.failure();
    for (const TensorFacts &facts : given->members)
      if (!(*dtype == Value(facts.dtype)))
        return unsupported(
            op.name + ": " + input.name + " is " + facts.dtype + ", expected " +
            (dtype->isString() ? dtype->string() : dtype->repr()));
  }
  return {};
}

Outcome Planner::checkRequirements(const Scope &names) {
  for (const Requirement &requirement : op.require) {
    Result<Value> holds = evaluate(requirement.condition, names, "require");
    if (!holds)
      return holds.failure();
    if (!holds->isTrue())
      return wrong(op.name + ": " + requirement.message.fill(names));
  }
  return {};
}

Outcome Planner::makeTensor(const std::string &name, const Placed &dtype,
                            const Placed &shape, const Environment &names,
                            TensorFacts &facts) {
  Result<Value> type = evaluate(dtype, names, "the type of '" + name + "'");
  if (!type)
    return type.failure();
  Result<Value> sizes = evaluate(shape, names, "the shape of '" + name + "'");
  if (!sizes)
    return sizes.failure();
  if (!type->isString() || !sizeOfDtype(type->string()))
    return place(dtype, "the type of '" + name + "'",
                 wrong("it is " + type->repr() + ", expected one of " +
                       listed(dtypeNames())));
  std::optional<std::vector<int64_t>> list = integersOf(*sizes);
  if (!list || std::any_of(list->begin(), list->end(),
                           [](int64_t size) { return size < 0; }))
    return place(
        shape, "the shape of '" + name + "'",
        wrong("it is " + sizes->repr() + ", expected a list of sizes"));
  int64_t count = 1;
  for (int64_t size : *list)
    if (size && __builtin_mul_overflow(count, size, &count))
      return place(shape, "the shape of '" + name + "'", overflow());
  facts = {type->string(), *list, rowMajor(*list), 64};
  return {};
}

Outcome Planner::makeOutputs(const Scope &names) {
  for (const OutputSchema &output : op.schema.outputs) {
    if (output.when) {
      Result<Value> isMade = evaluate(*output.when, names, "when");
      if (!isMade)
        return isMade.failure();
      if (!isMade->isTrue()) {
        base.set(output.name, Value());
        continue;
      }
    }
    TensorFacts facts;
    if (Outcome made =
            makeTensor(output.name, output.dtype, output.shape, names, facts);
        !made)
      return made;
    if (const NamedTensors *given = find(call.outputs, output.name)) {
      const TensorFacts &own = given->members[0];
      if (own.dtype != facts.dtype || own.shape != facts.shape)
        return wrong(op.name + ": " + output.name + " is " + own.dtype + " " +
                     listOf(own.shape).repr() + ", expected " + facts.dtype +
                     " " + listOf(facts.shape).repr());
      // Kernels that are not pointwise write row major.
      if (op.pointwise || isContiguous(own))
        facts = own;
      else
        copied[output.name] = true;
    }
    define(output.name, SelectedTensor::Role::Output, facts);
    SelectedTensor tensor;
    tensor.role = SelectedTensor::Role::Output;
    tensor.name = output.name;
    tensor.isCopied = copied.count(output.name);
    tensor.facts = std::move(facts);
    plan.selection.tensors.push_back(std::move(tensor));
  }
  return {};
}

void Planner::copyInputs() {
  for (const std::string &name : op.contiguous) {
    const NamedTensors *given = find(call.inputs, name);
    if (!given)
      continue;
    std::vector<TensorFacts> members = given->members;
    std::vector<bool> isCopied;
    for (TensorFacts &facts : members) {
      isCopied.push_back(!isContiguous(facts));
      if (isCopied.back())
        facts.align = 64;
      facts.stride = rowMajor(facts.shape);
    }
    if (op.schema.input(name)->isList) {
      setList(name, members, isCopied);
      continue;
    }
    if (isCopied[0])
      copied[name] = true;
    define(name, SelectedTensor::Role::Input, members[0]);
  }
}

void Planner::collapseSpace() {
  if (!op.pointwise)
    return;
  std::vector<std::string> names;
  std::vector<const TensorFacts *> over;
  for (const auto *list : {&op.pointwise->inputs, &op.pointwise->outputs})
    for (const std::string &name : *list)
      if (auto found = tensors.find(name); found != tensors.end()) {
        names.push_back(name);
        over.push_back(&found->second);
      }
  auto first = tensors.find(op.pointwise->outputs[0]);
  if (first == tensors.end())
    return;
  IterationSpace space = collapse(over, first->second.shape);
  base.set("dims", listOf(space.dims));
  for (size_t i = 0; i < names.size(); ++i) {
    TensorFacts facts = *over[i];
    define(names[i], roles[names[i]], facts, &space.steps[i]);
  }
}

// The values that a tuned result depends on, with the types of the inputs.
Outcome Planner::makeKey(const Scope &names) {
  nlohmann::json key = nlohmann::json::object();
  Strategies strategies;
  for (const NamedTensors &input : call.inputs)
    if (!input.members.empty())
      key[input.name] = input.members[0].dtype;
  if (op.key) {
    for (const KeyPart &part : *op.key) {
      Result<const Value *> value = names.find(part.name);
      if (!value)
        return value.failure();
      if (*value)
        key[part.name] = nlohmann::json::parse(jsonOfValue(**value).dump());
      strategies[part.name] = part.strategy;
    }
  } else if (!plan.selection.tensors.empty()) {
    key["numel"] = numelOf(plan.selection.tensors[0].facts);
    strategies["numel"].kind = Strategy::Log2;
  }
  plan.key = canonicalObject(key);
  Result<std::string> bucket = bucketOf(plan.key, strategies);
  if (!bucket)
    return bucket.failure();
  plan.bucket = *bucket;
  return {};
}

// All but the variants. True if there is nothing to launch.
Result<bool> Planner::begin(const std::string &layer,
                            std::vector<Trial> &trials) {
  setInputs();
  {
    Scope names(op.let, base);
    for (Outcome done :
         {checkTypes(names), checkRequirements(names), makeOutputs(names)})
      if (!done)
        return done.failure();
    if (op.empty) {
      Result<Value> isEmpty = evaluate(*op.empty, names, "empty");
      if (!isEmpty)
        return isEmpty.failure();
      if (isEmpty->isTrue()) {
        trials.push_back({layer,
                          {},
                          true,
                          "nothing is launched: '" +
                              op.empty->expression.text() + "' holds"});
        return true;
      }
    }
  }
  copyInputs();
  collapseSpace();
  // Again, over the copies and steps.
  Scope names(op.let, base);
  if (Outcome made = makeKey(names); !made)
    return made.failure();
  return false;
}

Outcome Planner::addValues(std::vector<InputValues> &out) {
  setInputs();
  Scope names(op.let, base);
  for (const InputSchema &input : op.schema.inputs) {
    if (!input.values || !find(call.inputs, input.name) ||
        std::ranges::any_of(out, [&](const InputValues &each) {
          return each.name == input.name;
        }))
      continue;
    InputValues values{input.name, 0, 1, input.isSorted};
    for (auto [placed, number] : {std::pair(&input.values->first, &values.low),
                                  {&input.values->second, &values.high}}) {
      Result<Value> value = evaluate(*placed, names, "values");
      if (!value)
        return value.failure();
      if (!value->isNumber())
        return place(*placed, "values",
                     wrong("it is " + value->repr() + ", expected a number"));
      *number = value->number();
    }
    out.push_back(std::move(values));
  }
  return {};
}

} // namespace nereid::ops
