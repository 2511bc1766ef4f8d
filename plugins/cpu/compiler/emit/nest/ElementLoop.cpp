// ElementLoop.cpp - a loop of the program inside those of a nest: what it
// carries is in registers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"

using namespace mlir;

namespace nereid::cpu {

/// The block of vectors from `index` on that an element loop runs for at once:
/// `unroll` of them in each of Inner::rows.
void NestEmitter::emitBlockOfLoop(const Inner &inner, llvm::Value *index,
                                  unsigned unroll) {
  std::optional<unsigned> dim = rowDimOf(nest);
  llvm::Value *first = inner.rows > 1 ? current[*dim].base : nullptr;
  auto plus = [&](llvm::Value *base, int64_t distance) {
    return at({base}, [&] {
      return distance ? builder.CreateAdd(base, emitter.i64(distance)) : base;
    });
  };
  block.clear();
  for (unsigned row = 0; row < inner.rows; ++row) {
    if (first)
      current[*dim].base = plus(first, row);
    for (unsigned copy = 0; copy < unroll; ++copy) {
      setVectorIndex(plus(index, int64_t(copy) * lanes));
      block.push_back({current, activeLanes});
    }
  }
  for (const PlaceInBlock &place : block) {
    moveTo(place);
    emitRoots(inner, 0);
  }
  block.clear();
  if (first)
    current[*dim].base = first;
  current[nest.vectorAxis] = zero();
  activeLanes = nullptr;
}

void NestEmitter::moveTo(const PlaceInBlock &place) {
  current = place.indices;
  activeLanes = place.activeLanes;
}

/// Emits a piece that ends with a mask: blocks of vectors, and the last one or
/// two vectors without the rest of a block.
void NestEmitter::emitBlocksOfLoop(const Inner &inner, AxisRange range) {
  constexpr unsigned kLast = 2;
  if (inner.unroll <= kLast)
    return emitVectorLoop(inner, range, inner.unroll);
  int64_t size = int64_t(lanes) * inner.unroll, last = int64_t(lanes) * kLast;
  llvm::Value *split = at({range.begin, range.end}, [&] {
    llvm::Value *length = builder.CreateSub(range.end, range.begin);
    length = builder.CreateAdd(length, emitter.i64(size - last - 1));
    return builder.CreateAdd(range.begin,
                             builder.CreateAnd(length, emitter.i64(-size)));
  });
  emitVectorLoop(inner, {range.begin, split}, inner.unroll);
  emitVectorLoop(inner, {split, range.end}, kLast);
}

/// What `loop` makes of the tile that it carries as `number`.
Element NestEmitter::resultOf(scf::ForOp loop, unsigned number,
                              const Indices &indices) {
  auto known = [&]() -> const Element * {
    MemoKey key = keyOf(loop.getResult(number), indices);
    for (Level &level : levels)
      if (auto found = level.memo.find(key); found != level.memo.end())
        return &found->second;
    return nullptr;
  };
  if (const Element *result = known())
    return *result;
  bool isInBlock = llvm::any_of(block, [&](const PlaceInBlock &place) {
    return place.indices == indices;
  });
  if (isInBlock)
    emitElementLoop(loop, block);
  else
    emitElementLoop(loop, {{indices, activeLanes}});
  return *known();
}

/// The scalars that the body of `loop` computes, at the innermost level.
void NestEmitter::emitScalarsOf(scf::ForOp loop) {
  unsigned level = levels.size() - 1;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (codegen::infoOf(&op).kind != codegen::TileOpKind::Scalar)
      continue;
    AtLine line = emitter.at(op.getLoc());
    insertAt(level);
    emitScalarOp(emitter, &op);
    levels[level].block = builder.GetInsertBlock();
    for (Value result : op.getResults())
      if (llvm::Value *value = emitter.scalars.lookup(result))
        place(value, level);
  }
}

namespace {
/// A value that a loop carries from one iteration to the next.
struct Carried {
  llvm::Value *before = nullptr, *next = nullptr;
  llvm::PHINode *current = nullptr;
};
} // namespace

/// Emits `loop` for the elements at all of `places`, and remembers its results.
void NestEmitter::emitElementLoop(scf::ForOp loop,
                                  ArrayRef<PlaceInBlock> places) {
  auto makeBlock = [&](const char *name) {
    return llvm::BasicBlock::Create(emitter.context(), name, emitter.function);
  };
  PlaceInBlock outer{current, activeLanes};
  bool isVector = lanes > 1;
  // Of each place and each tile; and scalars.
  SmallVector<Carried> tiles, scalars;
  auto forTiles = [&](auto each) {
    unsigned number = 0;
    for (const PlaceInBlock &place : places) {
      moveTo(place);
      for (BlockArgument argument : loop.getRegionIterArgs())
        if (isTile(argument))
          each(tiles[number++], argument, place.indices);
    }
    moveTo(outer);
  };
  auto forScalars = [&](auto each) {
    unsigned number = 0;
    for (BlockArgument argument : loop.getRegionIterArgs())
      if (!isTile(argument))
        each(scalars[number++], argument);
  };
  auto yieldedOf = [&](BlockArgument argument) {
    return loop.getTiedLoopYieldedValue(argument)->get();
  };
  unsigned count = llvm::count_if(loop.getRegionIterArgs(), isTile);
  tiles.resize(count * places.size());
  scalars.resize(loop.getNumRegionIterArgs() - count);
  forTiles([&](Carried &tile, BlockArgument argument, const Indices &indices) {
    tile.before = widen(get(loop.getTiedLoopInit(argument)->get(), indices));
  });
  forScalars([&](Carried &scalar, BlockArgument argument) {
    scalar.before = emitter.scalar(loop.getTiedLoopInit(argument)->get());
  });
  llvm::Value *lower = emitter.scalar(loop.getLowerBound());
  llvm::Value *upper = emitter.scalar(loop.getUpperBound());
  llvm::Value *step = emitter.scalar(loop.getStep());

  // Two levels: one that runs if there is an iteration, where loads may be
  // that do not change in the loop, and the loop.
  unsigned level = levels.size() - 1;
  insertAt(level);
  llvm::BasicBlock *some = makeBlock("some"), *body = makeBlock("carried"),
                   *exit = makeBlock("done");
  llvm::Instruction *entry =
      builder.CreateCondBr(builder.CreateICmpSLT(lower, upper), some, exit);
  levels.back().before = entry;
  pushLevel(some);
  builder.SetInsertPoint(some);
  llvm::Instruction *begin = builder.CreateBr(body);
  levels.back().before = begin;
  unsigned outerLoadLevel = std::exchange(loadLevel, level + 1);
  pushLevel(body);
  builder.SetInsertPoint(body);
  unsigned inside = level + 2;
  auto makePhi = [&](llvm::Type *type) {
    llvm::PHINode *phi = builder.CreatePHI(type, 2);
    place(phi, inside);
    return phi;
  };
  llvm::PHINode *index = makePhi(lower->getType());
  emitter.scalars[loop.getInductionVar()] = index;
  forScalars([&](Carried &scalar, BlockArgument argument) {
    scalar.current = makePhi(scalar.before->getType());
    emitter.scalars[argument] = scalar.current;
  });
  forTiles([&](Carried &tile, BlockArgument argument, const Indices &indices) {
    tile.current = makePhi(tile.before->getType());
    remember(argument, indices, {tile.current, isVector}, inside);
  });
  emitScalarsOf(loop);
  forTiles([&](Carried &tile, BlockArgument argument, const Indices &indices) {
    tile.next = widen(get(yieldedOf(argument), indices));
  });
  forScalars([&](Carried &scalar, BlockArgument argument) {
    scalar.next = emitter.scalar(yieldedOf(argument));
  });
  insertAt(inside);
  llvm::Value *next = builder.CreateAdd(index, step);
  llvm::BasicBlock *latch = builder.GetInsertBlock();
  builder.CreateCondBr(builder.CreateICmpSLT(next, upper), body, exit);
  index->addIncoming(lower, begin->getParent());
  index->addIncoming(next, latch);
  for (Carried &each : llvm::concat<Carried>(tiles, scalars)) {
    each.current->addIncoming(each.before, begin->getParent());
    each.current->addIncoming(each.next, latch);
  }
  popLevel();
  popLevel();
  loadLevel = outerLoadLevel;
  levels.back().before = nullptr;
  levels.back().block = exit;
  builder.SetInsertPoint(exit);
  forTiles([&](Carried &tile, BlockArgument argument, const Indices &indices) {
    llvm::PHINode *result = builder.CreatePHI(tile.before->getType(), 2);
    result->addIncoming(tile.before, entry->getParent());
    result->addIncoming(tile.next, latch);
    place(result, level);
    remember(loop.getTiedLoopResult(argument), indices,
             {result, isVector, assumed}, level);
  });
}

} // namespace nereid::cpu
