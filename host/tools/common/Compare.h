// Compare.h - compares what a kernel wrote with what was expected.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOLS_COMPARE_H
#define NEREID_TOOLS_COMPARE_H

#include "Array.h"

namespace nereid::tools {

/// |found - expected| <= absolute + relative * |expected|
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// What rounding in a few operations of \p type explains.
Tolerance defaultTolerance(DType type);

struct Comparison {
  uint64_t count = 0;
  uint64_t mismatches = 0;
  double maxAbsolute = 0;  ///< infinite where only one side is not finite
  double maxRelative = 0;  ///< of elements whose expected value is not 0
  uint64_t firstIndex = 0; ///< the first mismatch, if there is one
  double firstFound = 0, firstExpected = 0;

  bool matches() const { return mismatches == 0; }
};

/// Both have the same type and shape. A NaN equals a NaN, an infinity itself.
/// Integers are compared exactly where both tolerances are 0.
Comparison compareArrays(const Array &found, const Array &expected,
                         Tolerance tolerance);

/// "3 of 781 differ, the first at [0, 2]: found 1.5, expected 2"
std::string describeMismatch(const Comparison &comparison, const Shape &shape);

/// The shortest text that reads back as \p value.
std::string numberText(double value);

} // namespace nereid::tools

#endif // NEREID_TOOLS_COMPARE_H
