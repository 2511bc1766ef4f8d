// EmitMasks.cpp - masks as intervals: where they all hold, code needs none;
// where none does, there is nothing to do.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"

#include "analysis/MaskIntervals.h"
#include "tile/ConstantWhere.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::IntervalBound;

/// The dimension of a condition that grows along the nest's vector axis.
static std::optional<unsigned> axisOf(ArrayRef<IndexSource> map,
                                      unsigned vectorAxis) {
  for (auto [dim, source] : llvm::enumerate(map))
    if (source.isAlong(vectorAxis))
      return dim;
  return std::nullopt;
}

/// The index of a condition in dimension `dim`; 0 on the vector axis.
Index NestEmitter::indexOf(const Fact &fact, unsigned dim) {
  IndexSource source = fact.map[dim];
  return source.isAlong(nest.vectorAxis) ? zero() : indexAt(source, current);
}

bool NestEmitter::dependsOnAxis(const Fact &fact) const {
  std::optional<unsigned> axis = axisOf(fact.map, nest.vectorAxis);
  return axis && (emitter.forms.dependsOn(fact.condition) >> *axis & 1);
}

/// Adds the conditions of `mask`, read with index map `map`, that are an
/// interval of the vector axis or the same along all of it.
void NestEmitter::addFacts(Value mask, ArrayRef<IndexSource> map,
                           SmallVectorImpl<Fact> &out) {
  if (!mask || !isTile(mask))
    return;
  for (const codegen::MaskConjunct &conjunct :
       codegen::conjunctsOf(mask, emitter.forms)) {
    Fact fact = conjunct.in(map);
    if (!isTile(fact.condition) || codegen::hasOther(fact.map) ||
        llvm::is_contained(out, fact))
      continue;
    std::optional<unsigned> axis = axisOf(fact.map, nest.vectorAxis);
    if (!dependsOnAxis(fact) ||
        codegen::intervalOf(fact.condition, *axis, emitter.forms))
      out.push_back(std::move(fact));
  }
}

/// True if `root` does nothing where `fact` does not hold.
bool NestEmitter::isInactive(const Root &root, const Fact &fact) {
  if (auto store = dyn_cast_or_null<tt::StoreOp>(root.op)) {
    SmallVector<Fact, 4> own;
    addFacts(store.getMask(), codegen::identityMap(nest.shape.size()), own);
    return llvm::is_contained(own, fact);
  }
  return root.leftOut &&
         codegen::constantWhere(root.op->getOperand(0), fact, emitter.forms) ==
             root.leftOut;
}

/// Finds the conditions of an inner part: all that masks ask for, and those
/// outside of which no root does anything.
void NestEmitter::collectFacts(const Inner &inner) {
  conditions.clear();
  active.clear();
  bounds.clear();
  wraps.clear();
  if (nest.isRare || !emitter.options.fastPaths.has(FastPath::MaskIntervals))
    return;
  IndexMap identity = codegen::identityMap(nest.shape.size());
  auto addWraps = [&](Value pointers, ArrayRef<IndexSource> map) {
    const codegen::TileForm *form = emitter.forms.of(pointers);
    if (!form || lanes == 1)
      return;
    for (const codegen::TileTerm &term : form->terms) {
      std::optional<unsigned> axis;
      for (auto [dim, source] : llvm::enumerate(codegen::compose(term.map, map)))
        if (source.isDim(nest.vectorAxis))
          axis = dim;
      if (!axis || llvm::is_contained(wraps, term.tensor))
        continue;
      std::optional<codegen::WrapForm> wrap = emitter.forms.wrapOf(term.tensor);
      if (wrap && wrap->value.strides[*axis].constant() == 1 &&
          emitter.forms.dependsOn(term.tensor) == codegen::DimSet(1) << *axis)
        wraps.push_back(term.tensor);
    }
  };
  for (const Root &root : inner.roots) {
    RootReads reads = readsOf(root, emitter.program);
    for (const TileRead &read : reads.loads) {
      auto load = read.value.getDefiningOp<tt::LoadOp>();
      addFacts(load.getMask(), read.map, conditions);
      addWraps(load.getPtr(), read.map);
    }
    if (auto store = dyn_cast_or_null<tt::StoreOp>(root.op)) {
      addFacts(store.getMask(), identity, conditions);
      addWraps(store.getPtr(), identity);
    }
  }
  for (const Fact &fact : conditions)
    if (llvm::all_of(inner.roots,
                     [&](const Root &root) { return isInactive(root, fact); }))
      active.push_back(fact);
}

const NestEmitter::Bound &NestEmitter::boundOf(const Fact &fact) {
  for (const Bound &bound : bounds)
    if (bound.fact == fact)
      return bound;
  Bound bound{fact};
  bound.index = findBound(fact, bound.isUpper);
  bounds.push_back(std::move(bound));
  return bounds.back();
}

llvm::Value *NestEmitter::findBound(const Fact &fact, bool &isUpper) {
  unsigned axis = *axisOf(fact.map, nest.vectorAxis);
  IntervalBound bound =
      *codegen::intervalOf(fact.condition, axis, emitter.forms);
  isUpper = bound.isUpper;
  // The difference of both sides at index 0 of the axis.
  insertAt(0);
  llvm::Value *difference = emitter.polynomial(bound.difference.base);
  auto add = [&](llvm::Value *value, const codegen::Polynomial &factor) {
    insertAt(0);
    llvm::Value *by = emitter.polynomial(factor);
    difference = at({difference, value, by}, [&] {
      return builder.CreateAdd(difference, builder.CreateMul(value, by));
    });
  };
  for (auto [dim, factor] : llvm::enumerate(bound.difference.strides))
    if (dim != axis && !factor.isZero())
      add(indexOf(fact, dim).base, factor);
  for (const codegen::TileTerm &term : bound.difference.terms) {
    Indices inner;
    for (IndexSource source : term.map)
      inner.push_back(source.dimension()
                          ? indexShift(indexOf(fact, source.dim), source.bits)
                          : zero());
    Element element = get(term.tensor, inner);
    add(at({element.value}, [&] {
          return builder.CreateSExt(element.value, builder.getInt64Ty());
        }), term.coefficient);
  }
  // difference + stride * i compares with 0. Turn it so that the stride is
  // positive; then the bound is a quotient, rounded up or down.
  int64_t stride = bound.stride;
  llvm::Value *end = at({difference}, [&] {
    llvm::Value *target =
        stride > 0 ? builder.CreateNeg(difference) : difference;
    int64_t by = std::abs(stride);
    // i * by < target: i < ceil(target / by); i * by <= target:
    // i < floor(target / by) + 1. The lower bounds mirror them.
    bool roundUp = isUpper != bound.orEqual;
    int64_t shift = roundUp ? by - 1 : by;
    llvm::Value *shifted =
        shift ? builder.CreateAdd(target, builder.getInt64(shift)) : target;
    if (by == 1)
      return shifted;
    // Floor division by a positive constant.
    llvm::Value *quotient = builder.CreateSDiv(shifted, builder.getInt64(by));
    llvm::Value *rest = builder.CreateSRem(shifted, builder.getInt64(by));
    llvm::Value *isNegative = builder.CreateICmpSLT(rest, builder.getInt64(0));
    return builder.CreateAdd(
        quotient, builder.CreateSExt(isNegative, builder.getInt64Ty()));
  });
  unsigned bits = fact.map[axis].bits;
  return bits ? at({end}, [&] { return builder.CreateShl(end, bits); }) : end;
}

/// `index`, or the end of the axis that it is beyond.
llvm::Value *NestEmitter::clampToAxis(llvm::Value *index) {
  llvm::Value *extent = emitter.i64(nest.shape[nest.vectorAxis]);
  llvm::Value *below =
      at({index}, [&] { return emitter.smaller(extent, index); });
  return at({below}, [&] { return emitter.larger(below, emitter.i64(0)); });
}

/// The part of the axis where all of `list` hold, clamped to the axis; empty
/// if begin is not below end.
NestEmitter::Range NestEmitter::rangeOf(ArrayRef<Fact> list) {
  llvm::Value *begin = emitter.i64(0);
  llvm::Value *end = emitter.i64(nest.shape[nest.vectorAxis]);
  auto smaller = [&](llvm::Value *a, llvm::Value *b, bool takeLess) {
    return at({a, b}, [&] {
      return takeLess ? emitter.smaller(a, b) : emitter.larger(a, b);
    });
  };
  for (const Fact &fact : list) {
    if (dependsOnAxis(fact)) {
      const Bound &bound = boundOf(fact);
      if (bound.isUpper)
        end = smaller(end, bound.index, true);
      else
        begin = smaller(begin, bound.index, false);
      continue;
    }
    Indices indices;
    for (unsigned dim = 0; dim < fact.map.size(); ++dim)
      indices.push_back(indexOf(fact, dim));
    Element holds = get(fact.condition, indices);
    end = at({holds.value, end}, [&] {
      return builder.CreateSelect(holds.value, end, emitter.i64(0));
    });
  }
  return {begin, end};
}

/// An i1: no term of the addresses that wraps around does so along the axis.
llvm::Value *NestEmitter::unwrapCheck() {
  llvm::Value *fine = nullptr;
  for (Value tensor : wraps) {
    Element first = get(tensor, Indices(codegen::rankOf(tensor), zero()));
    codegen::WrapForm wrap = *emitter.forms.wrapOf(tensor);
    insertAt(0);
    llvm::Value *modulus = emitter.polynomial(wrap.modulus);
    llvm::Value *holds = at({first.value, modulus}, [&] {
      llvm::Value *wide =
          builder.CreateSExt(first.value, builder.getInt64Ty());
      llvm::Value *last = builder.CreateAdd(
          wide, emitter.i64(nest.shape[nest.vectorAxis] - 1));
      // A remainder below zero belongs to a negative value: it grows too, but
      // jumps at zero only when it gets there.
      return builder.CreateAnd(
          builder.CreateICmpSGE(wide, emitter.i64(0)),
          builder.CreateICmpSLT(last, modulus));
    });
    fine = fine ? at({fine, holds},
                     [&] { return builder.CreateAnd(fine, holds); })
                : holds;
  }
  return fine;
}

/// Are `indices` those of the vector at hand, as far as `fact` minds?
bool NestEmitter::isAtCurrent(const Fact &fact, const Indices &indices) {
  codegen::DimSet depends = emitter.forms.dependsOn(fact.condition);
  for (auto [dim, source] : llvm::enumerate(fact.map)) {
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
  bool known = llvm::any_of(facts, [&](const Fact &fact) {
    return fact.condition == condition && isAtCurrent(fact, indices);
  });
  assumed |= known;
  return known;
}

/// A mask from the condition's bound: one comparison of numbers of lanes, where
/// both of its sides would have to be computed. Null if it has none.
llvm::Value *NestEmitter::lanesWithin(Value condition, const Indices &indices) {
  const Index &at = current[nest.vectorAxis];
  if (at.lane != 1)
    return nullptr;
  for (const Bound &bound : bounds) {
    if (bound.fact.condition != condition || !isAtCurrent(bound.fact, indices))
      continue;
    llvm::Value *index = clampToAxis(bound.index);
    return this->at({at.base, index}, [&] {
      llvm::Value *before = builder.CreateTrunc(
          builder.CreateSub(index, at.base), builder.getInt32Ty());
      return builder.CreateICmp(
          bound.isUpper ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_SGE,
          laneOffsets(1, 32), builder.CreateVectorSplat(lanes, before));
    });
  }
  return nullptr;
}

/// A mask at an index; conditions that are known to hold drop out.
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

} // namespace nereid::cpu
