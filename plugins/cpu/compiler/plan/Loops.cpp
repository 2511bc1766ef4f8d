// Loops.cpp - expressions worth materializing.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Planner.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::cpu {

// An expression of at most this cost is cheaper to evaluate again than to
// materialize; one of columns or rows that tiles repeat, of at most the second.
static constexpr unsigned kCheap = 12, kCheapRepeated = 6;

// What is the same in all of a row is evaluated for one element. That takes as
// long as for a vector of rows, but the stores of more than two vectors hide
// most of it, except of longer functions, as tl.log(1 + tl.exp(x)).
static constexpr unsigned kLongRow = 24;
static constexpr int64_t kShortRow = 2; // vectors

// A longer chain of tile operations with several readers is split by a buffer.
// No expansion of a single math function is as long.
static constexpr unsigned kLongChain = 512;

/// Without a buffer every reader's nest would evaluate the chain again, and
/// planning would walk it again, in quadratic time.
void Planner::materializeLongChains() {
  DenseMap<Value, unsigned> lengths;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isTileExpression(op) || elementLoops.contains(op->getParentOp()))
      return;
    unsigned longest = 0;
    for (Value operand : op->getOperands())
      longest = std::max(longest, lengths.lookup(operand));
    for (Value result : op->getResults()) {
      bool isLong = longest >= kLongChain && !result.hasOneUse() &&
                    isTile(result) && !isIndexFunction(result);
      if (isLong)
        toMaterialize.insert(result);
      lengths[result] = toMaterialize.contains(result) ? 0 : longest + 1;
    }
  });
}

/// The single root or materialized value that all users of `value` lead to, or
/// `value` itself if there are several. Of a chain, only its last value is
/// worth a buffer: then each of the others has a single reader.
static const void *sinkOf(Value value, const TileProgram &program,
                          DenseMap<Value, const void *> &known) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  const void *self = value.getAsOpaquePointer(), *sink = nullptr;
  auto reach = [&](const void *place) {
    sink = !sink || sink == place ? place : self;
  };
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (user->hasTrait<OpTrait::IsTerminator>())
      reach(&use); // each is copied by a root of its own
    else if (!isTileExpression(user))
      reach(user);
    else
      for (Value result : user->getResults())
        reach(program.isMaterialized(result) ? result.getAsOpaquePointer()
                                     : sinkOf(result, program, known));
  }
  return known[value] = sink ? sink : self;
}

/// The columns, `[1, n]` for one, that tiles of `function` repeat in many rows,
/// as they are before they have dimensions of size 1.
static DenseSet<Value> repeatedColumns(tt::FuncOp function) {
  constexpr int64_t kMany = 4;
  DenseSet<Value> columns;
  function.walk([&](tt::BroadcastOp broadcast) {
    Value source = broadcast.getSrc();
    RankedTensorType from = codegen::tileType(source), to = broadcast.getType();
    int64_t size = from.getShape().back();
    if (size == 1 || from.getNumElements() * kMany > to.getNumElements())
      return;
    while (auto expand = source.getDefiningOp<tt::ExpandDimsOp>())
      source = expand.getSrc();
    columns.insert(source);
  });
  return columns;
}

/// What tiles of `function` repeat along rows: tiles with one element per row,
/// as they are before they have dimensions of size 1.
static DenseSet<Value> repeatedAlongRows(tt::FuncOp function) {
  DenseSet<Value> values;
  function.walk([&](tt::BroadcastOp broadcast) {
    Value source = broadcast.getSrc();
    ArrayRef<int64_t> from = codegen::tileType(source).getShape();
    if (from.size() != 2 || from.back() != 1 ||
        broadcast.getType().getShape().back() == 1)
      return;
    if (auto expand = source.getDefiningOp<tt::ExpandDimsOp>())
      source = expand.getSrc();
    values.insert(source);
  });
  return values;
}

/// The operands of tt.join in `function`: where lanes alternate between two
/// tiles, both are evaluated for all of them, each of their elements twice.
static DenseSet<Value> joinedTiles(tt::FuncOp function) {
  DenseSet<Value> values;
  function.walk([&](tt::JoinOp join) {
    values.insert(join.getLhs());
    values.insert(join.getRhs());
  });
  return values;
}

/// Is the nest at `place` one that reduces columns? Its rows are in a loop
/// within that over vectors, each of which would compute again what is the same
/// in all of a row, element by element.
bool Planner::runsInStrips(const Place &place) {
  const Step &step = program->blocks[place.block].steps[place.step];
  if (step.kind != StepKind::Nest)
    return false;
  const Nest &nest = *step.nest;
  return nest.shape.size() == 2 && nest.reduceAxis == 0 && nest.vectorAxis == 1;
}

/// Does the nest at `place` wait in each row for a value with one element for
/// each, which costs so much? Its vectors are along rows.
bool Planner::waitsForRows(const Place &place, unsigned cost) {
  const Step &step = program->blocks[place.block].steps[place.step];
  if (step.kind != StepKind::Nest)
    return false;
  const Nest &nest = *step.nest;
  return nest.shape.size() == 2 && nest.vectorAxis == 1 && nest.lanes > 1 &&
         (nest.reduceAxis == 1 || nest.shape[1] <= kShortRow * nest.lanes ||
          cost > kLongRow);
}

/// Materializes expensive expressions that several nests, several parts of one,
/// or the rows of a nest would evaluate. Returns true if there is a new one.
bool Planner::materializeExpensiveValues() {
  if (!options.fastPaths.has(FastPath::Recompute)) {
    bool grew = false;
    for (auto &[value, places] : streams)
      if (!isIndexFunction(value) && !program->isMaterialized(value) &&
          !program->isInElementLoop(value.getParentBlock()))
        grew |= toMaterialize.insert(value);
    return grew;
  }
  DenseSet<Value> columns = repeatedColumns(function);
  // What is known of masks and addresses that depend on the index only is worth
  // more than their cost.
  auto isKnown = [&](Value value) {
    return isIndexFunction(value) &&
           !(columns.contains(value) &&
             isa<FloatType>(getElementTypeOrSelf(value)));
  };
  SmallVector<Value> candidates;
  DenseSet<Value> rows = repeatedAlongRows(function), repeated;
  DenseSet<Value> joined = joinedTiles(function);
  auto isCostly = [&](Value value) {
    return costOf(value, *program, forms, columns.contains(value)) >
           (repeated.contains(value) ? kCheapRepeated : kCheap);
  };
  for (auto &[value, places] : streams) {
    if (program->isInElementLoop(value.getParentBlock()))
      continue;
    bool several = llvm::any_of(places, [&](const Place &place) {
      return place.step != places.front().step ||
             place.inner != places.front().inner;
    });
    bool isRepeated =
        columns.contains(value) ||
        (rows.contains(value) && llvm::any_of(places, [&](auto &place) {
           return runsInStrips(place) ||
                  waitsForRows(place, costOf(value, *program, forms, false));
         }));
    if (isRepeated)
      repeated.insert(value);
    if ((several || isRepeated || joined.contains(value)) &&
        !program->isMaterialized(value) && !isKnown(value) && isCostly(value))
      candidates.push_back(value);
  }
  // Operands come before their users, so that materializing an operand lowers
  // the cost of its users.
  llvm::sort(candidates, [&](Value a, Value b) {
    return order.lookup(a.getDefiningOp()) < order.lookup(b.getDefiningOp());
  });
  DenseMap<Value, const void *> sinks;
  bool grew = false;
  for (Value value : candidates)
    if ((repeated.contains(value) || joined.contains(value) ||
         sinkOf(value, *program, sinks) == value.getAsOpaquePointer()) &&
        isCostly(value)) {
      grew |= toMaterialize.insert(value);
      program->materialized.try_emplace(value, nullptr);
    }
  return grew;
}

} // namespace nereid::cpu
