// Elements.cpp - element-wise operations: which file emits one, pointers, and
// regions on elements.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Emitter.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/TypeUtilities.h"

#include <bit>

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

/// Are these the bits of a zero and a one, as floating-point numbers of \p bits
/// bits, of different signs?
static bool areZeroAndOneOfOtherSigns(uint64_t x, uint64_t y, unsigned bits) {
  uint64_t sign = uint64_t(1) << (bits - 1);
  uint64_t one = bits == 64   ? std::bit_cast<uint64_t>(1.0)
                 : bits == 32 ? std::bit_cast<uint32_t>(1.0f)
                              : 0x3c00; // f16
  uint64_t magnitudes = (x | y) & ~sign;
  return ((x ^ y) & sign) && magnitudes == one &&
         ((x & ~sign) == 0 || (y & ~sign) == 0);
}

Id Emitter::emitSelect(Id condition, Id x, Id y) {
  std::optional<uint64_t> left = b.constantBits(x), right = b.constantBits(y);
  unsigned bits = b.widthOf(x);
  if (!device.foldsZeros || !left || !right || bits < 16 ||
      !areZeroAndOneOfOtherSigns(*left, *right, bits))
    return b.select(condition, x, y);
  TypeId integer = b.intType(bits);
  Id unknown =
      b.bitXor(unfolded(b.constant(integer, 0)), b.constant(integer, *left));
  return b.select(condition, b.bitcast(unknown, b.typeOf(x)), y);
}

Id Emitter::emitElement(Operation *op, ArrayRef<Id> operands, unsigned result) {
  if (isa<ub::PoisonOp>(op))
    return b.null(elementType(getElementTypeOrSelf(op->getResult(result))));
  if (isa<arith::SelectOp>(op))
    return emitSelect(operands[0], operands[1], operands[2]);
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
