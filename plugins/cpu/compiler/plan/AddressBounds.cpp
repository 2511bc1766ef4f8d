// AddressBounds.cpp - interval arithmetic on the addresses of accesses.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments are expected in [-2^20, 2^20], and few programs, which is part of
// the condition. So the compiler knows how large each result may be, and gives
// up where it might overflow.

#include "plan/AddressBounds.h"

#include "analysis/Access.h"
#include "analysis/Induction.h"
#include "plan/TileProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;

namespace nereid::cpu {

static constexpr int64_t kMostScalar = int64_t(1) << 20;
static constexpr int64_t kMostPrograms = int64_t(1) << 12; // threads, too

static double mostOf(Type type) {
  return std::ldexp(1, std::min(52, int(type.getIntOrFloatBitWidth()) - 1));
}

static Bounds constant(int64_t number) {
  return {{number, true}, {number, true}, std::abs(double(number))};
}

void AddressBounds::require(WorkValue margin) {
  required = required ? formula.min(*required, margin) : margin;
}

void AddressBounds::requireAtLeast(WorkValue value, int64_t least) {
  if (!value.isConstant || value.number < least)
    require(formula.subtract(value, {least, true}));
}

WorkValue AddressBounds::validity() {
  WorkValue most{kMostScalar, true};
  require(formula.subtract(most, largest));
  require(formula.add(most, smallest));
  return *required;
}

// ------------------------------------------------------------ scalars

/// A scalar that depends on the launch and on the program's position only.
std::optional<Bounds> AddressBounds::scalar(Value value) {
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

/// The number or the id of programs along an axis.
Bounds AddressBounds::position(int64_t kind, int64_t axis) {
  WorkValue value = formula.leaf(kind, axis, 0);
  require(formula.subtract({kMostPrograms, true}, value));
  return {value, value, double(kMostPrograms)};
}

std::optional<Bounds> AddressBounds::computeScalar(Value value) {
  if (Operation *op = value.getDefiningOp())
    return computeOperation(op);
  auto argument = cast<BlockArgument>(value);
  if (!isa<tt::FuncOp>(argument.getOwner()->getParentOp()) ||
      !argument.getOwner()->isEntryBlock())
    return std::nullopt;
  int64_t bytes = value.getType().getIntOrFloatBitWidth() / 8;
  WorkValue read =
      formula.leaf(NEREID_WORK_ARGUMENT,
                   info.arguments[argument.getArgNumber()].offset, bytes);
  smallest = formula.min(smallest, read);
  largest = formula.max(largest, read);
  double most = std::min(double(kMostScalar), mostOf(value.getType()) - 1);
  return Bounds{read, read, most};
}

std::optional<Bounds> AddressBounds::computeOperation(Operation *op) {
  if (auto id = dyn_cast<tt::GetProgramIdOp>(op))
    return position(NEREID_WORK_PROGRAM_ID, id.getAxisAsInt());
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

Bounds AddressBounds::add(const Bounds &a, const Bounds &b) {
  return {formula.add(a.low, b.low), formula.add(a.high, b.high),
          a.reach + b.reach};
}

/// Nothing if both are intervals.
std::optional<Bounds> AddressBounds::multiply(const Bounds &a,
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

std::optional<Bounds> AddressBounds::of(const codegen::Polynomial &polynomial) {
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

std::optional<Bounds> AddressBounds::factor(Value value) {
  auto found = factors.find(value);
  if (found != factors.end())
    return found->second;
  std::optional<Bounds> bounds = scalar(value);
  auto argument = dyn_cast<BlockArgument>(value);
  if (!bounds && argument)
    bounds = carried(argument);
  return factors[value] = bounds;
}

/// The numbers of iterations before one of `loop`; zero if it has none.
std::optional<Bounds> AddressBounds::iterations(scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  std::optional<Bounds> lower = scalar(loop.getLowerBound());
  std::optional<Bounds> upper = scalar(loop.getUpperBound());
  if (!step || *step <= 0 || !lower || !upper)
    return std::nullopt;
  WorkValue last = formula.subtract(upper->low, lower->low);
  last = formula.max(formula.subtract(last, {1, true}), {0, true});
  if (*step > 1)
    last = formula.combine(NEREID_WORK_DIVIDE, last, {*step, true});
  return Bounds{{0, true}, last, lower->reach + upper->reach + 1};
}

/// A scalar that a loop carries, or counts.
std::optional<Bounds> AddressBounds::carried(BlockArgument argument) {
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

// ------------------------------------------------------------ tiles

/// The element of `tile` at index 0, if no element wraps.
std::optional<WorkValue> AddressBounds::firstElement(Value tile) {
  const codegen::TileForm *form = forms.of(tile);
  if (!form || form->pointer || !form->isAffine() || form->mayWrap ||
      !codegen::tileType(tile))
    return std::nullopt;
  std::optional<Bounds> first = of(form->base);
  std::optional<Bounds> all = elements(*form, tile, {});
  if (!first || !first->isPoint() || !all ||
      all->reach >= mostOf(getElementTypeOrSelf(tile.getType())))
    return std::nullopt;
  return first->low;
}

/// The last index along `dim` for which `mask`, or null, may be true.
WorkValue AddressBounds::lastIndex(Value mask, unsigned dim, int64_t size) {
  WorkValue last{size - 1, true};
  if (!mask || !isTile(mask))
    return last;
  for (const codegen::MaskConjunct &conjunct :
       codegen::conjunctsOf(mask, forms)) {
    if (conjunct.dependsOn != codegen::DimSet(1) << dim)
      continue;
    for (auto [own, source] : llvm::enumerate(conjunct.map)) {
      if (!source.isAlong(dim) || source.bits)
        continue;
      auto bound = codegen::intervalOf(conjunct.condition, own, forms);
      if (!bound || !bound->isUpper || bound->stride != 1)
        continue;
      std::optional<WorkValue> lhs = firstElement(bound->lhs);
      std::optional<WorkValue> rhs = firstElement(bound->rhs);
      if (!lhs || !rhs)
        continue;
      WorkValue limit = formula.subtract(*rhs, *lhs);
      if (!bound->orEqual)
        limit = formula.subtract(limit, {1, true});
      last = formula.min(last, formula.max(limit, {0, true}));
    }
  }
  return last;
}

/// The elements of `tile`, of this form, for which `mask` may be true.
std::optional<Bounds> AddressBounds::elements(const codegen::TileForm &form,
                                              Value tile, Value mask) {
  std::optional<Bounds> sum = of(form.base);
  auto addProduct = [&](const codegen::Polynomial &coefficient,
                        std::optional<Bounds> by) {
    std::optional<Bounds> a = of(coefficient), product;
    if (sum && a && by)
      product = multiply(*a, *by);
    sum = product ? std::optional(add(*sum, *product)) : std::nullopt;
  };
  for (auto [dim, stride] : llvm::enumerate(form.strides)) {
    if (stride.isZero())
      continue;
    int64_t size = codegen::tileType(tile).getDimSize(dim);
    addProduct(stride,
               Bounds{{0, true}, lastIndex(mask, dim, size), double(size)});
  }
  for (const codegen::TileTerm &term : form.terms)
    addProduct(term.coefficient, remainder(term.tensor));
  return sum;
}

/// The elements of `tile`, if it is a remainder.
std::optional<Bounds> AddressBounds::remainder(Value tile) {
  std::optional<codegen::WrapForm> wrap = forms.wrapOf(tile);
  if (!wrap || wrap->value.mayWrap)
    return std::nullopt;
  std::optional<Bounds> value = elements(wrap->value, tile, {});
  std::optional<Bounds> modulus = of(wrap->modulus);
  // Neither may overflow its type.
  double most = mostOf(getElementTypeOrSelf(tile.getType()));
  if (!value || !modulus || !modulus->isPoint() || value->reach >= most ||
      modulus->reach >= most)
    return std::nullopt;
  requireAtLeast(value->low, 0);
  requireAtLeast(modulus->low, 1);
  WorkValue below = formula.subtract(modulus->low, {1, true});
  return Bounds{{0, true}, formula.min(value->high, below), value->reach};
}

std::optional<Bounds> AddressBounds::of(Operation *access) {
  codegen::TileOpInfo described = codegen::infoOf(access);
  Value pointers = described.pointers->get();
  const codegen::TileForm *form = forms.of(pointers);
  auto base =
      form ? dyn_cast_or_null<BlockArgument>(form->pointer) : BlockArgument();
  if (!base || !isa<tt::FuncOp>(base.getOwner()->getParentOp()) ||
      !base.getOwner()->isEntryBlock())
    return std::nullopt;
  auto type = cast<tt::PointerType>(getElementTypeOrSelf(pointers.getType()));
  Type pointee = type.getPointeeType();
  int64_t size = isa<tt::PointerType>(pointee)
                     ? 8
                     : std::max(8u, tt::getElementBitWidth(pointee)) / 8;
  Value mask = described.mask ? described.mask->get() : Value();
  std::optional<Bounds> offset = elements(*form, pointers, mask);
  double most = double(LaunchFormula::kMostExact) / 2;
  if (!offset || (offset->reach + 1) * size >= most)
    return std::nullopt;
  WorkValue address =
      formula.leaf(NEREID_WORK_ARGUMENT,
                   info.arguments[base.getArgNumber()].offset, sizeof(void *));
  auto byte = [&](WorkValue element, int64_t more) {
    WorkValue bytes = formula.multiply(element, {size, true});
    return formula.add(address, formula.add(bytes, {more, true}));
  };
  // Half of what is exact is for the address, the other for the offset.
  requireAtLeast(address, 0);
  require(formula.subtract({LaunchFormula::kMostExact / 2, true}, address));
  return Bounds{byte(offset->low, 0), byte(offset->high, size), most};
}

std::optional<WorkValue> AddressBounds::distanceOfRows(Operation *store) {
  Value pointers = codegen::infoOf(store).pointers->get();
  const codegen::TileForm *form = forms.of(pointers);
  switch (codegen::selfAliasingOf(pointers, forms)) {
  case codegen::Aliasing::Never:
    return WorkValue{0, true};
  case codegen::Aliasing::Possibly:
    return std::nullopt;
  case codegen::Aliasing::IfClose:
    break;
  }
  // The distance of two rows exceeds the extent of a row, or, where rows are
  // interleaved, that of two columns the extent of a column.
  ArrayRef<int64_t> shape = codegen::tileType(pointers).getShape();
  WorkValue strides[2], extents[2];
  for (unsigned dim = 0; dim < 2; ++dim) {
    std::optional<Bounds> stride = of(form->strides[dim]);
    std::optional<Bounds> extent =
        stride ? multiply(*stride, constant(shape[dim] - 1)) : std::nullopt;
    if (!extent || !stride->isPoint())
      return std::nullopt;
    auto magnitude = [&](WorkValue value) {
      return formula.max(value, formula.subtract({0, true}, value));
    };
    strides[dim] = magnitude(stride->low);
    extents[dim] = magnitude(extent->low);
  }
  auto exceeds = [&](WorkValue a, WorkValue b) {
    return formula.subtract(formula.subtract(a, b), {1, true});
  };
  return formula.max(exceeds(strides[0], extents[1]),
                     formula.min(exceeds(strides[1], extents[0]),
                                 exceeds(strides[0], {0, true})));
}

} // namespace nereid::cpu
