// Tensor.cpp - facts of tensors, and collapsed iteration spaces.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "select/Tensor.h"

#include "pack/Operator.h"

namespace nereid::ops {

int64_t numelOf(const TensorFacts &facts) {
  int64_t count = 1;
  for (int64_t size : facts.shape)
    count *= size;
  return count;
}

// The strides of dimensions of one element do not matter, and an empty tensor
// is contiguous.
bool isContiguous(const TensorFacts &facts) {
  if (numelOf(facts) == 0)
    return true;
  int64_t expected = 1;
  for (size_t i = facts.shape.size(); i-- > 0;) {
    if (facts.shape[i] == 1)
      continue;
    if (facts.stride[i] != expected)
      return false;
    expected *= facts.shape[i];
  }
  return true;
}

std::vector<int64_t> rowMajor(const std::vector<int64_t> &shape) {
  std::vector<int64_t> stride(shape.size());
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    stride[i] = step;
    step *= std::max<int64_t>(shape[i], 1);
  }
  return stride;
}

Value listOf(const std::vector<int64_t> &numbers) {
  return Value(List(numbers.begin(), numbers.end()));
}

std::optional<std::vector<int64_t>> integersOf(const Value &value) {
  std::vector<int64_t> numbers;
  if (!value.isList())
    return std::nullopt;
  for (const Value &item : value.list()) {
    if (!item.isIntegral())
      return std::nullopt;
    numbers.push_back(item.integer());
  }
  return numbers;
}

std::shared_ptr<const Object> tensorObject(const std::string &name,
                                           const TensorFacts &facts,
                                           const std::vector<int64_t> *steps) {
  auto object = std::make_shared<Object>();
  object->kind = "tensor '" + name + "'";
  object->name = name;
  object->attributes = {
      {"shape", listOf(facts.shape)},
      {"stride", listOf(facts.stride)},
      {"rank", Value(facts.shape.size())},
      {"numel", Value(numelOf(facts))},
      {"dtype", Value(facts.dtype)},
      {"itemsize", Value(sizeOfDtype(facts.dtype))},
      {"align", Value(facts.align)},
      {"contiguous", Value(isContiguous(facts))},
  };
  if (steps)
    object->attributes.emplace_back("steps", listOf(*steps));
  return object;
}

// The stride of a tensor over each dimension of the whole space.
static std::vector<int64_t> spread(const TensorFacts &tensor, size_t rank) {
  std::vector<int64_t> row(rank);
  size_t lead = rank - tensor.shape.size();
  for (size_t i = 0; i < tensor.shape.size(); ++i)
    row[lead + i] = tensor.shape[i] == 1 ? 0 : tensor.stride[i];
  return row;
}

IterationSpace collapse(const std::vector<const TensorFacts *> &tensors,
                        const std::vector<int64_t> &shape) {
  std::vector<std::vector<int64_t>> rows;
  for (const TensorFacts *tensor : tensors)
    rows.push_back(spread(*tensor, shape.size()));
  IterationSpace space;
  space.steps.resize(tensors.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t size = shape[d];
    if (size == 1)
      continue;
    // The dimension before continues into this one for every tensor.
    bool joins = !space.dims.empty();
    for (size_t i = 0; joins && i < rows.size(); ++i)
      joins = space.steps[i].back() == rows[i][d] * size;
    if (joins)
      space.dims.back() *= size;
    else
      space.dims.push_back(size);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (joins)
        space.steps[i].back() = rows[i][d];
      else
        space.steps[i].push_back(rows[i][d]);
    }
  }
  if (space.dims.empty()) {
    space.dims = {1};
    for (std::vector<int64_t> &steps : space.steps)
      steps = {0};
  }
  return space;
}

} // namespace nereid::ops
