// Nest.cpp - emits the loops of a nest.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"

using namespace mlir;

namespace nereid::cpu {

void emitNest(Emitter &emitter, const Nest &nest) {
  if (llvm::all_of(nest.inners,
                   [](const Inner &inner) { return inner.roots.empty(); }))
    return;
  NestEmitter(emitter, nest).run();
}

NestEmitter::NestEmitter(Emitter &emitter, const Nest &nest)
    : emitter(emitter), builder(emitter.builder), nest(nest), lanes(nest.lanes),
      rangeAxis(nest.vectorAxis) {}

void NestEmitter::run() {
  PolynomialScope polynomials(emitter);
  emitGuards();
  beginDeferral();
  pushLevel(builder.GetInsertBlock());
  current.assign(nest.shape.size(), zero());
  const Root &first = nest.inners.front().roots.empty()
                          ? nest.inners.back().roots.front()
                          : nest.inners.front().roots.front();
  AtLine line = emitter.at(first.location());
  bytesAhead = readAheadOf(nest.inners.front());
  if (first.kind == RootKind::Serial) {
    emitSerial(first.op);
  } else if (first.kind == RootKind::Scan) {
    emitScan(cast<tt::ScanOp>(first.op));
  } else if (nest.group) {
    emitGroups();
  } else if (nest.inners.size() == 1) {
    emitInner(nest.inners.front(), 0);
  } else {
    for (const Inner &inner : nest.inners)
      for (const Root &root : inner.roots)
        if (root.kind == RootKind::Materialize)
          written.insert(root.value);
    unsigned outer = nest.shape.size() - 1;
    SmallVector<Loop> loops;
    for (unsigned dim = 0; dim < outer; ++dim) {
      loops.push_back(
          beginLoop(emitter.i64(0), emitter.i64(nest.shape[dim]), 1));
      current[dim] = {loops.back().index, 0, nullptr};
    }
    for (const Inner &inner : nest.inners)
      if (!inner.roots.empty())
        emitInner(inner, outer);
    while (!loops.empty())
      endLoop(loops.pop_back_val());
  }
  insertAt(0);
  popLevel();
  emitDeferredStores();
}

/// Emits the loops around the vector axis that are not open yet.
void NestEmitter::emitInner(const Inner &inner, unsigned fixedDims) {
  masks = &inner.masks;
  bounds.clear();
  bytesAhead = readAheadOf(inner);
  rowLevel = levels.size() - 1;
  SmallVector<Loop> loops;
  for (unsigned dim = fixedDims; dim < nest.shape.size(); ++dim) {
    if (dim == nest.vectorAxis || int(dim) == nest.reduceAxis)
      continue;
    if (nest.shape[dim] == 1 || (nest.hasRowsInside && dim == rowDimOf(nest)) ||
        (nest.transposition && dim == nest.transposition->axis))
      continue;
    int64_t step = nest.elementLoop && rowDimOf(nest) == dim ? inner.rows : 1;
    loops.push_back(
        beginLoop(emitter.i64(0), emitter.i64(nest.shape[dim]), step));
    current[dim] = {loops.back().index, 0, nullptr};
  }
  if (!loops.empty() && !nest.transposition && nest.reduceAxis < 0 &&
      !nest.elementLoop)
    prefetchRows(inner);
  if (nest.transposition)
    emitTransposed(inner);
  else if (nest.reduceAxis >= 0 && nest.reduceAxis != int(nest.vectorAxis))
    emitStrip(inner);
  else
    emitAxis(inner);
  while (!loops.empty())
    endLoop(loops.pop_back_val());
}

/// `index`, rounded to a multiple of so many vectors, a power of two.
llvm::Value *NestEmitter::toVectors(llvm::Value *index, bool up,
                                    unsigned vectors) {
  int64_t step = int64_t(lanes) * vectors;
  return at({index}, [&] {
    if (up)
      index = builder.CreateAdd(index, emitter.i64(step - 1));
    return builder.CreateAnd(index, emitter.i64(-step));
  });
}

/// The part of `range` from `first` on that consists of iterations of `copies`
/// whole vectors; empty if it ends where it begins. A remainder is left to a
/// masked loop: another loop would not be worth its code size.
AxisRange NestEmitter::wholeVectors(AxisRange range, llvm::Value *first,
                                    unsigned copies) {
  auto larger = [&](llvm::Value *a, llvm::Value *b) {
    return at({a, b}, [&] { return emitter.larger(a, b); });
  };
  range.begin = larger(toVectors(range.begin, true), first);
  range.end = larger(range.end, range.begin);
  range.end = at({range.begin, range.end}, [&] {
    auto *start = dyn_cast<llvm::ConstantInt>(range.begin);
    bool isFromZero = start && start->isZero();
    llvm::Value *count =
        isFromZero ? range.end : builder.CreateSub(range.end, range.begin);
    llvm::Value *rounds =
        builder.CreateAnd(count, emitter.i64(-int64_t(lanes) * copies));
    return isFromZero ? rounds : builder.CreateAdd(range.begin, rounds);
  });
  return range;
}

/// Emits the vector axis in up to three loops: where all masks are true, and
/// before and after that; skips parts where no root has an effect.
void NestEmitter::emitAxis(const Inner &inner) {
  int64_t extent = nest.shape[nest.vectorAxis];
  // Pieces may be short, unless there is a remainder only: that of offsets that
  // are kept in bounds, which rarely wrap around.
  bool areShort = masks->masksEnds ||
                  llvm::any_of(masks->divisions, [](const auto &division) {
                    return !division.isRemainder;
                  });
  bool reduces =
      nest.combinesRuns || llvm::any_of(inner.roots, [](const Root &root) {
        return root.kind == RootKind::Reduce;
      });
  unsigned copies = areShort && !reduces ? 1 : inner.unroll;
  if (nest.unrollsRows)
    copies = extent / lanes;
  int64_t first = 0;
  if (needsSeed(inner)) {
    copies = std::min<int64_t>(copies, extent / lanes);
    startReductions(inner, copies);
    emitCopies(inner, emitter.i64(0), copies);
    endSeeding();
    first = int64_t(lanes) * copies;
  }
  AxisRange all{emitter.i64(first), emitter.i64(extent)};
  auto start = [&](AxisRange useful) {
    if (!needsSeed(inner))
      startReductions(inner, copies, at({useful.begin, useful.end}, [&] {
        return builder.CreateAnd(
            builder.CreateICmpSGE(useful.end, all.end),
            builder.CreateICmpSLE(useful.begin, all.begin));
      }));
  };
  // The loop over whole vectors; two where stores can stream, because a branch
  // at each store takes up to a quarter of the time in cache. It is hidden in a
  // larger body, which is not unrolled and should not be emitted twice.
  auto emitWhole = [&](AxisRange range) {
    llvm::Value *decision = emitter.streams, *streams = nullptr;
    bool isSmall =
        nest.unrollsRows || (copies > 1 && extent > int64_t(lanes) * copies);
    for (const Root &root : inner.roots)
      if (isSmall && root.canStream) {
        llvm::Value *one = streamsAt(cast<tt::StoreOp>(root.op));
        isSmall = one;
        streams = bothOf(streams, one);
      }
    if (!isSmall || !streams)
      return emitVectorLoop(inner, range, copies);
    llvm::Value *split = at({streams, range.begin, range.end}, [&] {
      return builder.CreateSelect(streams, range.end, range.begin);
    });
    // The memory limits a loop that streams, however it is unrolled, and the
    // processor prefetches for a small one what it reads.
    int64_t ahead = std::exchange(bytesAhead, 0);
    emitter.streams = builder.getTrue();
    emitVectorLoop(inner, {range.begin, split}, nest.unrollsRows ? copies : 1);
    emitter.streams = builder.getFalse();
    bytesAhead = ahead;
    emitVectorLoop(inner, {split, range.end}, copies);
    emitter.streams = decision;
  };
  if (masks->isEmpty()) {
    start(all);
    if (llvm::Value *isKept = isKeptRow(inner))
      all.end = at({isKept}, [&] {
        return builder.CreateSelect(isKept, all.begin, all.end);
      });
    emitWhole(all);
    finishReductions();
    return;
  }

  auto limit = [&](llvm::Value *a, llvm::Value *b, bool takeLess) {
    return at({a, b}, [&] {
      return takeLess ? emitter.smaller(a, b) : emitter.larger(a, b);
    });
  };
  if (nest.isMasked && masks->divisions.empty()) {
    for (const codegen::PlannedCondition &condition : masks->conditions)
      if (condition.bound)
        boundOf(condition);
    AxisRange useful = ifInterval(rangeOf(true), 0, extent);
    useful.begin =
        limit(toVectors(useful.begin, false, copies), all.begin, false);
    useful.end = toVectors(useful.end, true, copies);
    start(useful);
    emitVectorLoop(inner, useful, copies);
    finishReductions();
    return;
  }
  bool allActive = llvm::all_of(
      masks->conditions,
      [](const codegen::PlannedCondition &c) { return c.isActive; });
  // If a run-time check finds that a mask is not an interval, all of the axis
  // is masked.
  AxisRange full = rangeOf(false);
  AxisRange useful = ifInterval(allActive ? full : rangeOf(true), 0, extent);
  full = ifInterval(full, 0, 0);
  if (!masks->masksEnds)
    full = wholeVectors(full, all.begin, copies);
  useful.begin = limit(toVectors(useful.begin, false), all.begin, false);
  useful.end = toVectors(useful.end, true);

  start(useful);
  if (!masks->divisions.empty()) {
    emitPieces(inner, full, useful, int64_t(lanes) * copies, emitWhole);
    finishReductions();
    return;
  }
  auto *knownBegin = dyn_cast<llvm::ConstantInt>(full.begin);
  bool startsFull = knownBegin && knownBegin->equalsInt(first);
  if (!startsFull)
    emitVectorLoop(inner, {useful.begin, limit(full.begin, useful.end, true)},
                   1);
  beginAssumption(full, masks);
  full.isKnownNotEmpty = true;
  emitWhole(full);
  endAssumption();
  // Without an unmasked part before it, the rest starts at the beginning.
  llvm::Value *rest = full.end;
  if (useful.begin != full.begin)
    rest = limit(full.end, useful.begin, false);
  emitVectorLoop(inner, {rest, useful.end}, 1);
  finishReductions();
}

} // namespace nereid::cpu
