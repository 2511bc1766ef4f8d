// MemoryOrder.cpp - keeps the order of memory: each load and store of a tile
// happens as a whole, in the order of the program.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Which two accesses may be interleaved is the rule of analysis/Access.h, for
// every pair. This file decides what is done where the rule names a hazard:
//
//   two stores             Always: two nests. On a condition: one nest, and the
//                          later store is deferred if the condition holds.
//   a store and itself,    Possibly: elements in row-major order. IfClose: any
//   out of row-major order order, and deferred if elements repeat addresses.
//   a kept load, a store   two nests
//   a streamed load and    Always: the load is kept. On a condition: kept
//   a store                behind a guard, if all that it is made of is known
//                          before the nest of the store; else always.
//
// A streamed load is evaluated where its readers run, in the loop of a later
// store or after it. Conditions are evaluated once a program.

#include "plan/Planner.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::Aliasing;
using codegen::Hazard;
using codegen::Interleaving;
using codegen::TileForm;

/// Are all scalars that `form` is made of known before the pending nest?
bool Planner::isKnownBeforeNest(const TileForm &form) const {
  auto isKnown = [&](const codegen::Polynomial &polynomial) {
    return llvm::none_of(polynomial.terms(), [&](const auto &monomial) {
      return dependsOnPending(monomial.factors);
    });
  };
  return isKnown(form.base) && llvm::all_of(form.strides, isKnown) &&
         !dependsOnPending(form.pointer);
}

/// Can the elements of `store` go to a buffer, and from there to memory? Its
/// addresses and mask must not depend on memory that may have changed.
bool Planner::canDefer(tt::StoreOp store) {
  const TileForm *form = forms.of(store.getPtr());
  return options.fastPaths.has(FastPath::OverlapGuard) && form &&
         form->isAffine() && isKnownBeforeNest(*form) &&
         (!store.getMask() || isIndexFunction(store.getMask()));
}

/// May `store` run in the nest of `earlier`, a root before it in the program?
bool Planner::canFollow(tt::StoreOp store, const Root &earlier) {
  Value pointers;
  bool isStore = earlier.kind == RootKind::Store;
  if (isStore)
    pointers = cast<tt::StoreOp>(earlier.op).getPtr();
  else if (earlier.kind == RootKind::Materialize)
    if (auto load = earlier.value.getDefiningOp<tt::LoadOp>())
      pointers = load.getPtr();
  if (!pointers)
    return true;
  switch (codegen::hazardOf(pointers, store.getPtr(), Interleaving::InStep,
                            forms)) {
  case Hazard::None:
    return true;
  case Hazard::Always:
    return false;
  default:
    return isStore && canDefer(store) && isKnownBeforeNest(*forms.of(pointers));
  }
}

/// May the elements of `store` be written in any order?
bool Planner::canReorder(tt::StoreOp store) {
  switch (codegen::selfAliasingOf(store.getPtr(), forms)) {
  case Aliasing::Never:
    return true;
  case Aliasing::IfClose:
    return canDefer(store);
  case Aliasing::Possibly:
    return false;
  }
  llvm_unreachable("an aliasing without a rule");
}

static bool isRowMajor(const Nest &nest) {
  return isInnermost(nest.vectorAxis, nest.shape) &&
         (nest.reduceAxis < 0 || nest.reduceAxis == int(nest.vectorAxis));
}

/// Finds the conditions under which stores of the pending nest, whose loops are
/// chosen, must wait for others of it, or be brought into order.
void Planner::deferStores() {
  SmallVector<tt::StoreOp, 4> earlier;
  for (const Inner &inner : pending->inners)
    for (const Root &root : inner.roots) {
      if (root.kind != RootKind::Store)
        continue;
      auto store = cast<tt::StoreOp>(root.op);
      Value pointers = store.getPtr();
      Deferral deferral{store, {}, nullptr};
      for (tt::StoreOp first : earlier) {
        Hazard hazard = codegen::hazardOf(first.getPtr(), pointers,
                                          Interleaving::InStep, forms);
        if (hazard != Hazard::None)
          deferral.conflicts.push_back({first.getPtr(), pointers, hazard});
      }
      if (!isRowMajor(*pending) &&
          codegen::selfAliasingOf(pointers, forms) != Aliasing::Never)
        deferral.conflicts.push_back({pointers, pointers, Hazard::IfRepeated});
      earlier.push_back(store);
      if (deferral.conflicts.empty())
        continue;
      deferral.buffer = makeBuffer(store.getValue().getType());
      pending->deferrals.push_back(std::move(deferral));
    }
}

/// What may go wrong when `load` is evaluated by `reader` and not where it
/// stands in the program, because of `store`.
Hazard Planner::hazardOf(Value load, const Place &reader,
                         const PlacedStore &store) {
  auto loadOp = load.getDefiningOp<tt::LoadOp>();
  tt::StoreOp storeOp = store.op;
  if (store.place.block != reader.block ||
      order.lookup(storeOp) < order.lookup(loadOp) ||
      store.place.step > reader.step)
    return Hazard::None;
  bool inStep = store.place.step == reader.step &&
                store.place.inner >= reader.inner && reader.identity;
  return codegen::hazardOf(loadOp.getPtr(), storeOp.getPtr(),
                           inStep ? Interleaving::InStep : Interleaving::None,
                           forms);
}

/// Can `load` be evaluated before step `step` of `block`, and give what it
/// gives where it stands in the program?
bool Planner::canEvaluateBefore(tt::LoadOp load, Block *block, unsigned step) {
  auto isDone = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return !op || op->getBlock() != block || stepOf.lookup(op) < step;
  };
  RootReads reads = readsOf(
      {RootKind::Materialize, load, load.getResult(), nullptr}, *program);
  if (!llvm::all_of(reads.scalars, isDone) ||
      !llvm::all_of(reads.materialized,
                    [&](const TileRead &read) { return isDone(read.value); }))
    return false;
  // Memory must be as all these loads find it.
  return llvm::all_of(reads.loads, [&](const TileRead &read) {
    unsigned place = order.lookup(read.value.getDefiningOp());
    auto isSeen = [&](Operation *op, Block *itsBlock, unsigned itsStep) {
      return itsBlock != block || order.lookup(op) > place || itsStep < step;
    };
    return llvm::all_of(stores,
                        [&](const PlacedStore &store) {
                          return isSeen(store.op, store.place.block,
                                        store.place.step);
                        }) &&
           llvm::all_of(writers, [&](const PlacedWriter &writer) {
             return isSeen(writer.op, writer.block, writer.step);
           });
  });
}

/// Can the addresses of `load` and `stores` be compared, and `load` be copied,
/// before the first step of these?
bool Planner::canGuard(tt::LoadOp load, ArrayRef<Overtaker> stores) {
  if (!options.fastPaths.has(FastPath::OverlapGuard))
    return false;
  const Place &place = stores.front().store->place;
  unsigned step = place.step;
  for (const Overtaker &overtaker : stores)
    step = std::min(step, overtaker.store->place.step);
  auto isKnown = [&](const codegen::Polynomial &polynomial) {
    for (const codegen::Monomial &monomial : polynomial.terms())
      for (Value factor : monomial.factors) {
        Operation *op = factor.getDefiningOp();
        if (op && op->getBlock() == place.block && stepOf.lookup(op) >= step)
          return false;
      }
    return true;
  };
  auto isKnownForm = [&](Value pointers) {
    const TileForm *form = forms.of(pointers);
    return isKnown(form->base) && llvm::all_of(form->strides, isKnown) &&
           isKnown(codegen::Polynomial::symbol(form->pointer));
  };
  return isKnownForm(load.getPtr()) &&
         llvm::all_of(stores,
                      [&](const Overtaker &overtaker) {
                        tt::StoreOp store = overtaker.store->op;
                        return isKnownForm(store.getPtr());
                      }) &&
         canEvaluateBefore(load, place.block, step);
}

void Planner::addGuard(tt::LoadOp load, ArrayRef<Overtaker> stores) {
  const PlacedStore *first = stores.front().store;
  Guard guard;
  guard.load = load;
  for (auto [store, hazard] : stores) {
    if (store->place.step < first->place.step)
      first = store;
    tt::StoreOp op = store->op;
    guard.conflicts.push_back({load.getPtr(), op.getPtr(), hazard});
  }
  guard.buffer = makeBuffer(load.getResult().getType());
  program->blocks[first->place.block]
      .steps[first->place.step]
      .nest->guards.push_back(std::move(guard));
}

/// Keeps loads that a store may be moved before: always, or behind a guard.
/// True if one has to be kept always that was not.
bool Planner::materializeMovedLoads() {
  bool grew = false;
  for (auto &[load, places] : loads) {
    auto op = load.getDefiningOp<tt::LoadOp>();
    bool always = false;
    SmallVector<Overtaker, 2> guarded;
    for (const Place &reader : places) {
      for (const PlacedWriter &writer : writers)
        always |= writer.block == reader.block &&
                  order.lookup(writer.op) > order.lookup(op) &&
                  writer.step <= reader.step;
      for (const PlacedStore &store : stores) {
        Hazard hazard = hazardOf(load, reader, store);
        always |= hazard == Hazard::Always;
        if (hazard == Hazard::None)
          continue;
        auto *known = llvm::find_if(guarded, [&](const Overtaker &other) {
          return other.store == &store;
        });
        if (known == guarded.end())
          guarded.push_back({&store, hazard});
        else
          known->hazard = std::max(known->hazard, hazard);
      }
    }
    if (guarded.empty() && !always)
      continue;
    if (always || !canGuard(op, guarded))
      grew |= toMaterialize.insert(load);
    else
      addGuard(op, guarded);
  }
  return grew;
}

} // namespace nereid::cpu
