// Compare.cpp - differences between two arrays.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Compare.h"

#include "Parts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace nereid::tools {

Tolerance defaultTolerance(DType type) {
  switch (type) {
  case DType::F64:
    return {1e-12, 1e-14};
  case DType::F32:
    return {1e-5, 1e-6};
  case DType::F16:
    return {2e-3, 1e-4};
  case DType::BF16:
    return {2e-2, 1e-3};
  case DType::F8E4M3:
  case DType::F8E5M2:
    return {0.25, 1e-2};
  default:
    return {0, 0};
  }
}

namespace {
/// The distance between two elements, both ways of seeing it.
struct Difference {
  double found, expected, absolute;
};
} // namespace

static Difference difference(const Array &found, const Array &expected,
                             uint64_t index) {
  DType type = found.type();
  double a = loadNumber(type, found.at(index));
  double b = loadNumber(type, expected.at(index));
  if (!isFloat(type)) {
    // 64-bit integers may round to the same double, and their difference may
    // not fit: the distance of unsigned numbers is exact.
    int64_t x = loadInteger(type, found.at(index));
    int64_t y = loadInteger(type, expected.at(index));
    uint64_t distance =
        x > y ? uint64_t(x) - uint64_t(y) : uint64_t(y) - uint64_t(x);
    return {a, b, static_cast<double>(distance)};
  }
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return {a, b, 0};
  if (!std::isfinite(a) || !std::isfinite(b))
    return {a, b, std::numeric_limits<double>::infinity()};
  return {a, b, std::fabs(a - b)};
}

static Comparison compareRange(const Array &found, const Array &expected,
                               Tolerance tolerance, uint64_t begin,
                               uint64_t end) {
  Comparison result;
  for (uint64_t i = begin; i < end; ++i) {
    Difference here = difference(found, expected, i);
    if (here.absolute == 0)
      continue;
    double size = std::fabs(here.expected);
    result.maxAbsolute = std::max(result.maxAbsolute, here.absolute);
    if (size > 0)
      result.maxRelative = std::max(
          result.maxRelative,
          std::isinf(here.absolute) ? here.absolute : here.absolute / size);
    if (std::isfinite(here.absolute) &&
        here.absolute <= tolerance.absolute + tolerance.relative * size)
      continue;
    if (result.mismatches++ == 0) {
      result.firstIndex = i;
      result.firstFound = here.found;
      result.firstExpected = here.expected;
    }
  }
  return result;
}

Comparison compareArrays(const Array &found, const Array &expected,
                         Tolerance tolerance) {
  Comparison result;
  result.count = expected.count();
  if (found.size() == 0 ||
      std::memcmp(found.data(), expected.data(), found.size()) == 0)
    return result;
  std::vector<Comparison> parts(partsOf(result.count));
  inParts(result.count, [&](uint64_t part, uint64_t begin, uint64_t end) {
    parts[part] = compareRange(found, expected, tolerance, begin, end);
  });
  for (const Comparison &part : parts) {
    result.maxAbsolute = std::max(result.maxAbsolute, part.maxAbsolute);
    result.maxRelative = std::max(result.maxRelative, part.maxRelative);
    if (result.matches()) {
      result.firstIndex = part.firstIndex;
      result.firstFound = part.firstFound;
      result.firstExpected = part.firstExpected;
    }
    result.mismatches += part.mismatches;
  }
  return result;
}

std::string numberText(double value) {
  char text[64];
  auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return error == std::errc() ? std::string(text, end) : "?";
}

std::string describeMismatch(const Comparison &comparison, const Shape &shape) {
  return std::to_string(comparison.mismatches) + " of " +
         std::to_string(comparison.count) + " differ, the first at " +
         shapeText(unflatten(shape, comparison.firstIndex)) + ": found " +
         numberText(comparison.firstFound) + ", expected " +
         numberText(comparison.firstExpected);
}

} // namespace nereid::tools
