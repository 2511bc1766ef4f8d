// Loops.cpp - loops that a driver may end too early.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// llvmpipe ends the loops of a program after 65535 rounds in all, whatever
// their conditions, and reports nothing. Where the rounds of a program may be
// that many, what follows a loop checks that its condition was false.

#include "Emitter.h"

#include "kernel/Messages.h"
#include "tile/Ops.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace nereid::vulkan {

static constexpr uint64_t kMostRounds = 65535;

/// Whether the operation is a loop of compare and swap, or waits.
static bool mayLoop(Operation *op) {
  return isa<tt::AtomicPollOp>(op) || isUpdateLoop(op);
}

/// At most how many rounds the loops of `region` make; UINT64_MAX: any number.
static uint64_t roundsOf(Region &region) {
  uint64_t total = 0;
  for (Operation &op : region.getOps()) {
    if (isa<scf::WhileOp>(op) || mayLoop(&op))
      return UINT64_MAX;
    uint64_t inner = 0, times = 1, own = 0;
    for (Region &nested : op.getRegions())
      inner = llvm::SaturatingAdd(inner, roundsOf(nested));
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      auto lower = getConstantIntValue(loop.getLowerBound());
      auto upper = getConstantIntValue(loop.getUpperBound());
      auto step = getConstantIntValue(loop.getStep());
      if (!lower || !upper || !step || *step < 1)
        return UINT64_MAX;
      times = *upper > *lower
                  ? llvm::divideCeil(uint64_t(*upper) - uint64_t(*lower),
                                     uint64_t(*step))
                  : 0;
      own = llvm::SaturatingAdd<uint64_t>(times, 1); // the last ends it
    } else if (auto map = dyn_cast<tt::MapElementwiseOp>(op)) {
      times = codegen::tileType(map->getOperand(0)).getNumElements();
    } else if (auto dot = dyn_cast<tt::DotOp>(op)) {
      // Along the depth, which may be cut into slices.
      own = 2 * dot.getA().getType().getShape().back();
    }
    total =
        llvm::SaturatingAdd(total, own, llvm::SaturatingMultiply(inner, times));
  }
  return total;
}

void Emitter::watchLoops(tt::FuncOp kernel) {
  watchesLoops = device.endsLoops && roundsOf(kernel.getBody()) >= kMostRounds;
}

void Emitter::loopCondition(Id condition) {
  // As a number that the driver's compiler does not know: it takes the
  // condition itself for false after the loop. And not with the zero itself,
  // which the compiler would know where the check has passed.
  Id unfinished;
  if (watchesLoops)
    unfinished = b.bitXor(b.select(condition, b.u32(1), b.u32(0)),
                          b.lshr(inputs.zero, b.u32(1)));
  openLoops.push_back(unfinished);
  b.loopCondition(condition);
}

void Emitter::endLoop(Location place, ArrayRef<Id> next, bool isUniform) {
  b.endLoop(next);
  Id unfinished = openLoops.pop_back_val();
  if (!unfinished)
    return;
  uint32_t site = addSite(
      {.text = codegen::messageAt(place, "a loop did not come to its end: "
                                         "llvmpipe ends the loops of a program "
                                         "after 65535 rounds in all")});
  failWhere(b.ine(unfinished, b.u32(0)), site, isUniform && !isDivergent);
}

} // namespace nereid::vulkan
