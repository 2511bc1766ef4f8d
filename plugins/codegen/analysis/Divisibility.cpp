// Divisibility.cpp - divisors through arithmetic on scalars.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/Divisibility.h"

#include "analysis/Polynomial.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace nereid::codegen {

// Of one value, no more operations than this are looked into.
static constexpr unsigned kMaxOperations = 512;

int64_t powerOfTwoIn(int64_t number) {
  if (number == 0)
    return kMaxDivisibility;
  return std::min(kMaxDivisibility, number & -number);
}

namespace {
/// Looks into every operation once, however often its result is used.
class DivisibilityReader {
public:
  int64_t of(Value value) {
    if (std::optional<int64_t> number = constantOf(value))
      return powerOfTwoIn(*number);
    if (auto argument = dyn_cast<BlockArgument>(value))
      return ofArgument(argument);
    auto known = read.find(value);
    if (known != read.end())
      return known->second;
    if (read.size() >= kMaxOperations)
      return 1;
    read[value] = 1;
    int64_t result = compute(value.getDefiningOp());
    read[value] = result;
    return result;
  }

private:
  static int64_t ofArgument(BlockArgument argument) {
    auto function =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    if (!function || !argument.getOwner()->isEntryBlock())
      return 1;
    auto hint = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                       "tt.divisibility");
    return hint ? powerOfTwoIn(hint.getInt()) : 1;
  }

  int64_t compute(Operation *op) {
    if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp>(op))
      return of(op->getOperand(0));
    if (isa<arith::AddIOp, arith::SubIOp, arith::OrIOp>(op))
      return std::min(of(op->getOperand(0)), of(op->getOperand(1)));
    if (isa<arith::MulIOp>(op))
      return std::min(kMaxDivisibility,
                      of(op->getOperand(0)) * of(op->getOperand(1)));
    if (isa<arith::SelectOp>(op))
      return std::min(of(op->getOperand(1)), of(op->getOperand(2)));
    return 1;
  }

  llvm::DenseMap<Value, int64_t> read;
};
} // namespace

int64_t divisibilityOf(Value value) { return DivisibilityReader().of(value); }

} // namespace nereid::codegen
