// EmitDotPack.cpp - the right operand of a dot in the order of its use.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "EmitDot.h"
#include "EmitLoops.h"

using namespace mlir;

namespace nereid::cpu {

/// The lanes of both, one after the other.
static llvm::Value *join(llvm::IRBuilder<> &b, llvm::Value *first,
                         llvm::Value *second) {
  unsigned lanes =
      2 * cast<llvm::FixedVectorType>(first->getType())->getNumElements();
  return b.CreateShuffleVector(first, second,
                               llvm::to_vector(llvm::seq<int>(0, lanes)));
}

/// Lane by lane, the elements of all `rows`, whose number is a power of two.
static llvm::Value *interleave(llvm::IRBuilder<> &b,
                               SmallVector<llvm::Value *> rows, int64_t lanes) {
  if (rows.size() == 1)
    return rows.front();
  SmallVector<int> order;
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t row = 0; row < int64_t(rows.size()); ++row)
      order.push_back(row * lanes + lane);
  while (rows.size() > 1) {
    SmallVector<llvm::Value *> joined;
    for (size_t i = 0; i < rows.size(); i += 2)
      joined.push_back(join(b, rows[i], rows[i + 1]));
    rows = std::move(joined);
  }
  return b.CreateShuffleVector(rows.front(), order);
}

void emitPack(Emitter &emitter, const DotShape &shape, llvm::Value *from,
              llvm::Value *to) {
  llvm::IRBuilder<> &b = emitter.builder;
  const DotPacking &packing = shape.packing;
  // Moved as bits.
  llvm::Type *element = b.getIntNTy(8 * shape.factorBytes());
  llvm::Align align(shape.factorBytes());
  int64_t lanes = std::min<int64_t>(
      packing.columns, emitter.vectorBits / (8 * shape.factorBytes()));
  auto *vector = llvm::FixedVectorType::get(element, lanes);
  auto times = [&](llvm::Value *index, int64_t factor) {
    return b.CreateMul(index, b.getInt64(factor));
  };
  auto copyRow = [&](llvm::Value *source, llvm::Value *target) {
    SmallVector<llvm::Value *> rows;
    for (int64_t row = 0; row < packing.together; ++row) {
      llvm::Value *place = b.CreateAdd(source, b.getInt64(row * shape.columns));
      rows.push_back(emitter.inScratch(b.CreateAlignedLoad(
          vector, b.CreateGEP(element, from, place), align)));
    }
    emitter.inScratch(b.CreateAlignedStore(
        interleave(b, rows, lanes), b.CreateGEP(element, to, target), align));
  };
  emitLoop(b, shape.batches, 1, [&](llvm::Value *batch) {
    llvm::Value *start = times(batch, shape.depth * shape.columns);
    emitLoop(b, shape.depth, packing.depth, [&](llvm::Value *block) {
      llvm::Value *blockTarget =
          b.CreateAdd(start, times(block, packing.columns));
      emitLoop(b, packing.depth, packing.together, [&](llvm::Value *k) {
        llvm::Value *source =
            b.CreateAdd(start, times(b.CreateAdd(block, k), shape.columns));
        llvm::Value *target =
            b.CreateAdd(blockTarget, times(k, packing.columns));
        emitLoop(b, shape.columns, packing.columns, [&](llvm::Value *panel) {
          for (int64_t lane = 0; lane < packing.columns; lane += lanes)
            copyRow(b.CreateAdd(b.CreateAdd(source, panel), b.getInt64(lane)),
                    b.CreateAdd(b.CreateAdd(target, times(panel, shape.depth)),
                                b.getInt64(lane * packing.together)));
        });
      });
    });
  });
}

} // namespace nereid::cpu
