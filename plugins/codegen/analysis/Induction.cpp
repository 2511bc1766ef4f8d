// Induction.cpp - strength reduction of tiles that loops only advance.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/Induction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::codegen {

namespace {
/// A carried tile and what every iteration adds to it.
struct Induction {
  unsigned number; // of the iteration argument
  Value step;      // a tile, or null if all its elements are `scalar`
  Value scalar;    // an integer
};
} // namespace

static bool isOutside(Value value, scf::ForOp loop) {
  return loop.isDefinedOutsideOfLoop(value);
}

/// The scalar that all elements of `tile` equal, as an SSA value outside or
/// inside the loop; null if they differ.
static Value splatOf(OpBuilder &builder, Value tile, scf::ForOp loop) {
  if (auto splat = tile.getDefiningOp<tt::SplatOp>())
    return splat.getSrc();
  if (auto broadcast = tile.getDefiningOp<tt::BroadcastOp>())
    return splatOf(builder, broadcast.getSrc(), loop);
  DenseElementsAttr dense;
  if (!matchPattern(tile, m_Constant(&dense)) || !dense.isSplat())
    return {};
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop);
  return builder.create<arith::ConstantOp>(
      loop.getLoc(), cast<TypedAttr>(dense.getSplatValue<Attribute>()));
}

/// True if `scalar` is loop-invariant: computed outside, or from such values by
/// operations without effects.
static bool isInvariant(Value scalar, scf::ForOp loop, unsigned depth = 0) {
  if (isOutside(scalar, loop))
    return true;
  Operation *op = scalar.getDefiningOp();
  return op && depth < 6 && op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isInvariant(operand, loop, depth + 1);
         });
}

static std::optional<Induction> match(OpBuilder &builder, scf::ForOp loop,
                                      unsigned number) {
  Value argument = loop.getRegionIterArgs()[number];
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  Operation *add = loop.getYieldedValues()[number].getDefiningOp();
  if (!type || !add || !isa<tt::AddPtrOp, arith::AddIOp>(add))
    return std::nullopt;
  Value step;
  if (add->getOperand(0) == argument)
    step = add->getOperand(1);
  else if (isa<arith::AddIOp>(add) && add->getOperand(1) == argument)
    step = add->getOperand(0);
  else
    return std::nullopt;
  Value scalar = splatOf(builder, step, loop);
  if (!scalar || !isInvariant(scalar, loop))
    return std::nullopt;
  return Induction{number, step, scalar};
}

/// Widens an integer to i64, so that a chain of steps does not overflow.
static Value widen(OpBuilder &builder, Location loc, Value value) {
  if (value.getType().isInteger(64))
    return value;
  return builder.create<arith::ExtSIOp>(loc, builder.getI64Type(), value);
}

static void rewrite(scf::ForOp loop, ArrayRef<Induction> inductions) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value zero = builder.create<arith::ConstantOp>(loc, builder.getI64IntegerAttr(0));

  // The same loop with scalars instead of these tiles.
  SmallVector<Value> inits(loop.getInitArgs());
  for (const Induction &induction : inductions)
    inits[induction.number] = zero;
  auto made = builder.create<scf::ForOp>(loc, loop.getLowerBound(),
                                         loop.getUpperBound(), loop.getStep(),
                                         inits);
  made->setAttrs(loop->getAttrs());
  auto tileOf = [&](OpBuilder &b, const Induction &induction, Value sum) {
    Value init = loop.getInitArgs()[induction.number];
    auto type = cast<RankedTensorType>(init.getType());
    bool isPointer = isa<tt::PointerType>(type.getElementType());
    Value scalar = sum;
    if (!isPointer && !type.getElementType().isInteger(64))
      scalar = b.create<arith::TruncIOp>(loc, type.getElementType(), sum);
    auto tile = RankedTensorType::get(type.getShape(), scalar.getType());
    Value splat = b.create<tt::SplatOp>(loc, tile, scalar);
    if (isPointer)
      return b.create<tt::AddPtrOp>(loc, type, init, splat).getResult();
    return b.create<arith::AddIOp>(loc, init, splat).getResult();
  };

  Block *body = made.getBody();
  if (!body->empty() && body->back().hasTrait<OpTrait::IsTerminator>())
    body->back().erase();
  OpBuilder inside = OpBuilder::atBlockBegin(body);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), made.getInductionVar());
  for (auto [old, now] :
       llvm::zip(loop.getRegionIterArgs(), made.getRegionIterArgs()))
    mapping.map(old, now);
  for (const Induction &induction : inductions)
    mapping.map(loop.getRegionIterArgs()[induction.number],
                tileOf(inside, induction,
                       made.getRegionIterArgs()[induction.number]));
  for (Operation &op : loop.getBody()->without_terminator())
    inside.clone(op, mapping);
  SmallVector<Value> yields;
  for (Value value : loop.getYieldedValues())
    yields.push_back(mapping.lookupOrDefault(value));
  for (const Induction &induction : inductions)
    yields[induction.number] = inside.create<arith::AddIOp>(
        loc, made.getRegionIterArgs()[induction.number],
        widen(inside, loc, mapping.lookupOrDefault(induction.scalar)));
  inside.create<scf::YieldOp>(loc, yields);

  OpBuilder after(made->getBlock(), std::next(made->getIterator()));
  for (auto [number, result] : llvm::enumerate(loop.getResults())) {
    Value replacement = made.getResult(number);
    for (const Induction &induction : inductions)
      if (induction.number == number && !result.use_empty())
        replacement = tileOf(after, induction, replacement);
    if (replacement.getType() == result.getType())
      result.replaceAllUsesWith(replacement);
  }
  loop.erase();
}

void scalarizeInductions(tt::FuncOp function) {
  SmallVector<scf::ForOp> loops;
  function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  // Inner loops come first, so that what is cloned is final.
  for (scf::ForOp loop : loops) {
    OpBuilder builder(loop);
    SmallVector<Induction> inductions;
    for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
      if (std::optional<Induction> induction = match(builder, loop, i))
        inductions.push_back(*induction);
    if (!inductions.empty())
      rewrite(loop, inductions);
  }
}

/// What every iteration of `loop` adds to `scalar`, if that is a multiple of
/// its index shifted right, by which nothing is lost.
static std::optional<Polynomial> stepOfQuotient(Value scalar, scf::ForOp loop) {
  Operation *shift = scalar.getDefiningOp();
  APInt by;
  if (!isa_and_nonnull<arith::ShRSIOp, arith::ShRUIOp>(shift) ||
      !matchPattern(shift->getOperand(1), m_ConstantInt(&by)) || by.uge(32))
    return std::nullopt;
  Polynomial shifted = Polynomial::of(shift->getOperand(0));
  std::optional<int64_t> lower = constantOf(loop.getLowerBound());
  std::optional<int64_t> step = constantOf(loop.getStep());
  if (!lower || !step || *lower < 0 || shifted.terms().size() != 1)
    return std::nullopt;
  const Monomial &term = shifted.terms().front();
  if (term.coefficient < 1 || term.factors.size() != 1 ||
      term.factors.front() != loop.getInductionVar())
    return std::nullopt;
  int64_t first, advance, divisor = int64_t(1) << by.getZExtValue();
  if (llvm::MulOverflow(term.coefficient, *lower, first) ||
      llvm::MulOverflow(term.coefficient, *step, advance) ||
      first % divisor != 0 || advance % divisor != 0)
    return std::nullopt;
  return Polynomial(advance / divisor);
}

/// What every iteration of `loop` adds to this scalar of its body.
static std::optional<Polynomial> stepOf(Value scalar,
                                                 scf::ForOp loop) {
  if (scalar == loop.getInductionVar())
    return Polynomial::of(loop.getStep());
  auto argument = dyn_cast<BlockArgument>(scalar);
  if (!argument)
    return stepOfQuotient(scalar, loop);
  if (argument.getOwner() != loop.getBody())
    return std::nullopt;
  Value next = loop.getTiedLoopYieldedValue(argument)->get();
  Polynomial step =
      Polynomial::of(next) - Polynomial::symbol(argument);
  bool isSame = llvm::all_of(step.terms(), [&](const auto &monomial) {
    return llvm::all_of(monomial.factors, [&](Value factor) {
      return loop.isDefinedOutsideOfLoop(factor);
    });
  });
  if (!isSame)
    return std::nullopt;
  return step;
}

std::optional<Polynomial> advanceOf(const Polynomial &value,
                                             scf::ForOp loop) {
  Polynomial sum;
  for (const Monomial &monomial : value.terms()) {
    std::optional<Polynomial> product(monomial.coefficient);
    bool varies = false;
    for (Value factor : monomial.factors) {
      Polynomial by = Polynomial::symbol(factor);
      if (!loop.isDefinedOutsideOfLoop(factor)) {
        std::optional<Polynomial> step = stepOf(factor, loop);
        if (!step || varies)
          return std::nullopt;
        varies = true;
        by = *step;
      }
      product = product->times(by);
      if (!product)
        return std::nullopt;
    }
    if (varies)
      sum = sum + *product;
  }
  return sum;
}

} // namespace nereid::codegen
