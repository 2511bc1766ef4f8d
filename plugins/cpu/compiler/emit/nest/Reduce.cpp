// Reduce.cpp - reductions as vector accumulators.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"

using namespace mlir;

namespace nereid::cpu {

bool NestEmitter::needsSeed(const Inner &inner) {
  return llvm::any_of(inner.roots, [&](const Root &root) {
    return root.kind == RootKind::Reduce && !root.identity;
  });
}

/// Creates accumulators for the reductions of `inner`. Those with an identity
/// start from it; if one has none, all start from their first elements. If
/// `isWhole` is false (null: true), elements are skipped.
void NestEmitter::startReductions(const Inner &inner, unsigned copies,
                                  llvm::Value *isWhole) {
  reductions.clear();
  bool seed = needsSeed(inner);
  for (const Root &root : inner.roots) {
    if (root.kind != RootKind::Reduce)
      continue;
    Accumulators sums;
    sums.op = cast<tt::ReduceOp>(root.op);
    sums.seeded = seed;
    llvm::Value *start = seed ? nullptr : initialValueOf(root, isWhole);
    for (Value operand : root.op->getOperands()) {
      llvm::Type *type = emitter.typeOf(operand);
      if (lanes > 1)
        type = llvm::FixedVectorType::get(type, lanes);
      SmallVector<llvm::AllocaInst *, 4> slots;
      for (unsigned copy = 0; copy < copies; ++copy)
        slots.push_back(emitter.allocate(type, "sum"));
      insertAt(levels.size() - 1);
      if (start)
        for (llvm::AllocaInst *slot : slots)
          builder.CreateStore(start, slot);
      sums.slots.push_back(std::move(slots));
    }
    reductions.push_back(std::move(sums));
  }
}

/// The initial value of an accumulator of `root`, which has an identity.
llvm::Value *NestEmitter::initialValueOf(const Root &root,
                                         llvm::Value *isWhole) {
  llvm::Value *start =
      codegen::emitConstant(root.identity, emitter.context());
  if (isWhole && root.leftOut && root.leftOut != root.identity) {
    llvm::Value *leftOut =
        codegen::emitConstant(root.leftOut, emitter.context());
    start = at({isWhole}, [&] {
      return builder.CreateSelect(isWhole, start, leftOut);
    });
  }
  return lanes > 1 ? widen({start, false}) : start;
}

void NestEmitter::endSeeding() {
  for (Accumulators &sums : reductions)
    sums.seeded = false;
}

SmallVector<llvm::Value *> NestEmitter::loadSlots(const Accumulators &sums,
                                                  unsigned copy) {
  insertAt(levels.size() - 1);
  SmallVector<llvm::Value *> values;
  for (auto &slots : sums.slots) {
    llvm::Value *value =
        builder.CreateLoad(slots[copy]->getAllocatedType(), slots[copy]);
    place(value, levels.size() - 1);
    values.push_back(value);
  }
  return values;
}

/// Emits a combine region at the innermost level, which continues in the block
/// where the region's control flow ends.
SmallVector<llvm::Value *> NestEmitter::combine(Region &region,
                                                ArrayRef<llvm::Value *> in,
                                                unsigned width,
                                                KnownBits known) {
  insertAt(levels.size() - 1);
  SmallVector<llvm::Value *> values = emitter.region(region, in, width, known);
  levels.back().block = builder.GetInsertBlock();
  return values;
}

/// Adds the elements at the current index. They follow those that an
/// accumulator holds along the axis, lane by lane.
void NestEmitter::accumulate(Accumulators &sums, unsigned copy,
                             KnownBits inOrder) {
  SmallVector<llvm::Value *> values;
  for (Value operand : sums.op->getOperands())
    values.push_back(widen(get(operand, current)));
  if (!sums.seeded) {
    SmallVector<llvm::Value *> before = loadSlots(sums, copy);
    SmallVector<llvm::Value *> arguments = before;
    llvm::append_range(arguments, values);
    values = combine(sums.op->getRegion(0), arguments, lanes, inOrder);
    if (activeLanes)
      for (auto [value, kept] : llvm::zip(values, before))
        value = builder.CreateSelect(activeLanes, value, kept);
  }
  insertAt(levels.size() - 1);
  for (auto [slots, value] : llvm::zip(sums.slots, values))
    builder.CreateStore(value, slots[copy]);
}

/// Combines the accumulators of all copies, then the lanes, halving them.
void NestEmitter::finishReductions() {
  for (Accumulators &sums : reductions) {
    Region &region = sums.op->getRegion(0);
    SmallVector<llvm::Value *> values = loadSlots(sums, 0);
    for (unsigned copy = 1; copy < sums.slots.front().size(); ++copy) {
      llvm::append_range(values, loadSlots(sums, copy));
      values = combine(region, values, lanes);
    }
    for (unsigned width = lanes / 2; width >= 1; width /= 2) {
      SmallVector<int> low, high;
      for (unsigned l = 0; l < width; ++l) {
        low.push_back(l);
        high.push_back(width + l);
      }
      SmallVector<llvm::Value *> halves;
      for (const SmallVector<int> &half : {low, high})
        for (llvm::Value *value : values)
          halves.push_back(
              width == 1
                  ? builder.CreateExtractElement(value, uint64_t(half[0]))
                  : builder.CreateShuffleVector(value, half));
      values = combine(region, halves, width);
    }
    for (llvm::Value *value : values)
      place(value, levels.size() - 1);
    storeResults(sums.op, values, false);
  }
  reductions.clear();
}

/// Stores results for their readers: scalars as SSA values, tiles in their
/// buffers and, for later parts of this row, in a register.
void NestEmitter::storeResults(tt::ReduceOp op, ArrayRef<llvm::Value *> values,
                               bool isVector) {
  for (auto [result, value] : llvm::zip(op->getResults(), values)) {
    if (!isTile(result)) {
      emitter.scalars[result] = value;
      continue;
    }
    Indices indices = current;
    indices.erase(indices.begin() + op.getAxis());
    remember(result, indices, {value, isVector}, levels.size() - 1);
    auto type = cast<RankedTensorType>(result.getType());
    writeBuffer(emitter.bufferPointer(result), type, TileLayout::rowMajor(type.getShape()), indices,
                {value, isVector});
  }
}

/// A reduction across vectors: a strip of a few vectors, or of some rows of one
/// or two, is accumulated along the reduced axis.
void NestEmitter::emitStrip(const Inner &inner) {
  int64_t extent = nest.shape[nest.vectorAxis];
  unsigned copies = inner.unroll;
  AxisRange full{emitter.i64(0), emitter.i64(extent)};
  auto strips = [&](AxisRange range, unsigned unroll, unsigned together) {
    Loop strip = beginLoop(range.begin, range.end, int64_t(lanes) * unroll);
    SmallVector<llvm::Value *> bases;
    for (unsigned copy = 0; copy < unroll; ++copy)
      bases.push_back(at({strip.index}, [&] {
        return copy ? builder.CreateAdd(strip.index, emitter.i64(copy * lanes))
                    : strip.index;
      }));
    startReductions(inner, unroll * together);
    auto emitRows = [&](llvm::Value *row) {
      for (unsigned copy = 0; copy < unroll * together; ++copy) {
        unsigned more = copy / unroll;
        llvm::Value *own = at({row}, [&] {
          return more ? builder.CreateAdd(row, emitter.i64(more)) : row;
        });
        current[nest.reduceAxis] = {own, 0, nullptr};
        setVectorIndex(bases[copy % unroll]);
        emitRoots(inner, copy);
      }
    };
    int64_t first = 0, end = nest.shape[nest.reduceAxis];
    if (needsSeed(inner)) {
      emitRows(emitter.i64(0));
      endSeeding();
      first = together;
    }
    if (first < end) {
      Loop rows = beginLoop(emitter.i64(first), emitter.i64(end), together);
      emitRows(rows.index);
      endLoop(rows);
    }
    current[nest.reduceAxis] = zero();
    for (unsigned copy = 0; copy < unroll; ++copy) {
      setVectorIndex(bases[copy]);
      for (Accumulators &sums : reductions) {
        SmallVector<llvm::Value *> values = loadSlots(sums, copy);
        for (unsigned row = 1; row < together; ++row) {
          llvm::append_range(values, loadSlots(sums, row * unroll + copy));
          values = combine(sums.op->getRegion(0), values, lanes);
        }
        for (llvm::Value *value : values)
          place(value, levels.size() - 1);
        storeResults(sums.op, values, lanes > 1);
      }
    }
    reductions.clear();
    endLoop(strip);
    current[nest.vectorAxis] = zero();
  };
  if (masks->conditions.empty())
    return strips(full, copies, inner.rows);
  llvm::Value *end =
      endOfUnits(ifInterval(rangeOf(false), 0, 0), int64_t(lanes) * copies);
  beginAssumption({emitter.i64(0), end}, masks);
  strips({emitter.i64(0), end}, copies, inner.rows);
  endAssumption();
  strips({end, emitter.i64(extent)}, 1, 1);
}

} // namespace nereid::cpu
