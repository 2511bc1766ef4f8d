// LaunchFormula.h - a condition on the arguments of a launch and on a program's
// position, which the driver evaluates.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_LAUNCHFORMULA_H
#define NEREID_CPU_COMPILER_PLAN_LAUNCHFORMULA_H

#include "kernel/WorkFormula.h"

#include <map>
#include <tuple>

namespace nereid::cpu {

using codegen::WorkValue;

/// The steps of a formula whose values are exact: the driver computes in f64,
/// so all of them are below kMostExact.
class LaunchFormula {
public:
  static constexpr int64_t kMostExact = int64_t(1) << 52;

  /// A step without operands.
  WorkValue leaf(int64_t kind, int64_t a, int64_t b) {
    return step(kind, a, b);
  }
  /// The result of a step, computed once; constants are folded.
  WorkValue combine(int64_t kind, WorkValue a, WorkValue b);

  WorkValue add(WorkValue a, WorkValue b) {
    return combine(NEREID_WORK_ADD, a, b);
  }
  WorkValue subtract(WorkValue a, WorkValue b) {
    return combine(NEREID_WORK_SUBTRACT, a, b);
  }
  WorkValue multiply(WorkValue a, WorkValue b) {
    return combine(NEREID_WORK_MULTIPLY, a, b);
  }
  WorkValue min(WorkValue a, WorkValue b) {
    return combine(NEREID_WORK_MIN, a, b);
  }
  WorkValue max(WorkValue a, WorkValue b) {
    return combine(NEREID_WORK_MAX, a, b);
  }

  /// The formula, whose last step is `result`; empty if it is too long or a
  /// constant overflowed.
  std::vector<nereid_work_step_t> finish(WorkValue result);

private:
  WorkValue step(int64_t kind, int64_t a, int64_t b);
  int64_t stepOf(WorkValue value);

  std::vector<nereid_work_step_t> steps;
  std::map<std::tuple<int64_t, int64_t, int64_t>, int64_t> known;
  bool isExact = true;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_LAUNCHFORMULA_H
