// Struct.h - reads and writes structs of the boundary through the smaller of
// the two sides' sizes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_ABI_STRUCT_H
#define NEREID_HOST_ABI_STRUCT_H

#include "support/Result.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace nereid::host {

/// A copy of \p given as this version knows the struct: fields that a
/// smaller (older) one lacks are zero, extra fields of a newer one are dropped.
template <typename Struct> Struct readStruct(const Struct &given) {
  static_assert(std::is_trivially_copyable_v<Struct>);
  Struct copy = {};
  std::memcpy(&copy, &given, std::min<size_t>(sizeof copy, given.struct_size));
  copy.struct_size = sizeof copy;
  return copy;
}

/// A copy of item \p index of an array with stride items[0].struct_size.
template <typename Struct>
Struct readItem(const Struct *items, uint64_t index) {
  const char *start = reinterpret_cast<const char *>(items);
  return readStruct(
      *reinterpret_cast<const Struct *>(start + index * items->struct_size));
}

/// Fills the caller's \p out with as much of \p value as it has room for.
template <typename Struct>
Outcome writeStruct(const Struct &value, Struct *out) {
  static_assert(std::is_trivially_copyable_v<Struct>);
  if (!out)
    return Failure{NEREID_INVALID_ARGUMENT, "the struct to fill is null"};
  uint32_t size = out->struct_size;
  if (size < sizeof size)
    return Failure{NEREID_INVALID_ARGUMENT,
                   "struct_size of the struct to fill is " +
                       std::to_string(size) + ", expected its sizeof"};
  std::memcpy(out, &value, std::min<size_t>(sizeof value, size));
  out->struct_size = size;
  return {};
}

} // namespace nereid::host

#endif // NEREID_HOST_ABI_STRUCT_H
