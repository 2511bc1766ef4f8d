// Elements.cpp - element-wise operations: which file emits one, pointers, and
// regions on elements.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Emitter.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace nereid::vulkan {

Id Emitter::emitPointer(Operation *op, ArrayRef<Id> operands) {
  if (isa<tt::IntToPtrOp, tt::PtrToIntOp>(op))
    return operands[0];
  auto add = dyn_cast<tt::AddPtrOp>(op);
  if (!add)
    return {};
  return addOffset(add, operands[0], operands[1]);
}

Id Emitter::emitElement(Operation *op, ArrayRef<Id> operands, unsigned result) {
  if (isa<ub::PoisonOp>(op))
    return b.null(elementType(getElementTypeOrSelf(op->getResult(result))));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return b.select(operands[0], operands[1], operands[2]);
  if (isa<arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op)) {
    Type type = getElementTypeOrSelf(op->getOperand(0));
    if (unsigned bits = type.getIntOrFloatBitWidth(); b.isInWord(bits))
      return multiplyNarrow(op, operands, result, bits);
    Id both = isa<arith::MulSIExtendedOp>(op)
                  ? b.smulExtended(operands[0], operands[1])
                  : b.umulExtended(operands[0], operands[1]);
    return b.extract(both, {result});
  }
  for (auto emit : {&Emitter::emitPointer, &Emitter::emitConversion,
                    &Emitter::emitInteger, &Emitter::emitFloat})
    if (Id value = (this->*emit)(op, operands))
      return value;
  return {};
}

Ids Emitter::emitRegion(Region &region, ArrayRef<Id> arguments) {
  Block &block = region.front();
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    scalars[argument] = value;
  for (Operation &op : block.without_terminator())
    if (failed(emitOp(&op)))
      return {};
  Ids results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(scalars[value]);
  return results;
}

} // namespace nereid::vulkan
