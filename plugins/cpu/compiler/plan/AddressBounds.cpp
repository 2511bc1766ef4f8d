// AddressBounds.cpp - interval arithmetic on the addresses of accesses.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Scalars are expected in [-2^20, 2^20], which is checked when the program
// runs. So the compiler knows how large each result may be, and gives up where
// it might overflow.

#include "plan/AddressBounds.h"

#include "analysis/Induction.h"
#include "plan/TileProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <cmath>

using namespace mlir;

namespace nereid::cpu {

static constexpr int64_t kMostScalar = int64_t(1) << 20;
static constexpr double kMostBytes = double(int64_t(1) << 60);

AddressBounds::AddressBounds(Block &block, Operation *before,
                             codegen::TileForms &forms)
    : builder(OpBuilder::atBlockEnd(&block)), loc(before->getLoc()),
      before(before), forms(forms), leading(before, forms) {}

Value AddressBounds::number(int64_t value) {
  return builder.create<arith::ConstantIntOp>(loc, value, 64);
}

/// Folds constants, which it expects on the right.
template <typename Op> Value AddressBounds::make(Value a, Value b) {
  if (Op::template hasTrait<OpTrait::IsCommutative>() && codegen::constantOf(a))
    std::swap(a, b);
  return builder.createOrFold<Op>(loc, a, b);
}

Value AddressBounds::compare(arith::CmpIPredicate predicate, Value a, Value b) {
  return builder.create<arith::CmpIOp>(loc, predicate, a, b);
}

/// `value` before the program accesses memory: itself, or a copy of it; null if
/// it depends on memory.
Value AddressBounds::known(Value value, unsigned depth) {
  constexpr unsigned kDeepest = 8;
  if (dominance.properlyDominates(value, before))
    return value;
  if (Value copy = copies.lookupOrNull(value))
    return copy;
  Operation *op = value.getDefiningOp();
  if (!op || depth == kDeepest || op->getNumRegions() || !isPure(op) ||
      codegen::infoOf(op).kind != codegen::TileOpKind::Scalar)
    return {};
  for (Value operand : op->getOperands()) {
    Value copy = known(operand, depth + 1);
    if (!copy)
      return {};
    copies.map(operand, copy);
  }
  builder.clone(*op, copies);
  return copies.lookup(value);
}

/// A scalar from before the program accesses memory.
std::optional<Bounds> AddressBounds::scalar(Value value) {
  if (std::optional<int64_t> constant = codegen::constantOf(value)) {
    Value point = number(*constant);
    return Bounds{point, point, std::abs(double(*constant))};
  }
  auto type = dyn_cast<IntegerType>(value.getType());
  if (!type || type.getWidth() == 1 || type.getWidth() > 64)
    return std::nullopt;
  Value point = known(value);
  if (!point)
    return std::nullopt;
  if (type.getWidth() < 64)
    point = builder.create<arith::ExtSIOp>(loc, builder.getI64Type(), point);
  if (type.getWidth() > 16) {
    // As unsigned numbers negative ones are above all others.
    Value size = make<arith::AddIOp>(point, number(kMostScalar));
    largest = largest ? make<arith::MaxUIOp>(largest, size) : size;
  }
  return Bounds{point, point, double(kMostScalar)};
}

Bounds AddressBounds::add(const Bounds &a, const Bounds &b) {
  Bounds sum{make<arith::AddIOp>(a.low, b.low), {}, a.reach + b.reach};
  sum.high = a.isPoint() && b.isPoint() ? sum.low
                                        : make<arith::AddIOp>(a.high, b.high);
  return sum;
}

/// Nothing if both are intervals.
std::optional<Bounds> AddressBounds::multiply(const Bounds &a,
                                              const Bounds &b) {
  if (!a.isPoint())
    return b.isPoint() ? multiply(b, a) : std::nullopt;
  double reach = a.reach * b.reach;
  Value low = make<arith::MulIOp>(a.low, b.low);
  if (b.isPoint())
    return Bounds{low, low, reach};
  Value high = make<arith::MulIOp>(a.low, b.high);
  std::optional<int64_t> constant = codegen::constantOf(a.low);
  if (constant)
    return *constant < 0 ? Bounds{high, low, reach} : Bounds{low, high, reach};
  return Bounds{make<arith::MinSIOp>(low, high),
                make<arith::MaxSIOp>(low, high), reach};
}

std::optional<Bounds> AddressBounds::of(const codegen::Polynomial &polynomial) {
  Value zero = number(0);
  Bounds sum{zero, zero, 0};
  for (const codegen::Monomial &monomial : polynomial.terms()) {
    Value coefficient = number(monomial.coefficient);
    std::optional<Bounds> product = Bounds{
        coefficient, coefficient, std::abs(double(monomial.coefficient))};
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
  std::optional<Bounds> lower = factor(loop.getLowerBound());
  std::optional<Bounds> upper = factor(loop.getUpperBound());
  if (!step || *step <= 0 || !lower || !upper || !lower->isPoint() ||
      !upper->isPoint())
    return std::nullopt;
  Value last = make<arith::SubIOp>(upper->low, lower->low);
  last = make<arith::SubIOp>(last, number(1));
  last = make<arith::MaxSIOp>(last, number(0));
  last = make<arith::DivSIOp>(last, number(*step));
  return Bounds{number(0), last, lower->reach + upper->reach + 1};
}

/// A scalar that a loop carries, or counts.
std::optional<Bounds> AddressBounds::carried(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop)
    return std::nullopt;
  auto advance =
      codegen::advanceOf(codegen::Polynomial::symbol(argument), loop);
  if (!advance)
    return std::nullopt;
  bool counts = argument == loop.getInductionVar();
  Value from =
      counts ? loop.getLowerBound() : loop.getTiedLoopInit(argument)->get();
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

/// The indices along `dim` of `tile` for which `mask` may be true, if there are
/// any.
std::optional<Bounds> AddressBounds::index(Value tile, unsigned dim,
                                           Value mask) {
  int64_t size = codegen::tileType(tile).getDimSize(dim);
  Value last = number(size - 1);
  if (mask && isTile(mask))
    if (Value count = leading.of(mask, dim, builder)) {
      last = make<arith::SubIOp>(count, number(1));
      last = make<arith::MaxSIOp>(last, number(0));
    }
  return Bounds{number(0), last, double(size)};
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
  for (auto [dim, stride] : llvm::enumerate(form.strides))
    if (!stride.isZero())
      addProduct(stride, index(tile, dim, mask));
  for (const codegen::TileTerm &term : form.terms)
    addProduct(term.coefficient, remainder(term.tensor));
  return sum;
}

/// The elements of `tile`, if it is a remainder.
std::optional<Bounds> AddressBounds::remainder(Value tile) {
  auto found = remainders.find(tile);
  if (found != remainders.end())
    return found->second;
  std::optional<Bounds> &result = remainders[tile];
  std::optional<codegen::WrapForm> wrap = forms.wrapOf(tile);
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(tile.getType()));
  if (!wrap || !type || wrap->value.mayWrap)
    return result;
  std::optional<Bounds> value = elements(wrap->value, tile, {});
  std::optional<Bounds> modulus = of(wrap->modulus);
  // Neither may overflow its type.
  double most = std::ldexp(1, type.getWidth() - 1);
  if (!value || !modulus || !modulus->isPoint() || value->reach >= most ||
      modulus->reach >= most)
    return result;
  for (auto [operand, least] :
       {std::pair(value->low, 0), std::pair(modulus->low, 1)}) {
    Value holds = compare(arith::CmpIPredicate::sge, operand, number(least));
    arePositive = arePositive ? make<arith::AndIOp>(arePositive, holds) : holds;
  }
  Value below = make<arith::SubIOp>(modulus->low, number(1));
  result = Bounds{number(0), make<arith::MinSIOp>(value->high, below),
                  std::max(value->reach, modulus->reach)};
  return result;
}

std::optional<Bounds> AddressBounds::of(Operation *access) {
  codegen::TileOpInfo info = codegen::infoOf(access);
  Value pointers = info.pointers->get();
  const codegen::TileForm *form = forms.of(pointers);
  Value base = form && form->pointer ? known(form->pointer) : Value();
  if (!base)
    return std::nullopt;
  auto pointer =
      cast<tt::PointerType>(getElementTypeOrSelf(pointers.getType()));
  Type pointee = pointer.getPointeeType();
  int64_t size = isa<tt::PointerType>(pointee)
                     ? 8
                     : std::max(8u, tt::getElementBitWidth(pointee)) / 8;
  std::optional<Bounds> offset =
      elements(*form, pointers, info.mask ? info.mask->get() : Value());
  if (!offset || offset->reach * size >= kMostBytes)
    return std::nullopt;
  Value address =
      builder.create<tt::PtrToIntOp>(loc, builder.getI64Type(), base);
  auto byte = [&](Value element, int64_t more) {
    Value bytes = make<arith::MulIOp>(element, number(size));
    bytes = make<arith::AddIOp>(bytes, number(more));
    return make<arith::AddIOp>(address, bytes);
  };
  return Bounds{byte(offset->low, 0), byte(offset->high, size), 0};
}

Value AddressBounds::haveRowsApart(Operation *store) {
  Value pointers = codegen::infoOf(store).pointers->get();
  const codegen::TileForm *form = forms.of(pointers);
  switch (codegen::selfAliasingOf(pointers, forms)) {
  case codegen::Aliasing::Never:
    return builder.create<arith::ConstantIntOp>(loc, 1, 1);
  case codegen::Aliasing::Possibly:
    return {};
  case codegen::Aliasing::IfClose:
    break;
  }
  // The distance of two rows exceeds the extent of a row, or, where rows are
  // interleaved, that of two columns the extent of a column.
  Value strides[2];
  ArrayRef<int64_t> shape = codegen::tileType(pointers).getShape();
  for (unsigned dim = 0; dim < 2; ++dim) {
    std::optional<Bounds> stride = of(form->strides[dim]);
    if (!stride || !stride->isPoint() || stride->reach >= kMostBytes / 2 ||
        stride->reach * shape[dim] >= kMostBytes)
      return {};
    Value opposite = make<arith::SubIOp>(number(0), stride->low);
    strides[dim] = make<arith::MaxSIOp>(stride->low, opposite);
  }
  auto extent = [&](unsigned dim) {
    return make<arith::MulIOp>(strides[dim], number(shape[dim] - 1));
  };
  using Predicate = arith::CmpIPredicate;
  Value isRowMajor = compare(Predicate::sgt, strides[0], extent(1));
  Value isColumnMajor =
      make<arith::AndIOp>(compare(Predicate::sgt, strides[1], extent(0)),
                          compare(Predicate::sgt, strides[0], number(0)));
  return make<arith::OrIOp>(isRowMajor, isColumnMajor);
}

Value AddressBounds::areValid() {
  Value holds = builder.create<arith::ConstantIntOp>(loc, 1, 1);
  if (largest)
    holds =
        compare(arith::CmpIPredicate::ule, largest, number(2 * kMostScalar));
  return arePositive ? make<arith::AndIOp>(holds, arePositive) : holds;
}

} // namespace nereid::cpu
