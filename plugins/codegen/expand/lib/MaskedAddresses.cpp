// Clamps and selections in the address of a masked access, as in
//   tl.load(p + tl.minimum(i, n - 1), i < n)
// change nothing where the mask is true, and elsewhere there is no access: they
// are dropped, so that what the address is along the tile can be seen. Sums in
// addresses, and of scalars in bounds, are assumed not to overflow.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Structured.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <map>

using namespace mlir;

namespace nereid::codegen {

namespace {
/// Operations that move elements, from the accessed tile to a value: the
/// element of the value is the one that they move to a place of the tile.
using Views = SmallVector<Operation *, 4>;

/// An element of a tile for each that is accessed; of a scalar, that.
struct Element {
  Value value;
  Views views; // without any before a scalar
};

/// What a mask says of the elements that it is true for.
struct Comparison {
  arith::CmpIPredicate predicate;
  Element left, right;
};
struct Truth {
  Element condition;
  bool isTrue;
};
} // namespace

static bool isView(Operation *op) {
  return isa_and_present<tt::ExpandDimsOp, tt::BroadcastOp, tt::ReshapeOp,
                         tt::TransOp>(op);
}

/// Do two views move elements in the same way? Of any type.
static bool areSame(Operation *a, Operation *b) {
  auto shapeOf = [](Value tile) {
    return cast<RankedTensorType>(tile.getType()).getShape();
  };
  return a->getName() == b->getName() &&
         a->getAttrDictionary() == b->getAttrDictionary() &&
         shapeOf(a->getResult(0)) == shapeOf(b->getResult(0)) &&
         shapeOf(a->getOperand(0)) == shapeOf(b->getOperand(0));
}

static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) && number.getBitWidth() <= 64)
    return number.getSExtValue();
  return std::nullopt;
}

static bool areSame(const Element &a, const Element &b) {
  if (std::optional<int64_t> number = constantOf(a.value))
    return number == constantOf(b.value);
  return a.value == b.value &&
         llvm::equal(a.views, b.views,
                     [](Operation *x, Operation *y) { return areSame(x, y); });
}

/// The element of `value` that `views` move, where it comes from.
static Element sourceOf(Value value, Views views) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<tt::SplatOp>(op))
      views.clear();
    else if (isView(op))
      views.push_back(op);
    else
      break;
    value = op->getOperand(0);
  }
  return {value, views};
}

namespace {
/// A number, and multiples of elements.
class Sum {
public:
  /// Adds `element` so many times or, if it is not a part yet, what it is a sum
  /// of: of scalars, and of tiles if `isSplit`. Narrow integers wrap around.
  void add(const Element &element, int64_t times, bool isSplit) {
    for (auto &[part, count] : parts)
      if (areSame(part, element)) {
        count += times;
        return;
      }
    std::optional<int64_t> constant = constantOf(element.value);
    if (constant && llvm::isInt<32>(*constant)) {
      number += *constant * times;
      return;
    }
    Operation *op = element.value.getDefiningOp();
    bool isScalar = !isa<RankedTensorType>(element.value.getType());
    auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(element.value));
    bool isNarrow = !type || type.getWidth() < 32;
    if ((isSplit || isScalar) && !isNarrow && steps < kMostSteps &&
        isa_and_present<arith::AddIOp, arith::SubIOp>(op)) {
      ++steps;
      int64_t sign = isa<arith::SubIOp>(op) ? -1 : 1;
      add(sourceOf(op->getOperand(0), element.views), times, isSplit);
      add(sourceOf(op->getOperand(1), element.views), sign * times, isSplit);
      return;
    }
    parts.push_back({element, times});
  }

  /// The number, if that is all.
  std::optional<int64_t> constant() const {
    bool isAll =
        llvm::all_of(parts, [](const auto &part) { return part.second == 0; });
    return isAll ? std::optional(number) : std::nullopt;
  }

private:
  static constexpr unsigned kMostSteps = 16;
  SmallVector<std::pair<Element, int64_t>, 4> parts;
  int64_t number = 0;
  unsigned steps = 0;
};
} // namespace

namespace {
/// Simplifies the address of an access.
class MaskedAddress {
public:
  explicit MaskedAddress(Value mask) { readMask(mask, {}, true); }

  /// `value`, or one with the same elements where the mask is true.
  Value simplify(Value value, const Views &views = {}, unsigned steps = 0) {
    if (!value.getDefiningOp() || steps == kMostSteps)
      return value;
    auto [place, isNew] =
        simplified.try_emplace({value.getAsOpaquePointer(), views}, value);
    if (isNew)
      place->second = compute(value, views, steps);
    return place->second;
  }

private:
  /// Deeper expressions than these are not looked at.
  static constexpr unsigned kMostSteps = 24;

  Value compute(Value value, Views views, unsigned steps) {
    Operation *op = value.getDefiningOp();
    auto next = [&](Value operand) {
      return simplify(operand, views, steps + 1);
    };
    if (auto select = dyn_cast<arith::SelectOp>(op))
      if (auto truth = truthOf(sourceOf(select.getCondition(), views)))
        return next(*truth ? select.getTrueValue() : select.getFalseValue());
    if (isa<tt::SplatOp>(op))
      views.clear();
    else if (isView(op))
      views.push_back(op);
    else if (!isa<tt::AddPtrOp, arith::AddIOp, arith::SubIOp, arith::MulIOp,
                  arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
                  arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
                  arith::RemUIOp, arith::MinSIOp, arith::MaxSIOp>(op))
      return value;
    IRMapping changed;
    SmallVector<Value, 2> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(next(operand));
      if (operands.back() != operand)
        changed.map(operand, operands.back());
    }
    if (isa<arith::MinSIOp, arith::MaxSIOp>(op))
      for (unsigned side : {0u, 1u})
        if (isKept(op, operands[side], operands[1 - side], views))
          return operands[side];
    if (changed.getValueMap().empty())
      return value;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    return builder.clone(*op, changed)->getResult(0);
  }

  void readMask(Value mask, Views views, bool isTrue, unsigned steps = 0) {
    Element condition = sourceOf(mask, views);
    truths.push_back({condition, isTrue});
    Operation *op = condition.value.getDefiningOp();
    if (!op || steps == kMostSteps)
      return;
    auto read = [&](Value operand, bool is) {
      readMask(operand, condition.views, is, steps + 1);
    };
    if (isTrue ? isa<arith::AndIOp>(op) : isa<arith::OrIOp>(op)) {
      read(op->getOperand(0), isTrue);
      read(op->getOperand(1), isTrue);
    } else if (isa<arith::XOrIOp>(op) &&
               matchPattern(op->getOperand(1), m_One())) {
      read(op->getOperand(0), !isTrue);
    } else if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      arith::CmpIPredicate predicate = compare.getPredicate();
      if (!isTrue)
        predicate = arith::invertPredicate(predicate);
      Element left = sourceOf(compare.getLhs(), condition.views);
      Element right = sourceOf(compare.getRhs(), condition.views);
      comparisons.push_back({predicate, left, right});
    }
  }

  /// What the mask says of a truth value.
  std::optional<bool> truthOf(const Element &condition) {
    for (const Truth &truth : truths)
      if (areSame(truth.condition, condition))
        return truth.isTrue;
    return std::nullopt;
  }

  /// Is the result of `op`, a minimum or maximum, `value` and not `limit`?
  bool isKept(Operation *op, Value value, Value limit, const Views &views) {
    Element larger = sourceOf(value, views), smaller = sourceOf(limit, views);
    if (isa<arith::MinSIOp>(op))
      std::swap(larger, smaller);
    return llvm::any_of(comparisons, [&](const Comparison &known) {
      return implies(known, larger, smaller);
    });
  }

  /// Does `known` imply that `larger`, of an address, is at least `smaller`?
  static bool implies(const Comparison &known, const Element &larger,
                      const Element &smaller) {
    using P = arith::CmpIPredicate;
    int64_t sign, least;
    switch (known.predicate) {
    case P::sgt:
    case P::sge:
      sign = 1;
      least = known.predicate == P::sgt;
      break;
    case P::slt:
    case P::sle:
      sign = -1;
      least = known.predicate == P::slt;
      break;
    default:
      return false;
    }
    // sign * (left - right) is at least that.
    Sum rest;
    rest.add(known.left, -sign, /*isSplit=*/false);
    rest.add(known.right, sign, /*isSplit=*/false);
    rest.add(larger, 1, /*isSplit=*/true);
    rest.add(smaller, -1, /*isSplit=*/true);
    std::optional<int64_t> difference = rest.constant();
    return difference && *difference + least >= 0;
  }

  SmallVector<Truth> truths;
  SmallVector<Comparison> comparisons;
  std::map<std::pair<void *, Views>, Value> simplified;
};
} // namespace

void simplifyMaskedAddresses(ModuleOp module) {
  auto simplify = [](Value mask, OpOperand &pointer) {
    if (mask)
      pointer.set(MaskedAddress(mask).simplify(pointer.get()));
  };
  module.walk([&](Operation *op) {
    if (auto load = dyn_cast<tt::LoadOp>(op))
      simplify(load.getMask(), load.getPtrMutable());
    else if (auto store = dyn_cast<tt::StoreOp>(op))
      simplify(store.getMask(), store.getPtrMutable());
    else if (auto atomic = dyn_cast<tt::AtomicRMWOp>(op))
      simplify(atomic.getMask(), atomic.getPtrMutable());
  });
}

} // namespace nereid::codegen
