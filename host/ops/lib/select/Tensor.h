// Tensor.h - what expressions see of a tensor, and the iteration space of a
// pointwise operator.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_SELECT_TENSOR_H
#define NEREID_OPS_SELECT_TENSOR_H

#include "select/Selection.h"

#include <optional>

namespace nereid::ops {

int64_t numelOf(const TensorFacts &facts);
/// Row major, as PyTorch decides it.
bool isContiguous(const TensorFacts &facts);

/// The strides of a row-major tensor.
std::vector<int64_t> rowMajor(const std::vector<int64_t> &shape);

/// The object called \p name. \p steps: of a pointwise operator.
std::shared_ptr<const Object>
tensorObject(const std::string &name, const TensorFacts &facts,
             const std::vector<int64_t> *steps = nullptr);

Value listOf(const std::vector<int64_t> &numbers);
/// A list of integers; nothing for anything else.
std::optional<std::vector<int64_t>> integersOf(const Value &value);

/// The iteration space of several tensors over `shape`, which each of them can
/// be broadcast to: as few dimensions as their strides allow, the innermost
/// last, at least one.
struct IterationSpace {
  std::vector<int64_t> dims;
  std::vector<std::vector<int64_t>> steps; // of each tensor; 0 where broadcast
};
IterationSpace collapse(const std::vector<const TensorFacts *> &tensors,
                        const std::vector<int64_t> &shape);

} // namespace nereid::ops

#endif // NEREID_OPS_SELECT_TENSOR_H
