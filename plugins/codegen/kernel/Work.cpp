// Work.cpp - estimates the work of a program, and detects communication.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel/WorkFormula.h"

#include "nereid/ttir/Dialect.h"
#include "tile/Ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::codegen {

// The assumed trip count of a loop that is unknown: a row or K in blocks.
static constexpr int64_t kUsualIterations = 16;

static uint64_t elementsOf(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile ? tile.getNumElements() : 1;
}

static uint64_t bytesOf(Value value) {
  unsigned bits = tt::getElementBitWidth(getElementTypeOrSelf(value.getType()));
  return elementsOf(value) * std::max(1u, bits / 8);
}

/// How many simple operations take as long as `op` on one element.
static uint64_t weightOf(Operation *op) {
  if (isa<math::AbsFOp, math::CeilOp, math::FloorOp, math::FmaOp>(op))
    return 1;
  if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op))
    return 4;
  bool isFunction = isa<tt::ExternElementwiseOp>(op) ||
                    isa_and_present<math::MathDialect>(op->getDialect());
  return isFunction ? 12 : 1;
}

/// Does a block of `region` branch back to itself or an earlier one?
static bool branchesBack(Region &region) {
  llvm::DenseSet<Block *> seen;
  return llvm::any_of(region, [&](Block &block) {
    seen.insert(&block);
    return llvm::any_of(block.getSuccessors(),
                        [&](Block *next) { return seen.contains(next); });
  });
}

bool mayWait(tt::FuncOp kernel) {
  return kernel
      ->walk([](Operation *op) {
        return isa<scf::WhileOp, tt::AtomicPollOp>(op) ||
                       llvm::any_of(op->getRegions(), branchesBack)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
/// Adds up work as the sum of what each loop's body does, times the trip counts
/// around it.
class WorkCounter {
public:
  explicit WorkCounter(const KernelInfo &info) : formula(info) {}

  Work run(tt::FuncOp kernel) {
    work.mayWait = mayWait(kernel);
    visit(kernel.getBody(), {WorkValue{1}, WorkValue{1}, 1});
    if (atomics.isConstant)
      work.atomics = atomics.number;
    if (bytes.isConstant && flops.isConstant && atomics.isConstant) {
      work.bytes = bytes.number;
      work.flops = flops.number;
    } else {
      work.formula = formula.finish({atomics, stored, bytes, flops});
      if (!stored.isConstant)
        work.storedStep = work.formula.size() - 3;
      if (!atomics.isConstant)
        work.atomicsStep = work.formula.size() - 4;
    }
    return std::move(work);
  }

private:
  struct Amount {
    uint64_t bytes = 0, stored = 0, flops = 0, atomics = 0;
  };

  /// How often a region runs.
  struct Times {
    WorkValue expected;
    WorkValue least;     // a loop of unknown trip count runs once
    uint64_t everywhere; // the least of all launches
  };

  /// Adds the work of `region`.
  void visit(Region &region, const Times &times) {
    Amount amount;
    addRegion(region, times, amount);
    work.isEstimated |= !add(bytes, amount.bytes, times.expected);
    work.isEstimated |= !add(flops, amount.flops, times.expected);
    add(stored, amount.stored, times.least);
    work.isEstimated |= !add(atomics, amount.atomics, times.expected);
  }

  /// Adds work to `amount`, except that of loops.
  void addRegion(Region &region, const Times &times, Amount &amount) {
    work.isEstimated |= branchesBack(region);
    for (Block &block : region)
      for (Operation &op : block)
        addOperation(&op, times, amount);
  }

  void addOperation(Operation *op, const Times &times, Amount &amount) {
    work.communicates |= infoOf(op).isAtomic;
    work.prints |= isa<tt::PrintOp>(op);
    work.asserts |= isa<tt::AssertOp>(op);
    if (auto load = dyn_cast<tt::LoadOp>(op)) {
      work.communicates |= load.getIsVolatile();
      increase(amount.bytes, bytesOf(load.getResult()));
    } else if (auto store = dyn_cast<tt::StoreOp>(op)) {
      uint64_t size = bytesOf(store.getValue());
      increase(amount.bytes, size);
      increase(amount.stored, size);
      work.leastStoredBytes = llvm::SaturatingMultiplyAdd(
          size, times.everywhere, work.leastStoredBytes);
    } else if (auto dot = dyn_cast<tt::DotOp>(op)) {
      uint64_t depth = dot.getA().getType().getShape().back();
      increase(amount.flops, 2 * elementsOf(dot.getResult()) * depth);
    } else if (isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op)) {
      increase(amount.atomics, elementsOf(op->getResult(0)));
    } else if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
      increase(amount.flops, elementsOf(reduce->getOperand(0)));
    } else if (op->hasTrait<OpTrait::Elementwise>() &&
               op->getNumResults() == 1 &&
               isa<RankedTensorType>(op->getResult(0).getType())) {
      increase(amount.flops, elementsOf(op->getResult(0)) * weightOf(op));
    }
    if (isa<scf::ForOp, scf::WhileOp>(op))
      return addLoop(op, times);
    for (Region &region : op->getRegions())
      addRegion(region, times, amount);
  }

  void addLoop(Operation *op, Times times) {
    std::optional<WorkValue> known = iterationsOf(op);
    if (known && known->isConstant)
      times.everywhere =
          llvm::SaturatingMultiply(times.everywhere, uint64_t(known->number));
    auto around = formula.combine(NEREID_WORK_MULTIPLY, times.expected,
                                  known.value_or(WorkValue{kUsualIterations}));
    auto least = formula.combine(NEREID_WORK_MULTIPLY, times.least, known);
    // The formula may have become too long.
    work.isEstimated |= !known || !around;
    times.expected = around.value_or(times.expected);
    times.least = least.value_or(times.least);
    for (Region &region : op->getRegions())
      visit(region, times);
  }

  static void increase(uint64_t &total, uint64_t amount) {
    total = llvm::SaturatingAdd(total, amount);
  }

  /// False if the formula became too long.
  bool add(WorkValue &total, uint64_t amount, WorkValue times) {
    WorkValue constant{
        static_cast<int64_t>(std::min<uint64_t>(amount, INT64_MAX))};
    auto part = formula.combine(NEREID_WORK_MULTIPLY, times, constant);
    auto sum = formula.combine(NEREID_WORK_ADD, total, part);
    total = sum.value_or(total);
    return sum.has_value();
  }

  /// The number of times that the body of a loop runs, if it is known.
  std::optional<WorkValue> iterationsOf(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      auto length = formula.combine(NEREID_WORK_SUBTRACT,
                                    formula.read(loop.getUpperBound()),
                                    formula.read(loop.getLowerBound()));
      auto count = formula.combine(NEREID_WORK_CEIL_DIVIDE, length,
                                   formula.read(loop.getStep()));
      return formula.combine(NEREID_WORK_MAX, count, WorkValue{0});
    }
    return std::nullopt;
  }

  Work work;
  WorkFormula formula;
  WorkValue bytes, stored, flops, atomics;
};
} // namespace

Work describeWork(tt::FuncOp kernel, const KernelInfo &info) {
  return WorkCounter(info).run(kernel);
}

} // namespace nereid::codegen
