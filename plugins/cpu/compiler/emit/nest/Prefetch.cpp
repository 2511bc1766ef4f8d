// Prefetch.cpp - rows of tiles that are short, and far from one another.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

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
    llvm::Value *one = isFar(access.pointers, access.map.size() - 2);
    far =
        far ? at({far, one}, [&] { return builder.CreateOr(far, one); }) : one;
  }
  if (!far)
    return;
  llvm::Value *count =
      at({far}, [&] { return builder.CreateZExt(far, builder.getInt64Ty()); });
  Loop once = beginLoop(emitter.i64(0), count, 1);
  for (const RowAccess &access : list) {
    auto type = cast<tt::PointerType>(getElementTypeOrSelf(access.pointers));
    int64_t bytes = Emitter::bytesOf(emitter.memoryType(type.getPointeeType()));
    int64_t length = nest.shape[rank - 1];
    for (int64_t place = 0; place < length; place += kCacheLine / bytes) {
      current[rank - 1] = {emitter.i64(length + place), 0, nullptr};
      Address address =
          addressOf(access.pointers, indicesAt(access.map, current));
      insertAt(levels.size() - 1);
      emitPrefetch(builder, address.base, access.isWritten);
    }
  }
  endLoop(once);
  current[rank - 1] = zero();
}

} // namespace nereid::cpu
