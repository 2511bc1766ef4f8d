// Masks.cpp - masks as intervals: code without masks, and code that is skipped.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::IntervalBound;
using codegen::PlannedCondition;

/// The index of a condition; 0 along the axis of ranges.
Indices NestEmitter::firstIndices(const PlannedCondition &condition) {
  Indices indices;
  for (IndexSource source : condition.map)
    indices.push_back(source.isAlong(rangeAxis) ? zero()
                                                : indexAt(source, current));
  return indices;
}

llvm::Value *NestEmitter::asI64(Element element) {
  return at({element.value}, [&] {
    return builder.CreateSExt(element.value, builder.getInt64Ty());
  });
}

/// The conjunction of two i1, where null is true.
llvm::Value *NestEmitter::bothOf(llvm::Value *a, llvm::Value *b) {
  if (!a || !b)
    return a ? a : b;
  return at({a, b}, [&] { return builder.CreateAnd(a, b); });
}

const MaskBound &NestEmitter::boundOf(const PlannedCondition &condition) {
  for (const MaskBound &bound : bounds)
    if (bound.condition == &condition)
      return bound;
  MaskBound bound{&condition};
  findBound(bound);
  bounds.push_back(bound);
  return bounds.back();
}

/// Computes a bound from the values of both sides at index 0 of the axis, as
/// the program computes them, including any wrapping.
void NestEmitter::findBound(MaskBound &result) {
  const PlannedCondition &condition = *result.condition;
  const IntervalBound &bound = *condition.bound;
  Indices first = firstIndices(condition);
  llvm::Value *sides[] = {asI64(get(bound.lhs, first)),
                          asI64(get(bound.rhs, first))};
  for (const IntervalBound::Check &check : bound.checks) {
    llvm::Value *side = sides[check.side];
    llvm::Value *holds = at({side}, [&] {
      return builder.CreateICmp(check.isUpper ? llvm::CmpInst::ICMP_SLE
                                              : llvm::CmpInst::ICMP_SGE,
                                side, emitter.i64(check.limit));
    });
    result.isInterval = bothOf(result.isInterval, holds);
  }
  // lhs + stride * i is compared with rhs. Exchange sides so that the stride is
  // positive; then the bound is a quotient, rounded up or down. A saturated
  // bound is outside the axis in any case; it is clamped because callers add
  // to bounds.
  auto plus = [&](llvm::Value *a, llvm::Value *b, bool isDifference) {
    if (bound.isNarrow)
      return isDifference ? builder.CreateSub(a, b) : builder.CreateAdd(a, b);
    return static_cast<llvm::Value *>(builder.CreateBinaryIntrinsic(
        isDifference ? llvm::Intrinsic::ssub_sat : llvm::Intrinsic::sadd_sat, a,
        b));
  };
  bool isUp = bound.stride > 0;
  llvm::Value *end = at({sides[0], sides[1]}, [&] {
    llvm::Value *target = plus(sides[isUp], sides[!isUp], true);
    int64_t by = std::abs(bound.stride);
    // i * by < target: i < ceil(target / by); i * by <= target:
    // i < floor(target / by) + 1. The lower bounds mirror them.
    bool roundUp = bound.isUpper != bound.orEqual;
    int64_t shift = roundUp ? by - 1 : by;
    llvm::Value *shifted =
        shift ? plus(target, builder.getInt64(shift), false) : target;
    if (by == 1)
      return shifted;
    // Floor division by a positive constant.
    llvm::Value *quotient = builder.CreateSDiv(shifted, builder.getInt64(by));
    llvm::Value *rest = builder.CreateSRem(shifted, builder.getInt64(by));
    llvm::Value *isNegative = builder.CreateICmpSLT(rest, builder.getInt64(0));
    return builder.CreateAdd(
        quotient, builder.CreateSExt(isNegative, builder.getInt64Ty()));
  });
  result.index = bound.isNarrow ? end : clampToAxis(end);
  for (auto [dim, source] : llvm::enumerate(condition.map))
    if (source.isAlong(rangeAxis) && source.bits) {
      // An index of the upper bits: scale the bound to the nest's index.
      int64_t size =
          cast<RankedTensorType>(condition.condition.getType()).getDimSize(dim);
      result.index = at({end}, [&] {
        llvm::Value *inside = emitter.larger(
            emitter.smaller(end, emitter.i64(size)), emitter.i64(0));
        return builder.CreateShl(inside, source.bits);
      });
    }
}

/// `index`, clamped to the axis.
llvm::Value *NestEmitter::clampToAxis(llvm::Value *index) {
  llvm::Value *extent = emitter.i64(nest.shape[rangeAxis]);
  llvm::Value *below =
      at({index}, [&] { return emitter.smaller(extent, index); });
  return at({below}, [&] { return emitter.larger(below, emitter.i64(0)); });
}

/// The part of the axis where all conditions are true, or only those that are
/// needed for any effect; empty if begin is not below end. `isInterval` is an
/// i1 if a run-time check decides whether it is an interval.
AxisRange NestEmitter::rangeOf(bool onlyActive) {
  AxisRange range{emitter.i64(0), emitter.i64(nest.shape[rangeAxis])};
  auto limit = [&](llvm::Value *a, llvm::Value *b, bool takeLess) {
    return at({a, b}, [&] {
      return takeLess ? emitter.smaller(a, b) : emitter.larger(a, b);
    });
  };
  for (const PlannedCondition &condition : masks->conditions) {
    if (onlyActive && !condition.isActive)
      continue;
    if (!condition.bound) {
      Element holds = get(condition.condition, firstIndices(condition));
      range.end = at({holds.value, range.end}, [&] {
        return builder.CreateSelect(holds.value, range.end, emitter.i64(0));
      });
      continue;
    }
    const MaskBound &bound = boundOf(condition);
    if (condition.bound->isUpper)
      range.end = limit(range.end, bound.index, true);
    else
      range.begin = limit(range.begin, bound.index, false);
    range.isInterval = bothOf(range.isInterval, bound.isInterval);
  }
  return range;
}

/// `range` if it is an interval, else the range from `begin` to `end`.
AxisRange NestEmitter::ifInterval(AxisRange range, int64_t begin, int64_t end) {
  auto choose = [&](llvm::Value *value, int64_t other) {
    auto *known = dyn_cast<llvm::ConstantInt>(value);
    if (!range.isInterval || (known && known->getSExtValue() == other))
      return value;
    return at({range.isInterval, value}, [&] {
      return builder.CreateSelect(range.isInterval, value, emitter.i64(other));
    });
  };
  return {choose(range.begin, begin), choose(range.end, end)};
}

/// The end of the whole units of `unit` elements in `range`; 0 unless it begins
/// at 0.
llvm::Value *NestEmitter::endOfUnits(AxisRange range, int64_t unit) {
  return at({range.begin, range.end}, [&] {
    llvm::Value *some = emitter.larger(range.end, emitter.i64(0));
    llvm::Value *whole = builder.CreateAnd(some, emitter.i64(-unit));
    return builder.CreateSelect(
        builder.CreateICmpEQ(range.begin, emitter.i64(0)), whole,
        emitter.i64(0));
  });
}

/// Are `indices` those of `value` for the current vector, by `map`, in the
/// dimensions that it depends on?
bool NestEmitter::isAtCurrent(Value value, ArrayRef<IndexSource> map,
                              const Indices &indices) {
  codegen::DimSet depends = emitter.forms.dependsOn(value);
  for (auto [dim, source] : llvm::enumerate(map)) {
    if (!(depends >> dim & 1))
      continue;
    if (!source.dimension())
      return false;
    const Index &index = indices[dim], &whole = current[source.dim];
    if (!(source.bits ? index.isCutFrom(whole, source.bits) : index == whole))
      return false;
  }
  return true;
}

bool NestEmitter::isKnownTrue(Value condition, const Indices &indices) {
  bool known = llvm::any_of(held, [&](const codegen::MaskPlan *plan) {
    return llvm::any_of(plan->conditions, [&](const PlannedCondition &fact) {
      return fact.condition == condition &&
             isAtCurrent(condition, fact.map, indices);
    });
  });
  assumed |= known;
  return known;
}

/// A mask from the condition's bound: one comparison with lane numbers, instead
/// of computing both sides of the condition. Null if it has no bound, or one
/// that needs a run-time check.
llvm::Value *NestEmitter::lanesWithin(Value condition, const Indices &indices) {
  const Index &at = current[nest.vectorAxis];
  if (at.lane != 1)
    return nullptr;
  for (const MaskBound &bound : bounds) {
    if (bound.condition->condition != condition || bound.isInterval ||
        !isAtCurrent(condition, bound.condition->map, indices))
      continue;
    llvm::Value *index = clampToAxis(bound.index);
    return this->at({at.base, index}, [&] {
      llvm::Value *before = builder.CreateTrunc(
          builder.CreateSub(index, at.base), builder.getInt32Ty());
      return builder.CreateICmp(bound.condition->bound->isUpper
                                    ? llvm::CmpInst::ICMP_SLT
                                    : llvm::CmpInst::ICMP_SGE,
                                laneOffsets(1, 32),
                                builder.CreateVectorSplat(lanes, before));
    });
  }
  return nullptr;
}

/// A mask at an index, without the conditions that are known to be true.
Element NestEmitter::maskAt(Value mask, const Indices &indices) {
  if (!isTile(mask))
    return {emitter.scalar(mask), false};
  Element all{builder.getTrue(), false};
  for (const codegen::MaskConjunct &conjunct :
       codegen::conjunctsOf(mask, emitter.forms)) {
    Element one = get(conjunct.condition, indicesAt(conjunct.map, indices));
    if (auto *known = dyn_cast<llvm::ConstantInt>(one.value);
        known && known->isOne())
      continue;
    if (auto *known = dyn_cast<llvm::ConstantInt>(all.value);
        known && known->isOne()) {
      all = one;
      continue;
    }
    bool isVector = all.isVector || one.isVector;
    llvm::Value *a = isVector ? widen(all) : all.value;
    llvm::Value *b = isVector ? widen(one) : one.value;
    all = {at({a, b}, [&] { return builder.CreateAnd(a, b); }), isVector};
  }
  return all;
}

/// The lanes of `mask` that have an effect.
Element NestEmitter::ofActiveLanes(Element mask) {
  if (!activeLanes)
    return mask;
  auto *known = dyn_cast<llvm::ConstantInt>(mask.value);
  if (known && known->isOne())
    return {activeLanes, true};
  llvm::Value *where = widen(mask);
  return {at({where, activeLanes},
             [&] { return builder.CreateAnd(where, activeLanes); }),
          true};
}

} // namespace nereid::cpu
