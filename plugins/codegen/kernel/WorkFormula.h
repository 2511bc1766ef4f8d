// WorkFormula.h - builds a formula of work.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_WORKFORMULA_H
#define NEREID_CODEGEN_KERNEL_WORKFORMULA_H

#include "kernel/KernelInfo.h"

#include "mlir/IR/Value.h"

#include <optional>

namespace nereid::codegen {

/// A value of a formula: a constant, or the result of a step.
struct WorkValue {
  int64_t number = 0; ///< the constant, or the number of the step
  bool isConstant = true;
};

/// Reads scalars of a kernel as formulas of the values that a launch knows.
class WorkFormula {
public:
  explicit WorkFormula(const KernelInfo &info) : info(info) {}

  /// Nothing if `scalar` depends on anything else, memory for example, or the
  /// formula would be too long. The induction variable of a loop has its mean.
  std::optional<WorkValue> read(mlir::Value scalar);

  /// Constants are folded; an overflow yields the largest integer. With too
  /// many steps the result is nothing.
  std::optional<WorkValue> combine(int64_t kind, std::optional<WorkValue> a,
                                   std::optional<WorkValue> b);

  /// Ends the formula with these values, a step each.
  std::vector<nereid_work_step_t> finish(llvm::ArrayRef<WorkValue> values);

private:
  std::optional<WorkValue> compute(mlir::Value scalar);
  std::optional<WorkValue> readOperation(mlir::Operation *op);
  std::optional<WorkValue> readArgument(mlir::BlockArgument argument);
  std::optional<WorkValue> add(int64_t kind, int64_t a, int64_t b);
  int64_t stepOf(WorkValue value);

  const KernelInfo &info;
  std::vector<nereid_work_step_t> steps;
  llvm::DenseMap<mlir::Value, std::optional<WorkValue>> known;
};

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_WORKFORMULA_H
