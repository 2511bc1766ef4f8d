// Dot.cpp - products of single elements.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "../Dot.h"
#include "Emitter.h"

#include <map>

using namespace mlir;

namespace nereid::vulkan {

using codegen::tileType;

/// Stores the part of `operand` whose depth is in [first, first + slice).
/// Elements are ordered by batch, then by depth, then by row or column.
void Emitter::stageOperand(OpOperand &operand, const DotPlan &plan,
                           int64_t first, uint32_t start) {
  bool isLeft = operand.getOperandNumber() == 0;
  Value tile = operand.get();
  Layout layout = layouts.operandLayout(operand, nullptr).compacted();
  unsigned rank = layout.rank();
  unsigned depthDim = isLeft ? rank - 1 : rank - 2;
  unsigned otherDim = isLeft ? rank - 2 : rank - 1;
  int64_t width = isLeft ? plan.rows : plan.columns;
  Indices depths = indicesOf(layout, depthDim);
  Indices others = indicesOf(layout, otherDim);
  Type type = tileType(tile).getElementType();
  Id owner = isOwner(layout);
  uint32_t copies = layout.copies().registerMask;
  bool inRounds = plan.slice < plan.depth;
  for (auto [i, value] : llvm::enumerate(registersOf(tile, layout))) {
    if (i & copies)
      continue;
    Id depth = b.isub(indexAt(depths, i), b.u32(first));
    Id slot = b.iadd(b.imul(depth, b.u32(width)), indexAt(others, i));
    if (rank == 3)
      slot = b.iadd(slot, b.imul(indexAt(indicesOf(layout, 0), i),
                                 b.u32(plan.slice * width)));
    Id mine = owner;
    if (inRounds)
      mine = both(owner, b.ult(depth, b.u32(plan.slice)));
    emitWhere(mine, {}, [&] {
      storeShared(b.iadd(slot, b.u32(start)), toWords(value, type),
                  plan.leftElements() + plan.rightElements());
      return Ids();
    });
  }
}

LogicalResult Emitter::emitDot(tt::DotOp op) {
  DotPlan plan = planDot(op, device);
  const Layout &layout = *layouts.ownLayoutOf(op);
  unsigned rank = layout.rank();
  Type type = op.getType().getElementType();
  uint32_t right = plan.leftElements();
  uint32_t stride = right + plan.rightElements();
  Ids sums = registersOf(op.getC(),
                         layouts.operandLayout(op->getOpOperand(2), &layout));
  Indices rows = indicesOf(layout, rank - 2),
          columns = indicesOf(layout, rank - 1);
  Indices batches;
  if (rank == 3)
    batches = indicesOf(layout, 0);

  for (int64_t first = 0; first < plan.depth; first += plan.slice) {
    barrier();
    stageOperand(op->getOpOperand(0), plan, first, 0);
    stageOperand(op->getOpOperand(1), plan, first, right);
    barrier();
    Ids carried = {b.u32(0)};
    llvm::append_range(carried, sums);
    spirv::Carried loop = b.beginLoop(ArrayRef<Id>(carried));
    b.loopCondition(b.ult(loop[0], b.u32(plan.slice)));
    // Registers of one row, or of one column, share what they read.
    std::map<std::pair<uint32_t, uint32_t>, Id> read[2];
    auto factor = [&](unsigned side, const Indices &indices, uint32_t i) {
      uint32_t batch = rank == 3 ? batches.registers[i] : 0;
      Id &value = read[side][{batch, indices.registers[i]}];
      if (value)
        return value;
      uint32_t width = side == 0 ? plan.rows : plan.columns;
      Id depth = loop[0];
      if (rank == 3)
        depth = b.iadd(depth, b.imul(indexAt(batches, i), b.u32(plan.slice)));
      Id slot = b.iadd(b.imul(depth, b.u32(width)), indexAt(indices, i));
      slot = b.iadd(slot, b.u32(side == 0 ? 0 : right));
      return value = fromWords(loadShared(slot, wordsOf(type), stride), type);
    };
    Ids next = {b.iadd(loop[0], b.u32(1))};
    b.allowContraction(contractsDots);
    for (uint32_t i = 0; i < layout.registerCount(); ++i) {
      Id x = factor(0, rows, i), y = factor(1, columns, i);
      next.push_back(isa<FloatType>(type) ? b.fadd(b.fmul(x, y), loop[i + 1])
                                          : b.iadd(b.imul(x, y), loop[i + 1]));
    }
    b.endLoop(ArrayRef<Id>(next));
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = loop[i + 1];
  }
  defineAll(op, std::move(sums));
  return success();
}

} // namespace nereid::vulkan
