// Combine.cpp - the table of combine regions.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "tile/Combine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

#include <utility>

using namespace mlir;

namespace nereid::codegen {

static CombineKind kindOf(Operation *op) {
  using Kind = CombineKind;
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case([](arith::AddFOp) { return Kind::AddF; })
      .Case([](arith::MulFOp) { return Kind::MulF; })
      .Case([](arith::MaximumFOp) { return Kind::MaximumF; })
      .Case([](arith::MinimumFOp) { return Kind::MinimumF; })
      .Case([](arith::MaxNumFOp) { return Kind::MaxNumF; })
      .Case([](arith::MinNumFOp) { return Kind::MinNumF; })
      .Case([](arith::AddIOp) { return Kind::AddI; })
      .Case([](arith::MulIOp) { return Kind::MulI; })
      .Case([](arith::AndIOp) { return Kind::AndI; })
      .Case([](arith::OrIOp) { return Kind::OrI; })
      .Case([](arith::XOrIOp) { return Kind::XOrI; })
      .Case([](arith::MaxSIOp) { return Kind::MaxSI; })
      .Case([](arith::MinSIOp) { return Kind::MinSI; })
      .Case([](arith::MaxUIOp) { return Kind::MaxUI; })
      .Case([](arith::MinUIOp) { return Kind::MinUI; })
      .Default([](Operation *) { return Kind::Other; });
}

/// The selection that `predicate` makes if it compares the first operand with
/// the second.
static CombineKind selectionBy(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::sge:
    return CombineKind::MaxSI;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::sle:
    return CombineKind::MinSI;
  case arith::CmpIPredicate::ugt:
  case arith::CmpIPredicate::uge:
    return CombineKind::MaxUI;
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::ule:
    return CombineKind::MinUI;
  default:
    return CombineKind::Other;
  }
}

static CombineKind selectionBy(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::OGT:
    return CombineKind::GreaterF;
  case arith::CmpFPredicate::OLT:
    return CombineKind::LessF;
  default:
    return CombineKind::Other;
  }
}

static bool isNaNTest(arith::CmpFOp test, Value of) {
  return test && test.getLhs() == of && test.getRhs() == of &&
         (test.getPredicate() == arith::CmpFPredicate::UNE ||
          test.getPredicate() == arith::CmpFPredicate::UNO);
}

static Combination combinationOf(arith::SelectOp select) {
  Value first = select.getTrueValue(), second = select.getFalseValue();
  Operation *condition = select.getCondition().getDefiningOp();
  if (auto comparison = dyn_cast_or_null<arith::CmpIOp>(condition)) {
    arith::CmpIPredicate predicate = comparison.getPredicate();
    if (comparison.getLhs() == first && comparison.getRhs() == second)
      return {{selectionBy(predicate)}, first, second, {comparison, select}};
    return {};
  }
  auto either = dyn_cast_or_null<arith::OrIOp>(condition);
  if (!either)
    return {};
  auto comparison = either.getLhs().getDefiningOp<arith::CmpFOp>();
  auto test = either.getRhs().getDefiningOp<arith::CmpFOp>();
  if (!isNaNTest(test, first))
    std::swap(comparison, test);
  if (!isNaNTest(test, first) || !comparison || comparison.getLhs() != first ||
      comparison.getRhs() != second)
    return {};
  return {{selectionBy(comparison.getPredicate())},
          first,
          second,
          {comparison, test, either, select}};
}

Combination combinationOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op))
    return combinationOf(select);
  CombineKind kind = op ? kindOf(op) : CombineKind::Other;
  if (kind == CombineKind::Other)
    return {};
  return {{kind}, op->getOperand(0), op->getOperand(1), {op}};
}

Combine combineOf(Region &region) {
  if (!region.hasOneBlock())
    return {};
  Block &body = region.front();
  if (body.getNumArguments() != 2 ||
      body.getTerminator()->getNumOperands() != 1)
    return {};
  Combination found = combinationOf(body.getTerminator()->getOperand(0));
  if (!found || found.ops.size() + 1 != body.getOperations().size())
    return {};
  Value arguments[] = {body.getArgument(0), body.getArgument(1)};
  bool isInOrder = found.first == arguments[0] && found.second == arguments[1];
  bool isSwapped = found.first == arguments[1] && found.second == arguments[0];
  if (!isInOrder && !(isSwapped && found.isCommutative()))
    return {};
  return found;
}

bool Combine::isCommutative() const {
  return kind != CombineKind::Other && kind != CombineKind::GreaterF &&
         kind != CombineKind::LessF;
}

bool isRounded(Region &region) {
  return region
      .walk([](Operation *op) {
        bool isExact =
            isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                arith::MinNumFOp, arith::NegFOp, arith::SelectOp,
                arith::ConstantOp, arith::ExtFOp, arith::BitcastOp>(op);
        return !isExact && llvm::any_of(op->getResultTypes(),
                                        [](Type type) {
                                          return isa<FloatType>(type);
                                        })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// An infinity, or the number next to it if the type has none.
static APFloat outermost(const llvm::fltSemantics &type, bool negative) {
  APFloat infinity = APFloat::getInf(type, negative);
  return infinity.isInfinity() ? infinity : APFloat::getLargest(type, negative);
}

static std::optional<APFloat> floatIdentity(CombineKind kind,
                                            const llvm::fltSemantics &type) {
  switch (kind) {
  case CombineKind::AddF: // 0 + -0 is 0
    return APFloat::getZero(type, /*Negative=*/true);
  case CombineKind::MulF:
    return APFloat::getOne(type);
  case CombineKind::MaximumF:
  case CombineKind::GreaterF:
    return outermost(type, /*negative=*/true);
  case CombineKind::MinimumF:
  case CombineKind::LessF:
    return outermost(type, /*negative=*/false);
  case CombineKind::MaxNumF: // NaN and -inf combine to -inf
  case CombineKind::MinNumF:
    return APFloat::getQNaN(type);
  default:
    return std::nullopt;
  }
}

static std::optional<APInt> integerIdentity(CombineKind kind, unsigned bits) {
  switch (kind) {
  case CombineKind::AddI:
  case CombineKind::OrI:
  case CombineKind::XOrI:
  case CombineKind::MaxUI:
    return APInt::getZero(bits);
  case CombineKind::MulI:
    return APInt(bits, 1);
  case CombineKind::AndI:
  case CombineKind::MinUI:
    return APInt::getAllOnes(bits);
  case CombineKind::MaxSI:
    return APInt::getSignedMinValue(bits);
  case CombineKind::MinSI:
    return APInt::getSignedMaxValue(bits);
  default:
    return std::nullopt;
  }
}

TypedAttr Combine::identity(Type element) const {
  if (auto type = dyn_cast<FloatType>(element)) {
    auto value = floatIdentity(kind, type.getFloatSemantics());
    return value ? FloatAttr::get(type, *value) : TypedAttr();
  }
  if (auto type = dyn_cast<IntegerType>(element)) {
    auto value = integerIdentity(kind, type.getWidth());
    return value ? IntegerAttr::get(type, *value) : TypedAttr();
  }
  return {};
}

bool Combine::isIdempotent(Attribute value) const {
  switch (kind) {
  case CombineKind::Other:
    return false;
  case CombineKind::AddF:
  case CombineKind::MulF: {
    auto number = dyn_cast_or_null<FloatAttr>(value);
    if (!number)
      return false;
    APFloat result = kind == CombineKind::AddF
                         ? number.getValue() + number.getValue()
                         : number.getValue() * number.getValue();
    return result.bitwiseIsEqual(number.getValue());
  }
  case CombineKind::AddI:
  case CombineKind::MulI:
  case CombineKind::XOrI: {
    auto number = dyn_cast_or_null<IntegerAttr>(value);
    if (!number)
      return false;
    const APInt &i = number.getValue();
    APInt result = kind == CombineKind::AddI   ? i + i
                   : kind == CombineKind::MulI ? i * i
                                               : i ^ i;
    return result == i;
  }
  default: // minimum, maximum, and, or: x combined with x is x
    return isa_and_nonnull<FloatAttr, IntegerAttr>(value);
  }
}

} // namespace nereid::codegen
