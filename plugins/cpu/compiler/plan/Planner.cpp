// Plan.cpp - makes a tile program: which values are kept, and the steps of
// each block.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Planning goes in rounds. A round walks every block once and forms nests,
// with the set of kept values as it is. What the nests then show (a load that
// a store overtakes, an expensive value computed twice) adds to the set, and
// the next round starts over; most kernels need two.

#include "plan/Planner.h"
#include "plan/DotTypes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::cpu {

Planner::Planner(tt::FuncOp function, codegen::TileForms &forms,
                 const GenerateOptions &options)
    : function(function), forms(forms), options(options) {}

FailureOr<std::unique_ptr<TileProgram>> Planner::run() {
  if (failed(check()))
    return failure();
  orientDots();
  unsigned number = 0;
  function.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { order[op] = number++; });
  findStructuralKeeps();
  keepLongChains();
  do {
    startRound();
    for (Block &block : function.getBody())
      planBlock(block);
    shareBuffersInLoops();
  } while (keepOvertakenLoads() || keepExpensiveValues());
  for (Value value : keep)
    if (isIndexFunction(value))
      program->keptIndexFunctions.insert(value);
  queueDots();
  placeBuffers(*program);
  return std::move(program);
}

FailureOr<std::unique_ptr<TileProgram>>
planTileProgram(tt::FuncOp function, codegen::TileForms &forms,
                const GenerateOptions &options) {
  return Planner(function, forms, options).run();
}

/// True when no element of `value` depends on memory.
bool Planner::isIndexFunction(Value value) {
  if (!isTile(value))
    return true;
  auto known = indexFunctions.find(value);
  if (known != indexFunctions.end())
    return known->second;
  Operation *op = value.getDefiningOp();
  bool result = op && isTileExpression(op) &&
                !isa<tt::LoadOp, tt::GatherOp>(op) &&
                llvm::all_of(op->getOperands(),
                             [&](Value v) { return isIndexFunction(v); });
  indexFunctions[value] = result;
  return result;
}

static bool isRootOp(Operation *op) {
  return isa<tt::StoreOp, tt::ReduceOp, tt::ScanOp, tt::AtomicRMWOp,
             tt::AtomicCASOp, tt::AtomicLoadOp, tt::AtomicStoreOp,
             tt::AtomicPollOp, tt::HistogramOp, tt::MapElementwiseOp,
             tt::PrintOp, tt::AssertOp, tt::UnsplatOp, tt::LoadOp>(op);
}

static bool writesMemory(Operation *op) {
  return isa<tt::AtomicRMWOp, tt::AtomicCASOp, tt::AtomicLoadOp,
             tt::AtomicStoreOp, tt::AtomicPollOp>(op);
}

static bool isPlannedRegion(Operation *op) {
  return isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op);
}

/// True if elements of `type` are whole bytes, or truth values.
static bool hasPlace(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  return !integer || llvm::is_contained({1u, 8u, 16u, 32u, 64u},
                                        integer.getWidth());
}

/// Refuses what has no place in a tile program.
LogicalResult Planner::check() {
  WalkResult result = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function)
      return WalkResult::advance();
    for (Type type : op->getResultTypes())
      if (!hasPlace(type)) {
        op->emitError() << "'" << op->getName() << "' gives " << type
                        << "; the cpu backend has integers of 1, 8, 16, 32 "
                           "and 64 bits";
        return WalkResult::interrupt();
      }
    // Their regions are checked when they are emitted.
    if (isa<tt::ReduceOp, tt::ScanOp, tt::MapElementwiseOp>(op))
      return WalkResult::skip();
    bool fine = isScalarOp(op) || isTileExpression(op) || isRootOp(op) ||
                isPlannedRegion(op) || isa<tt::DotOp>(op) ||
                op->hasTrait<OpTrait::IsTerminator>();
    if (fine)
      return WalkResult::advance();
    op->emitError() << "'" << op->getName()
                    << "' is not supported by the cpu backend in stage llir";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Where a terminator puts what it passes on: pairs of operand and the block
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

/// Values that are kept whatever nests look like: read in another block than
/// the one that computes them, or by an operation that reads them in an order
/// of its own.
void Planner::findStructuralKeeps() {
  function.walk([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands()) {
      Value operand = use.get();
      bool whole = isa<tt::PrintOp>(op) ||
                   (isa<tt::GatherOp>(op) && use.getOperandNumber() == 0);
      if (auto dot = dyn_cast<tt::DotOp>(op);
          dot && use.getOperandNumber() < 2) {
        operand = operandOf(dot, use.getOperandNumber()).value;
        whole = true;
      }
      Operation *producer = operand.getDefiningOp();
      if (!producer || !isTile(operand) || !isTileExpression(producer))
        continue;
      bool elsewhere = producer->getBlock() != op->getBlock() &&
                       !isIndexFunction(operand);
      if (elsewhere || whole)
        keep.insert(operand);
    }
    if (isVolatileLoad(op) && isTile(op->getResult(0)))
      keep.insert(op->getResult(0));
    if (isa<tt::LoadOp, tt::StoreOp>(op))
      keepRowRemainders(op);
  });
}

/// `offs % M` that says where rows begin is a division a row; in a loop, each
/// round would do it again.
void Planner::keepRowRemainders(Operation *access) {
  auto loop = access->getParentOfType<LoopLikeOpInterface>();
  const codegen::TileForm *form = forms.of(access->getOperand(0));
  if (!loop || !form)
    return;
  for (const codegen::TileTerm &term : form->terms) {
    bool isRow =
        codegen::rankOf(term.tensor) == 1 && term.coefficient.constant() != 1;
    if (isRow && forms.wrapOf(term.tensor) &&
        loop.isDefinedOutsideOfLoop(term.tensor))
      keep.insert(term.tensor);
  }
}

Buffer *Planner::makeBuffer(Type type) {
  auto tile = cast<RankedTensorType>(type);
  auto buffer = std::make_unique<Buffer>();
  buffer->id = program->buffers.size();
  buffer->element = tile.getElementType();
  buffer->shape.assign(tile.getShape().begin(), tile.getShape().end());
  program->buffers.push_back(std::move(buffer));
  return program->buffers.back().get();
}

/// Starts with an empty program, whose buffers for loops, branches and kept
/// values are known.
void Planner::startRound() {
  program = std::make_unique<TileProgram>();
  program->function = function;
  readers.clear();
  streams.clear();
  loads.clear();
  stepOf.clear();
  stores.clear();
  writers.clear();

  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isPlannedRegion(op))
      makeRegionBuffers(op);
    for (Region &region : op->getRegions())
      if (isa<tt::FuncOp>(op))
        for (Block &block : llvm::drop_begin(region))
          for (BlockArgument argument : block.getArguments())
            if (isTile(argument))
              program->kept[argument] = program->passed[argument] =
                  makeBuffer(argument.getType());
    // Operations that write their result themselves.
    if (isa<tt::DotOp, tt::ReduceOp, tt::ScanOp, tt::AtomicRMWOp,
            tt::AtomicCASOp, tt::AtomicLoadOp, tt::AtomicPollOp,
            tt::HistogramOp, tt::MapElementwiseOp>(op))
      for (Value result : op->getResults())
        if (isTile(result) && !program->kept.contains(result))
          if (!result.use_empty() || !isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op))
            program->kept[result] = makeBuffer(result.getType());
  });
  for (Value value : keep)
    if (!program->kept.contains(value))
      program->kept[value] = makeBuffer(value.getType());
}

/// Buffers of what a loop carries and of what its terminators pass on. The
/// value that a loop yields is computed into the buffer for the next round.
void Planner::makeRegionBuffers(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [argument, result, yielded] :
         llvm::zip(loop.getRegionIterArgs(), loop.getResults(),
                   loop.getYieldedValues())) {
      if (!isTile(argument))
        continue;
      CarriedTile tile;
      tile.current = makeBuffer(argument.getType());
      tile.next = makeBuffer(argument.getType());
      program->carried[argument] = tile;
      program->carried[result] = tile;
      program->passed[argument] = tile.next;
      Operation *producer = yielded.getDefiningOp();
      if (producer && producer->getBlock() == loop.getBody() &&
          !isIndexFunction(yielded) && !program->kept.contains(yielded) &&
          !isPlannedRegion(producer)) {
        program->kept[yielded] = tile.next;
        if (isTileExpression(producer))
          keep.insert(yielded);
      }
    }
    return;
  }
  auto pass = [&](Value target) {
    if (isTile(target))
      program->kept[target] = program->passed[target] =
          makeBuffer(target.getType());
  };
  for (Value result : op->getResults())
    pass(result);
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (Value argument : loop.getBeforeArguments())
      pass(argument);
    // What the condition passes on is the result when the loop ends.
    for (auto [argument, result] :
         llvm::zip(loop.getAfterArguments(), loop.getResults()))
      if (isTile(argument))
        program->kept[argument] = program->passed[argument] =
            program->kept[result];
  }
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
      if (program->kept.lookup(operand) != buffer)
        addRoot({RootKind::Keep, nullptr, operand, buffer});
    }
  flush();
  program->blocks[&block] = std::move(plan);
  for (Operation &op : block)
    if (isPlannedRegion(&op))
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          planBlock(inner);
}

void Planner::planOp(Operation *op) {
  if (isScalarOp(op)) {
    bool reads = !isMemoryEffectFree(op);
    if (dependsOnPending(op->getOperands()) ||
        (reads && (!isa<tt::LoadOp>(op) || isVolatileLoad(op) || pendingWrites)))
      flush();
    if (reads && !isa<tt::LoadOp>(op))
      writers.push_back({op, block, unsigned(current->steps.size())});
    stepOf[op] = current->steps.size();
    current->steps.push_back({StepKind::Op, op, nullptr});
    return;
  }
  if (isPlannedRegion(op))
    return planRegionOp(op);
  if (isa<tt::PrintOp>(op)) {
    flush();
    stepOf[op] = current->steps.size();
    current->steps.push_back({StepKind::Op, op, nullptr});
    return;
  }
  if (auto dot = dyn_cast<tt::DotOp>(op))
    return planDot(dot);
  if (isTileExpression(op) || isa<tt::LoadOp>(op)) {
    // A volatile load, which is no expression, happens as a whole before what
    // follows it.
    bool isAlone = !isTileExpression(op);
    if (isAlone)
      flush();
    for (Value result : op->getResults())
      if (keep.contains(result))
        addRoot({RootKind::Keep, op, result, program->kept.lookup(result)});
    if (isAlone)
      flush();
    return;
  }
  RootKind kind = isa<tt::StoreOp>(op)    ? RootKind::Store
                  : isa<tt::ReduceOp>(op) ? RootKind::Reduce
                  : isa<tt::ScanOp>(op)   ? RootKind::Scan
                                          : RootKind::Serial;
  addRoot({kind, op, {}, nullptr});
}

void Planner::planRegionOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [init, argument] :
         llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs()))
      if (isTile(init))
        addRoot({RootKind::Keep, nullptr, init,
                 program->carried.lookup(argument).current});
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [init, argument] :
         llvm::zip(loop.getInits(), loop.getBeforeArguments()))
      if (isTile(init))
        addRoot({RootKind::Keep, nullptr, init,
                 program->kept.lookup(argument)});
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

void Planner::flush() {
  if (!pending)
    return;
  bool isRowMajor = llvm::any_of(pending->inners, [&](const Inner &inner) {
    return llvm::any_of(inner.roots, [&](const Root &root) {
      return root.kind == RootKind::Store &&
             !canReorder(cast<tt::StoreOp>(root.op));
    });
  });
  finishNest(*pending, options, *program, forms, isRowMajor);
  deferStores();
  planReductions(*pending, *program, forms);
  // Scalars may have been added since the nest was begun; its step is known
  // only now.
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
      if (root.kind == RootKind::Store)
        stores.push_back({cast<tt::StoreOp>(root.op),
                          {block, step, unsigned(number), true}});
      if (root.kind == RootKind::Serial && writesMemory(root.op))
        writers.push_back({root.op, block, step});
    }
  current->steps.push_back({StepKind::Nest, nullptr, std::move(pending)});
  pending.reset();
  pendingOps.clear();
  pendingWrites = false;
}

} // namespace nereid::cpu
