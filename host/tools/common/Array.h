// Array.h - a dense array in C order: what a tensor argument points at.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOLS_ARRAY_H
#define NEREID_TOOLS_ARRAY_H

#include "DType.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace nereid::tools {

using Shape = std::vector<uint64_t>;

/// "[4096, 781]"
std::string shapeText(const Shape &shape);

/// Elements of \p shape; fails when the bytes of that many \p type elements
/// cannot be counted.
Expected<uint64_t> elementCount(DType type, const Shape &shape);

/// The place of element \p index in \p shape.
Shape unflatten(const Shape &shape, uint64_t index);

class Array {
public:
  /// All bytes zero. Fails when there is not enough memory.
  static Expected<Array> make(DType type, Shape shape);

  DType type() const { return elementType; }
  const Shape &shape() const { return extents; }
  uint64_t count() const { return bytes.size() / dtypeSize(elementType); }

  std::byte *data() { return bytes.data(); }
  const std::byte *data() const { return bytes.data(); }
  uint64_t size() const { return bytes.size(); }
  std::byte *at(uint64_t index) {
    return bytes.data() + index * dtypeSize(elementType);
  }
  const std::byte *at(uint64_t index) const {
    return bytes.data() + index * dtypeSize(elementType);
  }

  /// All elements become the one at \p element.
  void fill(const void *element);
  /// 0, 1, 2, ... in memory's order; integers wrap.
  void fillRange();
  /// Numbers that depend on \p seed and the index alone, the same on every
  /// machine: evenly spread from \p low up to, and without, \p high.
  void fillRandom(uint64_t seed, double low, double high);

private:
  Array(DType type, Shape shape)
      : elementType(type), extents(std::move(shape)) {}

  DType elementType;
  Shape extents;
  std::vector<std::byte> bytes;
};

} // namespace nereid::tools

#endif // NEREID_TOOLS_ARRAY_H
