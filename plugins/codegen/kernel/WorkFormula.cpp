// WorkFormula.cpp - scalars as formulas of a launch's values.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel/WorkFormula.h"

#include "nereid/ttir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::codegen {

// Operations that are read for one kernel; each deepens the recursion.
static constexpr unsigned kMaxValues = 256;
// The last steps are those of finish(): at most so many.
static constexpr unsigned kMaxValuesOfFormula = 4;
static constexpr unsigned kMaxSteps =
    NEREID_WORK_MAX_STEPS - kMaxValuesOfFormula;

static std::optional<int64_t> fold(int64_t kind, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflows = false;
  switch (kind) {
  case NEREID_WORK_ADD:
    overflows = llvm::AddOverflow(a, b, result);
    break;
  case NEREID_WORK_SUBTRACT:
    overflows = llvm::SubOverflow(a, b, result);
    break;
  case NEREID_WORK_MULTIPLY:
    overflows = llvm::MulOverflow(a, b, result);
    break;
  case NEREID_WORK_MIN:
    return std::min(a, b);
  case NEREID_WORK_MAX:
    return std::max(a, b);
  default: {
    if (b == 0)
      return 0;
    if (b == -1)
      return std::nullopt;
    if (kind == NEREID_WORK_DIVIDE)
      return a / b;
    if (kind == NEREID_WORK_REMAINDER)
      return a % b;
    return llvm::divideCeilSigned(a, b);
  }
  }
  return overflows ? INT64_MAX : result;
}

std::optional<WorkValue> WorkFormula::add(int64_t kind, int64_t a, int64_t b) {
  if (steps.size() >= kMaxSteps)
    return std::nullopt;
  steps.push_back({kind, a, b});
  return WorkValue{static_cast<int64_t>(steps.size()) - 1, false};
}

/// The step that yields `value`; a constant needs one, too.
int64_t WorkFormula::stepOf(WorkValue value) {
  if (!value.isConstant)
    return value.number;
  steps.push_back({NEREID_WORK_CONSTANT, value.number, 0});
  return static_cast<int64_t>(steps.size()) - 1;
}

std::optional<WorkValue> WorkFormula::combine(int64_t kind,
                                              std::optional<WorkValue> a,
                                              std::optional<WorkValue> b) {
  if (!a || !b)
    return std::nullopt;
  if (a->isConstant && b->isConstant) {
    auto number = fold(kind, a->number, b->number);
    return number ? std::optional(WorkValue{*number}) : std::nullopt;
  }
  auto is = [](const WorkValue &value, int64_t number) {
    return value.isConstant && value.number == number;
  };
  bool isProduct = kind == NEREID_WORK_MULTIPLY;
  bool isQuotient =
      kind == NEREID_WORK_DIVIDE || kind == NEREID_WORK_CEIL_DIVIDE;
  bool isSum = kind == NEREID_WORK_ADD || kind == NEREID_WORK_SUBTRACT;
  if (isProduct && (is(*a, 0) || is(*b, 0)))
    return WorkValue{0};
  if (((isProduct || isQuotient) && is(*b, 1)) || (isSum && is(*b, 0)))
    return a;
  if ((isProduct && is(*a, 1)) || (kind == NEREID_WORK_ADD && is(*a, 0)))
    return b;
  // Both may be constants that need a step.
  if (steps.size() + 3 > kMaxSteps)
    return std::nullopt;
  int64_t first = stepOf(*a), second = stepOf(*b);
  return add(kind, first, second);
}

std::vector<nereid_work_step_t>
WorkFormula::finish(ArrayRef<WorkValue> values) {
  assert(values.size() <= kMaxValuesOfFormula);
  std::vector<nereid_work_step_t> out = std::move(steps);
  for (WorkValue value : values) {
    if (value.isConstant)
      out.push_back({NEREID_WORK_CONSTANT, value.number, 0});
    else
      out.push_back(out[value.number]); // computed again, at the end
  }
  return out;
}

std::optional<WorkValue> WorkFormula::read(Value scalar) {
  if (auto number = getConstantIntValue(scalar))
    return WorkValue{*number};
  auto found = known.find(scalar);
  if (found != known.end())
    return found->second;
  if (known.size() >= kMaxValues)
    return std::nullopt;
  known[scalar] = std::nullopt; // an operation that uses itself
  auto value = compute(scalar);
  known[scalar] = value;
  return value;
}

std::optional<WorkValue> WorkFormula::compute(Value scalar) {
  if (!scalar.getType().isIntOrIndex() || scalar.getType().isInteger(1))
    return std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(scalar))
    return readArgument(argument);
  return readOperation(scalar.getDefiningOp());
}

std::optional<WorkValue> WorkFormula::readArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (isa<tt::FuncOp>(parent) && argument.getOwner()->isEntryBlock()) {
    const KernelArgument &described = info.arguments[argument.getArgNumber()];
    int64_t bytes = argument.getType().getIntOrFloatBitWidth() / 8;
    return add(NEREID_WORK_ARGUMENT, static_cast<int64_t>(described.offset),
               bytes);
  }
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop || argument != loop.getInductionVar())
    return std::nullopt;
  return combine(NEREID_WORK_DIVIDE,
                 combine(NEREID_WORK_ADD, read(loop.getLowerBound()),
                         read(loop.getUpperBound())),
                 WorkValue{2});
}

std::optional<WorkValue> WorkFormula::readOperation(Operation *op) {
  auto both = [&](int64_t kind) {
    auto a = read(op->getOperand(0)), b = read(op->getOperand(1));
    return combine(kind, a, b);
  };
  auto shifted = [&](int64_t kind) -> std::optional<WorkValue> {
    auto bits = getConstantIntValue(op->getOperand(1));
    if (!bits || *bits < 0 || *bits > 62)
      return std::nullopt;
    return combine(kind, read(op->getOperand(0)),
                   WorkValue{int64_t(1) << *bits});
  };
  using Result = std::optional<WorkValue>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](tt::GetProgramIdOp id) {
        return add(NEREID_WORK_PROGRAM_ID, id.getAxisAsInt(), 0);
      })
      .Case([&](tt::GetNumProgramsOp size) {
        return add(NEREID_WORK_GRID_SIZE, size.getAxisAsInt(), 0);
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
            arith::IndexCastOp>(
          [&](auto cast) { return read(cast->getOperand(0)); })
      .Case([&](arith::AddIOp) { return both(NEREID_WORK_ADD); })
      .Case([&](arith::SubIOp) { return both(NEREID_WORK_SUBTRACT); })
      .Case([&](arith::MulIOp) { return both(NEREID_WORK_MULTIPLY); })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
          [&](auto) { return both(NEREID_WORK_DIVIDE); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) { return both(NEREID_WORK_CEIL_DIVIDE); })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](auto) { return both(NEREID_WORK_REMAINDER); })
      .Case<arith::MinSIOp, arith::MinUIOp>(
          [&](auto) { return both(NEREID_WORK_MIN); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) { return both(NEREID_WORK_MAX); })
      .Case([&](arith::ShLIOp) { return shifted(NEREID_WORK_MULTIPLY); })
      .Case<arith::ShRSIOp, arith::ShRUIOp>(
          [&](auto) { return shifted(NEREID_WORK_DIVIDE); })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace nereid::codegen
