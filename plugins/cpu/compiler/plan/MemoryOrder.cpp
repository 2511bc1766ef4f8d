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
//   a streamed load and    MovedLoads.cpp
//   a store
//
// Conditions are evaluated before each nest.

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
  // Of one element, everything is in program order.
  if (llvm::all_of(pending->shape, [](int64_t size) { return size == 1; }))
    return;
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

} // namespace nereid::cpu
