// Magnitude.cpp - the bits of integers through arithmetic.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/codegen/Magnitude.h"

#include "nereid/ttir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace nereid::codegen {

namespace {
class MagnitudeReader {
public:
  unsigned of(Value value) {
    auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(value.getType()));
    unsigned width = type ? type.getWidth() : 64; // index
    llvm::APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.getSignificantBits();
    Operation *op = value.getDefiningOp();
    auto known = read.find(value);
    if (known != read.end())
      return known->second;
    if (!op || read.size() >= kMaxOperations)
      return width;
    read[value] = width;
    return read[value] = std::min(width, compute(op, width));
  }

private:
  /// Of one value, no more operations than this are looked into.
  static constexpr unsigned kMaxOperations = 64;

  unsigned most(Operation *op, unsigned first = 0) {
    unsigned bits = 1;
    for (Value operand : op->getOperands().drop_front(first))
      bits = std::max(bits, of(operand));
    return bits;
  }

  unsigned compute(Operation *op, unsigned width) {
    auto operand = [&](unsigned number) { return of(op->getOperand(number)); };
    if (auto range = dyn_cast<tt::MakeRangeOp>(op))
      return llvm::APInt(64, range.getEnd()).getSignificantBits();
    if (isa<arith::ExtSIOp, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp,
            tt::ReshapeOp, tt::TransOp, arith::TruncIOp>(op))
      return operand(0);
    if (isa<arith::ExtUIOp>(op))
      return getElementTypeOrSelf(op->getOperand(0).getType())
                 .getIntOrFloatBitWidth() +
             1;
    if (isa<arith::AddIOp, arith::SubIOp>(op))
      return most(op) + 1;
    if (isa<arith::MulIOp>(op))
      return operand(0) + operand(1);
    llvm::APInt second;
    bool isKnown = op->getNumOperands() == 2 &&
                   matchPattern(op->getOperand(1), m_ConstantInt(&second));
    if (isa<arith::ShRSIOp>(op)) {
      unsigned bits = operand(0);
      return isKnown && second.ult(bits) ? bits - second.getZExtValue() : bits;
    }
    if (isa<arith::ShRUIOp>(op) && isKnown && !second.isZero() &&
        second.ult(width))
      return width - second.getZExtValue() + 1;
    if (isa<arith::AndIOp>(op) && isKnown && second.isNonNegative())
      return second.getSignificantBits();
    // The quotient of the least number and -1 needs one more.
    if (isa<arith::DivSIOp>(op))
      return operand(0) + 1;
    // Smaller than the divisor, if that is not zero, and not larger than the
    // dividend.
    if (isa<arith::RemSIOp>(op)) {
      bool isDivisor = isKnown && !second.isZero();
      return std::min(operand(0),
                      isDivisor ? second.getSignificantBits() : width);
    }
    if (isa<arith::SelectOp>(op))
      return most(op, 1);
    if (isa<arith::MinSIOp, arith::MaxSIOp, arith::AndIOp, arith::OrIOp,
            arith::XOrIOp>(op))
      return most(op);
    return width;
  }

  llvm::DenseMap<Value, unsigned> read;
};
} // namespace

unsigned signedBitsOf(Value value) { return MagnitudeReader().of(value); }

} // namespace nereid::codegen
