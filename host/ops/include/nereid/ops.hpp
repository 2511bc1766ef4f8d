// nereid/ops.hpp - operators, for C++ programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   nereid::Expected<nereid::Packs> packs = nereid::Packs::find();
//   nereid::Expected<nereid::Operators> operators = packs->load(runtime);
//   nereid::Expected<nereid::Operator> softmax = operators->find("softmax");
//   nereid::Tensor x(data, {rows, columns}), y(result, {rows, columns});
//   softmax->call({{"x", x}}, {{"y", y}}, {{"dim", -1}});

#ifndef NEREID_OPS_HPP
#define NEREID_OPS_HPP

#include "nereid/host.hpp"
#include "nereid/ops.h"

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace nereid {

/// Memory with a type and a shape, which it does not own. On the host unless it
/// is given a device of DLPack.
class Tensor {
public:
  /// \p strides in elements; none: row major.
  template <typename Element>
  Tensor(Element *data, std::vector<int64_t> shape,
         std::vector<int64_t> strides = {}, int32_t deviceType = 1,
         int32_t deviceId = 0)
      : sizes(std::move(shape)), steps(std::move(strides)) {
    static_assert(std::is_arithmetic<Element>::value,
                  "a tensor of another type is made of a nereid_tensor_t");
    using Plain = typename std::remove_cv<Element>::type;
    tensor.data = const_cast<Plain *>(data);
    tensor.device_type = deviceType;
    tensor.device_id = deviceId;
    // As in DLPack: bool 6, float 2, unsigned 1, signed 0.
    tensor.type_code = std::is_same<Plain, bool>::value       ? 6
                       : std::is_floating_point<Plain>::value ? 2
                       : std::is_unsigned<Plain>::value       ? 1
                                                              : 0;
    tensor.type_bits = 8 * sizeof(Element);
    tensor.type_lanes = 1;
    tensor.ndim = static_cast<int32_t>(sizes.size());
  }
  /// A copy of what \p given says; also of a DLTensor.
  explicit Tensor(const nereid_tensor_t &given)
      : tensor(given), sizes(given.shape, given.shape + given.ndim) {
    if (given.strides)
      steps.assign(given.strides, given.strides + given.ndim);
  }

  /// Valid while this is not changed.
  nereid_tensor_t get() const {
    nereid_tensor_t view = tensor;
    view.shape = const_cast<int64_t *>(sizes.data());
    view.strides =
        steps.empty() ? nullptr : const_cast<int64_t *>(steps.data());
    return view;
  }
  const std::vector<int64_t> &shape() const { return sizes; }

private:
  nereid_tensor_t tensor = {};
  std::vector<int64_t> sizes, steps;
};

/// One operator on one device. A view: it lives as long as its Operators.
class Operator {
public:
  /// An input or an output by name: one tensor, or those of a list. Tensors are
  /// borrowed for the call.
  struct Argument {
    Argument(std::string_view called, const Tensor &tensor)
        : name(called), tensors{tensor.get()} {}
    Argument(std::string_view called, const std::vector<Tensor> &list)
        : name(called) {
      for (const Tensor &tensor : list)
        tensors.push_back(tensor.get());
    }
    std::string_view name;
    std::vector<nereid_tensor_t> tensors;
  };
  struct Attribute {
    template <typename Number, typename = typename std::enable_if<
                                   std::is_arithmetic<Number>::value>::type>
    Attribute(std::string_view name, Number number) {
      value.name = detail::borrow(name);
      if (std::is_floating_point<Number>::value) {
        value.type = NEREID_TYPE_F64;
        value.f64 = static_cast<double>(number);
      } else {
        value.type = std::is_same<Number, bool>::value ? NEREID_TYPE_BOOL
                                                       : NEREID_TYPE_I64;
        value.i64 = static_cast<int64_t>(number);
      }
    }
    Attribute(std::string_view name, const char *text) {
      value.name = detail::borrow(name);
      value.type = NEREID_TYPE_STRING;
      value.text = detail::borrow(text);
    }
    /// Borrowed for the call.
    Attribute(std::string_view name, const std::vector<int64_t> &list) {
      value.name = detail::borrow(name);
      value.type = NEREID_TYPE_I64_LIST;
      value.list = list.data();
      value.list_size = list.size();
    }
    nereid_value_t value = {};
  };

  explicit Operator(nereid_operator_t *found) : handle(found) {}
  nereid_operator_t *get() const { return handle; }

  /// Puts its work on \p stream. Programs for which the allocations here are
  /// too slow keep a nereid_operator_call_t.
  Expected<void> call(std::initializer_list<Argument> inputs,
                      std::initializer_list<Argument> outputs,
                      std::initializer_list<Attribute> attributes = {},
                      nereid_stream_t stream = 0) const {
    Request request(inputs, outputs, attributes);
    request.call.stream = stream;
    return detail::check(nereid_operator_call(handle, &request.call));
  }

  /// What such a call launches and why, as JSON.
  Expected<std::string>
  explain(std::initializer_list<Argument> inputs,
          std::initializer_list<Argument> outputs = {},
          std::initializer_list<Attribute> attributes = {}) const {
    Request request(inputs, outputs, attributes);
    nereid_buffer_t *buffer = nullptr;
    nereid_status_t status =
        nereid_operator_explain(handle, &request.call, &buffer);
    return detail::take(status, buffer);
  }

private:
  /// The structs that refer to a list of arguments.
  struct Lists {
    explicit Lists(std::initializer_list<Argument> given) {
      for (const Argument &argument : given) {
        pointers.emplace_back();
        for (const nereid_tensor_t &tensor : argument.tensors)
          pointers.back().push_back(&tensor);
        auto one = detail::sized<nereid_tensor_argument_t>();
        one.name = detail::borrow(argument.name);
        one.count = static_cast<uint32_t>(pointers.back().size());
        one.tensors = pointers.back().data();
        arguments.push_back(one);
      }
    }
    std::vector<std::vector<const nereid_tensor_t *>> pointers;
    std::vector<nereid_tensor_argument_t> arguments;
  };

  struct Request {
    Request(std::initializer_list<Argument> inputs,
            std::initializer_list<Argument> outputs,
            std::initializer_list<Attribute> attributes)
        : in(inputs), out(outputs) {
      for (const Attribute &attribute : attributes)
        values.push_back(attribute.value);
      call.inputs = in.arguments.data();
      call.input_count = in.arguments.size();
      call.outputs = out.arguments.data();
      call.output_count = out.arguments.size();
      call.attributes = values.data();
      call.attribute_count = values.size();
    }
    Request(const Request &) = delete;
    Request &operator=(const Request &) = delete;

    Lists in, out;
    std::vector<nereid_value_t> values;
    nereid_operator_call_t call = detail::sized<nereid_operator_call_t>();
  };

  nereid_operator_t *handle;
};

/// Packs on one device. Waits for the device when it is destroyed. The runtime
/// outlives it.
class Operators {
public:
  Operators(nereid_ops_device_t *handle, std::shared_ptr<nereid_ops_t> found)
      : packs(std::move(found)), owner(handle) {}
  nereid_ops_device_t *get() const { return owner.get(); }

  Expected<Operator> find(std::string_view name) const {
    nereid_operator_t *found = nullptr;
    nereid_status_t status =
        nereid_ops_operator(owner.get(), detail::borrow(name), &found);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return Operator(found);
  }

private:
  std::shared_ptr<nereid_ops_t> packs; // outlives the device
  detail::Owner<nereid_ops_device_t, nereid_ops_device_destroy> owner;
};

/// The packs that were found.
class Packs {
public:
  explicit Packs(nereid_ops_t *found) : handle(found, nereid_ops_destroy) {}
  nereid_ops_t *get() const { return handle.get(); }

  /// \p options: where, if not in the usual places.
  static Expected<Packs> find(const nereid_ops_options_t *options = nullptr) {
    nereid_ops_t *made = nullptr;
    nereid_status_t status = nereid_ops_create(options, &made);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return Packs(made);
  }
  /// What was found and what is wrong with it, as JSON.
  Expected<std::string> report() const {
    nereid_buffer_t *buffer = nullptr;
    nereid_status_t status = nereid_ops_report(handle.get(), &buffer);
    return detail::take(status, buffer);
  }

  /// On a device of \p backend; null: that of NEREID_TARGET, or the best score.
  Expected<Operators> load(nereid_runtime_t *runtime,
                           nereid_backend_t *backend = nullptr,
                           uint32_t device = 0) const {
    auto request = detail::sized<nereid_ops_load_t>();
    request.runtime = runtime;
    request.backend = backend;
    request.device = device;
    return load(request);
  }
  Expected<Operators> load(const nereid_ops_load_t &request) const {
    nereid_ops_device_t *loaded = nullptr;
    nereid_status_t status = nereid_ops_load(handle.get(), &request, &loaded);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return Operators(loaded, handle);
  }

private:
  std::shared_ptr<nereid_ops_t> handle;
};

} // namespace nereid

#endif // NEREID_OPS_HPP
