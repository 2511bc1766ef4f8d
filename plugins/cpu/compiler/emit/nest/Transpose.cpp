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
  Range useful = ifInterval(rangeOf(true), 0, width);
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

/// Prefetches what the blocks at `rows` read and store, where lines are so far
/// apart that the hardware does not. Operands of dots are prefetched elsewhere.
void NestEmitter::prefetchBlocks(const Inner &inner, Range rows,
                                 llvm::Value *columns) {
  const Transposition &blocks = *nest.transposition;
  if (llvm::none_of(inner.roots, [](const Root &root) {
        return root.kind == RootKind::Store;
      }))
    return;
  // The end of a loop over the lines of `pointers`, whose distance is the
  // stride along `dim`: `end` if that is a page or more, else `begin`.
  auto endIfFar = [&](Value pointers, unsigned dim, llvm::Type *type,
                      llvm::Value *begin, llvm::Value *end) -> llvm::Value * {
    const codegen::TileForm *form = emitter.forms.of(pointers);
    if (!form || !form->isAffine())
      return nullptr;
    insertAt(0);
    llvm::Value *isFar = builder.CreateICmpSGE(
        emitter.polynomial(form->strides[dim]),
        emitter.i64(CpuModel::kSetDistance / Emitter::bytesOf(type)));
    return at({isFar, begin, end},
              [&] { return builder.CreateSelect(isFar, end, begin); });
  };
  auto prefetch = [&](Value pointers, const Indices &indices, bool isWritten) {
    Address address = addressOf(pointers, indices);
    insertAt(levels.size() - 1);
    if (address.base)
      emitPrefetch(builder, address.base, isWritten);
  };

  for (const TileRead &read : blocks.reads) {
    auto load = read.value.getDefiningOp<tt::LoadOp>();
    if (!load)
      continue;
    // Its row is a column of the nest.
    auto dim = llvm::find_if(read.map, [&](codegen::IndexSource source) {
      return source.isDim(nest.vectorAxis);
    });
    llvm::Value *zeroth = emitter.i64(0);
    llvm::Value *end =
        dim == read.map.end()
            ? nullptr
            : endIfFar(load.getPtr(), dim - read.map.begin(),
                       emitter.memoryType(load.getType()), zeroth, columns);
    if (!end)
      continue;
    Loop column = beginLoop(zeroth, end, 1);
    current[blocks.axis] = {rows.begin, 0, nullptr};
    current[nest.vectorAxis] = {column.index, 0, nullptr};
    prefetch(load.getPtr(), indicesAt(read.map, current), false);
    endLoop(column);
  }
  for (const Root &root : inner.roots) {
    if (root.kind != RootKind::Store)
      continue;
    auto store = cast<tt::StoreOp>(root.op);
    llvm::Type *type = emitter.memoryType(store.getValue().getType());
    llvm::Value *end =
        endIfFar(store.getPtr(), blocks.axis, type, rows.begin, rows.end);
    if (!end)
      continue;
    Loop row = beginLoop(rows.begin, end, 1);
    Loop line = beginLoop(emitter.i64(0), columns,
                          kCacheLine / Emitter::bytesOf(type), true);
    current[blocks.axis] = {row.index, 0, nullptr};
    current[nest.vectorAxis] = {line.index, 0, nullptr};
    prefetch(store.getPtr(), current, true);
    endLoop(line);
    endLoop(row);
  }
  current[blocks.axis] = current[nest.vectorAxis] = zero();
}

/// Emits the block whose first element is at `row` of the transposed axis and
/// at `column` of the vector axis.
void NestEmitter::emitBlock(const Inner &inner, llvm::Value *row,
                            llvm::Value *column) {
  const Transposition &blocks = *nest.transposition;
  SmallVector<SmallVector<llvm::Value *>> values;
  for (const TileRead &read : blocks.reads)
    values.push_back(readBlock(read, row, column));
  unsigned innermost = levels.size() - 1;
  for (unsigned number = 0; number < blocks.size; ++number) {
    llvm::Value *index =
        at({row}, [&] { return builder.CreateAdd(row, emitter.i64(number)); });
    current[blocks.axis] = {index, 0, nullptr};
    setVectorIndex(column);
    for (auto [read, vectors] : llvm::zip(blocks.reads, values))
      remember(read.value, indicesAt(read.map, current),
               {vectors[number], true, true}, innermost);
    emitRoots(inner, 0);
  }
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
