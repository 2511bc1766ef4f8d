// TaskCall.cpp - reads calls. What is wrong with one is found by the operator,
// which knows its schema; here only what would be read past its end.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "TaskCall.h"

#include "Errors.h"

#include <algorithm>

namespace nereid::tuner {

using tools::invalid;

// DLPack's numbers. A device that it does not name is kDLExtDev.
static int32_t deviceTypeOf(std::string_view type) {
  static constexpr std::pair<std::string_view, int32_t> numbers[] = {
      {"cpu", 1},   {"cuda", 2}, {"opencl", 4}, {"vulkan", 7},
      {"metal", 8}, {"hip", 10}, {"xpu", 14}};
  for (auto [name, number] : numbers)
    if (name == type)
      return number;
  return 12;
}

static void setDtype(const TaskTensor &from, nereid_tensor_t &tensor) {
  static constexpr std::pair<std::string_view, uint8_t> codes[] = {
      {"bf16", 4}, {"i1", 6}, {"f8e4m3", 10}, {"f8e5m2", 12}};
  tensor.type_code = from.dtype[0] == 'i' ? 0 : from.dtype[0] == 'u' ? 1 : 2;
  for (auto [name, code] : codes)
    if (name == from.dtype)
      tensor.type_code = code;
  tensor.type_bits = static_cast<uint8_t>(8 * tools::dtypeSize(from.type));
  tensor.type_lanes = 1;
}

static Expected<std::vector<int64_t>> readSizes(const Json &json,
                                                const std::string &what) {
  std::vector<int64_t> sizes;
  if (!json.is_array() || json.size() > 64)
    return invalid(what + " is not a list of at most 64 integers");
  for (const Json &each : json) {
    if (!each.is_number_integer() || each.get<int64_t>() < 0)
      return invalid(what + " has " + each.dump() +
                     ", expected numbers from 0");
    sizes.push_back(each.get<int64_t>());
  }
  return sizes;
}

Expected<void> TaskCall::addTensor(const std::string &name, const Json &json) {
  if (!json.is_object())
    return invalid("'" + name + "' is not an object");
  TaskTensor tensor;
  tensor.name = name;
  if (json.contains("dtype") && json["dtype"].is_string())
    tensor.dtype = json["dtype"].get<std::string>();
  std::optional<DType> type = tools::parseDType(tensor.dtype);
  if (!type)
    return invalid("'" + name + "' has the type '" + tensor.dtype + "'");
  tensor.type = *type;
  Expected<std::vector<int64_t>> shape =
      readSizes(json.value("shape", Json()), "the shape of '" + name + "'");
  if (!shape)
    return shape.error();
  tensor.shape = std::move(*shape);
  bool isEmpty = false;
  int64_t last = 0, step = 1;
  if (json.contains("stride")) {
    Expected<std::vector<int64_t>> stride =
        readSizes(json["stride"], "the stride of '" + name + "'");
    if (!stride)
      return stride.error();
    tensor.stride = std::move(*stride);
    if (tensor.stride.size() != tensor.shape.size())
      return invalid(
          "'" + name + "' has " + std::to_string(tensor.stride.size()) +
          " strides, expected " + std::to_string(tensor.shape.size()));
  }
  bool isRowMajor = tensor.stride.empty();
  tensor.stride.resize(tensor.shape.size());
  for (size_t i = tensor.shape.size(); i-- > 0;) {
    isEmpty |= tensor.shape[i] == 0;
    if (isRowMajor) {
      tensor.stride[i] = step;
      if (__builtin_mul_overflow(step, std::max<int64_t>(tensor.shape[i], 1),
                                 &step))
        return invalid("'" + name + "' has too many elements");
    }
    int64_t far = 0;
    if (__builtin_mul_overflow(std::max<int64_t>(tensor.shape[i], 1) - 1,
                               tensor.stride[i], &far) ||
        __builtin_add_overflow(last, far, &last) || last > INT64_MAX / 16)
      return invalid("'" + name + "' has too many elements");
  }
  tensor.elements = isEmpty ? 0 : static_cast<uint64_t>(last) + 1;
  if (json.contains("align") && json["align"].is_number_unsigned())
    tensor.offset = json["align"].get<uint64_t>() % 128;
  all.push_back(std::move(tensor));
  return {};
}

Expected<void> TaskCall::addAttribute(const std::string &name,
                                      const Json &json) {
  nereid_value_t value = {};
  texts.push_back(name);
  value.name = detail::borrow(texts.back());
  if (json.is_null())
    return {}; // as if it was not given
  if (json.is_boolean()) {
    value.type = NEREID_TYPE_BOOL;
    value.i64 = json.get<bool>();
  } else if (json.is_number_integer()) {
    value.type = NEREID_TYPE_I64;
    value.i64 = json.get<int64_t>();
  } else if (json.is_number()) {
    value.type = NEREID_TYPE_F64;
    value.f64 = json.get<double>();
  } else if (json.is_string()) {
    texts.push_back(json.get<std::string>());
    value.type = NEREID_TYPE_STRING;
    value.text = detail::borrow(texts.back());
  } else if (json.is_array() && std::ranges::all_of(json, [](const Json &each) {
               return each.is_number_integer();
             })) {
    numbers.push_back(json.get<std::vector<int64_t>>());
    value.type = NEREID_TYPE_I64_LIST;
    value.list = numbers.back().data();
    value.list_size = numbers.back().size();
  } else {
    return invalid("'" + name + "' is " + json.dump() +
                   ", expected a number, a bool, a string or a list of "
                   "integers");
  }
  attributes.push_back(value);
  return {};
}

Expected<TaskCall> TaskCall::parse(const Json &json,
                                   const std::string &deviceType,
                                   uint32_t device) {
  TaskCall call;
  call.deviceType = deviceTypeOf(deviceType);
  call.device = device;
  if (!json.is_object())
    return invalid("the call is not an object");
  for (const auto &[key, member] : json.items()) {
    if (key != "inputs" && key != "outputs" && key != "attributes")
      return invalid("the call has '" + key +
                     "', expected 'inputs', 'outputs' and 'attributes'");
    if (!member.is_object())
      return invalid("'" + key + "' is not an object");
  }
  for (const char *list : {"inputs", "outputs"}) {
    Json tensors = json.value(list, Json::object());
    for (const auto &[name, member] : tensors.items()) {
      Json members = member.is_array() ? member : Json::array({member});
      for (const Json &each : members)
        if (Expected<void> added = call.addTensor(name, each); !added)
          return added.error();
    }
    if (std::string_view(list) == "inputs")
      call.inputs = call.all.size();
  }
  Json given = json.value("attributes", Json::object());
  for (const auto &[name, member] : given.items())
    if (Expected<void> added = call.addAttribute(name, member); !added)
      return added.error();
  return call;
}

Expected<void> TaskCall::addOutputs(const Json &outputs) {
  for (const Json &output : outputs) {
    std::string name = output.value("name", "");
    bool isGiven =
        std::any_of(all.begin() + static_cast<ptrdiff_t>(inputs), all.end(),
                    [&](const TaskTensor &each) { return each.name == name; });
    if (!isGiven)
      if (Expected<void> added = addTensor(name, output); !added)
        return added;
  }
  return {};
}

nereid_operator_call_t *TaskCall::at(const std::vector<uint64_t> &addresses,
                                     const std::string &choice) {
  made.clear();
  pointers.clear();
  arguments.clear();
  for (size_t i = 0; i < all.size(); ++i) {
    nereid_tensor_t tensor = {};
    // An address of the device.
    tensor.data = reinterpret_cast<void *>(addresses[i]); // NOLINT
    tensor.byte_offset = all[i].offset;
    tensor.device_type = deviceType;
    tensor.device_id = deviceType == 1 ? 0 : static_cast<int32_t>(device);
    tensor.ndim = static_cast<int32_t>(all[i].shape.size());
    setDtype(all[i], tensor);
    tensor.shape = all[i].shape.data();
    tensor.strides = all[i].stride.data();
    made.push_back(tensor);
  }
  for (const nereid_tensor_t &tensor : made)
    pointers.push_back(&tensor);
  uint64_t inputArguments = 0;
  for (size_t i = 0; i < all.size();) {
    size_t end = i + 1;
    while (end < all.size() && all[end].name == all[i].name && end != inputs)
      ++end;
    auto argument = detail::sized<nereid_tensor_argument_t>();
    argument.name = detail::borrow(all[i].name);
    argument.count = static_cast<uint32_t>(end - i);
    argument.tensors = pointers.data() + i;
    arguments.push_back(argument);
    inputArguments += i < inputs;
    i = end;
  }
  call = detail::sized<nereid_operator_call_t>();
  call.inputs = arguments.data();
  call.input_count = inputArguments;
  call.outputs = arguments.data() + inputArguments;
  call.output_count = arguments.size() - inputArguments;
  call.attributes = attributes.data();
  call.attribute_count = attributes.size();
  call.choice = detail::borrow(choice);
  return &call;
}

// Stands for memory that outputs would get, if the call were made.
static nereid_status_t allocateNothing(void *, nereid_string_t,
                                       const nereid_tensor_t *,
                                       nereid_tensor_t *) {
  return NEREID_UNAVAILABLE;
}

nereid_operator_call_t *TaskCall::nowhere(const std::string &choice) {
  static constexpr nereid_tensor_allocator_t allocator = {
      sizeof(nereid_tensor_allocator_t), 0, nullptr, allocateNothing};
  at(std::vector<uint64_t>(all.size(), uint64_t(1) << 20), choice);
  call.allocator = &allocator;
  return &call;
}

} // namespace nereid::tuner
