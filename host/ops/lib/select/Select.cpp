// Select.cpp - layers from the highest to the lowest, and in each the variants
// in order: the first that applies is taken.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "select/Select.h"

#include "expr/Json.h"
#include "text/Suggestions.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <set>

namespace nereid::ops {

static Failure unsupported(std::string text) {
  return {NEREID_UNIMPLEMENTED, std::move(text)};
}

static std::string listed(const std::vector<std::string> &words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

// ---------------------------------------------------------------- the call

static const NamedTensors *find(const std::vector<NamedTensors> &list,
                                std::string_view name) {
  for (const NamedTensors &each : list)
    if (each.name == name)
      return &each;
  return nullptr;
}

static const Value *find(const std::vector<NamedValue> &list,
                         std::string_view name) {
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

static bool isOfType(const std::string &type, const Value &value) {
  if (type == "int")
    return value.isInt();
  if (type == "float" || type == "number")
    return value.isInt() || value.isFloat();
  if (type == "bool")
    return value.isBool();
  if (type == "list")
    return value.isList();
  return value.isString();
}

static Outcome checkCall(const Operator &op, const CallFacts &call) {
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
    } else if (!isOfType(attribute.type, *given) &&
               !(given->isNone() && mayBeNone)) {
      return wrong(
          op.name + ": " + attribute.name + " is " + given->repr() +
          ", expected " +
          (attribute.type == "int" ? "an int" : "a " + attribute.type));
    }
  }
  return {};
}

// ---------------------------------------------------------------- planning

namespace {

/// The values of a call; remembers which attributes were read.
class CallNames : public Names {
public:
  explicit CallNames(const Schema &schema) : schema(schema) {}

  Result<const Value *> find(std::string_view name) const override {
    if (schema.attribute(name))
      read.emplace(name);
    return Names::find(name);
  }

  mutable std::set<std::string, std::less<>> read;

private:
  const Schema &schema;
};

/// Plans a call with the operator of one layer.
class Planner {
public:
  Planner(const Operator &op, const TargetFacts &target, const CallFacts &call,
          const Wanted *wanted, Plan &plan)
      : op(op), target(target), call(call), wanted(wanted), plan(plan),
        base(op.schema) {}

  /// True if the plan is complete, false if no variant applies.
  Result<bool> run(const std::string &layer, std::vector<Trial> &trials);
  /// The attributes whose values run() has looked at.
  std::set<std::string, std::less<>> &readAttributes() { return base.read; }
  /// Adds the operator's variants and what \p findTuned says of them.
  Outcome
  list(const std::string &layer, Search search,
       const std::function<const TunedOperator *(const Variant &)> &findTuned,
       std::vector<VariantSpace> &out);

  /// Adds the values of inputs that have none yet.
  Outcome addValues(std::vector<InputValues> &out);

private:
  Result<bool> begin(const std::string &layer, std::vector<Trial> &trials);
  Outcome expandVariant(const TunedOperator &tuned, Search search,
                        const Scope &names, VariantSpace &space);
  void setInputs();
  void setList(const std::string &name, const std::vector<TensorFacts> &members,
               const std::vector<bool> &isCopied);
  Outcome checkTypes(const Scope &names);
  Outcome checkRequirements(const Scope &names);
  Outcome makeOutputs(const Scope &names);
  void copyInputs();
  void collapseSpace();
  Outcome makeKey(const Scope &names);
  void finish(const std::string &layer);
  Outcome makeVariant(const Variant &variant, const Scope &names);
  Outcome makeLaunch(const Step &step, const Environment &names);
  Outcome makeTensor(const std::string &name, const Placed &dtype,
                     const Placed &shape, const Environment &names,
                     TensorFacts &facts);
  Result<Value> evaluate(const Placed &placed, const Environment &names,
                         std::string_view what);
  Failure place(const Placed &placed, std::string_view what,
                const Failure &failure) const;

  const Operator &op;
  const TargetFacts &target;
  const CallFacts &call;
  const Wanted *wanted;
  Plan &plan;
  struct Known {
    SelectedTensor tensor;
    size_t index = SelectedItem::none; // in the selection
  };

  void define(const std::string &name, SelectedTensor::Role role,
              const TensorFacts &facts,
              const std::vector<int64_t> *steps = nullptr);
  std::shared_ptr<const Object>
  know(SelectedTensor tensor, const std::vector<int64_t> *steps = nullptr);
  size_t indexOf(Known &known);
  Outcome addItems(const Value &value, const Definition &argument,
                   SelectedArgument &out, bool isInList);
  Result<SelectedArgument> makeArgument(const Definition &argument,
                                        const Environment &names);

  CallNames base;
  // Single tensors by their names, and every object that stands for one.
  std::map<std::string, TensorFacts, std::less<>> tensors;
  std::map<std::string, SelectedTensor::Role, std::less<>> roles;
  std::map<std::string, bool, std::less<>> copied;
  std::map<const Object *, Known> objects;
  std::vector<std::shared_ptr<const Object>> kept; // so that none is reused
};

} // namespace

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

// "'n <= 16384' does not hold: n is 20000"
static std::string whyNot(const Expression &condition,
                          const Environment &names) {
  std::string text = "'" + condition.text() + "' does not hold";
  std::vector<std::string> shown;
  for (const NameUse &use : condition.uses()) {
    std::string name =
        use.name + (use.attribute.empty() ? "" : "." + use.attribute);
    Result<Expression> value = Expression::parse(name);
    Result<Value> is = value ? value->evaluate(names) : wrong("");
    if (!is || is->isObject() || shown.size() == 6)
      continue;
    std::string one = name + " is " + is->repr();
    if (std::find(shown.begin(), shown.end(), one) == shown.end())
      shown.push_back(one);
  }
  for (size_t i = 0; i < shown.size(); ++i)
    text += (i ? ", " : ": ") + shown[i];
  return text;
}

void Planner::finish(const std::string &layer) {
  plan.selection.op = op.name;
  plan.selection.layer = layer;
  plan.selection.variant = plan.variant ? plan.variant->name : "";
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

static bool isMeant(const Wanted &wanted, const std::string &layer,
                    const Variant &variant) {
  return wanted.variant.empty() || wanted.variant == variant.name ||
         wanted.variant == layer + '/' + variant.name;
}

Result<bool> Planner::run(const std::string &layer,
                          std::vector<Trial> &trials) {
  Result<bool> isEmpty = begin(layer, trials);
  if (!isEmpty)
    return isEmpty;
  if (*isEmpty) {
    finish(layer);
    return true;
  }
  Scope names(op.let, base);
  for (const Variant &variant : op.variants) {
    if (wanted && !isMeant(*wanted, layer, variant)) {
      trials.push_back(
          {layer, variant.name, false, "'" + wanted->variant + "' is wanted"});
      continue;
    }
    if (variant.when) {
      Result<Value> applies =
          evaluate(*variant.when, names, "variant '" + variant.name + "'");
      if (!applies)
        return applies.failure();
      if (!applies->isTrue()) {
        trials.push_back({layer, variant.name, false,
                          whyNot(variant.when->expression, names)});
        continue;
      }
    }
    if (Outcome made = makeVariant(variant, names); !made)
      return made.failure();
    finish(layer);
    trials.push_back({layer, variant.name, true,
                      variant.when
                          ? "'" + variant.when->expression.text() + "' holds"
                          : "it has no condition"});
    return true;
  }
  return false;
}

// Conditions of configurations see the call, the variant and the settings of
// its first step that is tuned.
Outcome Planner::expandVariant(const TunedOperator &tuned, Search search,
                               const Scope &names, VariantSpace &space) {
  const Variant &variant = *space.variant;
  Scope own(variant.let, names);
  auto step = std::find_if(variant.steps.begin(), variant.steps.end(),
                           [](const Step &each) { return each.isTuned; });
  Definitions settings;
  if (step != variant.steps.end()) {
    settings = step->constants;
    settings.insert(settings.end(), step->options.begin(), step->options.end());
  }
  Names inner(&own);
  inner.set("step", Value(int64_t(0)));
  Scope scope(settings, inner);
  Result<std::vector<Configuration>> expanded = expand(tuned, search, &scope);
  if (!expanded)
    return expanded.failure();
  space.configurations = std::move(*expanded);
  return {};
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

Outcome Planner::list(
    const std::string &layer, Search search,
    const std::function<const TunedOperator *(const Variant &)> &findTuned,
    std::vector<VariantSpace> &out) {
  std::vector<Trial> ignored;
  Result<bool> isEmpty = begin(layer, ignored);
  if (!isEmpty)
    return isEmpty.failure();
  if (*isEmpty)
    return {};
  Scope names(op.let, base);
  for (const Variant &variant : op.variants) {
    VariantSpace space;
    space.layer = layer;
    space.op = &op;
    space.variant = &variant;
    Result<Value> applies = Value(true);
    if (variant.when)
      applies =
          evaluate(*variant.when, names, "variant '" + variant.name + "'");
    Outcome made;
    if (!applies)
      made = applies.failure();
    else if (!applies->isTrue())
      space.unsupported = whyNot(variant.when->expression, names);
    else if (made = makeVariant(variant, names); made)
      if (const TunedOperator *tuned = findTuned(variant))
        if (Outcome expanded = expandVariant(*tuned, search, names, space);
            !expanded)
          space.problem = expanded.failure().text;
    if (!made)
      space.unsupported = made.failure().text;
    out.push_back(std::move(space));
  }
  return {};
}

// ---------------------------------------------------------------- layers

const std::string *disabledBy(const Applied &applied, std::string_view name) {
  const Vendor &vendor = applied.pack->vendor();
  if (applied.layer->selector.empty()) {
    auto found = vendor.disabled.find(name);
    return found == vendor.disabled.end() ? nullptr : &found->second;
  }
  for (const Family &family : vendor.families)
    if (family.name == applied.layer->selector) {
      auto found = family.disabled.find(name);
      return found == family.disabled.end() ? nullptr : &found->second;
    }
  return nullptr;
}

// A type that the target's packs say the device lacks: the highest layer that
// names the type decides.
static Outcome checkDtypes(const std::vector<Applied> &layers,
                           std::string_view name, const CallFacts &call) {
  for (const NamedTensors &input : call.inputs)
    for (const TensorFacts &facts : input.members)
      for (const Applied &applied : layers) {
        const auto &dtypes = applied.pack->vendor().dtypes;
        auto found = dtypes.find(facts.dtype);
        if (found == dtypes.end())
          continue;
        if (!found->second)
          return unsupported(std::string(name) + ": " + input.name + " is " +
                             facts.dtype + ", which devices of '" +
                             applied.pack->vendor().name + "' do not have");
        break;
      }
  return {};
}

static const Operator *operatorOf(const Applied &applied,
                                  std::string_view name) {
  auto found = applied.layer->operators.find(name);
  return found == applied.layer->operators.end() ? nullptr : &found->second;
}

static const TunedOperator *findTuned(const std::vector<Applied> &layers,
                                      const Variant *variant, Applied &by) {
  if (!variant || variant->tune.empty())
    return nullptr;
  for (const Applied &applied : layers)
    if (const TunedOperator *tuned =
            applied.layer->configs.find(variant->tune)) {
      by = applied;
      return tuned;
    }
  return nullptr;
}

static Failure notFound(const Packs &packs, const TargetFacts &target,
                        std::string_view name) {
  std::vector<std::string> names = packs.operatorNames();
  if (std::find(names.begin(), names.end(), name) != names.end())
    return {NEREID_NOT_FOUND, "no pack for '" + target.type + ":" +
                                  target.arch + "' has the operator '" +
                                  std::string(name) + "'"};
  return {NEREID_NOT_FOUND, unknown("operator", name, names)};
}

Result<Plan> select(const Packs &packs, const TargetFacts &target,
                    std::string_view name, const CallFacts &call,
                    const Wanted *wanted, std::vector<Trial> *trials) {
  std::vector<Trial> ignored;
  std::vector<Trial> &tried = trials ? *trials : ignored;
  std::vector<Applied> layers = packs.layersFor(target);
  std::set<std::string, std::less<>> read; // attributes, by any layer
  bool isKnown = false;
  for (const Applied &applied : layers) {
    std::string label = applied.pack->labelOf(*applied.layer);
    if (const std::string *reason = disabledBy(applied, name)) {
      tried.push_back({label, {}, false, "disabled: " + *reason});
      return unsupported(std::string(name) + " is disabled by " + label + " (" +
                         applied.pack->directory() +
                         "/vendor.yaml): " + *reason);
    }
    const Operator *op = operatorOf(applied, name);
    if (!op)
      continue;
    if (!isKnown) {
      for (Outcome fits :
           {checkCall(*op, call), checkDtypes(layers, name, call)})
        if (!fits)
          return fits.failure();
      isKnown = true;
    }
    Plan plan;
    plan.applied = applied;
    plan.op = op;
    Planner planner(*op, target, call, wanted, plan);
    Result<bool> isPlanned = planner.run(label, tried);
    if (!isPlanned)
      return isPlanned.failure();
    read.merge(planner.readAttributes());
    if (*isPlanned) {
      plan.selection.decidingAttributes.assign(read.begin(), read.end());
      plan.tuned = findTuned(layers, plan.variant, plan.tunedBy);
      return plan;
    }
  }
  if (!isKnown)
    return notFound(packs, target, name);
  std::string reasons;
  for (const Trial &trial : tried)
    reasons += "\nnote: " + trial.layer + ", variant '" + trial.variant +
               "': " + trial.reason;
  return unsupported("no variant of '" + std::string(name) +
                     "' applies to this call" + reasons);
}

Result<std::vector<VariantSpace>>
spacesOf(const Packs &packs, const TargetFacts &target, std::string_view name,
         const CallFacts &call, Search search) {
  std::vector<VariantSpace> spaces;
  std::vector<Applied> layers = packs.layersFor(target);
  bool isKnown = false;
  for (const Applied &applied : layers) {
    std::string label = applied.pack->labelOf(*applied.layer);
    if (const std::string *reason = disabledBy(applied, name)) {
      if (isKnown)
        break;
      return unsupported(std::string(name) + " is disabled by " + label + ": " +
                         *reason);
    }
    const Operator *op = operatorOf(applied, name);
    if (!op)
      continue;
    if (!isKnown)
      for (Outcome fits :
           {checkCall(*op, call), checkDtypes(layers, name, call)})
        if (!fits)
          return fits.failure();
    isKnown = true;
    Plan plan;
    Outcome listed = Planner(*op, target, call, nullptr, plan)
                         .list(
                             label, search,
                             [&](const Variant &variant) {
                               Applied by;
                               return findTuned(layers, &variant, by);
                             },
                             spaces);
    if (!listed)
      return listed.failure();
  }
  if (!isKnown)
    return notFound(packs, target, name);
  return spaces;
}

Result<std::vector<InputValues>> valuesOf(const Packs &packs,
                                          const TargetFacts &target,
                                          std::string_view name,
                                          const CallFacts &call) {
  std::vector<InputValues> values;
  for (const Applied &applied : packs.layersFor(target)) {
    const Operator *op = operatorOf(applied, name);
    if (!op)
      continue;
    Plan plan;
    if (Outcome added =
            Planner(*op, target, call, nullptr, plan).addValues(values);
        !added)
      return added.failure();
  }
  return values;
}

} // namespace nereid::ops
