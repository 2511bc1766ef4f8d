// Operators.h - operators on the `cpu` plugin, called as a program calls them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_OPS_CALL_OPERATORS_H
#define NEREID_TESTS_OPS_CALL_OPERATORS_H

#include "nereid/host.h"
#include "nereid/ops.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::test {

inline nereid_string_t borrow(std::string_view text) {
  return {text.data(), text.size()};
}
inline std::string lastError() {
  nereid_string_t text = nereid_error();
  return {text.data, text.size};
}

/// Memory with a shape; row major unless it is given strides.
template <typename T> struct Array {
  static constexpr uint8_t code = std::is_floating_point_v<T> ? 2
                                  : std::is_signed_v<T>       ? 0
                                                              : 1;

  explicit Array(std::vector<int64_t> shape, std::vector<int64_t> strides = {},
                 size_t offset = 0)
      : shape(std::move(shape)), strides(std::move(strides)), offset(offset) {
    int64_t last = 0, count = 1;
    for (size_t i = 0; i < this->shape.size(); ++i) {
      count *= this->shape[i];
      if (!this->strides.empty())
        last += (this->shape[i] - 1) * this->strides[i];
    }
    size_t size = this->strides.empty() ? count : last + 1;
    // Aligned, so that `offset` alone decides what the address is divisible by.
    memory.resize((size + offset) * sizeof(T) + 128, 0);
    auto start = reinterpret_cast<uintptr_t>(memory.data());
    base = reinterpret_cast<T *>((start + 127) / 128 * 128);
  }

  T *data() { return base + offset; }
  T &operator[](size_t index) { return data()[index]; }
  nereid_tensor_t tensor() {
    nereid_tensor_t made = {};
    made.data = base;
    made.device_type = 1;
    made.ndim = static_cast<int32_t>(shape.size());
    made.type_code = code;
    made.type_bits = 8 * sizeof(T);
    made.type_lanes = 1;
    made.shape = shape.data();
    made.strides = strides.empty() ? nullptr : strides.data();
    made.byte_offset = offset * sizeof(T);
    return made;
  }

  std::vector<int64_t> shape, strides;
  size_t offset;

private:
  std::vector<char> memory;
  T *base;
};

/// A call that is put together by name.
class Call {
public:
  Call &input(std::string_view name, nereid_tensor_t tensor) {
    return list(name, {tensor});
  }
  Call &list(std::string_view name, std::vector<nereid_tensor_t> tensors) {
    inputs.push_back(keep(name, std::move(tensors)));
    return *this;
  }
  Call &output(std::string_view name, nereid_tensor_t tensor) {
    outputs.push_back(keep(name, {tensor}));
    return *this;
  }
  Call &attribute(std::string_view name, int64_t number) {
    nereid_value_t value = {};
    value.name = borrow(name);
    value.type = NEREID_TYPE_I64;
    value.i64 = number;
    attributes.push_back(value);
    return *this;
  }
  Call &attribute(std::string_view name, double number) {
    nereid_value_t value = {};
    value.name = borrow(name);
    value.type = NEREID_TYPE_F64;
    value.f64 = number;
    attributes.push_back(value);
    return *this;
  }
  Call &attribute(std::string_view name, std::span<const int64_t> numbers) {
    nereid_value_t value = {};
    value.name = borrow(name);
    value.type = NEREID_TYPE_I64_LIST;
    value.list = numbers.data();
    value.list_size = numbers.size();
    attributes.push_back(value);
    return *this;
  }
  Call &allocator(const nereid_tensor_allocator_t &given) {
    allocate = &given;
    return *this;
  }

  nereid_operator_call_t get() const {
    nereid_operator_call_t call = {};
    call.struct_size = sizeof call;
    call.inputs = inputs.data();
    call.input_count = inputs.size();
    call.outputs = outputs.data();
    call.output_count = outputs.size();
    call.attributes = attributes.data();
    call.attribute_count = attributes.size();
    call.allocator = allocate;
    return call;
  }

private:
  nereid_tensor_argument_t keep(std::string_view name,
                                std::vector<nereid_tensor_t> tensors) {
    auto kept = std::make_shared<std::vector<nereid_tensor_t>>(tensors);
    auto pointers = std::make_shared<std::vector<const nereid_tensor_t *>>();
    for (const nereid_tensor_t &tensor : *kept)
      pointers->push_back(&tensor);
    memory.push_back(kept);
    lists.push_back(pointers);
    nereid_tensor_argument_t argument = {};
    argument.struct_size = sizeof argument;
    argument.count = static_cast<uint32_t>(pointers->size());
    argument.name = borrow(name);
    argument.tensors = pointers->data();
    return argument;
  }

  std::vector<std::shared_ptr<std::vector<nereid_tensor_t>>> memory;
  std::vector<std::shared_ptr<std::vector<const nereid_tensor_t *>>> lists;
  std::vector<nereid_tensor_argument_t> inputs, outputs;
  std::vector<nereid_value_t> attributes;
  const nereid_tensor_allocator_t *allocate = nullptr;
};

/// The packs in one folder, on the `cpu` plugin.
class Operators {
public:
  struct Options {
    std::string packs, cache, python;
    const nereid_kernel_source_t *kernels = nullptr;
    std::string tuning = "off", store = {};
    std::string plugins = PLUGIN_DIR;
  };
  explicit Operators(const Options &options) {
    nereid_runtime_options_t settings = {};
    settings.struct_size = sizeof settings;
    settings.flags =
        NEREID_RUNTIME_IGNORE_ENVIRONMENT | NEREID_RUNTIME_ALLOW_WRITABLE;
    if (options.cache.empty())
      settings.flags |= NEREID_RUNTIME_NO_CACHE;
    settings.plugin_dirs = borrow(options.plugins);
    settings.cache_dir = borrow(options.cache);
    settings.target = borrow("cpu");
    check(nereid_runtime_create(&settings, &runtime));
    nereid_ops_options_t found = {};
    found.struct_size = sizeof found;
    found.flags = NEREID_OPS_IGNORE_ENVIRONMENT | NEREID_OPS_NO_INSTALLED |
                  NEREID_OPS_ALLOW_WRITABLE;
    found.pack_dirs = borrow(options.packs);
    check(nereid_ops_create(&found, &ops));
    nereid_ops_load_t load = {};
    load.struct_size = sizeof load;
    load.runtime = runtime;
    load.python = borrow(options.python);
    load.kernels = options.kernels;
    load.tuning = borrow(options.tuning);
    load.store = borrow(options.store);
    check(nereid_runtime_backend(runtime, borrow("cpu"), &load.backend));
    backend = load.backend;
    check(nereid_ops_load(ops, &load, &device));
  }
  ~Operators() {
    nereid_ops_device_destroy(device);
    nereid_ops_destroy(ops);
    nereid_runtime_destroy(runtime);
  }
  Operators(const Operators &) = delete;
  Operators &operator=(const Operators &) = delete;

  nereid_operator_t *find(std::string_view name) {
    nereid_operator_t *op = nullptr;
    check(nereid_ops_operator(device, borrow(name), &op));
    return op;
  }
  /// The error; empty if the call succeeded and its work is done.
  std::string call(std::string_view name, const Call &call) {
    nereid_operator_t *op = nullptr;
    if (nereid_ops_operator(device, borrow(name), &op))
      return lastError();
    nereid_operator_call_t given = call.get();
    if (nereid_operator_call(op, &given) ||
        nereid_backend_synchronize(backend, 0, 0))
      return lastError();
    return {};
  }

  nereid_runtime_t *runtime = nullptr;
  nereid_backend_t *backend = nullptr;
  nereid_ops_t *ops = nullptr;
  nereid_ops_device_t *device = nullptr;

private:
  static void check(nereid_status_t status) {
    ASSERT_EQ(status, NEREID_OK) << lastError();
  }
};

} // namespace nereid::test

#endif // NEREID_TESTS_OPS_CALL_OPERATORS_H
