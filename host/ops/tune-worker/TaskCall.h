// TaskCall.h - a call that is described in JSON, as structs for nereid/ops.h.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TUNE_WORKER_TASKCALL_H
#define NEREID_TUNE_WORKER_TASKCALL_H

#include "DType.h"
#include "nereid/ops.h"

#include <nlohmann/json.hpp>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nereid::tuner {

using Json = nlohmann::ordered_json;
using tools::DType;

/// A tensor of a call without its memory.
struct TaskTensor {
  std::string name, dtype;
  DType type = DType::F32;
  std::vector<int64_t> shape, stride;
  uint64_t elements = 0; ///< that its memory has
  uint64_t offset = 0;   ///< bytes from an address that is divisible by 128

  uint64_t bytes() const { return elements * tools::dtypeSize(type); }
};

class TaskCall {
public:
  /// Reads the JSON of nereid_ops_explain(), on a device of the type
  /// \p deviceType.
  static Expected<TaskCall>
  parse(const Json &call, const std::string &deviceType, uint32_t device);

  /// Adds the outputs that the call does not describe, row major.
  Expected<void> addOutputs(const Json &outputs);

  /// Inputs, then outputs.
  const std::vector<TaskTensor> &tensors() const { return all; }
  size_t inputCount() const { return inputs; }

  /// The call with the tensors at \p addresses. It lives until the next one is
  /// made; \p choice is borrowed.
  nereid_operator_call_t *at(const std::vector<uint64_t> &addresses,
                             const std::string &choice);
  /// The same at addresses that nothing may read.
  nereid_operator_call_t *nowhere(const std::string &choice);

private:
  Expected<void> addTensor(const std::string &name, const Json &json);
  Expected<void> addAttribute(const std::string &name, const Json &json);

  std::vector<TaskTensor> all;
  size_t inputs = 0;
  int32_t deviceType = 1;
  uint32_t device = 0;
  std::vector<nereid_value_t> attributes;
  std::deque<std::string> texts;            // that attributes borrow
  std::deque<std::vector<int64_t>> numbers; // the same

  // What a call borrows.
  std::vector<nereid_tensor_t> made;
  std::vector<const nereid_tensor_t *> pointers;
  std::vector<nereid_tensor_argument_t> arguments;
  nereid_operator_call_t call = {};
};

} // namespace nereid::tuner

#endif // NEREID_TUNE_WORKER_TASKCALL_H
