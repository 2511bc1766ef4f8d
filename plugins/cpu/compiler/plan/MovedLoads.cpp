// MovedLoads.cpp - loads that are evaluated after their place in program order.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A streamed load is evaluated where its readers run, in the loop of a later
// store, or of an atomic update that orders nothing else, or after it. This
// file resolves the hazards with such stores and updates, which
// analysis/Access.h defines:
//
//   Always         the load is materialized
//   conditional,   it is copied under a guard, if its operands are available
//   or of rows     before the nest of the store; else materialized
//   that smaller
//   tiles number,
//   or quotients
//   and remainders
//
// Conditions are evaluated before each nest.

#include "plan/Planner.h"
#include "plan/TermRange.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::Hazard;
using codegen::Interleaving;
using codegen::TileForm;

/// The hazard with `store` when `load` is evaluated by `reader` instead of at
/// its place in program order.
Hazard Planner::hazardOf(Value load, const Place &reader,
                         const PlacedStore &store) {
  auto loadOp = load.getDefiningOp<tt::LoadOp>();
  if (store.place.block != reader.block ||
      order.lookup(store.op) < order.lookup(loadOp) ||
      store.place.step > reader.step)
    return Hazard::None;
  bool inStep = isa<tt::StoreOp>(store.op) && store.place.step == reader.step &&
                store.place.inner >= reader.inner && reader.identity;
  return codegen::hazardOf(loadOp.getPtr(), store.pointers,
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

/// Is it a remainder of the index, or of such a remainder, and not of a
/// quotient?
static bool hasNeighbours(const DividedForm &divided,
                          codegen::TileForms &forms) {
  const TileForm &dividend = *divided.dividend;
  return divided.isRemainder &&
         (llvm::any_of(dividend.strides,
                       [](const auto &stride) { return !stride.isZero(); }) ||
          llvm::any_of(dividend.terms, [&](const codegen::TileTerm &term) {
            auto inner = dividedFormOf(term.tensor, forms);
            return inner && hasNeighbours(*inner, forms);
          }));
}

/// Adds to `tensors` the tiles that the addresses of `pointers` depend on, if
/// these are much smaller than it: the numbers of rows. Then the range of
/// addresses costs little to compute. That of quotients, remainders and parts
/// of an index does, of whatever size. But neighbours in memory that a load
/// finds by a remainder, as in a roll of rows, are read before the loop of the
/// store, as if no range was known: where they are a few elements behind what
/// is stored, but for the higher bits of the address, each load would wait for
/// a store; so it is only with `mayWait`.
static bool findRowNumbers(Value pointers, bool mayWait,
                           codegen::TileForms &forms,
                           SmallVectorImpl<Value> &tensors) {
  constexpr int64_t kLeastRow = 16; // elements of the tile for each of a tensor
  const TileForm *form = forms.of(pointers);
  auto isAny = [](const codegen::Polynomial &) { return true; };
  auto isNone = [](Value) { return std::optional<bool>(); };
  auto elements = [](Value tile) {
    return codegen::tileType(tile).getNumElements();
  };
  // The same row again and again is not just behind what is stored.
  bool repeats = form && form->terms.size() == 1 &&
                 llvm::all_of(form->strides, [](const auto &stride) {
                   return stride.isZero();
                 });
  for (const codegen::TileTerm &term :
       form ? ArrayRef(form->terms) : ArrayRef<codegen::TileTerm>()) {
    if (codegen::numbersOf(term.tensor))
      continue;
    auto divided = dividedFormOf(term.tensor, forms);
    if (divided && hasRange(*divided->dividend, forms, isAny, isNone)) {
      if (mayWait && !repeats && term.coefficient.constant() == 1 &&
          hasNeighbours(*divided, forms))
        return false;
      continue;
    }
    Operation *op = term.tensor.getDefiningOp();
    auto type = getElementTypeOrSelf(term.tensor.getType());
    if (!op || !isTileExpression(op) || type.isInteger(1) ||
        elements(term.tensor) * kLeastRow > elements(pointers))
      return false;
    tensors.push_back(term.tensor);
  }
  return form != nullptr;
}

/// More loads, such as those of a filter, take longer to copy than they wait.
static constexpr size_t kFewLoads = 3;

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
    return isKnown(codegen::Polynomial::symbol(form->pointer)) &&
           hasRange(*form, forms, isKnown,
                    [&](Value tensor) -> std::optional<bool> {
                      if (!program->materialized.contains(tensor))
                        return std::nullopt;
                      return isDone(tensor);
                    });
  };
  return isKnownForm(load.getPtr()) &&
         llvm::all_of(stores,
                      [&](const LaterStore &later) {
                        return isKnownForm(later.store->pointers);
                      }) &&
         canEvaluateBefore(load, place.block, step);
}

/// The dimension along which `pointers` are neighbours in memory, if it is not
/// the last.
static std::optional<unsigned> innermostOf(Value pointers,
                                           codegen::TileForms &forms) {
  const codegen::TileForm *form = forms.of(pointers);
  ArrayRef<int64_t> shape = codegen::tileType(pointers).getShape();
  for (unsigned dim = 0; form && dim + 1 < shape.size(); ++dim)
    if (shape[dim] > 1 && !isInnermost(dim, shape) &&
        form->strides[dim].constant() == 1 && !(form->termDims() >> dim & 1))
      return dim;
  return std::nullopt;
}

void Planner::addGuard(tt::LoadOp load, ArrayRef<LaterStore> stores) {
  const PlacedStore *first = stores.front().store;
  Guard guard;
  guard.load = load;
  for (auto [store, hazard] : stores) {
    if (store->place.step < first->place.step)
      first = store;
    guard.conflicts.push_back({load.getPtr(), store->pointers, hazard});
  }
  guard.buffer = makeBuffer(load.getResult().getType());
  guard.buffer->innermost = innermostOf(load.getPtr(), forms);
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
        Value to = store.pointers;
        if (hazard == Hazard::Always &&
            !codegen::haveSameAddresses(op.getPtr(), to, forms) &&
            findRowNumbers(op.getPtr(), loads.size() <= kFewLoads, forms,
                           numbers) &&
            findRowNumbers(to, false, forms, numbers))
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
    // Numbers are in memory in the next round of planning.
    bool isWaiting = false;
    if (!always && options.fastPaths.has(FastPath::OverlapGuard))
      for (Value tensor : numbers) {
        toMaterialize.insert(tensor);
        isWaiting |= !program->materialized.contains(tensor);
      }
    grew |= isWaiting;
    if (isWaiting)
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
