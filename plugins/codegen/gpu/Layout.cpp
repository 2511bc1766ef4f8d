// Layout.cpp - linear layouts: construction, shapes, printing.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "gpu/Layout.h"

#include "gpu/Linear.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <numeric>

namespace nereid::codegen::gpu {

static uint32_t elementsOf(llvm::ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

/// The place of a dimension's bits in a row-major index.
struct DimBits {
  unsigned shift, count;

  uint32_t of(ElementIndex element) const {
    return element >> shift & ((1u << count) - 1);
  }
};

static DimBits bitsOf(llvm::ArrayRef<int64_t> shape, unsigned dim) {
  return {llvm::Log2_32(elementsOf(shape.drop_front(dim + 1))),
          llvm::Log2_32(shape[dim])};
}

template <typename Map>
Layout Layout::mapped(llvm::ArrayRef<int64_t> shape, Map map) const {
  auto all = [&](llvm::ArrayRef<ElementIndex> bases) {
    return Bases(llvm::map_range(bases, map));
  };
  return {shape, all(registers), all(lanes), all(warps)};
}

Layout Layout::blocked(llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<unsigned> order, int64_t width,
                       Workgroup workgroup) {
  assert(order.size() == shape.size() && "one entry for each dimension");
  // The bits of an element's index, those that change fastest first.
  Bases bits;
  for (unsigned dim : order) {
    DimBits own = bitsOf(shape, dim);
    for (unsigned bit = 0; bit < own.count; ++bit)
      bits.push_back(1u << (own.shift + bit));
  }
  unsigned next = 0;
  auto take = [&](Bases &bases, unsigned count) {
    for (; count > 0 && next < bits.size(); --count)
      bases.push_back(bits[next++]);
    return count;
  };
  Layout layout(shape);
  int64_t run = order.empty() ? 1 : std::min(width, shape[order[0]]);
  take(layout.registers, llvm::Log2_64(run));
  layout.lanes.append(take(layout.lanes, workgroup.laneBits), 0);
  layout.warps.append(take(layout.warps, workgroup.warpBits), 0);
  take(layout.registers, bits.size());
  return layout;
}

uint32_t Layout::elements() const { return elementsOf(dims); }

ElementIndex Layout::elementOf(uint32_t index) const {
  return sumOf(registers, index);
}

ElementIndex Layout::elementAt(Place place) const {
  return elementOf(place.registerIndex) ^ sumOf(lanes, place.lane) ^
         sumOf(warps, place.warp);
}

uint32_t Layout::coordinate(ElementIndex element, unsigned dim) const {
  return bitsOf(dims, dim).of(element);
}

bool Layout::isComplete() const {
  Span span;
  for (const Bases *bases : {&registers, &lanes, &warps})
    for (ElementIndex basis : *bases)
      span.add(basis);
  return 1u << span.dimension() == elements();
}

Layout::Copies Layout::copies() const {
  // Bits of threads first: an element that two threads share is taken from the
  // thread with the lower number, whatever its register.
  Copies result;
  Span span;
  auto mark = [&](const Bases &bases, uint32_t &mask) {
    for (auto [bit, basis] : llvm::enumerate(bases))
      if (!span.add(basis))
        mask |= 1u << bit;
  };
  mark(lanes, result.laneMask);
  mark(warps, result.warpMask);
  mark(registers, result.registerMask);
  return result;
}

Layout Layout::reshaped(llvm::ArrayRef<int64_t> shape) const {
  assert(elementsOf(shape) == elements() && "as many elements");
  return {shape, registers, lanes, warps};
}

Layout Layout::transposed(llvm::ArrayRef<int32_t> permutation) const {
  llvm::SmallVector<int64_t, 4> shape;
  for (int32_t dim : permutation)
    shape.push_back(dims[dim]);
  return mapped(shape, [&](ElementIndex basis) {
    ElementIndex result = 0;
    for (auto [dim, source] : llvm::enumerate(permutation))
      result |= coordinate(basis, source) << bitsOf(shape, dim).shift;
    return result;
  });
}

Layout Layout::without(unsigned dim) const {
  llvm::SmallVector<int64_t, 4> shape = dims;
  shape.erase(shape.begin() + dim);
  DimBits own = bitsOf(dims, dim);
  return mapped(shape, [&](ElementIndex basis) {
    ElementIndex low = basis & ((1u << own.shift) - 1);
    return (basis >> (own.shift + own.count) << own.shift) | low;
  });
}

Layout Layout::expanded(unsigned dim) const {
  llvm::SmallVector<int64_t, 4> shape = dims;
  shape.insert(shape.begin() + dim, 1);
  return reshaped(shape);
}

Layout Layout::beforeBroadcast(llvm::ArrayRef<int64_t> shape) const {
  return mapped(shape, [&](ElementIndex basis) {
    ElementIndex result = 0;
    for (unsigned dim = 0; dim < rank(); ++dim)
      if (shape[dim] == dims[dim])
        result |= coordinate(basis, dim) << bitsOf(shape, dim).shift;
    return result;
  });
}

Layout Layout::broadcast(llvm::ArrayRef<int64_t> shape) const {
  Layout result = mapped(shape, [&](ElementIndex basis) {
    ElementIndex moved = 0;
    for (unsigned dim = 0; dim < rank(); ++dim)
      moved |= coordinate(basis, dim) << bitsOf(shape, dim).shift;
    return moved;
  });
  for (unsigned dim = rank(); dim-- > 0;) {
    DimBits own = bitsOf(shape, dim);
    for (unsigned bit = 0; shape[dim] != dims[dim] && bit < own.count; ++bit)
      result.registers.push_back(1u << (own.shift + bit));
  }
  return result;
}

Layout Layout::compacted() const {
  Layout result(dims, {}, lanes, warps);
  Span span;
  for (ElementIndex basis : registers)
    if (span.add(basis))
      result.registers.push_back(basis);
  return result;
}

void Layout::print(llvm::raw_ostream &stream) const {
  auto part = [&](char name, const Bases &bases) {
    stream << name << ':';
    for (ElementIndex basis : bases) {
      stream << ' ';
      if (rank() == 1) {
        stream << basis;
        continue;
      }
      stream << '(';
      for (unsigned dim = 0; dim < rank(); ++dim)
        stream << (dim ? "," : "") << coordinate(basis, dim);
      stream << ')';
    }
  };
  stream << '[';
  part('r', registers);
  stream << " | ";
  part('l', lanes);
  stream << " | ";
  part('w', warps);
  stream << ']';
}

} // namespace nereid::codegen::gpu
