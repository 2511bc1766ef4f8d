// Array.cpp - makes arrays and fills them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Array.h"

#include "Parts.h"

#include <cmath>
#include <cstring>
#include <new>
#include <stdexcept>

namespace nereid::tools {

std::string shapeText(const Shape &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

Expected<uint64_t> elementCount(DType type, const Shape &shape) {
  // A zero anywhere makes the product zero, whatever the others are.
  for (uint64_t extent : shape)
    if (extent == 0)
      return uint64_t(0);
  uint64_t limit = static_cast<uint64_t>(PTRDIFF_MAX) / dtypeSize(type);
  uint64_t count = 1;
  for (uint64_t extent : shape) {
    if (extent > limit / count)
      return invalid("shape " + shapeText(shape) + " of " +
                     std::string(dtypeName(type)) +
                     " has more bytes than an address can count, expected at "
                     "most " +
                     std::to_string(limit) + " elements");
    count *= extent;
  }
  return count;
}

Shape unflatten(const Shape &shape, uint64_t index) {
  Shape place(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    place[i] = index % shape[i];
    index /= shape[i];
  }
  return place;
}

Expected<Array> Array::make(DType type, Shape shape) {
  Expected<uint64_t> count = elementCount(type, shape);
  if (!count)
    return count.error();
  uint64_t size = *count * dtypeSize(type);
  Array array(type, std::move(shape));
  try {
    array.bytes.resize(size);
  } catch (const std::exception &) {
    return failure(NEREID_OUT_OF_RESOURCES,
                   "no memory for " + std::string(dtypeName(type)) +
                       shapeText(array.extents) + ", which takes " +
                       std::to_string(size) + " bytes");
  }
  return array;
}

void Array::fill(const void *element) {
  uint32_t step = dtypeSize(elementType);
  for (uint64_t i = 0; i < bytes.size(); i += step)
    std::memcpy(bytes.data() + i, element, step);
}

void Array::fillRange() {
  for (uint64_t i = 0; i < count(); ++i)
    storeInteger(elementType, static_cast<int64_t>(i), at(i));
}

// The finalizer of splitmix64: each bit of the result depends on all bits of
// the counter.
static uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
  value = (value ^ value >> 27) * 0x94d049bb133111ebu;
  return value ^ value >> 31;
}

void Array::fillRandom(uint64_t seed, double low, double high) {
  uint64_t start = mix(seed);
  inParts(count(), [&](uint64_t, uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      double unit = static_cast<double>(mix(start + i) >> 11) * 0x1p-53;
      double value = low + unit * (high - low);
      storeNumber(elementType, isFloat(elementType) ? value : std::floor(value),
                  at(i));
    }
  });
}

} // namespace nereid::tools
