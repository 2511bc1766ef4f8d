// Planner.cpp - builds a tile program: which values are materialized, and the
// steps of each block.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Planning is iterative. A round walks every block once and forms nests, with
// the current set of materialized values. If the nests show that another value
// must be in the set (a load that would be moved past an aliasing store, an
// expensive value computed twice), it is added and the next round starts over;
// most kernels need two.

#include "plan/Planner.h"
#include "plan/DotTypes.h"
#include "plan/ElementLoops.h"
#include "plan/Interleave.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::infoOf;
using codegen::TileOpKind;

Planner::Planner(tt::FuncOp function, std::optional<RowParts> parts,
                 codegen::TileForms &forms, const GenerateOptions &options)
    : function(function), parts(parts), forms(forms), options(options) {}

FailureOr<std::unique_ptr<TileProgram>> Planner::run() {
  if (failed(check()))
    return failure();
  if (options.fastPaths.has(FastPath::Fuse)) {
    sinkScalars(function);
    hoistReaders(function);
  }
  if (options.fastPaths.has(FastPath::OverlapGuard))
    widenScalarStores(function);
  if (options.fastPaths.has(FastPath::ElementLoops))
    elementLoops = findElementLoops(function, forms, options);
  hoistDotOperands();
  transposeDotOperands();
  limitDotRows();
  unsigned number = 0;
  function.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { order[op] = number++; });
  findAlwaysMaterialized();
  materializeExchanged();
  materializeLongChains();
  do {
    startRound();
    for (Block &block : function.getBody())
      planBlock(block);
    shareBuffersInLoops();
  } while (materializeMovedLoads() || materializeExpensiveValues());
  for (Value value : toMaterialize)
    if (isIndexFunction(value))
      program->materializedIndexFunctions.insert(value);
  keepGroupsInRegisters();
  scaleSums();
  deferDots();
  holdSums();
  planJoint(*program, options);
  planTurns();
  program->parts = parts;
  placeBuffers(*program);
  return std::move(program);
}

FailureOr<std::unique_ptr<TileProgram>>
planTileProgram(tt::FuncOp function, std::optional<RowParts> parts,
                codegen::TileForms &forms, const GenerateOptions &options) {
  return Planner(function, parts, forms, options).run();
}

/// True if elements of `type` are whole bytes, or truth values.
static bool hasMemoryLayout(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  return !integer ||
         llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
}

/// Reports operations and types that a tile program cannot contain.
LogicalResult Planner::check() {
  WalkResult result = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function)
      return WalkResult::advance();
    for (Type type : op->getResultTypes())
      if (!hasMemoryLayout(type)) {
        op->emitError() << "'" << op->getName() << "' has the result type "
                        << type
                        << "; the cpu backend supports integers of 1, 8, 16, "
                           "32 and 64 bits";
        return WalkResult::interrupt();
      }
    // Their regions are checked when they are emitted.
    if (isa<tt::ReduceOp, tt::ScanOp, tt::MapElementwiseOp>(op))
      return WalkResult::skip();
    if (infoOf(op).kind != TileOpKind::Unknown)
      return WalkResult::advance();
    op->emitError() << "'" << op->getName()
                    << "' is not supported by the cpu backend in stage llir";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// What a terminator passes to other blocks: pairs of an operand and the block
/// argument or result that receives it.
static SmallVector<std::pair<Value, Value>> passesOf(Operation *terminator) {
  SmallVector<std::pair<Value, Value>> passes;
  auto add = [&](ValueRange from, ValueRange to) {
    for (auto [operand, target] : llvm::zip(from, to))
      passes.push_back({operand, target});
  };
  Operation *parent = terminator->getParentOp();
  if (auto yield = dyn_cast<scf::YieldOp>(terminator)) {
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      add(yield.getOperands(), loop.getRegionIterArgs());
    else if (auto loop = dyn_cast<scf::WhileOp>(parent))
      add(yield.getOperands(), loop.getBeforeArguments());
    else
      add(yield.getOperands(), parent->getResults());
  } else if (auto condition = dyn_cast<scf::ConditionOp>(terminator)) {
    add(condition.getArgs(), cast<scf::WhileOp>(parent).getAfterArguments());
  } else if (auto branch = dyn_cast<cf::BranchOp>(terminator)) {
    add(branch.getDestOperands(), branch.getDest()->getArguments());
  } else if (auto branch = dyn_cast<cf::CondBranchOp>(terminator)) {
    add(branch.getTrueDestOperands(), branch.getTrueDest()->getArguments());
    add(branch.getFalseDestOperands(), branch.getFalseDest()->getArguments());
  }
  return passes;
}

// ------------------------------------------------------------ one block

void Planner::planBlock(Block &block) {
  BlockPlan plan;
  current = &plan;
  this->block = &block;
  for (Operation &op : block.without_terminator())
    planOp(&op);
  for (auto [operand, target] : passesOf(block.getTerminator()))
    if (isTile(operand)) {
      Buffer *buffer = program->passed.lookup(target);
      if (program->materialized.lookup(operand) != buffer)
        addRoot({RootKind::Materialize, nullptr, operand, buffer});
    }
  flush();
  program->blocks[&block] = std::move(plan);
  for (Operation &op : block)
    if (infoOf(&op).kind == TileOpKind::Region && !elementLoops.contains(&op))
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          planBlock(inner);
}

void Planner::planOp(Operation *op) {
  auto addStep = [&](StepKind kind) {
    stepOf[op] = current->steps.size();
    current->steps.push_back({kind, op, nullptr});
  };
  switch (infoOf(op).kind) {
  case TileOpKind::Scalar: {
    bool hasEffect = !isMemoryEffectFree(op);
    if (dependsOnPending(op->getOperands()) ||
        (hasEffect &&
         (!isa<tt::LoadOp>(op) || isVolatileLoad(op) || pendingWrites)))
      flush();
    if (hasEffect && !isa<tt::LoadOp>(op))
      writers.push_back({op, block, unsigned(current->steps.size())});
    return addStep(StepKind::Op);
  }
  case TileOpKind::Print:
    flush();
    return addStep(StepKind::Op);
  case TileOpKind::Region:
    if (elementLoops.contains(op))
      return planElementLoop(cast<scf::ForOp>(op));
    return planRegionOp(op);
  case TileOpKind::Dot:
    return planDot(cast<tt::DotOp>(op));
  case TileOpKind::Expression:
  case TileOpKind::Load: {
    // A volatile load completes as a whole before the operations after it.
    bool isAlone = isVolatileLoad(op) ||
                   ((computesDotOperand(op) || loadsDotOperand(op)) &&
                    toMaterialize.contains(op->getResult(0)));
    if (isAlone)
      flush();
    for (Value result : op->getResults())
      if (toMaterialize.contains(result))
        addRoot({RootKind::Materialize, op, result,
                 program->materialized.lookup(result)});
    if (isAlone)
      flush();
    return;
  }
  case TileOpKind::Store:
    return addRoot({RootKind::Store, op, {}, nullptr});
  case TileOpKind::Reduce:
    return addRoot({RootKind::Reduce, op, {}, nullptr});
  case TileOpKind::Scan:
    return addRoot({RootKind::Scan, op, {}, nullptr});
  case TileOpKind::Serial:
    return addRoot({isa<tt::AssertOp>(op) ? RootKind::Check : RootKind::Serial,
                    op, {}, nullptr});
  case TileOpKind::Terminator:
  case TileOpKind::Unknown:
    llvm_unreachable("an operation that check() refuses");
  }
}

void Planner::planRegionOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [init, argument] :
         llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs()))
      if (isTile(init))
        addRoot({RootKind::Materialize, nullptr, init,
                 program->carried.lookup(argument).current});
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [init, argument] :
         llvm::zip(loop.getInits(), loop.getBeforeArguments()))
      if (isTile(init))
        addRoot({RootKind::Materialize, nullptr, init,
                 program->materialized.lookup(argument)});
  }
  flush();
  bool writes = false;
  op->walk([&](Operation *inner) {
    writes |= inner != op && inner->getNumRegions() == 0 &&
              !isMemoryEffectFree(inner) && !isa<tt::LoadOp>(inner);
  });
  if (writes)
    writers.push_back({op, block, unsigned(current->steps.size())});
  stepOf[op] = current->steps.size();
  current->steps.push_back({StepKind::Region, op, nullptr});
}

bool Planner::dependsOnPending(ValueRange values) const {
  return pending && llvm::any_of(values, [&](Value value) {
           Operation *op = value.getDefiningOp();
           return op && pendingOps.contains(op);
         });
}

/// Does `op` update memory without an order of what precedes and follows it in
/// the eyes of other programs?
static bool isUnorderedUpdate(Operation *op) {
  auto update = dyn_cast<tt::AtomicRMWOp>(op);
  return update && update.getSem() == tt::MemSemantic::RELAXED &&
         update->use_empty();
}

void Planner::flush() {
  if (!pending)
    return;
  bool isRowMajor = llvm::any_of(pending->inners, [&](const Inner &inner) {
    return llvm::any_of(inner.roots, [&](const Root &root) {
      return root.kind == RootKind::Store &&
             !canReorder(cast<tt::StoreOp>(root.op));
    });
  });
  finishNest(*pending, options, *program, forms, isRowMajor,
             [&](Value value) { return isIndexFunction(value); });
  deferStores();
  planReductions(*pending, *program, forms, options);
  // Scalar steps may have been added since the nest was begun; only now is the
  // nest's own step known.
  unsigned step = current->steps.size();
  for (PendingPlace &read : pendingPlaces) {
    read.place.step = step;
    (*read.list)[read.value].push_back(read.place);
  }
  pendingPlaces.clear();
  for (auto [number, inner] : llvm::enumerate(pending->inners))
    for (const Root &root : inner.roots) {
      if (root.op)
        stepOf[root.op] = step;
      bool mayPass = root.kind == RootKind::Store ||
                     (root.op && isUnorderedUpdate(root.op));
      if (mayPass)
        stores.push_back({root.op,
                          infoOf(root.op).pointers->get(),
                          {block, step, unsigned(number), true}});
      else if (root.kind == RootKind::Serial && infoOf(root.op).writes)
        writers.push_back({root.op, block, step});
    }
  current->steps.push_back({StepKind::Nest, nullptr, std::move(pending)});
  pending.reset();
  pendingOps.clear();
  pendingWrites = false;
}

} // namespace nereid::cpu
