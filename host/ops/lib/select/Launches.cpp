// Launches.cpp - the launches of a variant, with what they pass.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "select/Call.h"
#include "select/Planner.h"

#include <algorithm>

namespace nereid::ops {

// The step's own settings, with those of the configuration in their place.
static Definitions replaced(const Definitions &own,
                            const std::vector<Setting> *given, bool addsNew) {
  Definitions settings = own;
  for (const Setting &setting : given ? *given : std::vector<Setting>()) {
    auto found = std::find_if(
        settings.begin(), settings.end(),
        [&](const Definition &each) { return each.name == setting.name; });
    if (found != settings.end())
      found->expression = Expression(setting.value);
    else if (addsNew)
      settings.push_back({setting.name, Expression(setting.value), 0, 0});
  }
  return settings;
}

Outcome Planner::makeLaunch(const Step &step, const Environment &names) {
  const Configuration *given = step.isTuned && wanted && wanted->configuration
                                   ? &*wanted->configuration
                                   : nullptr;
  Definitions constants =
      replaced(step.constants, given ? &given->constants : nullptr, false);
  Definitions options =
      replaced(step.options, given ? &given->options : nullptr, true);
  Definitions settings = constants;
  settings.insert(settings.end(), options.begin(), options.end());
  Scope scope(settings, names);
  SelectedLaunch launch;
  launch.file = step.file;
  launch.function = step.function;
  for (size_t i = 0; i < step.grid.size(); ++i) {
    const Placed &size = step.grid[i];
    Result<Value> value = evaluate(size, scope, "grid");
    if (!value)
      return value.failure();
    if (!value->isIntegral() || value->integer() < 0 ||
        value->integer() > INT32_MAX)
      return place(
          size, "grid",
          wrong("it is " + value->repr() + ", expected 0 to 2147483647"));
    launch.grid[i] = value->integer();
  }
  // Nothing to do: what its other expressions would be does not matter.
  if (std::find(launch.grid.begin(), launch.grid.end(), 0) != launch.grid.end())
    return {};
  for (const Definition &argument : step.arguments) {
    Result<SelectedArgument> made = makeArgument(argument, scope);
    if (!made)
      return made.failure();
    launch.arguments.push_back(std::move(*made));
  }
  auto fill = [&](const Definitions &from, std::vector<NamedValue> &to) {
    for (const Definition &definition : from) {
      Result<Value> value =
          evaluate(definition, scope, "'" + definition.name + "'");
      if (!value)
        return Outcome(value.failure());
      to.push_back({definition.name, std::move(*value)});
    }
    return Outcome();
  };
  if (Outcome filled = fill(constants, launch.constants); !filled)
    return filled;
  if (Outcome filled = fill(options, launch.options); !filled)
    return filled;
  plan.selection.launches.push_back(std::move(launch));
  return {};
}

// Adds what an argument is made of: tensors and numbers; those of a list one
// after another.
Outcome Planner::addItems(const Value &value, const Definition &argument,
                          SelectedArgument &out, bool isInList) {
  SelectedItem item;
  if (value.isList() && !isInList) {
    out.isTuple = true;
    for (const Value &each : value.list())
      if (Outcome added = addItems(each, argument, out, true); !added)
        return added;
    return {};
  }
  if (value.isObject() && objects.count(&value.object()))
    item.tensor = indexOf(objects[&value.object()]);
  else if (value.isNumber())
    item.value = value;
  else
    return place(argument, "'" + argument.name + "'",
                 wrong("it is " + value.repr() +
                       ", expected a tensor, a number or a list of them"));
  out.items.push_back(std::move(item));
  return {};
}

Result<SelectedArgument> Planner::makeArgument(const Definition &argument,
                                               const Environment &names) {
  SelectedArgument out;
  out.name = argument.name;
  const Expression &expression = argument.expression;
  const AttributeSchema *attribute = op.schema.attribute(expression.text());
  bool mayBeNone =
      attribute && attribute->byDefault && attribute->byDefault->isNone();
  if (attribute && !mayBeNone) {
    // Passed as it is, whatever number it is: it decides nothing here.
    const Value *given = find(call.attributes, attribute->name);
    const Value &value = given ? *given : *attribute->byDefault;
    if (value.isNumber()) {
      SelectedItem item;
      item.attribute = attribute->name;
      out.items.push_back(std::move(item));
      return out;
    }
  }
  Result<Value> value = evaluate(argument, names, "'" + argument.name + "'");
  if (!value)
    return value.failure();
  if (Outcome added = addItems(*value, argument, out, false); !added)
    return added.failure();
  return out;
}

Outcome Planner::makeVariant(const Variant &variant, const Scope &names) {
  plan.variant = &variant;
  Scope own(variant.let, names);
  for (const Temporary &temporary : variant.temporaries) {
    TensorFacts facts;
    if (Outcome made = makeTensor(temporary.name, temporary.dtype,
                                  temporary.shape, own, facts);
        !made)
      return made;
    define(temporary.name, SelectedTensor::Role::Temporary, facts);
  }
  for (const Step &step : variant.steps) {
    constexpr int64_t mostLaunches = 1024;
    int64_t count = 1;
    if (step.repeat) {
      Result<Value> value = evaluate(*step.repeat, own, "repeat");
      if (!value)
        return value.failure();
      if (!value->isIntegral() || value->integer() < 0 ||
          value->integer() > mostLaunches)
        return place(*step.repeat, "repeat",
                     wrong("it is " + value->repr() + ", expected 0 to " +
                           std::to_string(mostLaunches)));
      count = value->integer();
    }
    for (int64_t i = 0; i < count; ++i) {
      Names inner(&own);
      inner.set("step", Value(i));
      if (step.when) {
        Result<Value> isWanted = evaluate(*step.when, inner, "when");
        if (!isWanted)
          return isWanted.failure();
        if (!isWanted->isTrue())
          continue;
      }
      if (Outcome made = makeLaunch(step, inner); !made)
        return made;
    }
  }
  return {};
}

} // namespace nereid::ops
