// Preparation.cpp - makes the launches of a selection.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "call/Preparation.h"

#include "expr/Json.h"
#include "pack/Operator.h"
#include "select/Tensor.h"
#include "support/Json.h"

#include <algorithm>
#include <climits>
#include <cstring>

namespace nereid::ops {

using host::Json;

// Of tensors; kernels may ask for more for their scratch memory.
static constexpr uint64_t temporaryAlignment = 128;

namespace {

/// Where a tensor of a selection is.
struct Place {
  bool isTemporary = false;
  uint16_t index = 0;  // of the call's tensors
  uint64_t offset = 0; // of a temporary
};

/// The values of one argument of a kernel, in the order of its items.
struct Slot {
  enum class Kind { Tensor, Attribute, Number };
  Kind kind = Kind::Number;
  Place place;
  uint16_t attribute = 0;
  Value value;
};

class Preparer {
public:
  Preparer(KernelProvider &kernels, const Selector &choose,
           const CallFacts &call, const CallLayout &layout)
      : kernels(kernels), choose(choose), call(call), layout(layout),
        plan(std::make_unique<CallPlan>()) {}

  Outcome add(const Selection &selection);
  std::unique_ptr<const CallPlan> take() { return std::move(plan); }

  /// The tuned result whose kernels failed.
  std::optional<TunedChoice> blamed;

private:
  using Places = std::vector<Place>;

  Result<Place> placeOf(const SelectedTensor &tensor) const;
  Place allocate(uint64_t size, uint64_t alignment = temporaryAlignment);
  Place allocate(const TensorFacts &facts);
  Outcome addCopy(const TensorFacts &from, const Place &source,
                  const TensorFacts &to, const Place &target);
  Outcome addLaunches(const Selection &selection, const Places &places);
  Outcome addLaunch(const Selection &selection, const SelectedLaunch &launch,
                    const Places &places);
  Outcome addItem(const Selection &selection, const SelectedItem &item,
                  const Places &places, Json &types,
                  std::vector<Slot> &slots) const;
  const TensorFacts &given(const SelectedTensor &tensor) const;

  KernelProvider &kernels;
  const Selector &choose;
  const CallFacts &call;
  const CallLayout &layout;
  std::unique_ptr<CallPlan> plan;
};

} // namespace

static uint64_t bytesOf(const TensorFacts &facts) {
  return static_cast<uint64_t>(numelOf(facts)) * sizeOfDtype(facts.dtype);
}

Place Preparer::allocate(uint64_t size, uint64_t alignment) {
  Place place;
  place.isTemporary = true;
  place.offset = (plan->temporarySize + alignment - 1) / alignment * alignment;
  plan->temporarySize = place.offset + std::max<uint64_t>(size, 1);
  return place;
}

Place Preparer::allocate(const TensorFacts &facts) {
  return allocate(bytesOf(facts));
}

static const CallLayout::Tensors *
findTensors(const std::vector<CallLayout::Tensors> &list,
            std::string_view name) {
  for (const CallLayout::Tensors &each : list)
    if (each.name == name)
      return &each;
  return nullptr;
}

Result<Place> Preparer::placeOf(const SelectedTensor &tensor) const {
  bool isInput = tensor.role == SelectedTensor::Role::Input;
  const CallLayout::Tensors *found =
      findTensors(isInput ? layout.inputs : layout.outputs, tensor.name);
  if (!found)
    return Failure{NEREID_INTERNAL, "the call has no tensor '" + tensor.name +
                                        "', which was chosen to be passed"};
  Place place;
  place.index = static_cast<uint16_t>(found->first + tensor.member);
  return place;
}

// The facts of a tensor of the call itself.
const TensorFacts &Preparer::given(const SelectedTensor &tensor) const {
  for (const NamedTensors &each :
       tensor.role == SelectedTensor::Role::Input ? call.inputs : call.outputs)
    if (each.name == tensor.name)
      return each.members[tensor.member];
  return tensor.facts;
}

/// Triton's name of an element's type.
static std::string tritonName(const std::string &dtype) {
  static constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"f16", "fp16"},       {"f32", "fp32"},     {"f64", "fp64"},
      {"f8e4m3", "fp8e4nv"}, {"f8e5m2", "fp8e5"},
  };
  for (const auto &[own, triton] : names)
    if (own == dtype)
      return std::string(triton);
  return dtype;
}

// The type and the promise that Triton would make about a number.
static Json numberType(const Value &value) {
  if (value.isFloat())
    return {{"type", "fp32"}, {"hint", ""}};
  if (value.isBool())
    return {{"type", "i1"}, {"hint", ""}};
  int64_t number = value.integer();
  bool isShort = number >= INT32_MIN && number <= INT32_MAX;
  return {{"type", isShort ? "i32" : "i64"},
          {"hint", number == 1        ? "1"
                   : number % 16 == 0 ? "16"
                                      : ""}};
}

Outcome Preparer::addItem(const Selection &selection, const SelectedItem &item,
                          const Places &places, Json &types,
                          std::vector<Slot> &slots) const {
  Slot slot;
  if (item.tensor != SelectedItem::none) {
    const TensorFacts &facts = selection.tensors[item.tensor].facts;
    slot.kind = Slot::Kind::Tensor;
    slot.place = places[item.tensor];
    types.push_back({{"type", "*" + tritonName(facts.dtype)},
                     {"hint", facts.align >= 16 ? "16" : ""}});
  } else if (!item.attribute.empty()) {
    auto found = std::ranges::find(layout.attributes, item.attribute);
    if (found == layout.attributes.end())
      return Failure{NEREID_INTERNAL, "the call has no attribute '" +
                                          item.attribute +
                                          "', which was chosen to be passed"};
    slot.kind = Slot::Kind::Attribute;
    slot.attribute = static_cast<uint16_t>(found - layout.attributes.begin());
    // The kind of its value is part of the key, its value is not.
    const Value *value = nullptr;
    for (const NamedValue &each : call.attributes)
      if (each.name == item.attribute)
        value = &each.value;
    bool isFloat = value && value->isFloat();
    types.push_back({{"type", isFloat ? "fp32" : "i64"}, {"hint", ""}});
    slot.value = isFloat ? Value(0.0) : Value(0);
  } else {
    types.push_back(numberType(item.value));
    slot.value = item.value;
  }
  slots.push_back(std::move(slot));
  return {};
}

// The bytes of a number in a block.
static Outcome writeNumber(const Value &value,
                           const LoadedKernel::Argument &argument,
                           char *block) {
  char *at = block + argument.offset;
  if (value.isFloat()) {
    double number = value.number();
    auto narrow = static_cast<float>(number);
    if (argument.size == 4)
      std::memcpy(at, &narrow, 4);
    else if (argument.size == 8)
      std::memcpy(at, &number, 8);
    return {};
  }
  int64_t number = value.integer();
  std::memcpy(at, &number, std::min<uint32_t>(argument.size, 8));
  return {};
}

Outcome Preparer::addLaunch(const Selection &selection,
                            const SelectedLaunch &launch,
                            const Places &places) {
  WantedKernel wanted;
  KernelRequest &request = wanted.request;
  request.file = launch.file;
  request.function = launch.function;
  Json arguments = Json::array(), constants = Json::object();
  std::map<std::string, std::vector<Slot>> slots;
  for (const SelectedArgument &argument : launch.arguments) {
    // None is a constant for Triton.
    if (!argument.isTuple && argument.items.size() == 1 &&
        argument.items[0].tensor == SelectedItem::none &&
        argument.items[0].attribute.empty() &&
        argument.items[0].value.isNone()) {
      constants[argument.name] = nullptr;
      continue;
    }
    Json types = Json::array();
    for (const SelectedItem &item : argument.items)
      if (Outcome added =
              addItem(selection, item, places, types, slots[argument.name]);
          !added)
        return added;
    Json listed = {{"name", argument.name}};
    if (argument.isTuple) {
      listed["items"] = std::move(types);
    } else {
      listed["type"] = types[0]["type"];
      listed["hint"] = types[0]["hint"];
    }
    arguments.push_back(std::move(listed));
  }
  for (const NamedValue &constant : launch.constants)
    constants[constant.name] = jsonOfValue(constant.value);
  request.arguments = arguments.dump();
  request.constants = constants.dump();
  std::string where = launch.file.filename().string() + ":" + launch.function;

  wanted.options = launch.options;
  wanted.where = where;
  Result<UsableKernel> usable = kernels.kernel(wanted);
  if (!usable)
    return usable.failure();
  const LoadedKernel &loaded = *usable->kernel;
  if (loaded.arguments.size() != usable->arguments.size())
    return Failure{NEREID_INTERNAL,
                   where + ": the compiled kernel takes " +
                       std::to_string(loaded.arguments.size()) +
                       " arguments, its TTIR " +
                       std::to_string(usable->arguments.size())};
  if (loaded.blockSize > CallPlan::mostBlock)
    return Failure{
        NEREID_UNIMPLEMENTED,
        where + ": its arguments have " + std::to_string(loaded.blockSize) +
            " bytes, expected at most " + std::to_string(CallPlan::mostBlock)};

  PreparedLaunch prepared;
  prepared.kernel = usable->kernel;
  prepared.block.resize(loaded.blockSize);
  uint64_t programs = 1;
  for (int axis = 0; axis < 3; ++axis) {
    prepared.grid[axis] = static_cast<uint32_t>(launch.grid[axis]);
    programs *= prepared.grid[axis];
  }
  for (size_t i = 0; i < loaded.arguments.size(); ++i) {
    const LoadedKernel::Argument &argument = loaded.arguments[i];
    const KernelArgument &meant = usable->arguments[i];
    auto found = slots.find(meant.name);
    if (found == slots.end() || meant.item >= found->second.size())
      return Failure{NEREID_INTERNAL, where +
                                          ": what made the kernel names an "
                                          "argument '" +
                                          meant.name +
                                          "' that was not asked "
                                          "for"};
    const Slot &slot = found->second[meant.item];
    bool isPointer = argument.type.starts_with('*');
    if (isPointer != (slot.kind == Slot::Kind::Tensor))
      return Failure{NEREID_INTERNAL, where + ": the compiled kernel takes '" +
                                          meant.name + "' as '" +
                                          argument.type + "'"};
    Patch patch;
    patch.offset = argument.offset;
    patch.size = static_cast<uint8_t>(std::min<uint32_t>(argument.size, 8));
    if (slot.kind == Slot::Kind::Tensor) {
      patch.from =
          slot.place.isTemporary ? Patch::From::Temporary : Patch::From::Tensor;
      patch.index = slot.place.index;
      patch.value = slot.place.offset;
      prepared.patches.push_back(patch);
    } else if (slot.kind == Slot::Kind::Attribute) {
      patch.from =
          slot.value.isFloat() ? Patch::From::Float : Patch::From::Integer;
      patch.index = slot.attribute;
      prepared.patches.push_back(patch);
    } else if (Outcome written =
                   writeNumber(slot.value, argument, prepared.block.data());
               !written) {
      return written;
    }
  }
  if (loaded.scratchSize) {
    prepared.scratchSize = loaded.scratchSize * programs;
    if (loaded.scratchAlignment > TemporaryPool::alignment)
      return Failure{NEREID_UNIMPLEMENTED,
                     where + ": its scratch memory is aligned to " +
                         std::to_string(loaded.scratchAlignment) +
                         " bytes, expected at most " +
                         std::to_string(TemporaryPool::alignment)};
    prepared.scratch =
        allocate(prepared.scratchSize,
                 std::max(loaded.scratchAlignment, temporaryAlignment))
            .offset;
  }
  plan->launches.push_back(std::move(prepared));
  return {};
}

Outcome Preparer::addLaunches(const Selection &selection,
                              const Places &places) {
  for (const SelectedLaunch &launch : selection.launches)
    if (Outcome added = addLaunch(selection, launch, places); !added) {
      blamed = selection.tuned;
      return added;
    }
  return {};
}

// One tensor into another of the same shape.
Outcome Preparer::addCopy(const TensorFacts &from, const Place &source,
                          const TensorFacts &to, const Place &target) {
  CallFacts copy;
  copy.inputs.push_back({"x", false, {from}});
  copy.outputs.push_back({"out", false, {to}});
  Result<Selection> selection = choose("copy", copy, nullptr);
  if (!selection)
    return selection.failure();
  Places places;
  for (const SelectedTensor &tensor : selection->tensors) {
    if (tensor.isCopied)
      return Failure{NEREID_INTERNAL,
                     "the operator 'copy' asks for a copy of its input"};
    switch (tensor.role) {
    case SelectedTensor::Role::Input:
      places.push_back(source);
      break;
    case SelectedTensor::Role::Output:
      places.push_back(target);
      break;
    case SelectedTensor::Role::Temporary:
      places.push_back(allocate(tensor.facts));
      break;
    }
  }
  return addLaunches(*selection, places);
}

Outcome Preparer::add(const Selection &selection) {
  Places places;
  std::vector<std::pair<size_t, Place>> outside; // outputs to copy afterwards
  for (size_t i = 0; i < selection.tensors.size(); ++i) {
    const SelectedTensor &tensor = selection.tensors[i];
    if (tensor.role == SelectedTensor::Role::Temporary) {
      places.push_back(allocate(tensor.facts));
      continue;
    }
    Result<Place> place = placeOf(tensor);
    if (!place)
      return place.failure();
    if (tensor.role == SelectedTensor::Role::Output) {
      plan->outputs.push_back({place->index, given(tensor)});
      if (tensor.isCopied && !selection.launches.empty()) {
        outside.emplace_back(i, *place);
        *place = allocate(tensor.facts);
      }
    } else if (tensor.isCopied && !selection.launches.empty()) {
      Place copy = allocate(tensor.facts);
      if (numelOf(tensor.facts))
        if (Outcome copied = addCopy(given(tensor), *place, tensor.facts, copy);
            !copied)
          return copied;
      *place = copy;
    }
    places.push_back(*place);
  }
  if (Outcome added = addLaunches(selection, places); !added)
    return added;
  for (const auto &[index, target] : outside) {
    const SelectedTensor &tensor = selection.tensors[index];
    if (Outcome copied =
            addCopy(tensor.facts, places[index], given(tensor), target);
        !copied)
      return copied;
  }
  return {};
}

Result<std::unique_ptr<const CallPlan>>
prepare(KernelProvider &kernels, const Selector &choose, std::string_view op,
        const CallFacts &call, const CallLayout &layout, const Wanted *wanted,
        std::optional<TunedChoice> *blamed) {
  Result<Selection> selection = choose(op, call, wanted);
  if (!selection)
    return selection.failure();
  Preparer preparer(kernels, choose, call, layout);
  if (Outcome added = preparer.add(*selection); !added) {
    if (blamed)
      *blamed = std::move(preparer.blamed);
    return added.failure();
  }
  return preparer.take();
}

} // namespace nereid::ops
