// Masks that are true for every element, as `offs < BLOCK` where BLOCK is the
// length of the range, are dropped: what they select from, and the loads and
// stores that they guard, are then those of whole tiles.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Structured.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::codegen {

namespace {
/// The numbers from `least` to `most`.
struct Interval {
  int64_t least, most;
};
} // namespace

/// Deeper expressions than these are not looked at.
static constexpr unsigned kMostSteps = 16;

static unsigned widthOf(Value value) {
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(value.getType()));
  return type && type.getWidth() <= 64 ? type.getWidth() : 0;
}

/// What both ends of an interval are in: at most 32 bits and their sums and
/// products, so that nothing here overflows.
static std::optional<Interval> fitting(Interval interval, unsigned width) {
  unsigned bits = std::min(width, 32u);
  return llvm::isIntN(bits, interval.least) && llvm::isIntN(bits, interval.most)
             ? std::optional(interval)
             : std::nullopt;
}

static std::optional<Interval> ofConstant(Value value) {
  DenseIntElementsAttr dense;
  IntegerAttr scalar;
  if (matchPattern(value, m_Constant(&scalar)))
    return Interval{scalar.getValue().getSExtValue(),
                    scalar.getValue().getSExtValue()};
  if (!matchPattern(value, m_Constant(&dense)) || !dense.isSplat())
    return std::nullopt;
  int64_t number = dense.getSplatValue<APInt>().getSExtValue();
  return Interval{number, number};
}

/// Where the signed elements of `value` are known to be; nothing if that takes
/// more than constants and ranges, or if one could overflow.
static std::optional<Interval> intervalOf(Value value, unsigned steps) {
  unsigned width = widthOf(value);
  Operation *op = value.getDefiningOp();
  if (width < 8 || !op || steps == kMostSteps)
    return std::nullopt;
  if (std::optional<Interval> constant = ofConstant(value))
    return fitting(*constant, width);
  if (auto range = dyn_cast<tt::MakeRangeOp>(op))
    return fitting({int64_t(range.getStart()), int64_t(range.getEnd()) - 1},
                   width);
  SmallVector<Interval, 2> in;
  for (Value operand : op->getOperands()) {
    std::optional<Interval> one = intervalOf(operand, steps + 1);
    if (!one)
      return std::nullopt;
    in.push_back(*one);
  }
  if (isa<tt::SplatOp, tt::ExpandDimsOp, tt::BroadcastOp, tt::ReshapeOp,
          tt::TransOp, arith::ExtSIOp>(op))
    return in[0];
  if (isa<arith::ExtUIOp>(op))
    return in[0].least >= 0 ? std::optional(in[0]) : std::nullopt;
  if (isa<arith::TruncIOp>(op))
    return fitting(in[0], width);
  if (isa<arith::AddIOp>(op))
    return fitting({in[0].least + in[1].least, in[0].most + in[1].most}, width);
  if (isa<arith::SubIOp>(op))
    return fitting({in[0].least - in[1].most, in[0].most - in[1].least}, width);
  if (isa<arith::MulIOp>(op)) {
    auto [least, most] =
        std::minmax({in[0].least * in[1].least, in[0].least * in[1].most,
                     in[0].most * in[1].least, in[0].most * in[1].most});
    return fitting({least, most}, width);
  }
  // Of numbers that are not negative, by one that is known.
  if (in.size() != 2 || in[0].least < 0 || in[1].least != in[1].most ||
      in[1].least <= 0)
    return std::nullopt;
  int64_t known = in[1].least;
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return Interval{0, std::min(in[0].most, known - 1)};
  if (isa<arith::DivSIOp, arith::DivUIOp>(op))
    return Interval{in[0].least / known, in[0].most / known};
  if (isa<arith::AndIOp>(op))
    return Interval{0, std::min(in[0].most, known)};
  return std::nullopt;
}

/// Is `op` true for every element?
static bool isTrue(arith::CmpIOp op) {
  std::optional<Interval> a = intervalOf(op.getLhs(), 0);
  std::optional<Interval> b = a ? intervalOf(op.getRhs(), 0) : std::nullopt;
  if (!b)
    return false;
  bool areNatural = a->least >= 0 && b->least >= 0;
  switch (op.getPredicate()) {
  case arith::CmpIPredicate::ult:
    if (!areNatural)
      return false;
    [[fallthrough]];
  case arith::CmpIPredicate::slt:
    return a->most < b->least;
  case arith::CmpIPredicate::ule:
    if (!areNatural)
      return false;
    [[fallthrough]];
  case arith::CmpIPredicate::sle:
    return a->most <= b->least;
  case arith::CmpIPredicate::ugt:
    if (!areNatural)
      return false;
    [[fallthrough]];
  case arith::CmpIPredicate::sgt:
    return a->least > b->most;
  case arith::CmpIPredicate::uge:
    if (!areNatural)
      return false;
    [[fallthrough]];
  case arith::CmpIPredicate::sge:
    return a->least >= b->most;
  case arith::CmpIPredicate::ne:
    return a->most < b->least || a->least > b->most;
  case arith::CmpIPredicate::eq:
    return a->least == a->most && b->least == b->most && a->least == b->least;
  }
  llvm_unreachable("unknown predicate");
}

static bool isConstantTrue(Value value) {
  DenseIntElementsAttr dense;
  return value && matchPattern(value, m_Constant(&dense)) && dense.isSplat() &&
         dense.getElementType().isInteger(1) && dense.getSplatValue<bool>();
}

/// Replaces `result` by true, and what follows from it.
static void replaceByTrue(Value result) {
  SmallVector<Value> known = {result};
  while (!known.empty()) {
    Value value = known.pop_back_val();
    Operation *op = value.getDefiningOp();
    OpBuilder builder(op);
    auto type = cast<RankedTensorType>(value.getType());
    Value yes = builder.create<arith::ConstantOp>(
        op->getLoc(), DenseElementsAttr::get(type, true));
    SmallVector<Operation *> users(value.getUsers());
    value.replaceAllUsesWith(yes);
    for (Operation *user : users) {
      if (isa<tt::ExpandDimsOp, tt::BroadcastOp, tt::ReshapeOp, tt::TransOp>(
              user)) {
        known.push_back(user->getResult(0));
      } else if (isa<arith::AndIOp>(user)) {
        Value other = user->getOperand(user->getOperand(0) == yes);
        if (other == yes || isConstantTrue(other))
          known.push_back(user->getResult(0));
        else
          user->getResult(0).replaceAllUsesWith(other);
      } else if (auto load = dyn_cast<tt::LoadOp>(user)) {
        // The value may also be what masked-off elements become, or is stored.
        if (load.getMask() != yes)
          continue;
        load.getMaskMutable().clear();
        load.getOtherMutable().clear();
      } else if (auto store = dyn_cast<tt::StoreOp>(user)) {
        if (store.getMask() == yes)
          store.getMaskMutable().clear();
      }
    }
  }
}

void foldKnownMasks(ModuleOp module) {
  SmallVector<arith::CmpIOp> known;
  module.walk([&](arith::CmpIOp op) {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (type && isTrue(op))
      known.push_back(op);
  });
  for (arith::CmpIOp op : known)
    replaceByTrue(op.getResult());
}

} // namespace nereid::codegen
