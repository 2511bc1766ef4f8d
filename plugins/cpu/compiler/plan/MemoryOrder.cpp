// MemoryOrder.cpp - memory ordering: each load and store of a tile happens as a
// whole, in program order.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// analysis/Access.h defines which two accesses may be interleaved. This file
// resolves the hazards that it reports:
//
//   two stores             Always: two nests. Conditional: one nest, and the
//                          later store is deferred if the condition is true.
//   a store and itself,    Possibly: elements in row-major order. IfClose: any
//   out of row-major order order, and deferred if elements repeat addresses.
//   a materialized load    two nests
//   and a store
//   a streamed load and    Always: the load is materialized. Conditional, or
//   a store                of rows that smaller tiles number: it is copied
//                          under a guard, if its operands are available before
//                          the nest of the store; else materialized.
//
// A streamed load is evaluated where its readers run, in the loop of a later
// store or after it. Conditions are evaluated before each nest.

#include "plan/Planner.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::Aliasing;
using codegen::Hazard;
using codegen::Interleaving;
using codegen::TileForm;

/// Are all scalars of `form` available before the pending nest?
bool Planner::isKnownBeforeNest(const TileForm &form) const {
  auto isKnown = [&](const codegen::Polynomial &polynomial) {
    return llvm::none_of(polynomial.terms(), [&](const auto &monomial) {
      return dependsOnPending(monomial.factors);
    });
  };
  return isKnown(form.base) && llvm::all_of(form.strides, isKnown) &&
         !dependsOnPending(form.pointer);
}

/// Can `store` be deferred: written to a buffer and copied to memory later? Its
/// addresses and mask must not depend on memory that may have changed.
bool Planner::canDefer(tt::StoreOp store) {
  const TileForm *form = forms.of(store.getPtr());
  return options.fastPaths.has(FastPath::OverlapGuard) && form &&
         form->isAffine() && isKnownBeforeNest(*form) &&
         (!store.getMask() || isIndexFunction(store.getMask()));
}

/// May `store` run in the nest of `earlier`, a root before it in program order?
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
  return !nest.transposition && !descends(nest) &&
         isInnermost(nest.vectorAxis, nest.shape) &&
         (nest.reduceAxis < 0 || nest.reduceAxis == int(nest.vectorAxis));
}

/// Finds the conditions under which stores of the pending nest, whose loops are
/// chosen, must be deferred: after other stores, or to restore row-major order.
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

/// The hazard with `store` when `load` is evaluated by `reader` instead of at
/// its place in program order.
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

/// Can `load` be evaluated before step `step` of `block` with the same result
/// as at its place in program order?
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
  // No write may be between these loads and the step.
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

/// Adds to `tensors` the tiles that the addresses of `pointers` depend on, if
/// these are much smaller than it: the numbers of rows. Then the range of
/// addresses costs little to compute.
static bool findRowNumbers(Value pointers, codegen::TileForms &forms,
                           SmallVectorImpl<Value> &tensors) {
  constexpr int64_t kLeastRow = 16; // elements of the tile for each of a tensor
  const TileForm *form = forms.of(pointers);
  auto elements = [](Value tile) {
    return codegen::tileType(tile).getNumElements();
  };
  for (const codegen::TileTerm &term :
       form ? ArrayRef(form->terms) : ArrayRef<codegen::TileTerm>()) {
    Operation *op = term.tensor.getDefiningOp();
    auto type = getElementTypeOrSelf(term.tensor.getType());
    if (!op || !isTileExpression(op) || type.isInteger(1) ||
        elements(term.tensor) * kLeastRow > elements(pointers))
      return false;
    tensors.push_back(term.tensor);
  }
  return form != nullptr;
}

/// Can the addresses of `load` and `stores` be compared, and `load` be copied,
/// before the first step of the stores?
bool Planner::canGuard(tt::LoadOp load, ArrayRef<LaterStore> stores) {
  if (!options.fastPaths.has(FastPath::OverlapGuard))
    return false;
  const Place &place = stores.front().store->place;
  unsigned step = place.step;
  for (const LaterStore &later : stores)
    step = std::min(step, later.store->place.step);
  auto isDone = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return !op || op->getBlock() != place.block || stepOf.lookup(op) < step;
  };
  auto isKnown = [&](const codegen::Polynomial &polynomial) {
    return llvm::all_of(polynomial.terms(), [&](const auto &monomial) {
      return llvm::all_of(monomial.factors, isDone);
    });
  };
  auto isKnownForm = [&](Value pointers) {
    const TileForm *form = forms.of(pointers);
    return isKnown(form->base) && llvm::all_of(form->strides, isKnown) &&
           isKnown(codegen::Polynomial::symbol(form->pointer)) &&
           llvm::all_of(form->terms, [&](const codegen::TileTerm &term) {
             return isKnown(term.coefficient) && isDone(term.tensor) &&
                    program->materialized.contains(term.tensor);
           });
  };
  return isKnownForm(load.getPtr()) &&
         llvm::all_of(stores,
                      [&](const LaterStore &later) {
                        tt::StoreOp store = later.store->op;
                        return isKnownForm(store.getPtr());
                      }) &&
         canEvaluateBefore(load, place.block, step);
}

void Planner::addGuard(tt::LoadOp load, ArrayRef<LaterStore> stores) {
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

/// Is `load` read only to compute `others`, which include it?
static bool isReadForOthers(Value load, const llvm::SetVector<Value> &others) {
  llvm::SetVector<Value> values;
  values.insert(load);
  for (unsigned next = 0; next < values.size(); ++next)
    for (Operation *user : values[next].getUsers()) {
      bool isOther = isa<tt::LoadOp>(user) && user->getResult(0) != load &&
                     others.contains(user->getResult(0));
      if (isOther)
        continue;
      if (!codegen::isElementOp(user) && !codegen::isShapeOp(user))
        return false;
      values.insert(user->result_begin(), user->result_end());
    }
  return true;
}

/// Materializes loads that would be moved past an aliasing store, or guards
/// them by a run-time check. Returns true if there is a new one to materialize.
bool Planner::materializeMovedLoads() {
  bool grew = false;
  llvm::SetVector<Value> moved;
  for (auto &[load, places] : loads) {
    auto op = load.getDefiningOp<tt::LoadOp>();
    bool always = false;
    SmallVector<LaterStore, 2> guarded;
    SmallVector<Value, 4> numbers; // of rows
    for (const Place &reader : places) {
      for (const PlacedWriter &writer : writers)
        always |= writer.block == reader.block &&
                  order.lookup(writer.op) > order.lookup(op) &&
                  writer.step <= reader.step;
      for (const PlacedStore &store : stores) {
        Hazard hazard = hazardOf(load, reader, store);
        Value to = tt::StoreOp(store.op).getPtr();
        if (hazard == Hazard::Always &&
            !codegen::haveSameAddresses(op.getPtr(), to, forms) &&
            findRowNumbers(op.getPtr(), forms, numbers) &&
            findRowNumbers(to, forms, numbers))
          hazard = Hazard::IfOverlapping;
        always |= hazard == Hazard::Always;
        if (hazard == Hazard::None)
          continue;
        auto *known = llvm::find_if(guarded, [&](const LaterStore &other) {
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
    bool isNew = false;
    if (!always && options.fastPaths.has(FastPath::OverlapGuard))
      for (Value tensor : numbers)
        isNew |= toMaterialize.insert(tensor);
    grew |= isNew;
    if (isNew)
      continue;
    if (always || !canGuard(op, guarded))
      moved.insert(load);
    else
      addGuard(op, guarded);
  }
  // What is read only for such loads is no longer moved with them in place.
  for (Value load : moved)
    if (!isReadForOthers(load, moved))
      grew |= toMaterialize.insert(load);
  return grew;
}

} // namespace nereid::cpu
