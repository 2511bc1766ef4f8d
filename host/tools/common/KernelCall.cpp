// KernelCall.cpp - allocates, copies and packs a kernel's arguments.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "KernelCall.h"

#include <cstring>

namespace nereid::tools {

// "x: *f32, n: i32"
static std::string signature(const Function &function) {
  std::string text;
  for (const Function::Argument &argument : function.arguments())
    text += (text.empty() ? "" : ", ") + argument.name + ": " + argument.type;
  return text;
}

static std::string typeText(const ArgumentValue &value) {
  std::string text(dtypeName(value.array.type()));
  return value.isTensor ? text + shapeText(value.array.shape()) : text;
}

// Whether a value of `given` may be passed for an argument of `type`. A type
// that only the plugin knows accepts any value of its size.
static bool isCompatible(const Function::Argument &argument,
                         const ArgumentValue &given) {
  std::string_view type = argument.type;
  bool isPointer = type.starts_with('*');
  if (isPointer != given.isTensor)
    return false;
  if (isPointer)
    type.remove_prefix(1);
  std::optional<DType> known = parseDType(type);
  if (known)
    return *known == given.array.type();
  return isPointer || given.array.size() == argument.size;
}

Expected<void> checkArguments(const Function &function, const std::string &name,
                              const std::vector<ArgumentValue> &values) {
  const std::vector<Function::Argument> &expected = function.arguments();
  if (values.size() != expected.size())
    return invalid("kernel '" + name + "' takes " +
                   std::to_string(expected.size()) + " arguments (" +
                   signature(function) + "), " + std::to_string(values.size()) +
                   " were given");
  for (size_t i = 0; i < values.size(); ++i)
    if (!isCompatible(expected[i], values[i]))
      return invalid("argument " + std::to_string(i) + " '" + expected[i].name +
                     "' of kernel '" + name + "' is " + expected[i].type +
                     ", " + typeText(values[i]) + " was given");
  return {};
}

Expected<KernelCall>
KernelCall::prepare(Backend backend, uint32_t device, const Function &function,
                    const std::vector<ArgumentValue> &values) {
  KernelCall call(backend, device, function, values);
  auto info = detail::sized<nereid_function_info_t>();
  (void)nereid_function_info(function.get(), &info);
  call.block.resize(info.arguments_size);
  for (size_t i = 0; i < values.size(); ++i) {
    const Function::Argument &argument = function.arguments()[i];
    const Array &array = values[i].array;
    call.memory.emplace_back();
    if (!values[i].isTensor) {
      std::memcpy(call.block.data() + argument.offset, array.data(),
                  array.size());
      continue;
    }
    Expected<Memory> memory = backend.allocate(array.size(), device);
    if (!memory)
      return memory.error();
    nereid_address_t address = memory->address();
    std::memcpy(call.block.data() + argument.offset, &address, sizeof address);
    call.memory.back().emplace(std::move(*memory));
  }
  if (Expected<void> copied = call.reset(); !copied)
    return copied.error();
  return call;
}

Expected<void> KernelCall::reset() {
  for (size_t i = 0; i < memory.size(); ++i) {
    if (!memory[i] || memory[i]->size() == 0)
      continue;
    Expected<void> copied = memory[i]->write((*values)[i].array.data());
    if (!copied)
      return copied;
  }
  return {};
}

Expected<void> KernelCall::launch(Function::Grid grid) {
  auto info = detail::sized<nereid_function_info_t>();
  (void)nereid_function_info(function->get(), &info);
  uint64_t size = info.scratch_size;
  for (uint64_t programs : {grid.x, grid.y, grid.z})
    if (__builtin_mul_overflow(size, programs, &size))
      return invalid(
          "scratch memory of " + std::to_string(info.scratch_size) +
          " bytes for each program of this grid cannot be addressed");
  if (size > (scratch ? scratch->size() : 0)) {
    if (scratch)
      if (Expected<void> done = synchronize(); !done)
        return done;
    auto request = detail::sized<nereid_allocation_t>();
    request.size = size;
    request.alignment = info.scratch_alignment;
    nereid_address_t address = 0;
    nereid_status_t status =
        nereid_backend_allocate(backend.get(), device, &request, &address);
    if (status != NEREID_OK)
      return detail::check(status);
    scratch = Memory(backend.get(), device, address, size);
  }
  return function->launchPacked(grid, 0, block.data(), block.size(),
                                scratch ? scratch->address() : 0, size);
}

Expected<Array> KernelCall::read(size_t index) const {
  const Array &given = (*values)[index].array;
  Expected<Array> array = Array::make(given.type(), given.shape());
  if (!array || !memory[index] || array->size() == 0)
    return array;
  if (Expected<void> copied = memory[index]->read(array->data()); !copied)
    return copied.error();
  return array;
}

} // namespace nereid::tools
