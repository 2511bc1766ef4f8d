// IndexMap.cpp - the effect of shape operations on an index.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/IndexMap.h"

#include "nereid/ttir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::codegen {

IndexMap identityMap(unsigned rank) {
  IndexMap map;
  for (unsigned dim = 0; dim < rank; ++dim)
    map.push_back(IndexSource::along(dim));
  return map;
}

bool isIdentity(ArrayRef<IndexSource> map, unsigned count) {
  if (map.size() < count)
    return false;
  for (unsigned dim = 0; dim < count; ++dim)
    if (!map[dim].isDim(dim))
      return false;
  return true;
}

bool hasOther(ArrayRef<IndexSource> map) {
  return llvm::any_of(map, [](const IndexSource &source) {
    return source.kind == IndexSource::Other;
  });
}

bool isShapeOp(Operation *op) {
  return isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp,
             tt::ReshapeOp, tt::SplitOp>(op);
}

std::optional<std::pair<int64_t, int64_t>> numbersOf(Value tile) {
  Operation *op = tile.getDefiningOp();
  while (op && isShapeOp(op))
    op = op->getOperand(0).getDefiningOp();
  auto range = dyn_cast_or_null<tt::MakeRangeOp>(op);
  if (!range)
    return std::nullopt;
  return std::pair<int64_t, int64_t>(range.getStartAttr().getInt(),
                                     range.getEndAttr().getInt() - 1);
}

std::optional<int64_t> exchangeDistanceOf(Operation *op) {
  auto gather = dyn_cast<tt::GatherOp>(op);
  if (!gather)
    return std::nullopt;
  auto type = cast<RankedTensorType>(gather.getSrc().getType());
  auto index = gather.getIndices().getDefiningOp<arith::XOrIOp>();
  if (!index || type.getRank() != 1 ||
      gather.getType().getShape() != type.getShape())
    return std::nullopt;
  auto range = index.getLhs().getDefiningOp<tt::MakeRangeOp>();
  DenseElementsAttr bits;
  if (!range || range.getStartAttr().getInt() != 0 ||
      !matchPattern(index.getRhs(), m_Constant(&bits)) || !bits.isSplat())
    return std::nullopt;
  int64_t distance = bits.getSplatValue<APInt>().getSExtValue();
  if (distance < 0 || distance >= type.getNumElements())
    return std::nullopt;
  return distance;
}

/// `source` without its lower bits.
static IndexSource upperBits(IndexSource source, unsigned bits) {
  if (!source.dimension())
    return source;
  return IndexSource::along(source.dim, source.bits + bits);
}

/// Sizes are powers of two, so an index is a string of bits. Dimensions are
/// grouped from the left so that both sides have the same number of elements in
/// each group. A group of one dimension on both sides is unchanged; if one
/// dimension is split into several, the first of them is its upper bits.
static IndexMap reshapeMap(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                           ArrayRef<IndexSource> map) {
  IndexMap inner(from.size());
  size_t a = 0, b = 0;
  while (a < from.size()) {
    if (from[a] == 1) {
      ++a;
      continue;
    }
    while (to[b] == 1)
      ++b;
    size_t firstA = a, firstB = b;
    int64_t sizeA = from[a++], sizeB = to[b++];
    while (sizeA != sizeB)
      if (sizeA < sizeB)
        sizeA *= from[a++];
      else
        sizeB *= to[b++];
    for (size_t dim = firstA; dim < a; ++dim)
      if (from[dim] != 1)
        inner[dim] = map[firstB].kind == IndexSource::Zero && b - firstB == 1
                         ? IndexSource::zero()
                         : IndexSource::other();
    if (b - firstB == 1)
      inner[firstA] = upperBits(
          map[firstB],
          llvm::Log2_64(to[firstB]) - llvm::Log2_64(from[firstA]));
  }
  return inner;
}

IndexMap operandMap(Operation *op, unsigned operand,
                    ArrayRef<IndexSource> map) {
  Value source = op->getOperand(operand);
  auto type = dyn_cast<RankedTensorType>(source.getType());
  if (!type)
    return {};
  IndexMap inner(map);
  if (isa<tt::BroadcastOp>(op)) {
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (size == 1)
        inner[dim] = IndexSource::zero();
  } else if (auto expand = dyn_cast<tt::ExpandDimsOp>(op)) {
    inner.erase(inner.begin() + expand.getAxis());
  } else if (auto trans = dyn_cast<tt::TransOp>(op)) {
    for (auto [dim, from] : llvm::enumerate(trans.getOrder()))
      inner[from] = map[dim];
  } else if (auto reshape = dyn_cast<tt::ReshapeOp>(op)) {
    inner = reshapeMap(type.getShape(), reshape.getType().getShape(), map);
  } else if (isa<tt::JoinOp>(op)) {
    inner.pop_back();
  } else if (isa<tt::SplitOp>(op)) {
    inner.push_back(IndexSource::other());
  } else if (isa<tt::CatOp>(op)) {
    inner.front() = IndexSource::other();
  } else if (auto gather = dyn_cast<tt::GatherOp>(op); gather && operand == 0) {
    // Each element may read any row of the source.
    inner.assign(type.getRank(), IndexSource::other());
  }
  return inner;
}

IndexMap compose(ArrayRef<IndexSource> inner, ArrayRef<IndexSource> outer) {
  IndexMap result;
  for (IndexSource source : inner)
    result.push_back(source.dimension()
                         ? upperBits(outer[source.dim], source.bits)
                         : source);
  return result;
}

DimSet mapDims(DimSet depends, ArrayRef<IndexSource> map, DimSet all) {
  DimSet result = 0;
  for (auto [dim, source] : llvm::enumerate(map)) {
    if (!(depends >> dim & 1))
      continue;
    if (source.kind == IndexSource::Other)
      return all;
    if (source.dimension())
      result |= DimSet(1) << source.dim;
  }
  return result & all;
}

} // namespace nereid::codegen
