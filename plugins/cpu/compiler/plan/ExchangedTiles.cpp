// ExchangedTiles.cpp - which operands of exchanges have buffers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Planner.h"

using namespace mlir;

namespace nereid::cpu {

/// True for a gather that exchanges vectors or lanes.
bool Planner::isExchange(Operation *op) const {
  return options.fastPaths.has(FastPath::Exchange) &&
         codegen::exchangeDistanceOf(op);
}

/// True for elements of memory, or of the index, that are cheap to read at
/// another index.
static bool isCheapAnywhere(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && (codegen::isShapeOp(op) || isa<tt::BitcastOp>(op)))
    op = op->getOperand(0).getDefiningOp();
  return op && (isa<tt::LoadOp, tt::MakeRangeOp>(op) ||
                op->hasTrait<OpTrait::ConstantLike>());
}

/// An exchange within vectors shuffles its operand, which is evaluated once.
/// Any other evaluates it at two indices, and a chain of such would double each
/// time. So their operands are materialized; and so is what other operations
/// than element-wise ones read, since their loops may have other vectors.
void Planner::materializeExchanged() {
  if (!options.fastPaths.has(FastPath::Exchange))
    return;
  // Nests of long chains compile slowly; and some nests have no vectors. In a
  // group, short chains of one vector after the other hide the latency of each.
  bool groups = options.fastPaths.has(FastPath::ExchangeGroups);
  const unsigned mostExchanges = groups ? 3 : 6;
  DenseMap<Value, unsigned> chains; // exchanges on the way to a value
  DenseSet<Value> fromBuffers;      // whose chain begins at a buffer
  auto lengthOf = [&](Value value) {
    return toMaterialize.contains(value) ? 0 : chains.lookup(value);
  };
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    unsigned longest = 0;
    for (Value operand : op->getOperands())
      longest = std::max(longest, lengthOf(operand));
    if (isTileExpression(op) && isExchange(op)) {
      Value source = op->getOperand(0);
      unsigned lanes =
          options.cpu.vectorBits /
          std::max(8u, tt::getElementBitWidth(
                           getElementTypeOrSelf(source.getType())));
      bool isWithin = *codegen::exchangeDistanceOf(op) < lanes &&
                      options.reassociate &&
                      options.fastPaths.has(FastPath::Vectorize);
      Operation *producer = source.getDefiningOp();
      if (producer && isTileExpression(producer) && !isCheapAnywhere(source) &&
          (!isWithin || longest >= mostExchanges)) {
        toMaterialize.insert(source);
        longest = 0;
      }
      chains[op->getResult(0)] = longest + 1;
      if (toMaterialize.contains(source) || fromBuffers.contains(source))
        fromBuffers.insert(op->getResult(0));
      return;
    }
    if (!longest)
      return;
    bool isElementwise =
        isTileExpression(op) && op->hasTrait<OpTrait::Elementwise>();
    auto store = dyn_cast<tt::StoreOp>(op);
    // The last steps of a sort belong to the nest of those before.
    auto isLast = [&](Value value) {
      return groups && store && fromBuffers.contains(value);
    };
    bool isAlike = isElementwise ||
                   (store && codegen::rankOf(store.getValue()) == 1);
    for (Value operand : op->getOperands())
      if (lengthOf(operand) && (!isAlike || isLast(operand)))
        toMaterialize.insert(operand);
    if (!isElementwise)
      return;
    bool isFromBuffer = llvm::any_of(op->getOperands(), [&](Value operand) {
      return lengthOf(operand) && fromBuffers.contains(operand);
    });
    for (Value result : op->getResults()) {
      chains[result] = longest;
      if (isFromBuffer)
        fromBuffers.insert(result);
    }
  });
}

} // namespace nereid::cpu
