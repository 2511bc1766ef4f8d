// Gather.cpp - operations that read elements at any index, through shared
// memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Emitter.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace nereid::vulkan {

using codegen::tileType;

LogicalResult Emitter::emitGather(tt::GatherOp op) {
  const Layout &layout = *layouts.ownLayoutOf(op);
  Layout from = layouts.operandLayout(op.getSrcMutable(), &layout);
  Layout of = layouts.operandLayout(op.getIndicesMutable(), &layout);
  Ids positions = registersOf(op.getIndices(), of);
  TypeId word = b.intType(32);
  // The row-major index in the source: the axis by the index, the rest by
  // place.
  ArrayRef<int64_t> shape = from.shape();
  Ids elements(layout.registerCount(), b.u32(0));
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    Indices indices = indicesOf(layout, dim);
    for (auto [i, element] : llvm::enumerate(elements)) {
      Id at = indexAt(indices, i);
      if (dim == op.getAxis())
        at = b.bitAnd(b.sconvert(positions[i], word), b.u32(shape[dim] - 1));
      element = b.iadd(b.imul(element, b.u32(shape[dim])), at);
    }
  }
  Type type = tileType(op).getElementType();
  defineAll(op, readThroughMemory(registersOf(op.getSrc(), from), type, from,
                                  elements));
  return success();
}

LogicalResult Emitter::emitHistogram(tt::HistogramOp op) {
  const Layout &layout = *layouts.ownLayoutOf(op);
  Layout from = layouts.operandLayout(op->getOpOperand(0), &layout).compacted();
  uint32_t bins = layout.elements();
  Ids values = registersOf(op.getSrc(), from);
  Ids masks(values.size(), b.boolean(true));
  if (op.getMask())
    masks = registersOf(op.getMask(), from);
  TypeId word = b.intType(32);
  Id thread = b.iadd(b.shl(warp, b.u32(workgroup.laneBits)), lane);

  barrier();
  for (uint32_t first = 0; first < bins; first += workgroup.threads()) {
    Id bin = b.iadd(thread, b.u32(first));
    emitWhere(b.ult(bin, b.u32(bins)), {}, [&] {
      storeShared(bin, b.u32(0), 0);
      return Ids();
    });
  }
  barrier();
  Id owner = isOwner(from);
  uint32_t copies = from.copies().registerMask;
  for (auto [i, value] : llvm::enumerate(values)) {
    if (i & copies)
      continue;
    // Without sign: what is below zero is above all bins.
    Type type = tileType(op.getSrc()).getElementType();
    Id bin = b.sconvert(withSign(value, type), word);
    Id counts = both(both(owner, masks[i]), b.ult(bin, b.u32(bins)));
    emitWhere(counts, {}, [&] {
      b.atomic(spv::Op::OpAtomicIAdd, sharedPointer(bin), spv::Scope::Workgroup,
               spv::MemorySemanticsMask::MaskNone, b.u32(1));
      return Ids();
    });
  }
  barrier();
  Indices indices = indicesOf(layout);
  TypeId type = elementType(tileType(op).getElementType());
  Ids counts;
  for (uint32_t i = 0; i < layout.registerCount(); ++i)
    counts.push_back(
        b.uconvert(loadShared(indexAt(indices, i), 1, 0)[0], type));
  defineAll(op, std::move(counts));
  return success();
}

LogicalResult Emitter::emitUnsplat(tt::UnsplatOp op) {
  // A tile of one element: every thread holds it.
  Layout from = layouts.operandLayout(op->getOpOperand(0), nullptr);
  scalars[op] = registersOf(op.getSrc(), from)[0];
  return success();
}

} // namespace nereid::vulkan
