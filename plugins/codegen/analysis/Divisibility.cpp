// Divisibility.cpp - divisors through arithmetic on scalars.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/Divisibility.h"

#include "analysis/Polynomial.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace nereid::codegen {

// Carried values that are looked into at once.
static constexpr unsigned kMaxClaims = 3;

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
    auto known = read.find(value);
    if (known != read.end())
      return known->second;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return ofArgument(argument);
    if (read.size() >= kMaxOperations)
      return 1;
    read[value] = 1;
    int64_t result = compute(value.getDefiningOp());
    read[value] = result;
    return result;
  }

private:
  /// Of one value, no more operations than this are looked into.
  static constexpr unsigned kMaxOperations = 512;

  /// What a loop carries: its first value and all that follow, which may be
  /// computed from it. Starts from the first and lowers the claim until the
  /// next value keeps it.
  int64_t ofCarried(Value argument, Value first, Value next) {
    int64_t claim = of(first);
    while (claim > 1) {
      DivisibilityReader reader;
      reader.read = claims;
      reader.claims = claims;
      reader.read[argument] = reader.claims[argument] = claim;
      int64_t kept = reader.of(next);
      if (kept >= claim)
        break;
      claim = kept;
    }
    return read[argument] = claim;
  }

  int64_t ofArgument(BlockArgument argument) {
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())) {
      if (argument == loop.getInductionVar())
        return std::min(of(loop.getLowerBound()), of(loop.getStep()));
      // Loops in loops in loops would be read over and over.
      if (claims.size() >= kMaxClaims)
        return 1;
      unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
      return ofCarried(argument, loop.getInitArgs()[number],
                       loop.getYieldedValues()[number]);
    }
    auto function =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    if (!function || !argument.getOwner()->isEntryBlock())
      return 1;
    auto hint = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                       "tt.divisibility");
    return hint ? powerOfTwoIn(hint.getInt()) : 1;
  }

  int64_t compute(Operation *op) {
    if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
            arith::IndexCastOp>(op))
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
  /// Of carried values, while it is found out whether they are true.
  llvm::DenseMap<Value, int64_t> claims;
};
} // namespace

int64_t divisibilityOf(Value value) { return DivisibilityReader().of(value); }

} // namespace nereid::codegen
