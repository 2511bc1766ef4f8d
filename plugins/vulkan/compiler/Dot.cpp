// Dot.cpp - plans products.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Dot.h"

#include "Matrices.h"

#include "nereid/codegen/DotTypes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::vulkan {

/// Why a product is not in matrices, where the device has some.
static constexpr llvm::StringLiteral kWithoutMatrices =
    "nereid.without_matrices";

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
                     llvm::raw_ostream &stream, AsmState &names) const {
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
           << plan->start << (plan->isPrivate ? ", staged early" : "");
    if (auto reason = dot->getAttrOfType<StringAttr>(kWithoutMatrices))
      stream << ", " << reason.getValue();
    stream << '\n';
  });
}

void widenDots(tt::FuncOp kernel, const DeviceModel &device,
               codegen::gpu::Workgroup workgroup) {
  codegen::convertDots(kernel, [&](tt::DotOp dot) -> codegen::DotTypes {
    Type result = dot.getType().getElementType();
    if (Type factor = matrixFactorType(dot, device, workgroup))
      return {factor, result};
    if (!device.matrices.empty())
      dot->setAttr(
          kWithoutMatrices,
          StringAttr::get(dot.getContext(), whyNotInMatrices(dot, device)));
    Type sum = codegen::dotSumType(dot);
    return {sum, sum};
  });
}

} // namespace nereid::vulkan
