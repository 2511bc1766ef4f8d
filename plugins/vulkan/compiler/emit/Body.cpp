// Body.cpp - blocks, regions and scalars.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "../Dot.h"
#include "Emitter.h"

#include "tile/Ops.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::vulkan {

using codegen::TileOpKind;
using codegen::tileType;

LogicalResult Emitter::refuse(Operation *op, const Twine &why) {
  InFlightDiagnostic error = op->emitError()
                             << op->getName() << " is not supported by vulkan";
  if (!why.isTriviallyEmpty())
    error << ": " << why;
  return error;
}

void Emitter::setLocation(Location loc) {
  if (auto line = loc->findInstanceOf<FileLineColLoc>())
    b.setLocation({b.file(line.getFilename().getValue()), line.getLine(),
                   line.getColumn()});
}

Ids Emitter::emitWhere(Id condition, ArrayRef<Id> otherwise,
                       llvm::function_ref<Ids()> body) {
  if (std::optional<uint64_t> known = b.constantBits(condition))
    return *known ? body() : Ids(otherwise);
  b.beginIf(condition);
  Ids inside = body();
  spirv::Merge merge = b.endIf();
  Ids results;
  for (auto [value, other] : llvm::zip(inside, otherwise))
    results.push_back(b.merged(merge, value, other));
  return results;
}

Ids Emitter::emitEither(Id condition, llvm::function_ref<Ids()> then,
                        llvm::function_ref<Ids()> otherwise) {
  if (std::optional<uint64_t> known = b.constantBits(condition))
    return *known ? then() : otherwise();
  b.beginIf(condition);
  Ids results = then();
  b.beginElse();
  Ids others = otherwise();
  spirv::Merge merge = b.endIf();
  for (auto [value, other] : llvm::zip_equal(results, others))
    value = b.merged(merge, value, other);
  return results;
}

Ids Emitter::flatten(ValueRange values, ValueRange carried) {
  Ids ids;
  for (auto [value, as] : llvm::zip(values, carried)) {
    if (matrices.formOf(as))
      continue; // in variables
    if (tileType(value))
      llvm::append_range(
          ids, packNarrow(registersOf(value, *layouts.ownLayoutOf(as)),
                          tileType(as).getElementType()));
    else
      ids.push_back(scalars[value]);
  }
  return ids;
}

void Emitter::unflatten(ValueRange carried, ArrayRef<Id> ids) {
  for (Value value : carried) {
    if (matrices.formOf(value))
      continue;
    if (!tileType(value)) {
      scalars[value] = ids.front();
      ids = ids.drop_front();
      continue;
    }
    size_t count = layouts.ownLayoutOf(value)->registerCount();
    Type type = tileType(value).getElementType();
    unsigned each = packedCount(type);
    size_t carriers = count % each == 0 ? count / each : count;
    defineAll(value, unpackNarrow(Ids(ids.take_front(carriers)), type, count));
    ids = ids.drop_front(carriers);
  }
}

LogicalResult Emitter::emitFor(scf::ForOp loop) {
  Ids initial = {scalars[loop.getLowerBound()]};
  llvm::append_range(initial,
                     flatten(loop.getInitArgs(), loop.getRegionIterArgs()));
  HeldVariables variables = declareHeld(loop.getRegionIterArgs());
  storeHeld(variables, loop.getInitArgs(), loop.getRegionIterArgs());
  stageInvariants(loop);
  enterLoop(loop);
  // Its products take turns with their buffers, which others may still use.
  bool takesTurns = dots.hasTwoBuffers(loop) || matrices.hasTwoBuffers(loop);
  if (takesTurns)
    initial.push_back(b.u32(0));
  if (takesTurns || matrices.hasRoundsInTurn(loop))
    barrier();
  spirv::Carried carried = b.beginLoop(llvm::ArrayRef<Id>(initial));
  Id upper = scalars[loop.getUpperBound()];
  loopCondition(b.slt(carried[0], upper));
  Ids values;
  for (uint32_t i = 0; i < carried.size(); ++i)
    values.push_back(carried[i]);
  if (takesTurns)
    buffers[loop] = values.pop_back_val();
  scalars[loop.getInductionVar()] = values[0];
  unflatten(loop.getRegionIterArgs(), ArrayRef(values).drop_front());
  loadHeld(variables, loop.getRegionIterArgs());
  if (failed(emitBlock(*loop.getBody())))
    return failure();
  ValueRange yielded = loop.getBody()->getTerminator()->getOperands();
  storeHeld(variables, yielded, loop.getRegionIterArgs());
  Ids next = {b.iadd(values[0], scalars[loop.getStep()])};
  llvm::append_range(next, flatten(yielded, loop.getRegionIterArgs()));
  if (takesTurns)
    next.push_back(b.bitXor(buffers[loop], b.u32(1)));
  endLoop(loop.getLoc(), next);
  unflatten(loop.getResults(), ArrayRef(values).drop_front());
  loadHeld(variables, loop.getResults());
  return success();
}

LogicalResult Emitter::emitWhile(scf::WhileOp loop) {
  Ids initial = flatten(loop.getInits(), loop.getBeforeArguments());
  enterLoop(loop);
  spirv::Carried carried = b.beginLoop(llvm::ArrayRef<Id>(initial));
  Ids values;
  for (uint32_t i = 0; i < carried.size(); ++i)
    values.push_back(carried[i]);
  unflatten(loop.getBeforeArguments(), values);
  if (failed(emitBlock(*loop.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = loop.getConditionOp();
  Ids passed = flatten(condition.getArgs(), loop.getAfterArguments());
  loopCondition(scalars[condition.getCondition()]);
  unflatten(loop.getAfterArguments(), passed);
  if (failed(emitBlock(*loop.getAfterBody())))
    return failure();
  Ids next = flatten(loop.getYieldOp().getResults(), loop.getBeforeArguments());
  endLoop(loop.getLoc(), next);
  unflatten(loop.getResults(), passed);
  return success();
}

LogicalResult Emitter::emitIf(scf::IfOp branch) {
  HeldVariables variables = declareHeld(branch.getResults());
  b.beginIf(scalars[branch.getCondition()]);
  // What one branch waited for, the other did not.
  SmallVector<PendingAccess> before = pending;
  if (failed(emitBlock(*branch.thenBlock())))
    return failure();
  if (!variables.empty())
    storeHeld(variables, branch.thenYield().getResults(), branch.getResults());
  Ids thenIds = flatten(branch.thenYield().getResults(), branch.getResults());
  SmallVector<PendingAccess> after = std::exchange(pending, before);
  Ids elseIds;
  b.beginElse();
  if (branch.elseBlock()) {
    if (failed(emitBlock(*branch.elseBlock())))
      return failure();
    if (!variables.empty())
      storeHeld(variables, branch.elseYield().getResults(),
                branch.getResults());
    elseIds = flatten(branch.elseYield().getResults(), branch.getResults());
  }
  for (const PendingAccess &access : after)
    if (!llvm::is_contained(pending, access))
      pending.push_back(access);
  spirv::Merge merge = b.endIf();
  Ids merged;
  for (auto [x, y] : llvm::zip(thenIds, elseIds))
    merged.push_back(b.merged(merge, x, y));
  unflatten(branch.getResults(), merged);
  loadHeld(variables, branch.getResults());
  return success();
}

LogicalResult Emitter::emitScalar(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tt::GetProgramIdOp id) {
        scalars[id] = inputs.programs[unsigned(id.getAxis())];
        return success();
      })
      .Case([&](tt::GetNumProgramsOp count) {
        scalars[count] = inputs.grid[unsigned(count.getAxis())];
        return success();
      })
      .Case([&](arith::ConstantOp constantOp) {
        scalars[constantOp] =
            constant(constantOp.getType(), constantOp.getValue());
        return success();
      })
      .Case([&](tt::LoadOp load) { return emitLoad(load); })
      .Case([&](tt::StoreOp store) { return emitStore(store); })
      .Case<tt::AtomicRMWOp, tt::AtomicCASOp, tt::AtomicLoadOp,
            tt::AtomicStoreOp, tt::AtomicPollOp>(
          [&](Operation *) { return emitAtomic(op); })
      .Case([&](tt::PrintOp print) { return emitPrint(print); })
      .Case([&](tt::AssertOp assertOp) { return emitAssert(assertOp); })
      // A hint, which nothing here uses.
      .Case([](LLVM::AssumeOp) { return success(); })
      .Case<gpu::BarrierOp, ttg::BarrierOp>([&](Operation *) {
        deviceBarrier();
        pending.clear();
        return success();
      })
      // Each program of a grid that starts early waits here for the grid before
      // it; without such launches that is over.
      .Case<tt::GridDependencyWaitOp, tt::GridDependencyLaunchDependentsOp>(
          [](Operation *) { return success(); })
      .Default([&](Operation *) {
        if (op->getNumRegions() > 0 || op->getNumResults() == 0)
          return refuse(op);
        Ids operands;
        for (Value operand : op->getOperands())
          operands.push_back(scalars[operand]);
        for (OpResult result : op->getResults()) {
          Id value = emitElement(op, operands, result.getResultNumber());
          if (!value)
            return refuse(op);
          scalars[result] = value;
        }
        return success();
      });
}

LogicalResult Emitter::emitOp(Operation *op) {
  setLocation(op->getLoc());
  switch (codegen::infoOf(op).kind) {
  case TileOpKind::Terminator:
    return success();
  case TileOpKind::Scalar:
    return emitScalar(op);
  default:
    break;
  }
  if (op->getNumResults() == 1 && op->getNumRegions() == 0)
    if (const MatrixForm *form = matrices.formOf(op->getResult(0)))
      return emitOnMatrices(op, *form);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp loop) { return emitFor(loop); })
      .Case([&](scf::WhileOp loop) { return emitWhile(loop); })
      .Case([&](scf::IfOp branch) { return emitIf(branch); })
      .Case([&](tt::LoadOp load) {
        stageBefore(load);
        return emitLoad(load);
      })
      .Case([&](tt::StoreOp store) { return emitStore(store); })
      .Case([&](tt::ReduceOp reduce) { return emitReduce(reduce); })
      .Case([&](tt::ScanOp scan) { return emitScan(scan); })
      .Case([&](tt::DotOp dot) { return emitDot(dot); })
      .Case([&](tt::GatherOp gather) { return emitGather(gather); })
      .Case([&](tt::HistogramOp op) { return emitHistogram(op); })
      .Case([&](tt::UnsplatOp op) { return emitUnsplat(op); })
      .Case([&](tt::MapElementwiseOp map) { return emitMap(map); })
      .Case([&](tt::PrintOp print) { return emitPrint(print); })
      .Case([&](tt::AssertOp assertOp) { return emitAssert(assertOp); })
      .Case<tt::AtomicRMWOp, tt::AtomicCASOp, tt::AtomicLoadOp,
            tt::AtomicStoreOp, tt::AtomicPollOp>(
          [&](Operation *) { return emitAtomic(op); })
      .Default([&](Operation *) {
        if (codegen::infoOf(op).kind != TileOpKind::Expression)
          return refuse(op);
        return emitExpression(op);
      });
}

LogicalResult Emitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (failed(emitOp(&op)))
      return failure();
  return success();
}

LogicalResult Emitter::run(tt::FuncOp kernel, const Inputs &given) {
  inputs = given;
  lane = b.load(b.builtIn(spv::BuiltIn::SubgroupLocalInvocationId));
  warp = workgroup.warpBits ? b.load(b.builtIn(spv::BuiltIn::SubgroupId))
                            : b.u32(0);
  // Atomics are on words of an array of words.
  bool hasAtomics = false;
  kernel.walk([&](tt::HistogramOp) { hasAtomics = true; });
  bool hasProducts = !dots.empty() || !matrices.empty();
  if (hasProducts && device.has("shared-layout"))
    sharedForm = Views;
  // Matrices are loaded from arrays, of words here.
  else if (!dots.empty() && matrices.empty() && !hasAtomics)
    sharedForm = Vectors;
  for (auto [argument, value] :
       llvm::zip(kernel.getArguments(), inputs.arguments))
    scalars[argument] = value;
  prepareReports(kernel);
  watchLoops(kernel);
  return emitBlock(kernel.getBody().front());
}

} // namespace nereid::vulkan
