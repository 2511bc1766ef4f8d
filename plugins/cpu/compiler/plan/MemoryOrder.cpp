// PlanLoads.cpp - keeps the order of memory: a tile load happens as a whole
// before a store that follows it.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A streamed load is evaluated where its readers run, which may be in the
// same loop as a later store or after it. That is the same thing when both
// have the same address for the same index, or when their addresses do not
// overlap. The second is asked at run time, once a program; if they do
// overlap, the load goes through a buffer.

#include "plan/Planner.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::TileForm;

Planner::Overtaken Planner::isOvertaken(Value load, const Place &reader,
                                        const PlacedStore &store) {
  auto loadOp = load.getDefiningOp<tt::LoadOp>();
  tt::StoreOp storeOp = store.op;
  if (store.place.block != reader.block ||
      order.lookup(storeOp) < order.lookup(loadOp) ||
      store.place.step > reader.step)
    return Overtaken::No;
  bool together = store.place.step == reader.step &&
                  store.place.inner >= reader.inner;
  const TileForm *from = forms.of(loadOp.getPtr());
  if (!from)
    return Overtaken::Always;
  TileForm source = *from;
  const TileForm *to = forms.of(storeOp.getPtr());
  if (!to)
    return Overtaken::Always;
  bool isInStep = together && reader.identity;
  if (loadOp.getPtr() == storeOp.getPtr() || source == *to)
    return isInStep ? Overtaken::No : Overtaken::Always;
  return isInStep && ascendAlike(loadOp, storeOp, source, *to)
             ? Overtaken::InStep
             : Overtaken::Guarded;
}

/// Do both go through memory upwards, at the same pace?
bool Planner::ascendAlike(tt::LoadOp load, tt::StoreOp store,
                          const TileForm &from, const TileForm &to) {
  Type element = getElementTypeOrSelf(load.getType());
  if (codegen::rankOf(load) != 1 || !from.isAffine() || !to.isAffine() ||
      element != getElementTypeOrSelf(store.getValue().getType()))
    return false;
  std::optional<int64_t> stride = from.strides[0].constant();
  return stride && *stride > 0 && to.strides[0].constant() == stride;
}

/// Addresses can be compared when both are affine, and everything they are
/// made of is known before step `step`.
bool Planner::canGuard(tt::LoadOp load, tt::StoreOp store, unsigned step) {
  if (!options.fastPaths.has(FastPath::OverlapGuard))
    return false;
  auto isKnown = [&](const codegen::Polynomial &polynomial) {
    for (const codegen::Monomial &monomial : polynomial.terms())
      for (Value factor : monomial.factors) {
        Operation *op = factor.getDefiningOp();
        if (op && op->getBlock() == store->getBlock() &&
            stepOf.lookup(op) >= step)
          return false;
      }
    return true;
  };
  for (Value pointer : {load.getPtr(), store.getPtr()}) {
    const TileForm *form = forms.of(pointer);
    if (!form || !form->isAffine() || !isKnown(form->base) ||
        !llvm::all_of(form->strides, isKnown) ||
        !isKnown(codegen::Polynomial::symbol(form->pointer)))
      return false;
  }
  return true;
}

void Planner::addGuard(tt::LoadOp load, ArrayRef<Overtaker> stores) {
  const PlacedStore *first = stores.front().store;
  Guard guard;
  guard.load = load;
  for (auto [store, isInStep] : stores) {
    if (store->place.step < first->place.step)
      first = store;
    guard.stores.push_back({store->op, isInStep});
  }
  guard.buffer = makeBuffer(load.getResult().getType());
  program->blocks[first->place.block]
      .steps[first->place.step]
      .nest->guards.push_back(std::move(guard));
}

/// Keeps loads that a store may overtake: always, or behind a guard. True if
/// one has to be kept always that was not.
bool Planner::keepOvertakenLoads() {
  bool grew = false;
  for (auto &[load, places] : loads) {
    auto op = load.getDefiningOp<tt::LoadOp>();
    bool always = false;
    SmallVector<Overtaker, 2> guarded;
    auto addGuarded = [&](const PlacedStore &store, bool isInStep) {
      for (auto &[known, inStep] : guarded)
        if (known == &store) {
          inStep &= isInStep;
          return;
        }
      guarded.push_back({&store, isInStep});
    };
    for (const Place &reader : places) {
      for (const PlacedWriter &writer : writers)
        always |= writer.block == reader.block &&
                  order.lookup(writer.op) > order.lookup(op) &&
                  writer.step <= reader.step;
      for (const PlacedStore &store : stores)
        switch (isOvertaken(load, reader, store)) {
        case Overtaken::No:
          break;
        case Overtaken::Always:
          always = true;
          break;
        case Overtaken::InStep:
          addGuarded(store, true);
          break;
        case Overtaken::Guarded:
          addGuarded(store, false);
          break;
        }
    }
    unsigned step = ~0u;
    for (auto [store, isInStep] : guarded)
      step = std::min(step, store->place.step);
    always |= llvm::any_of(guarded, [&](const Overtaker &other) {
      return !canGuard(op, other.store->op, step);
    });
    if (always)
      grew |= keep.insert(load);
    else if (!guarded.empty())
      addGuard(op, guarded);
  }
  return grew;
}

} // namespace nereid::cpu
