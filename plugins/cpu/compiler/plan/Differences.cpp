// Differences.cpp - what differs between neighbouring programs of a grid.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Differences.h"

#include "plan/TileProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace nereid::cpu {

/// Can the launch compute `value`, an i32, from arguments?
static bool isOfLaunch(Value value, unsigned depth = 8) {
  if (!value.getType().isInteger(32) || depth == 0)
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<tt::FuncOp>(argument.getOwner()->getParentOp());
  Operation *op = value.getDefiningOp();
  return op->hasTrait<OpTrait::ConstantLike>() ||
         (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp,
              arith::RemSIOp>(op) &&
          llvm::all_of(op->getOperands(), [&](Value operand) {
            return isOfLaunch(operand, depth - 1);
          }));
}

bool Differences::find(tt::FuncOp kernel) {
  if (!llvm::hasSingleElement(kernel.getBody()))
    return false;
  do {
    grew = false;
    divisions.clear();
    accesses.clear();
    if (!visit(kernel.getBody().front()))
      return false;
  } while (grew);
  return true;
}

bool Differences::visit(Block &block) {
  return llvm::all_of(block.without_terminator(),
                      [&](Operation &op) { return visit(&op); });
}

/// Of neighbours, between two multiples of the divisor, quotients are the same
/// and remainders are neighbours.
bool Differences::visitDivision(Operation *op) {
  if (!isa<arith::DivSIOp, arith::RemSIOp>(op) ||
      !isNeighbour(op->getOperand(0)) || !isOfLaunch(op->getOperand(1)))
    return false;
  divisions.push_back(op);
  if (isa<arith::RemSIOp>(op)) {
    add(op->getResults());
    neighbours.insert(op->getResult(0));
  }
  return true;
}

bool Differences::visitLoop(scf::ForOp loop) {
  if (differs(loop.getLowerBound()) || differs(loop.getUpperBound()) ||
      differs(loop.getStep()))
    return false;
  for (unsigned round = 0; round < 2; ++round) {
    for (BlockArgument argument : loop.getRegionIterArgs())
      if (differs(loop.getTiedLoopInit(argument)->get()) ||
          differs(loop.getTiedLoopYieldedValue(argument)->get()))
        add({argument, loop.getTiedLoopResult(argument)});
    if (round == 0 && !visit(*loop.getBody()))
      return false;
  }
  return true;
}

static bool capturesNothing(Operation *op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return captured.empty();
}

bool Differences::visit(Operation *op) {
  if (auto id = dyn_cast<tt::GetProgramIdOp>(op)) {
    if (unsigned(id.getAxisAsInt()) == axis) {
      add(op->getResults());
      neighbours.insert(id);
    }
    return true;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitLoop(loop);
  if (visitDivision(op))
    return true;
  bool isAccess = isa<tt::LoadOp, tt::StoreOp>(op);
  bool isPlain = isAccess ? !isVolatileLoad(op)
                 : op->getNumRegions()
                     ? isa<tt::ReduceOp, tt::ScanOp>(op) &&
                           isMemoryEffectFree(op) && capturesNothing(op)
                     : isMemoryEffectFree(op) || isa<LLVM::AssumeOp>(op);
  if (!isPlain)
    return false;
  if (!differsAny(op->getOperands()))
    // All of them would store to the same place.
    return !isa<tt::StoreOp>(op);
  if (isAccess)
    accesses.push_back(op);
  add(op->getResults());
  bool isKnown =
      isAccess || codegen::isElementOp(op) ||
      isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp,
          tt::ReshapeOp, tt::ReduceOp, tt::ScanOp, LLVM::AssumeOp>(op);
  auto reshape = dyn_cast<tt::ReshapeOp>(op);
  return isKnown && !(reshape && reshape.getAllowReorder()) &&
         !(isa<tt::StoreOp>(op) && !differs(op->getOperand(0)));
}

} // namespace nereid::cpu
