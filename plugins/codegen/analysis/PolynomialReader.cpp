// PolynomialReader.cpp - the polynomial of a scalar, from the operations that
// compute it.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/Polynomial.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace nereid::codegen {

std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) && number.getBitWidth() <= 64)
    return number.getBitWidth() == 1 ? number.getZExtValue()
                                     : number.getSExtValue();
  return std::nullopt;
}

namespace {
/// Looks into every operation once, however often its result is used.
class PolynomialReader {
public:
  Polynomial of(Value value) {
    if (std::optional<int64_t> number = constantOf(value))
      return Polynomial(*number);
    Operation *op = value.getDefiningOp();
    if (!op)
      return Polynomial::symbol(value);
    auto known = read.find(value);
    if (known != read.end())
      return known->second;
    if (operations++ >= kMaxOperations)
      return Polynomial::symbol(value);
    Polynomial result = compute(op, value);
    if (!value.hasOneUse())
      read.try_emplace(value, result);
    return result;
  }

private:
  /// Of one value, no more operations than this are looked into.
  static constexpr unsigned kMaxOperations = 512;

  Polynomial compute(Operation *op, Value value) {
    if (isa<arith::ExtSIOp>(op)) {
      // An i1 extends to -1; as a symbol it would be 1.
      Value source = op->getOperand(0);
      if (source.getType().isInteger(1))
        return Polynomial::symbol(value);
      Polynomial polynomial = of(source);
      return polynomial.mayWrapIn(source.getType().getIntOrFloatBitWidth())
                 ? Polynomial::symbol(value)
                 : polynomial;
    }
    if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)) {
      // In this order, so that the same ones are left when there are too many.
      Polynomial lhs = of(op->getOperand(0));
      Polynomial rhs = of(op->getOperand(1));
      if (isa<arith::MulIOp>(op))
        return lhs.times(rhs).value_or(Polynomial::symbol(value));
      return isa<arith::AddIOp>(op) ? lhs + rhs : lhs - rhs;
    }
    if (isa<arith::ShLIOp>(op))
      if (std::optional<int64_t> bits = constantOf(op->getOperand(1));
          bits && *bits >= 0 && *bits < 62)
        return of(op->getOperand(0)).scaled(int64_t(1) << *bits);
    return Polynomial::symbol(value);
  }

  llvm::DenseMap<Value, Polynomial> read;
  unsigned operations = 0;
};
} // namespace

Polynomial Polynomial::of(Value value) { return PolynomialReader().of(value); }

} // namespace nereid::codegen
