// Index.cpp - arithmetic of indices, which keeps lanes contiguous where
// possible.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"

using namespace mlir;

namespace nereid::cpu {

/// 0, stride, 2 * stride, ... each for `repeat` lanes.
llvm::Value *NestEmitter::laneOffsets(int64_t stride, unsigned bits,
                                      int64_t repeat) {
  SmallVector<llvm::Constant *> offsets;
  for (unsigned l = 0; l < lanes; ++l)
    offsets.push_back(llvm::ConstantInt::getSigned(builder.getIntNTy(bits),
                                                   l / repeat * stride));
  return llvm::ConstantVector::get(offsets);
}

llvm::Value *NestEmitter::indexVector(const Index &index) {
  if (index.vector)
    return index.vector;
  return at({index.base}, [&]() -> llvm::Value * {
    llvm::Value *base = builder.CreateVectorSplat(lanes, index.base);
    if (!index.lane)
      return base;
    return builder.CreateAdd(base, laneOffsets(index.lane));
  });
}

int64_t NestEmitter::alignmentOf(const Index &index) const {
  if (auto *known = dyn_cast<llvm::ConstantInt>(index.base)) {
    int64_t number = known->getSExtValue();
    return number ? number & -number : int64_t(1) << 40;
  }
  auto known = multiples.find(index.base);
  return known == multiples.end() ? 1 : known->second;
}

static bool isZero(const Index &index) {
  auto *known = dyn_cast_or_null<llvm::ConstantInt>(index.base);
  return index.isUniform() && known && known->isZero();
}

Index NestEmitter::indexPlus(Index a, const Index &b) {
  if (isZero(a) || isZero(b))
    return isZero(a) ? b : a;
  Index sum;
  if (a.vector || b.vector) {
    llvm::Value *x = indexVector(a), *y = indexVector(b);
    sum.vector = at({x, y}, [&] { return builder.CreateAdd(x, y); });
    // If the other index is uniform, lanes repeat as before.
    if (a.isUniform() || b.isUniform())
      sum.repeat = std::max(a.repeat, b.repeat);
    if (sum.repeat == 1)
      return sum;
  }
  int64_t multiple = std::min(alignmentOf(a), alignmentOf(b));
  sum.base =
      at({a.base, b.base}, [&] { return builder.CreateAdd(a.base, b.base); });
  sum.lane = a.lane + b.lane;
  multiples[sum.base] = std::max(multiples[sum.base], multiple);
  return sum;
}

Index NestEmitter::indexTimes(const Index &a, int64_t factor) {
  if (factor == 1)
    return a;
  Index result;
  result.repeat = a.repeat;
  if (a.vector)
    result.vector = at({a.vector}, [&] {
      return builder.CreateMul(
          a.vector, builder.CreateVectorSplat(lanes, emitter.i64(factor)));
    });
  if (a.vector && a.repeat == 1)
    return result;
  int64_t multiple = alignmentOf(a) * (factor & -factor);
  result.base = at(
      {a.base}, [&] { return builder.CreateMul(a.base, emitter.i64(factor)); });
  result.lane = a.lane * factor;
  multiples[result.base] = std::max(multiples[result.base], multiple);
  return result;
}

/// index & mask, where mask + 1 is a power of two. Lanes stay contiguous if the
/// base is a multiple of the range that the lanes cover.
Index NestEmitter::indexAnd(const Index &a, int64_t mask) {
  int64_t span = a.lane * lanes;
  if (!a.vector && a.lane == 1 && span > mask + 1 &&
      alignmentOf(a) > mask) { // the same in every vector
    SmallVector<llvm::Constant *> low;
    for (int64_t lane = 0; lane < lanes; ++lane)
      low.push_back(builder.getInt64(lane & mask));
    return {nullptr, 0, llvm::ConstantVector::get(low)};
  }
  if (a.repeat > 1 && alignmentOf(a) > mask) { // likewise
    SmallVector<llvm::Constant *> low;
    for (int64_t lane = 0; lane < lanes; ++lane)
      low.push_back(builder.getInt64(lane / a.repeat & mask));
    return {nullptr, 0, llvm::ConstantVector::get(low)};
  }
  if (a.vector || (a.lane && (alignmentOf(a) < span || span > mask + 1))) {
    llvm::Value *vector = indexVector(a);
    return {nullptr, 0, at({vector}, [&] {
              return builder.CreateAnd(
                  vector, builder.CreateVectorSplat(lanes, emitter.i64(mask)));
            })};
  }
  int64_t multiple = alignmentOf(a);
  Index result{at({a.base},
                  [&] { return builder.CreateAnd(a.base, emitter.i64(mask)); }),
               a.lane, nullptr};
  if (!isa<llvm::Constant>(result.base))
    multiples[result.base] = std::max(multiples[result.base], multiple);
  return result;
}

/// index >> bits. Lanes that differ only in the lower bits become equal: all of
/// them, or groups of `repeat` lanes.
Index NestEmitter::indexShift(const Index &a, unsigned bits) {
  if (bits == 0)
    return a;
  int64_t span = a.lane * lanes, unit = int64_t(1) << bits;
  bool repeats =
      !a.vector && a.lane == 1 && span > unit && alignmentOf(a) >= unit;
  bool isOneUnit = !a.vector && span <= unit && alignmentOf(a) >= span;
  if (a.repeat > 1 && a.lane == 1) { // of groups, not of lanes
    span = lanes / a.repeat;
    repeats = span > unit && alignmentOf(a) >= unit;
    isOneUnit = span <= unit && alignmentOf(a) >= span;
  }
  if ((a.vector || a.lane % unit) && !isOneUnit && !repeats) {
    llvm::Value *vector = indexVector(a);
    return {nullptr, 0, at({vector}, [&] {
              return builder.CreateLShr(
                  vector, builder.CreateVectorSplat(lanes, emitter.i64(bits)));
            })};
  }
  Index result;
  result.base = at(
      {a.base}, [&] { return builder.CreateLShr(a.base, emitter.i64(bits)); });
  result.lane = a.lane % unit ? 0 : a.lane / unit;
  if (!a.vector) {
    result.bitsCut = bits;
    result.wholeBase = a.base;
    result.wholeLane = a.lane;
  }
  int64_t multiple = std::max<int64_t>(1, alignmentOf(a) >> bits);
  if (!isa<llvm::Constant>(result.base))
    multiples[result.base] = std::max(multiples[result.base], multiple);
  if (repeats) {
    result.lane = 1;
    result.repeat = a.repeat * unit;
    result.vector = at({result.base}, [&] {
      return builder.CreateAdd(builder.CreateVectorSplat(lanes, result.base),
                               laneOffsets(1, 64, result.repeat));
    });
  }
  return result;
}

/// The value of `source` where the outer index is `indices`.
Index NestEmitter::indexAt(IndexSource source, const Indices &indices) {
  assert(source.kind != IndexSource::Other && "an index that is not known");
  return source.dimension() ? indexShift(indices[source.dim], source.bits)
                            : zero();
}

Indices NestEmitter::indicesAt(ArrayRef<IndexSource> map,
                               const Indices &indices) {
  Indices result;
  for (IndexSource source : map)
    result.push_back(indexAt(source, indices));
  return result;
}

/// The operand index that a shape operation reads for the element of its
/// `result` at `indices`.
Indices NestEmitter::operandIndices(Value result, const Indices &indices) {
  Operation *op = result.getDefiningOp();
  IndexMap map =
      codegen::operandMap(op, 0, codegen::identityMap(indices.size()));
  if (!codegen::hasOther(map))
    return indicesAt(map, indices);
  if (auto split = dyn_cast<tt::SplitOp>(op)) {
    Indices inner = indices;
    inner.push_back({emitter.i64(result == split.getOutRHS()), 0, nullptr});
    return inner;
  }
  auto reshape = cast<tt::ReshapeOp>(op);
  return reshapeIndices(reshape.getSrc().getType().getShape(),
                        reshape.getType().getShape(), indices);
}

/// The element of `tile` at `indices`, if that is an index along a dimension,
/// or some of its bits.
std::optional<Index> NestEmitter::partOfIndex(Value tile, Indices indices) {
  while (Operation *op = tile.getDefiningOp()) {
    if (auto range = dyn_cast<tt::MakeRangeOp>(op))
      return indexPlus(
          indices.front(),
          {emitter.i64(range.getStartAttr().getInt()), 0, nullptr});
    if (!codegen::isShapeOp(op))
      break;
    indices = operandIndices(tile, indices);
    tile = op->getOperand(0);
  }
  return std::nullopt;
}

/// The index in shape `from` of the element that has `indices` in shape `to`.
/// Dimensions are powers of two, so an index is a concatenation of bits:
/// groups that hold the same bits are treated one by one.
Indices NestEmitter::reshapeIndices(ArrayRef<int64_t> from,
                                    ArrayRef<int64_t> to,
                                    const Indices &indices) {
  Indices result(from.size(), zero());
  size_t a = from.size(), b = to.size();
  while (a > 0 || b > 0) {
    size_t lastA = a, lastB = b;
    int64_t sizeA = a ? from[--a] : 1, sizeB = b ? to[--b] : 1;
    while (sizeA != sizeB)
      if (sizeA < sizeB)
        sizeA *= from[--a];
      else
        sizeB *= to[--b];
    // The index inside the group, then its parts.
    Index flat = zero();
    int64_t unit = 1;
    for (size_t dim = lastB; dim-- > b;) {
      if (to[dim] != 1)
        flat = indexPlus(indexTimes(indices[dim], unit), flat);
      unit *= to[dim];
    }
    unsigned bits = 0;
    for (size_t dim = lastA; dim-- > a;) {
      if (from[dim] == 1)
        continue;
      unsigned width = llvm::Log2_64(from[dim]);
      Index part = indexShift(flat, bits);
      bool isTop = bits + width == unsigned(llvm::Log2_64(sizeA));
      result[dim] = isTop ? part : indexAnd(part, from[dim] - 1);
      bits += width;
    }
  }
  return result;
}

} // namespace nereid::cpu
