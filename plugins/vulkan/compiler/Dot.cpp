// Dot.cpp - plans products.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Dot.h"

#include "Matrices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::vulkan {

const DotPlan *DotPlans::find(Operation *dot) const {
  auto found = plans.find(dot);
  return found == plans.end() ? nullptr : &found->second;
}

bool DotPlans::hasTwoBuffers(Operation *loop) const {
  return llvm::any_of(plans, [&](const auto &entry) {
    return entry.first->getParentOp() == loop && entry.second.buffers > 1;
  });
}

class DotPlanner {
public:
  DotPlanner(const codegen::gpu::Distribution &layouts,
             const MatrixPlan &matrices, codegen::gpu::Workgroup workgroup,
             const DeviceModel &device)
      : layouts(layouts), workgroup(workgroup), device(device),
        matrixBytes(matrices.sharedBytes(layouts, device)) {}

  DotPlans run(tt::FuncOp kernel) {
    kernel.walk([&](Operation *op) {
      if (auto dot = dyn_cast<tt::DotOp>(op))
        if (!layouts.isHeld(dot))
          result.plans[dot] = planAlone(dot);
      // After what is in it.
      if (auto loop = dyn_cast<scf::ForOp>(op))
        placeIn(loop);
    });
    return std::move(result);
  }

private:
  DotPlan planAlone(tt::DotOp dot);
  void placeIn(scf::ForOp loop);

  const codegen::gpu::Distribution &layouts;
  codegen::gpu::Workgroup workgroup;
  const DeviceModel &device;
  const unsigned matrixBytes; // that products in matrices use
  DotPlans result;
};

DotPlan DotPlanner::planAlone(tt::DotOp dot) {
  ArrayRef<int64_t> left = dot.getA().getType().getShape();
  RankedTensorType sums = dot.getType();
  DotPlan plan;
  plan.batches = left.size() == 3 ? left.front() : 1;
  plan.rows = left[left.size() - 2];
  plan.depth = plan.slice = left.back();
  plan.columns = sums.getShape().back();
  plan.words = sharedWordsOf(sums.getElementType());
  while (plan.slice > 1 && plan.bufferBytes() > device.sharedBytes)
    plan.slice /= 2;
  int64_t perDepth = layouts.ownLayoutOf(dot)->registerCount();
  int64_t most = std::max<int64_t>(1, device.unrolledProducts / perDepth);
  plan.unrolled =
      std::min<int64_t>(plan.slice, llvm::bit_floor<uint64_t>(most));
  return plan;
}

void DotPlanner::placeIn(scf::ForOp loop) {
  SmallVector<tt::DotOp> dots;
  for (auto dot : loop.getBody()->getOps<tt::DotOp>())
    if (result.find(dot))
      dots.push_back(dot);
  unsigned start = 0, bytes = 0;
  // What the loop carries is converted in each iteration, its results after it.
  start = exchangeBytes(loop.getRegionIterArgs(), layouts, workgroup, device);
  start = std::max(start, matrixBytes);
  loop.getBody()->walk([&](Operation *op) {
    if (const DotPlan *plan = result.find(op);
        plan && op->getBlock() != loop.getBody())
      start = std::max(start, plan->end());
    else if (!plan)
      start = std::max(start, exchangeBytes(op, layouts, workgroup, device));
  });
  start = llvm::alignTo(start, 16);
  for (tt::DotOp dot : dots) {
    DotPlan &plan = result.plans[dot];
    // What comes in rounds has to wait in each.
    if (plan.slice < plan.depth)
      return;
    bytes += llvm::alignTo(plan.bufferBytes(), 16);
  }
  if (start + bytes > device.sharedBytes)
    return;
  unsigned buffers = start + 2 * bytes <= device.sharedBytes ? 2 : 1;
  for (tt::DotOp dot : dots) {
    DotPlan &plan = result.plans[dot];
    plan.start = start;
    plan.buffers = buffers;
    plan.isPrivate = true;
    start = llvm::alignTo(plan.end(), 16);
  }
}

DotPlans planDots(tt::FuncOp kernel, const codegen::gpu::Distribution &layouts,
                  const MatrixPlan &matrices, codegen::gpu::Workgroup workgroup,
                  const DeviceModel &device) {
  return DotPlanner(layouts, matrices, workgroup, device).run(kernel);
}

/// Different coordinates along `dim` that a thread holds.
static unsigned extentOf(const codegen::gpu::Layout &layout, unsigned dim) {
  llvm::SmallDenseSet<uint32_t> seen;
  for (uint32_t i = 0; i < layout.registerCount(); ++i)
    seen.insert(layout.coordinate(layout.elementOf(i), dim));
  return seen.size();
}

void DotPlans::print(tt::FuncOp kernel,
                     const codegen::gpu::Distribution &layouts,
                     llvm::raw_ostream &stream) const {
  if (plans.empty())
    return;
  AsmState names(kernel);
  kernel.walk([&](tt::DotOp dot) {
    const DotPlan *plan = find(dot);
    if (!plan)
      return;
    const codegen::gpu::Layout &layout = *layouts.ownLayoutOf(dot);
    stream << "dot ";
    dot.getResult().printAsOperand(stream, names);
    stream << ": blocks of " << extentOf(layout, layout.rank() - 2) << " x "
           << extentOf(layout, layout.rank() - 1) << ", slices of "
           << plan->slice << ", " << plan->unrolled << " unrolled, "
           << plan->buffers << " x " << plan->bufferBytes() << " bytes at "
           << plan->start << (plan->isPrivate ? ", staged early\n" : "\n");
  });
}

static Value convert(OpBuilder &builder, Location loc, Value value,
                     Type element) {
  auto from = cast<RankedTensorType>(value.getType());
  auto to = RankedTensorType::get(from.getShape(), element);
  Type source = from.getElementType();
  if (source == element)
    return value;
  if (isa<IntegerType>(source))
    return builder.create<arith::ExtSIOp>(loc, to, value);
  if (source.getIntOrFloatBitWidth() == 8)
    return builder.create<tt::FpToFpOp>(loc, to, value, tt::RoundingModeAttr());
  if (source.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return builder.create<arith::ExtFOp>(loc, to, value);
  return builder.create<arith::TruncFOp>(loc, to, value);
}

static void widenDot(tt::DotOp dot) {
  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  RankedTensorType type = dot.getType();
  Type result = type.getElementType(), inner = result;
  if (isa<FloatType>(result) && result.getIntOrFloatBitWidth() < 32)
    inner = builder.getF32Type();
  Value a = convert(builder, loc, dot.getA(), inner);
  Value b = convert(builder, loc, dot.getB(), inner);
  dot->setOperand(0, a);
  dot->setOperand(1, b);
  if (result == inner)
    return;
  auto sum = builder.create<tt::DotOp>(
      loc, RankedTensorType::get(type.getShape(), inner), a, b,
      convert(builder, loc, dot.getC(), inner), dot.getInputPrecision(),
      dot.getMaxNumImpreciseAcc());
  dot.replaceAllUsesWith(convert(builder, loc, sum, result));
  dot.erase();
}

/// Matrices have the types of the operands, but for 8-bit floats.
static void widenForMatrices(tt::DotOp dot) {
  OpBuilder builder(dot);
  for (unsigned side : {0, 1}) {
    Value operand = dot->getOperand(side);
    Type element = cast<RankedTensorType>(operand.getType()).getElementType();
    if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8)
      dot->setOperand(
          side, convert(builder, dot.getLoc(), operand, builder.getF16Type()));
  }
}

void widenDots(tt::FuncOp kernel, const DeviceModel &device,
               codegen::gpu::Workgroup workgroup) {
  SmallVector<tt::DotOp> dots;
  kernel.walk([&](tt::DotOp dot) { dots.push_back(dot); });
  for (tt::DotOp dot : dots)
    planMatrixDot(dot, device, workgroup) ? widenForMatrices(dot)
                                          : widenDot(dot);
}

} // namespace nereid::vulkan
