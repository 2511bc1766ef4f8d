// Access.cpp - aliasing of accesses, from the forms of pointers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/Access.h"

#include "nereid/ttir/Dialect.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace nereid::codegen {

/// Bytes of an element that `pointers` point to: an i1 has one.
static int64_t bytesBehind(Value pointers) {
  auto type = cast<tt::PointerType>(getElementTypeOrSelf(pointers.getType()));
  return std::max(8u, tt::getElementBitWidth(type.getPointeeType())) / 8;
}

namespace {
/// A dimension of an affine form, in bytes; its size is at least 2.
struct Step {
  int64_t stride, size;
};

/// An affine form with constant strides, in bytes from `form.base`.
struct Extent {
  SmallVector<Step, 4> steps;
  int64_t low = 0, high = 0; // of the first bytes of elements
  int64_t bytes = 1;         // of an element
};
} // namespace

/// The extent, if all strides are constant and the range fits the address
/// space.
static std::optional<Extent> extentOf(Value pointers, const TileForm &form) {
  constexpr int64_t kMost = int64_t(1) << 60;
  Extent extent;
  extent.bytes = bytesBehind(pointers);
  ArrayRef<int64_t> shape = tileType(pointers).getShape();
  for (auto [stride, size] : llvm::zip(form.strides, shape)) {
    if (size == 1)
      continue;
    std::optional<int64_t> known = stride.constant();
    int64_t reach;
    if (!known || llvm::MulOverflow(*known, extent.bytes * (size - 1), reach) ||
        reach > kMost || reach < -kMost)
      return std::nullopt;
    (reach < 0 ? extent.low : extent.high) += reach;
    extent.steps.push_back({*known * extent.bytes, size});
  }
  if (extent.low < -kMost || extent.high > kMost)
    return std::nullopt;
  return extent;
}

Aliasing selfAliasingOf(Value pointers, TileForms &forms) {
  const TileForm *form = forms.of(pointers);
  if (!form || !form->isAffine())
    return Aliasing::Possibly;
  std::optional<Extent> extent = extentOf(pointers, *form);
  if (!extent)
    return Aliasing::IfClose;
  llvm::sort(extent->steps, [](const Step &a, const Step &b) {
    return std::abs(a.stride) < std::abs(b.stride);
  });
  int64_t reach = 0; // of the dimensions below, from first byte to first byte
  for (const Step &step : extent->steps) {
    if (std::abs(step.stride) < reach + extent->bytes)
      return Aliasing::Possibly;
    reach += std::abs(step.stride) * (step.size - 1);
  }
  return Aliasing::Never;
}

/// Are all bytes of `a` and of `b`, which begins `distance` bytes after it,
/// different modulo `divisor`? Steps by multiples of it do not count; the others
/// span an interval of each.
static bool areDisjointModulo(int64_t divisor, const Extent &a, const Extent &b,
                              int64_t distance) {
  auto intervalOf = [&](const Extent &extent) {
    std::pair<int64_t, int64_t> interval(0, extent.bytes);
    for (const Step &step : extent.steps)
      if (step.stride % divisor) {
        int64_t reach = step.stride * (step.size - 1);
        (reach < 0 ? interval.first : interval.second) += reach;
      }
    return interval;
  };
  auto [lowA, highA] = intervalOf(a);
  auto [lowB, highB] = intervalOf(b);
  int64_t gap = (distance + lowB - lowA) % divisor;
  gap += gap < 0 ? divisor : 0;
  return gap >= highA - lowA && divisor - gap >= highB - lowB;
}

bool areDisjoint(Value a, Value b, TileForms &forms) {
  const TileForm *formA = forms.of(a), *formB = forms.of(b);
  if (!formA || !formB || !formA->isAffine() || !formB->isAffine() ||
      formA->pointer != formB->pointer)
    return false;
  std::optional<Extent> extentA = extentOf(a, *formA);
  std::optional<Extent> extentB = extentOf(b, *formB);
  std::optional<int64_t> elements = (formB->base - formA->base).constant();
  int64_t distance;
  if (!extentA || !extentB || !elements || extentA->bytes != extentB->bytes ||
      llvm::MulOverflow(*elements, extentA->bytes, distance) ||
      std::abs(distance) > (int64_t(1) << 60))
    return false;
  if (distance + extentB->low >= extentA->high + extentA->bytes ||
      distance + extentB->high + extentB->bytes <= extentA->low)
    return true;
  // Rows of both may interleave: then they differ modulo a common divisor of
  // the larger strides.
  SmallVector<int64_t> strides;
  for (const Extent *extent : {&*extentA, &*extentB})
    for (const Step &step : extent->steps)
      strides.push_back(std::abs(step.stride));
  llvm::sort(strides, std::greater<>());
  int64_t divisor = 0;
  for (int64_t stride : strides) {
    divisor = std::gcd(divisor, stride);
    if (divisor && areDisjointModulo(divisor, *extentA, *extentB, distance))
      return true;
  }
  return false;
}

bool haveSameAddresses(Value a, Value b, TileForms &forms) {
  if (a == b)
    return true;
  const TileForm *formA = forms.of(a), *formB = forms.of(b);
  return a.getType() == b.getType() && formA && formB && *formA == *formB;
}

/// Do both ascend through memory with the same strides?
static bool ascendAlike(Value a, Value b, const TileForm &formA,
                        const TileForm &formB) {
  if (a.getType() != b.getType())
    return false;
  std::optional<int64_t> pace;
  ArrayRef<int64_t> shape = tileType(a).getShape();
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size == 1)
      continue;
    if (pace)
      return false; // several dimensions
    pace = formA.strides[dim].constant();
    if (!pace || *pace <= 0 || formB.strides[dim].constant() != pace)
      return false;
  }
  return pace.has_value();
}

Hazard hazardOf(Value first, Value second, Interleaving interleaving,
                TileForms &forms) {
  if (areDisjoint(first, second, forms))
    return Hazard::None;
  bool inStep = interleaving == Interleaving::InStep;
  if (haveSameAddresses(first, second, forms)) {
    if (!inStep)
      return Hazard::Always;
    switch (selfAliasingOf(first, forms)) {
    case Aliasing::Never:
      return Hazard::None;
    case Aliasing::IfClose:
      return Hazard::IfRepeated;
    case Aliasing::Possibly:
      return Hazard::Always;
    }
  }
  const TileForm *formA = forms.of(first), *formB = forms.of(second);
  if (!formA || !formB || !formA->isAffine() || !formB->isAffine())
    return Hazard::Always;
  return inStep && ascendAlike(first, second, *formA, *formB)
             ? Hazard::IfAhead
             : Hazard::IfOverlapping;
}

} // namespace nereid::codegen
