// ScalarBounds.cpp - interval arithmetic on scalars and polynomials.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments are expected in [-2^20, 2^20], and few programs, which is part of
// the condition. So the compiler knows how large each result may be, and gives
// up where it might overflow.

#include "plan/ScalarBounds.h"

#include "analysis/Induction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;

namespace nereid::cpu {

static constexpr int64_t kMostScalar = int64_t(1) << 20;
/// The most programs: of a formula that is evaluated for each of them, which
/// pays for hardly more than there are threads, and of one for all of them.
static constexpr int64_t kMostPositions = int64_t(1) << 12;
static constexpr int64_t kMostInLaunch = int64_t(1) << 20;

bool ScalarBounds::isArgument(Value value) {
  auto argument = dyn_cast_or_null<BlockArgument>(value);
  return argument && isa<tt::FuncOp>(argument.getOwner()->getParentOp()) &&
         argument.getOwner()->isEntryBlock();
}

double ScalarBounds::mostOf(Type type) {
  return std::ldexp(1, std::min(52, int(type.getIntOrFloatBitWidth()) - 1));
}

Bounds ScalarBounds::constant(int64_t number) {
  return {{number, true}, {number, true}, std::abs(double(number))};
}

void ScalarBounds::require(WorkValue margin) {
  required = required ? formula.min(*required, margin) : margin;
}

void ScalarBounds::requireAtLeast(WorkValue value, int64_t least) {
  if (!value.isConstant || value.number < least)
    require(formula.subtract(value, {least, true}));
}

WorkValue ScalarBounds::validity() {
  WorkValue most{kMostScalar, true};
  require(formula.subtract(most, largest));
  require(formula.add(most, smallest));
  return *required;
}

// ------------------------------------------------------------ scalars

/// A scalar that depends on the launch and on the program's position only.
std::optional<Bounds> ScalarBounds::scalar(Value value) {
  if (std::optional<int64_t> number = codegen::constantOf(value))
    return constant(*number);
  constexpr size_t kMostScalars = 128; // each deepens the recursion
  auto type = dyn_cast<IntegerType>(value.getType());
  if (!type || type.getWidth() < 8 || type.getWidth() > 64)
    return std::nullopt;
  auto found = scalars.find(value);
  if (found != scalars.end())
    return found->second;
  if (scalars.size() == kMostScalars)
    return std::nullopt;
  scalars[value] = std::nullopt; // an operation that uses itself
  std::optional<Bounds> result = computeScalar(value);
  // It must not wrap.
  if (result && result->reach >= mostOf(type))
    result = std::nullopt;
  return scalars[value] = result;
}

Bounds ScalarBounds::position(int64_t kind, int64_t axis) {
  int64_t most = programs == BoundsOf::Launch ? kMostInLaunch : kMostPositions;
  WorkValue value = formula.leaf(kind, axis, 0);
  require(formula.subtract({most, true}, value));
  return {value, value, double(most)};
}

Bounds ScalarBounds::programId(int64_t axis) {
  if (programs == BoundsOf::Program)
    return position(NEREID_WORK_PROGRAM_ID, axis);
  Bounds count = position(NEREID_WORK_GRID_SIZE, axis);
  return {{0, true}, formula.subtract(count.high, {1, true}), count.reach};
}

/// The results of `op`, an operation on integers, where an operand is not a
/// point.
std::optional<Bounds> ScalarBounds::computeIntervals(Operation *op,
                                                     const Bounds &a,
                                                     const Bounds &b) {
  if (isa<arith::AddIOp>(op))
    return add(a, b);
  if (isa<arith::MulIOp>(op))
    return multiply(a, b);
  std::optional<Bounds> negative;
  if (isa<arith::SubIOp>(op))
    negative = multiply(constant(-1), b);
  return negative ? std::optional(add(a, *negative)) : std::nullopt;
}

std::optional<Bounds> ScalarBounds::computeScalar(Value value) {
  if (Operation *op = value.getDefiningOp())
    return computeOperation(op);
  if (!isArgument(value))
    return std::nullopt;
  auto argument = cast<BlockArgument>(value);
  int64_t bytes = value.getType().getIntOrFloatBitWidth() / 8;
  WorkValue read =
      formula.leaf(NEREID_WORK_ARGUMENT,
                   info.arguments[argument.getArgNumber()].offset, bytes);
  smallest = formula.min(smallest, read);
  largest = formula.max(largest, read);
  double most = std::min(double(kMostScalar), mostOf(value.getType()) - 1);
  return Bounds{read, read, most};
}

std::optional<Bounds> ScalarBounds::computeOperation(Operation *op) {
  if (auto id = dyn_cast<tt::GetProgramIdOp>(op))
    return programId(id.getAxisAsInt());
  if (auto size = dyn_cast<tt::GetNumProgramsOp>(op))
    return position(NEREID_WORK_GRID_SIZE, size.getAxisAsInt());
  if (!isa<arith::ExtSIOp, arith::AddIOp, arith::SubIOp, arith::MulIOp,
           arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
           arith::MinSIOp, arith::MaxSIOp>(op))
    return std::nullopt;
  std::optional<Bounds> a = scalar(op->getOperand(0));
  if (!a || isa<arith::ExtSIOp>(op))
    return a;
  std::optional<Bounds> b = scalar(op->getOperand(1));
  if (!b)
    return std::nullopt;
  if (!a->isPoint() || !b->isPoint())
    return computeIntervals(op, *a, *b);
  auto combine = [&](int64_t kind, double reach) {
    WorkValue value = formula.combine(kind, a->low, b->low);
    return Bounds{value, value, reach};
  };
  double most = std::max(a->reach, b->reach);
  if (isa<arith::AddIOp>(op))
    return combine(NEREID_WORK_ADD, a->reach + b->reach);
  if (isa<arith::SubIOp>(op))
    return combine(NEREID_WORK_SUBTRACT, a->reach + b->reach);
  if (isa<arith::MulIOp>(op))
    return combine(NEREID_WORK_MULTIPLY, a->reach * b->reach);
  if (isa<arith::MinSIOp>(op))
    return combine(NEREID_WORK_MIN, most);
  if (isa<arith::MaxSIOp>(op))
    return combine(NEREID_WORK_MAX, most);
  // Rounding and signs do not matter for these.
  requireAtLeast(a->low, 0);
  requireAtLeast(b->low, 1);
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return combine(NEREID_WORK_REMAINDER, std::min(a->reach, b->reach));
  double divisor = b->low.isConstant ? std::max(b->reach, 1.0) : 1;
  return combine(NEREID_WORK_DIVIDE, a->reach / divisor + 1);
}

// ------------------------------------------------------------ intervals

Bounds ScalarBounds::add(const Bounds &a, const Bounds &b) {
  return {formula.add(a.low, b.low), formula.add(a.high, b.high),
          a.reach + b.reach};
}

/// Nothing if both are intervals.
std::optional<Bounds> ScalarBounds::multiply(const Bounds &a,
                                              const Bounds &b) {
  if (!a.isPoint())
    return b.isPoint() ? multiply(b, a) : std::nullopt;
  double reach = a.reach * b.reach;
  if (reach >= double(LaunchFormula::kMostExact))
    return std::nullopt;
  WorkValue low = formula.multiply(a.low, b.low);
  WorkValue high = formula.multiply(a.low, b.high);
  if (b.isPoint())
    return Bounds{low, low, reach};
  if (a.low.isConstant)
    return a.low.number < 0 ? Bounds{high, low, reach}
                            : Bounds{low, high, reach};
  return Bounds{formula.min(low, high), formula.max(low, high), reach};
}

std::optional<Bounds> ScalarBounds::of(const codegen::Polynomial &polynomial) {
  Bounds sum = constant(0);
  for (const codegen::Monomial &monomial : polynomial.terms()) {
    std::optional<Bounds> product = constant(monomial.coefficient);
    for (Value value : monomial.factors) {
      std::optional<Bounds> by = factor(value);
      if (!by)
        return std::nullopt;
      product = multiply(*product, *by);
      if (!product)
        return std::nullopt;
    }
    sum = add(sum, *product);
  }
  return sum;
}

std::optional<Bounds> ScalarBounds::factor(Value value) {
  auto found = factors.find(value);
  if (found != factors.end())
    return found->second;
  std::optional<Bounds> bounds = scalar(value);
  auto argument = dyn_cast<BlockArgument>(value);
  if (!bounds)
    bounds = argument ? carried(argument) : shifted(value.getDefiningOp());
  return factors[value] = bounds;
}

/// A number that is not negative, shifted right.
std::optional<Bounds> ScalarBounds::shifted(Operation *op) {
  constexpr int64_t kMostBits = 32;
  if (!isa<arith::ShRSIOp, arith::ShRUIOp>(op))
    return std::nullopt;
  std::optional<int64_t> by = codegen::constantOf(op->getOperand(1));
  std::optional<Bounds> number = of(codegen::Polynomial::of(op->getOperand(0)));
  if (!by || *by < 0 || *by >= kMostBits || !number ||
      number->reach >= mostOf(op->getResult(0).getType()))
    return std::nullopt;
  requireAtLeast(number->low, 0);
  WorkValue divisor{int64_t(1) << *by, true};
  return Bounds{formula.combine(NEREID_WORK_DIVIDE, number->low, divisor),
                formula.combine(NEREID_WORK_DIVIDE, number->high, divisor),
                number->reach};
}

/// The numbers of iterations before one of `loop`; zero if it has none.
std::optional<Bounds> ScalarBounds::iterations(scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  std::optional<Bounds> lower = scalar(loop.getLowerBound());
  std::optional<Bounds> upper = scalar(loop.getUpperBound());
  if (!step || *step <= 0 || !lower || !upper)
    return std::nullopt;
  WorkValue last = formula.subtract(upper->high, lower->low);
  last = formula.max(formula.subtract(last, {1, true}), {0, true});
  if (*step > 1)
    last = formula.combine(NEREID_WORK_DIVIDE, last, {*step, true});
  return Bounds{{0, true}, last, lower->reach + upper->reach + 1};
}

/// A scalar that a loop carries, or counts.
std::optional<Bounds> ScalarBounds::carried(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || !argument.getType().isInteger())
    return std::nullopt;
  auto advance =
      codegen::advanceOf(codegen::Polynomial::symbol(argument), loop);
  if (!advance)
    return std::nullopt;
  Value from = argument == loop.getInductionVar()
                   ? loop.getLowerBound()
                   : loop.getTiedLoopInit(argument)->get();
  std::optional<Bounds> init = of(codegen::Polynomial::of(from));
  std::optional<Bounds> step = of(*advance);
  std::optional<Bounds> count = iterations(loop);
  if (!init || !step || !count)
    return std::nullopt;
  std::optional<Bounds> moved = multiply(*step, *count);
  if (!moved)
    return std::nullopt;
  return add(*init, *moved);
}

} // namespace nereid::cpu
