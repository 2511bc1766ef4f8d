// Transpose.cpp - a nest that reads along one dimension and writes along
// another: blocks are transposed in vector registers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks are visited so that each cache line that is read is used up at once:
// the rows of a matrix whose width is a power of two share a few sets of the
// cache, which cannot hold them until the next visit. What masks leave over
// beside whole blocks is visited row by row.

#include "emit/Transpose.h"
#include "emit/nest/NestEmitter.h"

#include "llvm/Analysis/VectorUtils.h"

using namespace mlir;

namespace nereid::cpu {

/// The end of the whole units of `unit` elements along `axis` in which all
/// conditions of `plan` are true.
llvm::Value *NestEmitter::wholeUnits(const codegen::MaskPlan &plan,
                                     unsigned axis, int64_t unit) {
  if (plan.conditions.empty())
    return emitter.i64(nest.shape[axis]);
  masks = &plan;
  rangeAxis = axis;
  bounds.clear();
  llvm::Value *end = endOfUnits(ifInterval(rangeOf(false), 0, 0), unit);
  bounds.clear();
  rangeAxis = nest.vectorAxis;
  return end;
}

void NestEmitter::emitTransposed(const Inner &inner) {
  const Transposition &blocks = *nest.transposition;
  int64_t height = nest.shape[blocks.axis], width = nest.shape[nest.vectorAxis];
  llvm::Value *rows =
      wholeUnits(blocks.masksAlongAxis, blocks.axis, blocks.size);
  llvm::Value *columns =
      wholeUnits(blocks.masksAlongVectors, nest.vectorAxis, lanes);
  masks = &inner.masks;
  auto isKnown = [](llvm::Value *value, int64_t number) {
    auto *known = dyn_cast<llvm::ConstantInt>(value);
    return known && known->getSExtValue() == number;
  };
  bool isWhole = isKnown(rows, height) && isKnown(columns, width);
  if (isDeferred || !isWhole) {
    // Deferred stores are written row by row.
    rows = at({rows, columns}, [&] {
      llvm::Value *some = builder.CreateICmpSGT(columns, emitter.i64(0));
      if (isDeferred)
        some = builder.CreateAnd(some, builder.CreateNot(isDeferred));
      return builder.CreateSelect(some, rows, emitter.i64(0));
    });
  }

  beginAssumption({emitter.i64(0), rows},
                  {&blocks.masksAlongAxis, &blocks.masksAlongVectors});
  llvm::Value *deferred = std::exchange(isDeferred, nullptr);
  Loop lines = beginLoop(emitter.i64(0), rows, blocks.line, true);
  llvm::Value *end = at({lines.index, rows}, [&] {
    return emitter.smaller(
        builder.CreateAdd(lines.index, emitter.i64(blocks.line)), rows);
  });
  prefetchBlocks(inner, {lines.index, end}, columns);
  Loop vectors = beginLoop(emitter.i64(0), columns, lanes, true);
  multiples[vectors.index] = lanes;
  Loop block = beginLoop(lines.index, end, blocks.size, true);
  multiples[block.index] = blocks.size;
  emitBlock(inner, block.index, vectors.index);
  endLoop(block);
  endLoop(vectors);
  endLoop(lines);
  isDeferred = deferred;
  endAssumption();
  if (isWhole && !isDeferred)
    return;

  Loop row = beginLoop(emitter.i64(0), emitter.i64(height), 1);
  current[blocks.axis] = {row.index, 0, nullptr};
  llvm::Value *begin = at({row.index, rows, columns}, [&] {
    return builder.CreateSelect(builder.CreateICmpSLT(row.index, rows), columns,
                                emitter.i64(0));
  });
  AxisRange useful = ifInterval(rangeOf(true), 0, width);
  useful.begin = at({begin, useful.begin}, [&] {
    return emitter.larger(
        begin, builder.CreateAnd(useful.begin, emitter.i64(-int64_t(lanes))));
  });
  useful.end = at({useful.end}, [&] {
    return builder.CreateAnd(
        builder.CreateAdd(useful.end, emitter.i64(lanes - 1)),
        emitter.i64(-int64_t(lanes)));
  });
  emitVectorLoop(inner, useful, 1);
  endLoop(row);
  current[blocks.axis] = zero();
}

/// An i1: are the lines of `pointers` along `dim` a page or more apart, across
/// which the hardware does not prefetch? Null: unknown.
llvm::Value *NestEmitter::isFar(Value pointers, unsigned dim) {
  const codegen::TileForm *form = emitter.forms.of(pointers);
  if (!form || !form->isAffine())
    return nullptr;
  auto type = cast<tt::PointerType>(getElementTypeOrSelf(pointers));
  int64_t bytes = Emitter::bytesOf(emitter.memoryType(type.getPointeeType()));
  insertAt(0);
  return builder.CreateICmpSGE(emitter.polynomial(form->strides[dim]),
                               emitter.i64(CpuModel::kSetDistance / bytes));
}

/// Prefetches the lines that the blocks at `row` read, one in each of
/// `columns`.
void NestEmitter::prefetchReads(const TileRead &read, llvm::Value *row,
                                llvm::Value *columns) {
  auto load = read.value.getDefiningOp<tt::LoadOp>();
  auto alongVectors = llvm::find_if(read.map, [&](codegen::IndexSource source) {
    return source.isDim(nest.vectorAxis);
  });
  if (!load || alongVectors == read.map.end())
    return;
  Value pointers = load.getPtr();
  llvm::Value *far = isFar(pointers, alongVectors - read.map.begin());
  if (!far)
    return;
  llvm::Value *end = at({far, columns}, [&] {
    return builder.CreateSelect(far, columns, emitter.i64(0));
  });
  Loop column = beginLoop(emitter.i64(0), end, 1);
  current[nest.transposition->axis] = {row, 0, nullptr};
  current[nest.vectorAxis] = {column.index, 0, nullptr};
  Address address = addressOf(pointers, indicesAt(read.map, current));
  insertAt(levels.size() - 1);
  emitPrefetch(builder, address.base);
  endLoop(column);
}

/// Prefetches the lines of `rows` that `store` writes.
void NestEmitter::prefetchStores(tt::StoreOp store, AxisRange rows,
                                 llvm::Value *columns) {
  unsigned axis = nest.transposition->axis;
  llvm::Value *far = isFar(store.getPtr(), axis);
  if (!far)
    return;
  llvm::Value *end = at({far, rows.begin, rows.end}, [&] {
    return builder.CreateSelect(far, rows.end, rows.begin);
  });
  llvm::Type *type = emitter.memoryType(store.getValue().getType());
  Loop row = beginLoop(rows.begin, end, 1);
  Loop line = beginLoop(emitter.i64(0), columns,
                        kCacheLine / Emitter::bytesOf(type), true);
  current[axis] = {row.index, 0, nullptr};
  current[nest.vectorAxis] = {line.index, 0, nullptr};
  Address address = addressOf(store.getPtr(), current);
  insertAt(levels.size() - 1);
  emitPrefetch(builder, address.base, PrefetchTo::Write);
  endLoop(line);
  endLoop(row);
}

/// Prefetches what the blocks at `rows` read and store. Operands of dots are
/// prefetched while others are multiplied.
void NestEmitter::prefetchBlocks(const Inner &inner, AxisRange rows,
                                 llvm::Value *columns) {
  auto isStore = [](const Root &root) { return root.kind == RootKind::Store; };
  if (llvm::none_of(inner.roots, isStore))
    return;
  for (const TileRead &read : nest.transposition->reads)
    prefetchReads(read, rows.begin, columns);
  for (const Root &root : llvm::make_filter_range(inner.roots, isStore))
    prefetchStores(cast<tt::StoreOp>(root.op), rows, columns);
  current[nest.transposition->axis] = current[nest.vectorAxis] = zero();
}

/// Emits the block whose first element is at `row` of the transposed axis and
/// at `column` of the vector axis. What it reads beside blocks is often as far
/// apart as what it stores. A load waits for an earlier store that differs from
/// it only in higher bits of the address, so all loads come first.
void NestEmitter::emitBlock(const Inner &inner, llvm::Value *row,
                            llvm::Value *column) {
  const Transposition &blocks = *nest.transposition;
  SmallVector<SmallVector<llvm::Value *>> values;
  for (const TileRead &read : blocks.reads)
    values.push_back(readBlock(read, row, column));
  unsigned innermost = levels.size() - 1;
  SmallVector<Indices> rows;
  for (unsigned number = 0; number < blocks.size; ++number) {
    llvm::Value *index =
        at({row}, [&] { return builder.CreateAdd(row, emitter.i64(number)); });
    current[blocks.axis] = {index, 0, nullptr};
    setVectorIndex(column);
    for (auto [read, vectors] : llvm::zip(blocks.reads, values))
      remember(read.value, indicesAt(read.map, current),
               {vectors[number], true, true}, innermost);
    rows.push_back(current);
  }
  emitRootsAt(inner, rows);
  current[blocks.axis] = current[nest.vectorAxis] = zero();
}

/// The values of `read` in a block, as vectors along the vector axis.
SmallVector<llvm::Value *> NestEmitter::readBlock(const TileRead &read,
                                                  llvm::Value *row,
                                                  llvm::Value *column) {
  const Transposition &blocks = *nest.transposition;
  unsigned size = blocks.size;
  llvm::Type *type = emitter.typeOf(read.value);
  auto *bits = llvm::FixedVectorType::get(
      builder.getIntNTy(type->getScalarSizeInBits()), size);
  auto readRow = [&](unsigned offset) {
    llvm::Value *place = at({column}, [&] {
      return builder.CreateAdd(column, emitter.i64(offset));
    });
    current[blocks.axis] = {row, 1, nullptr};
    current[nest.vectorAxis] = {place, 0, nullptr};
    llvm::Value *value = widen(get(read.value, indicesAt(read.map, current)));
    return at({value}, [&] { return builder.CreateBitCast(value, bits); });
  };
  unsigned width = std::exchange(lanes, size);
  SmallVector<SmallVector<llvm::Value *>> parts(size);
  for (unsigned offset = 0; offset < width; ++offset)
    parts[offset % size].push_back(readRow(offset));
  lanes = width;

  insertAt(levels.size() - 1);
  SmallVector<llvm::Value *> vectors;
  for (SmallVector<llvm::Value *> &part : parts)
    vectors.push_back(llvm::concatenateVectors(builder, part));
  transposeBlock(builder, vectors);
  auto *vector = llvm::FixedVectorType::get(type, width);
  for (llvm::Value *&value : vectors) {
    value = builder.CreateBitCast(value, vector);
    place(value, levels.size() - 1);
  }
  return vectors;
}

} // namespace nereid::cpu
