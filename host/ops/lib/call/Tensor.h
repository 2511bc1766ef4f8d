// Tensor.h - tensors as callers pass them, in DLPack's layout.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_CALL_TENSOR_H
#define NEREID_OPS_CALL_TENSOR_H

#include "nereid/ops.h"
#include "select/Tensor.h"
#include "support/Guard.h"

namespace nereid::ops {

/// DLPack's code and bits as one number, for keys.
inline uint32_t typeWord(const nereid_tensor_t &tensor) {
  return uint32_t(tensor.type_code) | uint32_t(tensor.type_bits) << 8 |
         uint32_t(tensor.type_lanes) << 16;
}

/// "f32"; empty for a type that operators do not have.
std::string_view dtypeOf(const nereid_tensor_t &tensor);
/// Sets the type of \p tensor to \p dtype.
void setDtype(std::string_view dtype, nereid_tensor_t &tensor);

inline uint64_t addressOf(const nereid_tensor_t &tensor) {
  return reinterpret_cast<uintptr_t>(tensor.data) + tensor.byte_offset;
}

/// The logarithm of the largest power of two up to 128 that divides the
/// address.
inline uint32_t alignmentOf(const nereid_tensor_t &tensor) {
  return static_cast<uint32_t>(__builtin_ctzll(addressOf(tensor) | 128));
}

/// \p where: "softmax: x", for messages.
Result<TensorFacts> factsOf(const nereid_tensor_t &tensor,
                            const std::string &where);

/// Whether tensors of DLPack's device type \p found are memory of a device of
/// the type \p type: "cpu", "cuda".
bool isMemoryOf(std::string_view type, int32_t found);
/// DLPack's name of a device type: "cuda".
std::string deviceName(int32_t type);
/// DLPack's device type for one of Nereid's.
int32_t deviceTypeOf(std::string_view type);

} // namespace nereid::ops

#endif // NEREID_OPS_CALL_TENSOR_H
