// Exchange.cpp - the steps of sorting networks: elements whose index differs in
// some bits, and groups of vectors that exchange elements in registers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"

using namespace mlir;

namespace nereid::cpu {

/// Emits all parts of the nest for one group after the other. What a part
/// computes for a vector is remembered by the vector's index, so the indices of
/// a group exist once.
void NestEmitter::emitGroups() {
  int64_t extent = nest.shape.front();
  std::optional<Loop> loop;
  llvm::Value *first = emitter.i64(0);
  if (nest.group < extent) {
    loop = beginLoop(first, emitter.i64(extent), nest.group);
    first = loop->index;
    multiples[first] = nest.group;
  }
  for (int64_t start = 0; start < nest.group; start += lanes)
    groupIndices.push_back(at({first}, [&] {
      return start ? builder.CreateOr(first, emitter.i64(start)) : first;
    }));
  for (const Inner &inner : nest.inners) {
    masks = &inner.masks;
    for (llvm::Value *index : groupIndices) {
      setVectorIndex(index);
      emitRoots(inner, 0);
    }
  }
  current[0] = zero();
  groupIndices.clear();
  if (loop)
    endLoop(*loop);
}

/// `base`, the index of an aligned vector, with the bits of `distance`, a
/// multiple of a vector, inverted.
llvm::Value *NestEmitter::exchangedBase(llvm::Value *base, int64_t distance) {
  if (!distance)
    return base;
  if (distance < nest.group)
    if (auto *known = llvm::find(groupIndices, base);
        known != groupIndices.end())
      return groupIndices[(known - groupIndices.begin()) ^ (distance / lanes)];
  llvm::Value *other = at(
      {base}, [&] { return builder.CreateXor(base, emitter.i64(distance)); });
  if (!isa<llvm::Constant>(other))
    multiples[other] = lanes;
  return other;
}

/// The element whose index differs in the bits of `distance`. Of an aligned
/// vector, that is a shuffle of another aligned vector.
Element NestEmitter::exchange(tt::GatherOp op, int64_t distance,
                              const Index &index) {
  // A whole vector, or the only element of one.
  bool isWhole = index.lane == 1 || (index.isUniform() && lanes == 1);
  bool isAligned = !index.vector && isWhole && alignmentOf(index) >= lanes;
  int64_t within = isAligned ? distance & (lanes - 1) : 0;
  Index other;
  if (isAligned) {
    other.lane = index.lane;
    other.base = exchangedBase(index.base, distance - within);
  } else if (index.isUniform()) {
    other.base = at({index.base}, [&] {
      return builder.CreateXor(index.base, emitter.i64(distance));
    });
  } else {
    llvm::Value *vector = indexVector(index);
    other.vector = at({vector}, [&] {
      return builder.CreateXor(
          vector, builder.CreateVectorSplat(lanes, emitter.i64(distance)));
    });
  }
  Element element = get(op.getSrc(), {other});
  if (!within || !element.isVector)
    return element;
  SmallVector<int> order;
  for (unsigned lane = 0; lane < lanes; ++lane)
    order.push_back(lane ^ within);
  return {at({element.value},
             [&] { return builder.CreateShuffleVector(element.value, order); }),
          true};
}

} // namespace nereid::cpu
