// Buffers.cpp - which values have buffers before any nest is formed, and those
// buffers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/DotTypes.h"
#include "plan/Planner.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::infoOf;
using codegen::TileOpInfo;
using codegen::TileOpKind;

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

/// Of what `value`, which depends on memory, is made by cheap operations on
/// integers: adds the tiles that these broadcast to `sources`. Returns false if
/// they have other operands, or are many.
bool Planner::findBroadcast(Value value, SmallVectorImpl<Value> &sources,
                            unsigned most) {
  if (isIndexFunction(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (auto broadcast = dyn_cast_or_null<tt::BroadcastOp>(op)) {
    Value source = broadcast.getSrc();
    while (auto expand = source.getDefiningOp<tt::ExpandDimsOp>())
      source = expand.getSrc();
    sources.push_back(source);
    return true;
  }
  return isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp,
                         arith::AndIOp, arith::OrIOp, arith::XOrIOp,
                         arith::CmpIOp, arith::ExtSIOp, arith::ExtUIOp,
                         tt::AddPtrOp>(op) &&
         most && llvm::all_of(op->getOperands(), [&](Value operand) {
           return findBroadcast(operand, sources, most - 1);
         });
}

/// Keeps `value` for another block. Of addresses and masks that are made of
/// rows and columns, these are kept: fewer elements, and what is known of their
/// neighbours (contiguous, equal) stays known.
void Planner::materializeForOthers(Value value) {
  constexpr unsigned kDeepest = 4; // operations, one of the result of another
  SmallVector<Value> sources;
  if (!options.fastPaths.has(FastPath::Recompute) ||
      !findBroadcast(value, sources, kDeepest))
    sources.assign({value});
  while (!sources.empty()) {
    Value source = sources.pop_back_val();
    Operation *op = source.getDefiningOp();
    if (!op || !isTileExpression(op) || isIndexFunction(source))
      continue;
    // Of pointers, offsets are kept: what they point into stays known.
    if (isa<tt::AddPtrOp>(op) && options.fastPaths.has(FastPath::Recompute))
      llvm::append_range(sources, op->getOperands());
    else
      toMaterialize.insert(source);
  }
}

/// Finds values that are materialized in any plan: used in another block than
/// the one that computes them, or by an operation that reads them as a whole.
void Planner::findAlwaysMaterialized() {
  function.walk([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands()) {
      Value operand = use.get();
      bool whole = isa<tt::PrintOp>(op) ||
                   (isa<tt::GatherOp>(op) && use.getOperandNumber() == 0 &&
                    !isExchange(op));
      if (auto dot = dyn_cast<tt::DotOp>(op);
          dot && use.getOperandNumber() < 2) {
        operand = operandOf(dot, use.getOperandNumber()).value;
        whole = true;
      }
      Operation *producer = operand.getDefiningOp();
      if (!producer || !isTile(operand) || !isTileExpression(producer))
        continue;
      bool elsewhere = producer->getBlock() != op->getBlock() &&
                       !isIndexFunction(operand) &&
                       !elementLoops.contains(producer->getParentOp());
      if (whole)
        toMaterialize.insert(operand);
      else if (elsewhere)
        materializeForOthers(operand);
    }
    if (auto dot = dyn_cast<tt::DotOp>(op))
      materializeRowFactors(dot);
    if (isVolatileLoad(op) && isTile(op->getResult(0)))
      toMaterialize.insert(op->getResult(0));
    if (isa<tt::LoadOp, tt::StoreOp>(op))
      materializeRowOffsets(op);
  });
}

/// `offs % M` in the offset of rows costs a division per row, which every
/// iteration of a loop would repeat.
void Planner::materializeRowOffsets(Operation *access) {
  auto loop = access->getParentOfType<LoopLikeOpInterface>();
  const codegen::TileForm *form = forms.of(access->getOperand(0));
  if (!loop || !form)
    return;
  for (const codegen::TileTerm &term : form->terms) {
    bool isRow =
        codegen::rankOf(term.tensor) == 1 && term.coefficient.constant() != 1;
    Value tensor = term.tensor;
    Operation *around = tensor.getParentBlock()->getParentOp();
    if (isRow && forms.wrapOf(term.tensor) && !elementLoops.contains(around) &&
        loop.isDefinedOutsideOfLoop(term.tensor))
      toMaterialize.insert(term.tensor);
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

/// Starts with an empty program that has the buffers of loops, branches and
/// materialized values.
void Planner::startRound() {
  program = std::make_unique<TileProgram>();
  program->function = function;
  program->elementLoops = elementLoops;
  readers.clear();
  streams.clear();
  loads.clear();
  stepOf.clear();
  stores.clear();
  writers.clear();

  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (elementLoops.contains(op)) {
      for (Value result : op->getResults())
        if (isTile(result) && !program->materialized.contains(result))
          program->materialized[result] = makeBuffer(result.getType());
      return WalkResult::skip();
    }
    if (infoOf(op).kind == TileOpKind::Region)
      makeRegionBuffers(op);
    for (Region &region : op->getRegions())
      if (isa<tt::FuncOp>(op))
        for (Block &block : llvm::drop_begin(region))
          for (BlockArgument argument : block.getArguments())
            if (isTile(argument))
              program->materialized[argument] = program->passed[argument] =
                  makeBuffer(argument.getType());
    TileOpInfo info = infoOf(op);
    if (info.ownsResult)
      for (Value result : op->getResults())
        if (isTile(result) && !program->materialized.contains(result) &&
            !(info.isAtomic && result.use_empty()))
          program->materialized[result] = makeBuffer(result.getType());
    return WalkResult::advance();
  });
  for (Value value : toMaterialize)
    if (!program->materialized.contains(value))
      program->materialized[value] = makeBuffer(value.getType());
}

/// Makes the buffers of the tiles that a loop carries and that its terminators
/// pass. A yielded value is computed into the buffer of the next iteration.
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
          !isIndexFunction(yielded) &&
          !program->materialized.contains(yielded) &&
          (infoOf(producer).kind != TileOpKind::Region ||
           elementLoops.contains(producer))) {
        program->materialized[yielded] = tile.next;
        if (isTileExpression(producer))
          toMaterialize.insert(yielded);
      }
    }
    return;
  }
  auto pass = [&](Value target) {
    if (isTile(target))
      program->materialized[target] = program->passed[target] =
          makeBuffer(target.getType());
  };
  for (Value result : op->getResults())
    pass(result);
  // A product is computed where the branch passes it.
  if (auto branch = dyn_cast<scf::IfOp>(op))
    for (Region &region : branch->getRegions())
      for (Block &block : region)
        for (auto [result, yielded] :
             llvm::zip(op->getResults(), block.getTerminator()->getOperands()))
          if (yielded.getDefiningOp<tt::DotOp>() &&
              yielded.getParentBlock() == &block &&
              !program->materialized.contains(yielded))
            program->materialized[yielded] = program->passed.lookup(result);
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (Value argument : loop.getBeforeArguments())
      pass(argument);
    // The operands of the condition are the results when the loop ends.
    for (auto [argument, result] :
         llvm::zip(loop.getAfterArguments(), loop.getResults()))
      if (isTile(argument))
        program->materialized[argument] = program->passed[argument] =
            program->materialized[result];
  }
}

} // namespace nereid::cpu
