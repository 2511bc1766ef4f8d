// Work.cpp - estimates the work of a program, and detects communication.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel/KernelInfo.h"

#include "nereid/ttir/Dialect.h"
#include "tile/Ops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::codegen {

// The assumed trip count of loops that is unknown: a row or K in blocks.
static constexpr uint64_t kUsualIterations = 16;

static uint64_t elementsOf(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile ? tile.getNumElements() : 1;
}

static uint64_t bytesOf(Value value) {
  unsigned bits = tt::getElementBitWidth(getElementTypeOrSelf(value.getType()));
  return elementsOf(value) * std::max(1u, bits / 8);
}

namespace {
class WorkCounter {
public:
  Work work;

  /// Adds the work of `region`, `times` times, at least `least` times.
  void visit(Region &region, uint64_t times, uint64_t least) {
    llvm::DenseSet<Block *> seen;
    for (Block &block : region) {
      seen.insert(&block);
      // A branch back to an earlier block.
      work.isEstimated |= llvm::any_of(block.getSuccessors(), [&](Block *next) {
        return seen.contains(next);
      });
      for (Operation &op : block)
        visit(&op, times, least);
    }
  }

private:
  void visit(Operation *op, uint64_t times, uint64_t least) {
    work.communicates |= infoOf(op).isAtomic;
    work.prints |= isa<tt::PrintOp>(op);
    work.asserts |= isa<tt::AssertOp>(op);
    if (auto load = dyn_cast<tt::LoadOp>(op)) {
      work.communicates |= load.getIsVolatile();
      add(work.bytes, bytesOf(load.getResult()), times);
    } else if (auto store = dyn_cast<tt::StoreOp>(op)) {
      add(work.bytes, bytesOf(store.getValue()), times);
      add(work.leastStoredBytes, bytesOf(store.getValue()), least);
    } else if (auto dot = dyn_cast<tt::DotOp>(op)) {
      uint64_t depth = dot.getA().getType().getShape().back();
      add(work.flops, 2 * elementsOf(dot.getResult()) * depth, times);
    } else if (op->hasTrait<OpTrait::Elementwise>() &&
               op->getNumResults() == 1 &&
               isa<RankedTensorType>(op->getResult(0).getType())) {
      add(work.flops, elementsOf(op->getResult(0)), times);
    }
    std::optional<uint64_t> known = iterationsOf(op);
    work.isEstimated |= !known;
    for (Region &region : op->getRegions())
      visit(region,
            llvm::SaturatingMultiply(times, known.value_or(kUsualIterations)),
            llvm::SaturatingMultiply(least, known.value_or(1)));
  }

  static void add(uint64_t &total, uint64_t amount, uint64_t times) {
    total = llvm::SaturatingMultiplyAdd(amount, times, total);
  }

  /// The number of times that the regions of `op` run, if it is known.
  static std::optional<uint64_t> iterationsOf(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      auto lower = getConstantIntValue(loop.getLowerBound());
      auto upper = getConstantIntValue(loop.getUpperBound());
      auto step = getConstantIntValue(loop.getStep());
      if (lower && upper && step && *step > 0) {
        if (*upper <= *lower)
          return 0;
        return llvm::divideCeil(uint64_t(*upper) - uint64_t(*lower),
                                uint64_t(*step));
      }
    } else if (!isa<scf::WhileOp>(op)) {
      return 1;
    }
    return std::nullopt;
  }
};
} // namespace

Work describeWork(tt::FuncOp kernel) {
  WorkCounter counter;
  counter.visit(kernel.getBody(), 1, 1);
  return counter.work;
}

} // namespace nereid::codegen
