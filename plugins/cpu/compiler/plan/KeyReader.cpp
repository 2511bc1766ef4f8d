// KeyReader.cpp - the scalars that a value in a loop depends on.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/KeyReader.h"

#include "plan/TileProgram.h"

using namespace mlir;

namespace nereid::cpu {

static bool isArgumentOfKernel(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isa<tt::FuncOp>(argument.getOwner()->getParentOp());
}

bool KeyReader::visit(Value value) {
  if (!seen.insert(value).second || value == loop.getInductionVar())
    return true;
  Operation *op = value.getDefiningOp();
  if (op && op->hasTrait<OpTrait::ConstantLike>())
    return true;
  if (!isTile(value) && loop.isDefinedOutsideOfLoop(value)) {
    if (!isArgumentOfKernel(value))
      key.insert(value);
    return true;
  }
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == loop.getBody() &&
           visit(loop.getTiedLoopInit(argument)->get()) &&
           visit(loop.getTiedLoopYieldedValue(argument)->get());
  bool isLoad = isa<tt::LoadOp>(op) && loop->isAncestor(op);
  // A scalar without operands, such as the program's id, is a symbol, too.
  bool isExpression = isTile(value)
                          ? isTileExpression(op) && !isa<tt::LoadOp>(op)
                          : isMemoryEffectFree(op) && op->getNumOperands();
  return (isLoad || isExpression) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return visit(operand); });
}

} // namespace nereid::cpu
