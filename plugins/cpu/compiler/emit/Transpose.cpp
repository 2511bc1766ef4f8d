// Transpose.cpp - transposes blocks in vector registers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The number of an element's row and that of its lane exchange their bits. The
// bits of lanes within 128 bits are exchanged by interleaving two rows, which
// is one instruction on every machine (unpack, zip); each bit above them by
// exchanging blocks off the diagonal.

#include "emit/Transpose.h"

#include "llvm/ADT/SmallVector.h"

namespace nereid::cpu {

using Lanes = llvm::SmallVector<int>;

/// Shuffles a pair of rows in two ways.
static void shufflePair(llvm::IRBuilder<> &b, llvm::Value *&first,
                        llvm::Value *&second, const Lanes &low,
                        const Lanes &high) {
  llvm::Value *x = first, *y = second;
  first = b.CreateShuffleVector(x, y, low);
  second = b.CreateShuffleVector(x, y, high);
}

/// Exchanges bit `distance` of the rows' numbers with that of the lanes'.
static void exchangeBlocks(llvm::IRBuilder<> &b,
                           llvm::MutableArrayRef<llvm::Value *> rows, int lanes,
                           int distance) {
  Lanes low, high;
  for (int lane = 0; lane < lanes; ++lane) {
    bool isMoved = lane & distance;
    low.push_back(isMoved ? lanes + lane - distance : lane);
    high.push_back(isMoved ? lanes + lane : lane + distance);
  }
  for (int row = 0; row < int(rows.size()); ++row)
    if (!(row & distance))
      shufflePair(b, rows[row], rows[row + distance], low, high);
}

/// Transposes the squares in as many rows as each has lanes. A step rotates the
/// bits of (row, lane) by one; after all of them, both have changed places.
static void interleaveRows(llvm::IRBuilder<> &b,
                           llvm::MutableArrayRef<llvm::Value *> rows,
                           int lanes) {
  int size = rows.size();
  Lanes low, high;
  for (int square = 0; square < lanes; square += size)
    for (int lane = 0; lane < size / 2; ++lane)
      for (int row : {0, lanes}) {
        low.push_back(row + square + lane);
        high.push_back(row + square + size / 2 + lane);
      }
  for (int step = 1; step < size; step *= 2) {
    llvm::SmallVector<llvm::Value *> next;
    for (int row = 0; row < size / 2; ++row) {
      llvm::Value *first = rows[row], *second = rows[row + size / 2];
      shufflePair(b, first, second, low, high);
      next.append({first, second});
    }
    llvm::copy(next, rows.begin());
  }
}

void transposeBlock(llvm::IRBuilder<> &b,
                    llvm::MutableArrayRef<llvm::Value *> rows) {
  auto *type = llvm::cast<llvm::FixedVectorType>(rows.front()->getType());
  int lanes = type->getNumElements(), size = rows.size();
  int together = 128 / type->getScalarSizeInBits();
  together = std::min(size, std::max(together, 1));
  for (int distance = size / 2; distance >= together; distance /= 2)
    exchangeBlocks(b, rows, lanes, distance);
  for (int first = 0; first < size; first += together)
    interleaveRows(b, rows.slice(first, together), lanes);
}

} // namespace nereid::cpu
