// Sweep.h - a function over many inputs, and its largest error.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_ACCURACY_SWEEP_H
#define NEREID_TESTS_ACCURACY_SWEEP_H

#include "../unit/libdevice/ExternKernel.h"
#include "../unit/libdevice/References.h"
#include "References.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace nereid::test {

/// An input, its result and the right one.
struct Found {
  float x = 0, got = 0;
  double exact = 0;
};

struct SweepResult {
  /// The largest error in units of the last place, and where it is.
  double error = 0;
  Found worst;
  /// Results that are NaN, infinite or a zero where they must not be or of the
  /// wrong sign; for a function with one right result, all that differ.
  uint64_t wrong = 0;
  Found firstWrong;

  void add(const SweepResult &other);
};

/// The bit patterns of a sweep: every \p stride -th, and if the stride is not
/// 1, all that are near special points.
std::vector<uint32_t> nearSpecialPoints();

SweepResult sweep(const ExternKernel &kernel, const AccurateFunction &function,
                  uint64_t stride);
SweepResult sweepExactly(const ExternKernel &kernel,
                         const ListedFunction &function,
                         const ExactReference &reference, uint64_t stride);

} // namespace nereid::test

#endif // NEREID_TESTS_ACCURACY_SWEEP_H
