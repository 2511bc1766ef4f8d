// Prefetch.cpp - what the hardware does not prefetch, or too late.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/Induction.h"
#include "emit/nest/NestEmitter.h"
#include "plan/Reads.h"

using namespace mlir;

namespace nereid::cpu {

/// The length of a row, in bytes, up to which the hardware does not prefetch
/// it, and the number of rows from which on that counts.
static constexpr int64_t kLongestRow = 512, kFewestRows = 4;

namespace {
/// A tile of pointers of which a nest reads or writes rows.
struct RowAccess {
  Value pointers;
  codegen::IndexMap map; // its index in the nest's
  bool isWritten;
};
} // namespace

/// The accesses of `inner` whose rows, along the last dimensions of the nest,
/// the next program continues.
static SmallVector<RowAccess, 4> rowsOf(const Inner &inner, unsigned rank,
                                        const TileProgram &program) {
  SmallVector<RowAccess, 4> list;
  for (const Root &root : inner.roots) {
    if (root.kind == RootKind::Store)
      list.push_back({cast<tt::StoreOp>(root.op).getPtr(),
                      codegen::identityMap(rank), true});
    if (auto update = dyn_cast_or_null<tt::AtomicRMWOp>(root.op))
      list.push_back({update.getPtr(), codegen::identityMap(rank), true});
    for (const TileRead &read : readsOf(root, program).loads)
      list.push_back(
          {read.value.getDefiningOp<tt::LoadOp>().getPtr(), read.map, false});
  }
  llvm::erase_if(list, [&](const RowAccess &access) {
    unsigned last = access.map.size();
    if (!program.continued.contains(access.pointers) || last < 2 ||
        codegen::rankOf(access.pointers) != last)
      return true;
    auto tile = codegen::tileType(access.pointers);
    auto type = cast<tt::PointerType>(tile.getElementType());
    int64_t bits = tt::getElementBitWidth(type.getPointeeType());
    return !access.map[last - 1].isDim(rank - 1) ||
           !access.map[last - 2].isDim(rank - 2) ||
           tile.getShape().back() * bits > 8 * kLongestRow;
  });
  return list;
}

/// An i1: are the rows of `pointers`, along `dim`, a page or more apart? Those
/// that a tile numbers are, if those with neighbouring numbers are. Null:
/// unknown.
llvm::Value *NestEmitter::areRowsFar(Value pointers, unsigned dim) {
  const codegen::TileForm *form = emitter.forms.of(pointers);
  if (!form || form->isAffine())
    return isFar(pointers, dim);
  const codegen::TileTerm &term = form->terms.front();
  if (form->terms.size() > 1 || term.dependsOn != codegen::DimSet(1) << dim ||
      !form->strides[dim].isZero())
    return nullptr;
  auto type = cast<tt::PointerType>(getElementTypeOrSelf(pointers));
  int64_t bytes = Emitter::bytesOf(emitter.memoryType(type.getPointeeType()));
  insertAt(0);
  return builder.CreateICmpSGE(emitter.polynomial(term.coefficient),
                               emitter.i64(CpuModel::kSetDistance / bytes));
}

/// In a loop over short rows that are a page or more apart, which the hardware
/// does not prefetch, prefetches the row of the next program that continues
/// this one.
void NestEmitter::prefetchRows(const Inner &inner) {
  unsigned rank = nest.shape.size();
  if (rank < 2 || nest.vectorAxis != rank - 1 ||
      nest.shape[rank - 2] < kFewestRows)
    return;
  SmallVector<RowAccess, 4> list = rowsOf(inner, rank, emitter.program);
  llvm::Value *far = nullptr;
  for (const RowAccess &access : list) {
    llvm::Value *one = areRowsFar(access.pointers, access.map.size() - 2);
    if (!one)
      continue;
    far =
        far ? at({far, one}, [&] { return builder.CreateOr(far, one); }) : one;
  }
  if (!far)
    return;
  // The next program may be another thread's.
  llvm::Value *count = at({far, emitter.programsLeft}, [&] {
    llvm::Value *isLast =
        builder.CreateICmpEQ(emitter.programsLeft, emitter.i64(1));
    return builder.CreateZExt(builder.CreateAnd(far, builder.CreateNot(isLast)),
                              builder.getInt64Ty());
  });
  Loop once = beginLoop(emitter.i64(0), count, 1);
  for (const RowAccess &access : list) {
    auto type = cast<tt::PointerType>(getElementTypeOrSelf(access.pointers));
    int64_t bytes = Emitter::bytesOf(emitter.memoryType(type.getPointeeType()));
    int64_t length = nest.shape[rank - 1];
    for (int64_t place = 0; place < length; place += kCacheLine / bytes) {
      current[rank - 1] = {emitter.i64(length + place), 0, nullptr};
      Address address =
          addressOf(access.pointers, indicesAt(access.map, current));
      if (!address.base)
        break;
      insertAt(levels.size() - 1);
      emitPrefetch(builder, address.base, prefetchToUse(access.isWritten));
    }
  }
  endLoop(once);
  current[rank - 1] = zero();
}

/// In a loop over rows that a tile numbers, prefetches one of the next rows
/// that `op` updates, or its beginning if it is long: operations with locks
/// would wait for each line in turn.
void NestEmitter::prefetchUpdates(tt::AtomicRMWOp op) {
  constexpr int64_t kBytesAhead = 1024, kMostAhead = 8;
  unsigned rank = nest.shape.size();
  const codegen::TileForm *form = emitter.forms.of(op.getPtr());
  if (!emitter.options.fastPaths.has(FastPath::RowPrefetch) || rank < 2 ||
      !form || form->isAffine())
    return;
  int64_t rows = nest.shape[rank - 2], length = nest.shape[rank - 1];
  int64_t bytes = Emitter::bytesOf(emitter.memoryType(op.getVal().getType()));
  int64_t ahead =
      std::clamp<int64_t>(kBytesAhead / (length * bytes), 1, kMostAhead);
  Indices saved = current;
  insertAt(levels.size() - 1);
  current[rank - 2].base = emitter.smaller(
      builder.CreateAdd(current[rank - 2].base, emitter.i64(ahead)),
      emitter.i64(rows - 1));
  place(current[rank - 2].base, levels.size() - 1);
  int64_t end = std::min(length, kLongestRow / bytes);
  for (int64_t column = 0; column < end; column += kCacheLine / bytes) {
    current[rank - 1] = {emitter.i64(column), 0, nullptr};
    llvm::Value *line = addressOf(op.getPtr(), current).base;
    if (!line)
      break;
    insertAt(levels.size() - 1);
    emitPrefetch(builder, line, prefetchToUse(/*isWritten=*/true));
  }
  current = saved;
}

/// Prefetches what the next iteration of the surrounding loop will load here:
/// the hardware prefetcher does not detect tiles with few lines per row.
void NestEmitter::prefetch(tt::LoadOp op, const Address &address) {
  const codegen::TileForm *form = emitter.forms.of(op.getPtr());
  if (!form || !address.base || address.stride != 1 || op.getIsVolatile() ||
      (!emitter.options.cpu.prefetchesTwice &&
       emitter.program.isPrefetchedByDot(op)))
    return;
  auto advance = advanceOf(form->base, loopAround);
  if (!advance || advance->isZero())
    return;
  insertAt(0);
  llvm::Value *offset = emitter.polynomial(*advance);
  // Once for a load that is outside of the innermost loop.
  insertAt(std::max(levelOf(address.base), minimumLevel));
  llvm::Value *next =
      builder.CreateGEP(emitter.memoryType(op.getType()), address.base, offset);
  emitPrefetch(builder, next, PrefetchTo::First);
}

/// Do the rows of a tile with `form` in one iteration of a loop, or all of
/// them, go on in the next, as hardware prefetchers expect?
static bool continuesRows(const codegen::TileForm &form, RankedTensorType tile,
                          const codegen::Polynomial &advance) {
  int64_t width = tile.getShape().back();
  if (advance.constant() == width)
    return true;
  return tile.getRank() == 2 && form.strides[0].constant() == width &&
         advance.constant() == tile.getNumElements();
}

/// Prefetches the rows that the next iteration of the loop that `op` is in will
/// load: persistent kernels leave out those of the other programs, whose turn
/// it may be next. Where rows go on, and in long ones, hardware prefetchers do
/// better, but for several rows at once; loops with dots have prefetches of
/// their own. Returns false if there are none.
bool NestEmitter::prefetchNext(tt::LoadOp op, const Indices &indices) {
  constexpr int64_t kLongest = 4096, kLongestPiece = 1024; // bytes of a row
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  auto tile = codegen::tileType(op.getResult());
  const codegen::TileForm *form = emitter.forms.of(op.getPtr());
  int64_t bytes = Emitter::bytesOf(emitter.memoryType(op.getType()));
  if (!emitter.options.fastPaths.has(FastPath::RowPrefetch) || !loop || !tile ||
      tile.getRank() > 2 || tile.getShape().back() * bytes > kLongest ||
      !form || !form->isAffine() || op.getIsVolatile() ||
      form->strides.back().constant() != 1 ||
      emitter.firstReaders.try_emplace(op, masks).first->second != masks)
    return false;
  bool hasDots = llvm::any_of(emitter.program.dots, [&](const auto &entry) {
    return entry.first->getParentOp() == loop;
  });
  auto advance = advanceOf(form->base, loop);
  if (hasDots || !advance || advance->isZero())
    return false;
  if (continuesRows(*form, tile, *advance)) {
    int64_t ahead = emitter.options.cpu.pieceAhead;
    if (!ahead || tile.getRank() < 2 || tile.getDimSize(0) < kFewestRows ||
        tile.getShape().back() * bytes > kLongestPiece)
      return false;
    advance = ahead / bytes;
  }
  Address address = addressOf(op.getPtr(), indices);
  if (!address.base || address.stride != 1 || address.repeat != 1)
    return false;
  insertAt(0);
  llvm::Value *offset = emitter.polynomial(*advance);
  if (emitter.program.turns)
    offset = builder.CreateSelect(emitter.isAlone, offset, emitter.i64(0));
  insertAt(levels.size() - 1);
  emitPrefetch(
      builder,
      builder.CreateGEP(emitter.memoryType(op.getType()), address.base, offset),
      PrefetchTo::First);
  return true;
}

/// How far ahead each of the rows is prefetched that `inner` loads, in bytes;
/// 0: they are not.
int64_t NestEmitter::readAheadOf(const Inner &inner) const {
  if (!emitter.options.fastPaths.has(FastPath::ReadAhead))
    return 0;
  llvm::DenseSet<Value> loads;
  for (const Root &root : inner.roots)
    for (const TileRead &read : readsOf(root, emitter.program).loads)
      loads.insert(read.value);
  int64_t lines = emitter.options.cpu.readAhead / kCacheLine;
  return loads.empty() ? 0 : kCacheLine * (lines / int64_t(loads.size()));
}

/// Prefetches what a later iteration of a loop along a row, or the next
/// program, will load. What an earlier part of the program has read is in a
/// cache.
void NestEmitter::readAhead(tt::LoadOp op, const Indices &indices) {
  constexpr int64_t kShortestRow = 2048; // bytes
  int64_t bytes = Emitter::bytesOf(emitter.memoryType(op.getType()));
  const codegen::TileForm *form = emitter.forms.of(op.getPtr());
  if (!form || !form->isAffine() || op.getIsVolatile() ||
      lanes * bytes < kCacheLine / 2 ||
      nest.shape[nest.vectorAxis] * bytes < kShortestRow ||
      emitter.firstReaders.try_emplace(op, masks).first->second != masks)
    return;
  Address address = addressOf(op.getPtr(), indices);
  if (!address.base || address.stride != 1 || address.repeat != 1)
    return;
  insertAt(levels.size() - 1);
  emitPrefetch(builder,
               builder.CreateGEP(builder.getInt8Ty(), address.base,
                                 emitter.i64(bytesAhead)),
               PrefetchTo::First);
}

} // namespace nereid::cpu
