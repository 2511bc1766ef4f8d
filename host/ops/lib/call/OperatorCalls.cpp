// OperatorCalls.cpp - from a caller's structs to a key, a plan, and launches.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "call/OperatorCalls.h"

#include "abi/Struct.h"
#include "call/LastFailure.h"
#include "call/Tensor.h"
#include "select/Candidates.h"
#include "select/Tensor.h"

#include <bit>

namespace nereid::ops {

/// A call in the order of the schema. Its memory is kept for the next call of
/// the thread, so that a known call allocates nothing.
struct OperatorCalls::Gathered {
  static constexpr uint16_t absent = UINT16_MAX;
  struct Range {
    uint16_t first = absent, count = 0;
  };
  std::vector<const nereid_tensor_t *> tensors; // null: an output to be made
  std::vector<Range> inputs, outputs;
  std::vector<uint64_t> addresses;
  std::vector<nereid_value_t> attributes; // type 0: not given, no number
  std::vector<uint64_t> key;
  nereid_stream_t stream = 0;
  std::string_view choice;

  void clear() {
    tensors.clear();
    inputs.clear();
    outputs.clear();
    addresses.clear();
    attributes.clear();
    key.clear();
  }
};

OperatorCalls::OperatorCalls(Device &device, const Operator &op,
                             Selector choose, SetAside setAside)
    : device(device), op(op), choose(std::move(choose)),
      setAside(std::move(setAside)) {
  for (const OutputSchema &output : op.schema.outputs)
    outputNames.push_back(output.name);
  for (const AttributeSchema &attribute : op.schema.attributes) {
    nereid_value_t value = {};
    value.name = borrow(attribute.name);
    if (const Value *given =
            attribute.byDefault ? &*attribute.byDefault : nullptr) {
      if (given->isInt() || given->isBool()) {
        value.type = given->isInt() ? NEREID_TYPE_I64 : NEREID_TYPE_BOOL;
        value.i64 = given->integer();
      } else if (given->isFloat()) {
        value.type = NEREID_TYPE_F64;
        value.f64 = given->number();
      }
    }
    defaults.push_back(value);
  }
}

static Failure invalid(std::string text) {
  return {NEREID_INVALID_ARGUMENT, std::move(text)};
}

// ---------------------------------------------------------------- gathering

Outcome OperatorCalls::addTensor(const nereid_tensor_t *tensor,
                                 const std::string &name, Gathered &out) const {
  if (!tensor)
    return invalid(op.name + ": " + name + " is null");
  if (!isMemoryOf(device.type(), tensor->device_type) ||
      (tensor->device_type != 1 &&
       tensor->device_id != static_cast<int32_t>(device.number())))
    return invalid(op.name + ": " + name + " is on " +
                   deviceName(tensor->device_type) + ":" +
                   std::to_string(tensor->device_id) + ", expected " +
                   device.type() + ":" + std::to_string(device.number()));
  if (tensor->ndim < 0 || tensor->ndim > 64)
    return invalid(op.name + ": " + name + " has " +
                   std::to_string(tensor->ndim) +
                   " dimensions, expected 0 to 64");
  if (tensor->ndim && !tensor->shape)
    return invalid(op.name + ": " + name + " has no shape");
  if (out.tensors.size() == mostTensors)
    return invalid(op.name + ": more than " + std::to_string(mostTensors) +
                   " tensors");
  out.tensors.push_back(tensor);
  out.addresses.push_back(addressOf(*tensor));
  return {};
}

// Item `index` of an array that a program with other headers may have made.
template <typename Struct>
static const Struct &item(const Struct *items, uint64_t index) {
  const char *start = reinterpret_cast<const char *>(items);
  return *reinterpret_cast<const Struct *>(start + index * items->struct_size);
}

// The given argument called `name`: arguments usually come in the order of the
// schema.
static const nereid_tensor_argument_t *
findArgument(const nereid_tensor_argument_t *given, uint64_t count,
             std::string_view name, size_t position) {
  if (position < count && view(item(given, position).name) == name)
    return &item(given, position);
  for (uint64_t i = 0; i < count; ++i)
    if (view(item(given, i).name) == name)
      return &item(given, i);
  return nullptr;
}

Outcome OperatorCalls::gatherTensors(const nereid_tensor_argument_t *given,
                                     uint64_t count, bool areOutputs,
                                     Gathered &out) const {
  std::vector<Gathered::Range> &ranges = areOutputs ? out.outputs : out.inputs;
  size_t schemaSize = areOutputs ? outputNames.size() : op.schema.inputs.size();
  uint64_t used = 0;
  for (size_t i = 0; i < schemaSize; ++i) {
    const std::string &name =
        areOutputs ? outputNames[i] : op.schema.inputs[i].name;
    const nereid_tensor_argument_t *argument =
        findArgument(given, count, name, i);
    Gathered::Range range;
    if (argument) {
      ++used;
      range.first = static_cast<uint16_t>(out.tensors.size());
      range.count = static_cast<uint16_t>(argument->count);
      if (argument->count && !argument->tensors)
        return invalid(op.name + ": " + name + " is null");
      bool isList = !areOutputs && op.schema.inputs[i].isList;
      if (!isList && argument->count != 1)
        return invalid(op.name + ": " + name + " is a list of " +
                       std::to_string(argument->count) +
                       " tensors, expected one tensor");
      for (uint32_t member = 0; member < argument->count; ++member)
        if (Outcome added = addTensor(argument->tensors[member], name, out);
            !added)
          return added;
    } else if (areOutputs) {
      range.first = static_cast<uint16_t>(out.tensors.size());
      out.tensors.push_back(nullptr);
      out.addresses.push_back(0);
    }
    ranges.push_back(range);
  }
  if (used == count)
    return {};
  // One that the schema does not have, or one twice.
  std::vector<std::string> names = outputNames;
  if (!areOutputs) {
    names.clear();
    for (const InputSchema &input : op.schema.inputs)
      names.push_back(input.name);
  }
  for (uint64_t i = 0; i < count; ++i) {
    std::string name(view(item(given, i).name));
    if (std::ranges::find(names, name) == names.end())
      return invalid(op.name + ": " +
                     unknown(areOutputs ? "output" : "input", name, names));
    for (uint64_t k = 0; k < i; ++k)
      if (view(item(given, k).name) == name)
        return invalid(op.name + ": '" + name + "' is given twice");
  }
  return {};
}

Outcome OperatorCalls::gatherAttributes(const nereid_operator_call_t &call,
                                        Gathered &out) const {
  const std::vector<AttributeSchema> &schema = op.schema.attributes;
  out.attributes = defaults;
  for (uint64_t i = 0; i < call.attribute_count; ++i) {
    std::string_view name = view(call.attributes[i].name);
    size_t at = i < schema.size() && schema[i].name == name ? i : 0;
    while (at < schema.size() && schema[at].name != name)
      ++at;
    if (at == schema.size()) {
      std::vector<std::string> names;
      for (const AttributeSchema &each : schema)
        names.push_back(each.name);
      return invalid(op.name + ": " + unknown("attribute", name, names));
    }
    out.attributes[at] = call.attributes[i];
  }
  return {};
}

Outcome OperatorCalls::gather(const nereid_operator_call_t &call,
                              Gathered &out) const {
  out.clear();
  if ((call.input_count && !call.inputs) ||
      (call.output_count && !call.outputs) ||
      (call.attribute_count && !call.attributes))
    return invalid(op.name + ": a count is not zero and its array is null");
  // The size at first release.
  for (auto [given, count] : {std::pair(call.inputs, call.input_count),
                              std::pair(call.outputs, call.output_count)})
    if (count && given->struct_size < sizeof *given)
      return invalid(op.name + ": struct_size of an argument is " +
                     std::to_string(given->struct_size) +
                     ", expected at least " + std::to_string(sizeof *given));
  out.stream = call.stream;
  out.choice = view(call.choice);
  if (Outcome inputs = gatherTensors(call.inputs, call.input_count, false, out);
      !inputs)
    return inputs;
  if (Outcome outputs =
          gatherTensors(call.outputs, call.output_count, true, out);
      !outputs)
    return outputs;
  return gatherAttributes(call, out);
}

// ---------------------------------------------------------------- the key

static void addTensorKey(const nereid_tensor_t &tensor,
                         std::vector<uint64_t> &key) {
  auto rank = static_cast<size_t>(tensor.ndim);
  key.push_back(typeWord(tensor) | uint64_t(rank) << 32 |
                uint64_t(alignmentOf(tensor)) << 40 |
                uint64_t(tensor.strides != nullptr) << 48);
  for (size_t i = 0; i < rank; ++i)
    key.push_back(static_cast<uint64_t>(tensor.shape[i]));
  // Without strides it is row major.
  for (size_t i = 0; tensor.strides && i < rank; ++i)
    key.push_back(static_cast<uint64_t>(tensor.strides[i]));
}

static void addBytes(const void *data, uint64_t size,
                     std::vector<uint64_t> &key) {
  key.push_back(size);
  for (uint64_t at = 0; at < size; at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, static_cast<const char *>(data) + at,
                std::min<uint64_t>(8, size - at));
    key.push_back(word);
  }
}

static void addValueKey(const nereid_value_t &value,
                        std::vector<uint64_t> &key) {
  switch (value.type) {
  case NEREID_TYPE_I64:
  case NEREID_TYPE_BOOL:
    key.push_back(static_cast<uint64_t>(value.i64));
    return;
  case NEREID_TYPE_F64:
    key.push_back(std::bit_cast<uint64_t>(value.f64));
    return;
  case NEREID_TYPE_STRING:
    addBytes(value.text.data, value.text.size, key);
    return;
  case NEREID_TYPE_I64_LIST:
    addBytes(value.list, value.list_size * 8, key);
    return;
  default:
    return;
  }
}

void OperatorCalls::writeKey(Gathered &gathered, uint64_t deciding) const {
  std::vector<uint64_t> &key = gathered.key;
  key.clear();
  key.push_back(deciding);
  for (const Gathered::Range &range : gathered.inputs)
    key.push_back(uint64_t(range.first) << 16 | range.count);
  for (const nereid_tensor_t *tensor : gathered.tensors) {
    if (tensor)
      addTensorKey(*tensor, key);
    else
      key.push_back(~uint64_t(0));
  }
  for (size_t i = 0; i < gathered.attributes.size(); ++i) {
    // Kinds always count: they are the types of the kernel's arguments.
    key.push_back(static_cast<uint64_t>(gathered.attributes[i].type));
    if (i >= 64 || deciding >> i & 1)
      addValueKey(gathered.attributes[i], key);
  }
  if (!gathered.choice.empty())
    addBytes(gathered.choice.data(), gathered.choice.size(), key);
}

// ---------------------------------------------------------------- planning

static Result<Value> valueOf(const nereid_value_t &value,
                             const std::string &where) {
  switch (value.type) {
  case NEREID_TYPE_I64:
    return Value(value.i64);
  case NEREID_TYPE_BOOL:
    return Value(value.i64 != 0);
  case NEREID_TYPE_F64:
    return Value(value.f64);
  case NEREID_TYPE_STRING:
    return Value(view(value.text));
  case NEREID_TYPE_I64_LIST: {
    const auto *numbers = static_cast<const int64_t *>(value.list);
    return Value(List(numbers, numbers + value.list_size));
  }
  default:
    return invalid(where + " has the type " + std::to_string(value.type) +
                   ", expected a number, a bool, a string or a list of "
                   "integers");
  }
}

Result<CallFacts> OperatorCalls::factsOf(const Gathered &gathered) const {
  CallFacts facts;
  for (size_t i = 0; i < gathered.inputs.size(); ++i) {
    const Gathered::Range &range = gathered.inputs[i];
    if (range.first == Gathered::absent)
      continue;
    const InputSchema &input = op.schema.inputs[i];
    NamedTensors named{input.name, input.isList, {}};
    for (uint16_t k = 0; k < range.count; ++k) {
      Result<TensorFacts> tensor = ops::factsOf(
          *gathered.tensors[range.first + k], op.name + ": " + input.name);
      if (!tensor)
        return tensor.failure();
      named.members.push_back(std::move(*tensor));
    }
    facts.inputs.push_back(std::move(named));
  }
  for (size_t i = 0; i < gathered.outputs.size(); ++i) {
    const nereid_tensor_t *given = gathered.tensors[gathered.outputs[i].first];
    if (!given)
      continue;
    Result<TensorFacts> tensor =
        ops::factsOf(*given, op.name + ": " + outputNames[i]);
    if (!tensor)
      return tensor.failure();
    facts.outputs.push_back({outputNames[i], false, {std::move(*tensor)}});
  }
  for (size_t i = 0; i < gathered.attributes.size(); ++i) {
    if (!gathered.attributes[i].type)
      continue;
    const std::string &name = op.schema.attributes[i].name;
    Result<Value> value =
        valueOf(gathered.attributes[i], op.name + ": " + name);
    if (!value)
      return value.failure();
    facts.attributes.push_back({name, std::move(*value)});
  }
  return facts;
}

Result<const CallPlan *>
OperatorCalls::planFor(Gathered &gathered,
                       std::unique_ptr<const CallPlan> &own) {
  uint64_t deciding = decidingAttributes.load(std::memory_order_acquire);
  writeKey(gathered, deciding);
  if (const CallPlan *known = plans.find(gathered.key))
    return known;

  Result<CallFacts> facts = factsOf(gathered);
  if (!facts)
    return facts.failure();
  CallLayout layout;
  for (size_t i = 0; i < gathered.inputs.size(); ++i)
    if (gathered.inputs[i].first != Gathered::absent)
      layout.inputs.push_back(
          {op.schema.inputs[i].name, gathered.inputs[i].first});
  for (size_t i = 0; i < gathered.outputs.size(); ++i)
    layout.outputs.push_back({outputNames[i], gathered.outputs[i].first});
  for (const AttributeSchema &attribute : op.schema.attributes)
    layout.attributes.push_back(attribute.name);

  uint64_t needed = 0;
  Result<std::optional<Wanted>> wanted = wantedOfJson(gathered.choice);
  if (!wanted)
    return Failure{wanted.failure().status,
                   op.name + ": " + wanted.failure().text};
  Selector noting = [&](std::string_view name, const CallFacts &call,
                        const Wanted *given) {
    Result<Selection> selection = choose(name, call, given);
    if (selection && name == op.name)
      for (const std::string &attribute : selection->decidingAttributes) {
        auto at = std::ranges::find(layout.attributes, attribute) -
                  layout.attributes.begin();
        needed |= at < 64 ? uint64_t(1) << at : 0;
      }
    return selection;
  };
  auto prepare = [&](std::optional<TunedChoice> &blamed) {
    return ops::prepare(device, noting, op.name, *facts, layout,
                        *wanted ? &**wanted : nullptr, &blamed);
  };
  std::optional<TunedChoice> blamed;
  Result<std::unique_ptr<const CallPlan>> plan = prepare(blamed);
  // Each one that fails is not taken again, so this ends.
  while (!plan && blamed) {
    setAside(*blamed, plan.failure());
    blamed.reset();
    plan = prepare(blamed);
  }
  if (!plan)
    return plan.failure();
  if (plans.size() >= mostPlans) {
    own = std::move(*plan);
    return own.get();
  }
  deciding = decidingAttributes.fetch_or(needed) | needed;
  writeKey(gathered, deciding);
  return plans.add(gathered.key, std::move(*plan));
}

// ---------------------------------------------------------------- calling

Outcome OperatorCalls::makeOutputs(const nereid_operator_call_t &call,
                                   const CallPlan &plan,
                                   Gathered &gathered) const {
  for (const PreparedOutput &output : plan.outputs) {
    if (gathered.tensors[output.index])
      continue;
    size_t number = 0;
    while (gathered.outputs[number].first != output.index)
      ++number;
    const std::string &name = outputNames[number];
    const nereid_tensor_allocator_t *allocator = call.allocator;
    if (!allocator || !allocator->allocate)
      return invalid(op.name + ": output '" + name +
                     "' is not given, and there is no allocator");
    // The allocator may not change our facts.
    int64_t shape[64];
    std::copy(output.facts.shape.begin(), output.facts.shape.end(), shape);
    nereid_tensor_t wanted = {};
    wanted.device_type = deviceTypeOf(device.type());
    wanted.device_id = static_cast<int32_t>(device.number());
    wanted.ndim = static_cast<int32_t>(output.facts.shape.size());
    wanted.shape = shape;
    setDtype(output.facts.dtype, wanted);
    nereid_tensor_t made = wanted;
    nereid_status_t status =
        allocator->allocate(allocator->user, borrow(name), &wanted, &made);
    if (status)
      return Failure{status, op.name + ": the allocator failed for output '" +
                                 name + "'"};
    uint64_t address = addressOf(made);
    if (numelOf(output.facts) && (!made.data || address % 64))
      return invalid(op.name + ": the allocator's memory for output '" + name +
                     "' is " +
                     (made.data ? "not aligned to 64 bytes" : "null"));
    gathered.addresses[output.index] = address;
  }
  return {};
}

Result<CallFacts>
OperatorCalls::facts(const nereid_operator_call_t &call) const {
  Gathered gathered;
  if (Outcome done = gather(call, gathered); !done)
    return done.failure();
  return factsOf(gathered);
}

Outcome OperatorCalls::prepare(const nereid_operator_call_t &call) {
  thread_local Gathered gathered;
  if (Outcome done = gather(call, gathered); !done)
    return done;
  std::unique_ptr<const CallPlan> own;
  Result<const CallPlan *> plan = planFor(gathered, own);
  return plan ? Outcome() : Outcome(plan.failure());
}

Outcome OperatorCalls::call(const nereid_operator_call_t &call) {
  thread_local Gathered kept;
  // An allocator may call operators itself.
  Gathered gathered = std::move(kept);
  Outcome outcome = gather(call, gathered);
  if (outcome) {
    std::unique_ptr<const CallPlan> own;
    Result<const CallPlan *> plan = planFor(gathered, own);
    if (!plan)
      outcome = plan.failure();
    if (outcome)
      outcome = makeOutputs(call, **plan, gathered);
    if (outcome)
      outcome = (*plan)->run(
          {gathered.addresses, gathered.attributes, gathered.stream},
          device.temporaries());
  }
  kept = std::move(gathered);
  return outcome;
}

} // namespace nereid::ops
