// Tensor.cpp - reads tensors in DLPack's layout.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "call/Tensor.h"

#include <cstddef>

namespace nereid::ops {

// DLPack 1.x, which promises not to change this.
static_assert(sizeof(nereid_tensor_t) == 48 &&
              offsetof(nereid_tensor_t, device_type) == 8 &&
              offsetof(nereid_tensor_t, ndim) == 16 &&
              offsetof(nereid_tensor_t, type_code) == 20 &&
              offsetof(nereid_tensor_t, type_lanes) == 22 &&
              offsetof(nereid_tensor_t, shape) == 24 &&
              offsetof(nereid_tensor_t, strides) == 32 &&
              offsetof(nereid_tensor_t, byte_offset) == 40);

namespace {
struct Dtype {
  std::string_view name;
  uint8_t code, bits;
};
/// DLPack's name, and which of our devices have that memory.
struct DeviceKind {
  int32_t number;
  std::string_view name, type;
};
} // namespace

// kDLInt 0, kDLUInt 1, kDLFloat 2, kDLBfloat 4, kDLBool 6, kDLFloat8_e4m3fn 10,
// kDLFloat8_e5m2 12.
static constexpr Dtype dtypes[] = {
    {"i8", 0, 8},   {"i16", 0, 16},    {"i32", 0, 32},    {"i64", 0, 64},
    {"u8", 1, 8},   {"u16", 1, 16},    {"u32", 1, 32},    {"u64", 1, 64},
    {"f16", 2, 16}, {"f32", 2, 32},    {"f64", 2, 64},    {"bf16", 4, 16},
    {"i1", 6, 8},   {"f8e4m3", 10, 8}, {"f8e5m2", 12, 8},
};

static constexpr DeviceKind devices[] = {
    {1, "cpu", "cpu"},        {2, "cuda", "cuda"},
    {3, "cuda_host", "cuda"}, {4, "opencl", "opencl"},
    {7, "vulkan", "vulkan"},  {8, "metal", "metal"},
    {10, "rocm", "hip"},      {11, "rocm_host", "hip"},
    {12, "ext_dev", ""},      {13, "cuda_managed", "cuda"},
    {14, "oneapi", "xpu"},
};

std::string_view dtypeOf(const nereid_tensor_t &tensor) {
  if (tensor.type_lanes == 1)
    for (const Dtype &dtype : dtypes)
      if (dtype.code == tensor.type_code && dtype.bits == tensor.type_bits)
        return dtype.name;
  return {};
}

void setDtype(std::string_view name, nereid_tensor_t &tensor) {
  for (const Dtype &dtype : dtypes)
    if (dtype.name == name) {
      tensor.type_code = dtype.code;
      tensor.type_bits = dtype.bits;
      tensor.type_lanes = 1;
    }
}

Result<TensorFacts> factsOf(const nereid_tensor_t &tensor,
                            const std::string &where) {
  std::string_view dtype = dtypeOf(tensor);
  if (dtype.empty())
    return Failure{NEREID_UNIMPLEMENTED,
                   where + " has elements of DLPack's type code " +
                       std::to_string(tensor.type_code) + " with " +
                       std::to_string(tensor.type_bits) + " bits and " +
                       std::to_string(tensor.type_lanes) +
                       " lanes, which operators do not have"};
  TensorFacts facts;
  facts.dtype = dtype;
  facts.align = 1u << alignmentOf(tensor);
  if (tensor.ndim) {
    facts.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
    if (tensor.strides)
      facts.stride.assign(tensor.strides, tensor.strides + tensor.ndim);
  }
  for (int64_t size : facts.shape)
    if (size < 0)
      return Failure{NEREID_INVALID_ARGUMENT, where +
                                                  " has a dimension of size " +
                                                  std::to_string(size)};
  if (!tensor.strides)
    facts.stride = rowMajor(facts.shape);
  return facts;
}

bool isMemoryOf(std::string_view type, int32_t found) {
  // Devices that DLPack does not know are its extension devices.
  bool isKnown = false;
  for (const DeviceKind &kind : devices) {
    isKnown |= kind.type == type;
    if (kind.number == found && kind.type == type)
      return true;
  }
  return !isKnown && found == 12;
}

std::string deviceName(int32_t type) {
  for (const DeviceKind &kind : devices)
    if (kind.number == type)
      return std::string(kind.name);
  return "device type " + std::to_string(type) + " of DLPack";
}

int32_t deviceTypeOf(std::string_view type) {
  for (const DeviceKind &kind : devices)
    if (kind.type == type)
      return kind.number;
  return 12;
}

} // namespace nereid::ops
