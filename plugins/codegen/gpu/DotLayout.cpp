// DotLayout.cpp - the layout of a product's sums.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "gpu/DotLayout.h"

#include "llvm/Support/MathExtras.h"

namespace nereid::codegen::gpu {

namespace {
/// The bits of one dimension, from the lowest.
class DimBits {
public:
  DimBits(int64_t size, int64_t stride)
      : next(stride), left(llvm::Log2_64(size)) {}

  bool isUsedUp() const { return left == 0; }
  /// Moves up to `count` bits to `bases`.
  void moveTo(Bases &bases, unsigned count) {
    for (; count > 0 && left > 0; --count, --left, next *= 2)
      bases.push_back(next);
  }

private:
  int64_t next;
  unsigned left;
};
} // namespace

Layout dotLayout(llvm::ArrayRef<int64_t> shape, Workgroup workgroup) {
  int64_t rowCount = shape[shape.size() - 2], columnCount = shape.back();
  int64_t batches = shape.size() == 3 ? shape.front() : 1;
  DimBits columns(columnCount, 1), rows(rowCount, columnCount),
      batch(batches, rowCount * columnCount);
  // No more elements in a block than a thread's share.
  unsigned share = llvm::Log2_64(std::max<int64_t>(
      1, batches * rowCount * columnCount / workgroup.threads()));
  Bases registers, lanes, warps;
  columns.moveTo(registers, std::min(2u, share));
  rows.moveTo(registers, std::min(2u, share - unsigned(registers.size())));
  while (lanes.size() < workgroup.laneBits &&
         !(columns.isUsedUp() && rows.isUsedUp())) {
    columns.moveTo(lanes, 1);
    rows.moveTo(lanes, lanes.size() < workgroup.laneBits);
  }
  auto fill = [](Bases &bases, unsigned count, auto &...dims) {
    (dims.moveTo(bases, count - bases.size()), ...);
    bases.resize(count, 0);
  };
  fill(lanes, workgroup.laneBits, batch);
  for (DimBits *dim : {&columns, &rows})
    dim->moveTo(registers, registers.size() < share);
  fill(warps, workgroup.warpBits, rows, columns, batch);
  for (DimBits *dim : {&columns, &rows, &batch})
    dim->moveTo(registers, 32);
  return {shape, registers, lanes, warps};
}

} // namespace nereid::codegen::gpu
