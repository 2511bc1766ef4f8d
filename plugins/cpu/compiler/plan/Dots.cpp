// Dots.cpp - packing of the operands of dots, and which dots of a loop are
// deferred to multiply the operands of several iterations at once.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/Induction.h"
#include "plan/Planner.h"
#include "plan/DotTypes.h"

using namespace mlir;

namespace nereid::cpu {

// ------------------------------------------------------------ transposed

/// Does `op` exchange the last two dimensions and no others?
static bool isExchange(Operation *op) {
  auto trans = dyn_cast_or_null<tt::TransOp>(op);
  if (!trans)
    return false;
  ArrayRef<int32_t> order = trans.getOrder();
  int32_t rank = order.size();
  for (int32_t dim = 0; dim < rank - 2; ++dim)
    if (order[dim] != dim)
      return false;
  return rank >= 2 && order[rank - 1] == rank - 2;
}

static tt::TransOp exchange(OpBuilder &builder, Value value) {
  int32_t rank = codegen::rankOf(value);
  auto order = llvm::to_vector(llvm::seq<int32_t>(0, rank));
  std::swap(order[rank - 1], order[rank - 2]);
  return builder.create<tt::TransOp>(value.getLoc(), value, order);
}

/// `value` without element-wise conversions.
static Value withoutConversions(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumOperands() != 1)
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Of the loads that `value` is computed from: the number that are contiguous
/// along columns minus the number contiguous along rows.
int Planner::columnsInMemory(Value value) {
  int last = codegen::rankOf(value) - 1, columns = 0;
  RootReads reads =
      readsOf({RootKind::Materialize, nullptr, value, nullptr}, *program);
  for (const TileRead &read : reads.loads) {
    auto load = read.value.getDefiningOp<tt::LoadOp>();
    const codegen::TileForm *form = forms.of(load.getPtr());
    if (!form)
      continue;
    for (auto [dim, target] : llvm::enumerate(read.map)) {
      auto stride = forms.strideUnlessWrapped(*form, dim);
      if (!stride || stride->constant() != 1)
        continue;
      columns += target.isAlong(last - 1);
      columns -= target.isAlong(last);
    }
  }
  return columns;
}

/// If `operand` of a dot is column-major in memory, makes it a tt.trans of a
/// row-major tile: its loads and stores are then contiguous vectors, and
/// transposing a tile in scratch is cheap.
bool Planner::transposeIfColumnMajor(OpOperand &operand,
                                     DenseMap<Value, Value> &turned) {
  Value value = operand.get();
  auto shape = cast<RankedTensorType>(value.getType()).getShape();
  if (shape.back() == 1 || shape.drop_back().back() == 1)
    return false;
  int columns = columnsInMemory(value);
  Operation *source = withoutConversions(value).getDefiningOp();
  if (columns < 0 || (columns == 0 && !isExchange(source)))
    return false;
  if (isExchange(value.getDefiningOp()))
    return true;
  OpBuilder builder(operand.getOwner());
  Value &other = turned[value];
  if (!other) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(value);
    other = exchange(builder, value);
  }
  operand.set(exchange(builder, other));
  return true;
}

void Planner::transposeDotOperands() {
  if (!options.fastPaths.has(FastPath::DotTransposed))
    return;
  startRound(); // columnsInMemory() stops at materialized values
  SmallVector<tt::DotOp> dots;
  function.walk([&](tt::DotOp dot) { dots.push_back(dot); });
  DenseMap<Value, Value> turned;
  for (tt::DotOp dot : dots) {
    bool left = transposeIfColumnMajor(dot.getAMutable(), turned);
    bool right = transposeIfColumnMajor(dot.getBMutable(), turned);
    if (left || right)
      markTransposed(dot, left, right);
  }
}

// ------------------------------------------------------------ one dot

void Planner::planDot(tt::DotOp dot) {
  Buffer *buffer = program->materialized.lookup(dot.getResult());
  flush();
  // The accumulator is computed into the buffer that the dot adds to. This copy
  // is removed if loops turn out to share the buffer.
  addRoot({RootKind::Materialize, nullptr, dot.getC(), buffer});
  flush();
  unsigned step = current->steps.size();
  DotPlan &plan = program->dots[dot];
  plan = planProduct(dot, options);
  for (const DotOperand &operand : {plan.left, plan.right})
    readers[operand.value].push_back({block, step, 0, false});
  // Single elements of the left operand are read in any layout.
  bool readsElements = plan.kind == DotKind::Elements;
  if (plan.left.isTransposed && !readsElements)
    plan.left.packed = makeBuffer(dot.getA().getType());
  if (plan.right.isTransposed || !readsElements)
    plan.right.packed = makeBuffer(dot.getB().getType());
  stepOf[dot] = step;
  current->steps.push_back({StepKind::Dot, dot, nullptr});
}

// ------------------------------------------------------------ deferred dots

/// Bytes that one iteration adds to the packed panel of a dot.
static int64_t panelBytesOf(tt::DotOp dot, const DotPlan &plan) {
  // Tile registers multiply with two tiles at a time.
  int64_t columns = plan.kind == DotKind::Tiles
                        ? 2 * plan.packing.columns
                        : plan.block.lanes * plan.block.vectors;
  auto right = dot.getB().getType();
  return right.getShape()[right.getRank() - 2] * columns *
         right.getElementTypeBitWidth() / 8;
}

/// True when only `dot` uses the sums that `loop` carries for it, and they are
/// updated in place: then they need not be up to date until the loop ends.
static bool onlyAddsToCarried(tt::DotOp dot, scf::ForOp loop,
                              const TileProgram &program) {
  auto sums = dyn_cast<BlockArgument>(dot.getC());
  if (!sums || sums.getOwner() != loop.getBody() || !sums.hasOneUse() ||
      !dot->hasOneUse())
    return false;
  if (loop.getTiedLoopYieldedValue(sums)->get() != dot.getResult())
    return false;
  auto tile = program.carried.find(sums);
  return tile != program.carried.end() &&
         tile->second.current == tile->second.next;
}

/// The trip count of `loop`, if constant.
static std::optional<int64_t> tripCountOf(scf::ForOp loop) {
  auto lower = getConstantIntValue(loop.getLowerBound());
  auto upper = getConstantIntValue(loop.getUpperBound());
  auto step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return std::nullopt;
  return std::max<int64_t>(0, llvm::divideCeilSigned(*upper - *lower, *step));
}

/// Defers `dot`, with the buffers that it reads and `loop` writes, unless one
/// of them cannot hold several tiles.
void Planner::addToDeferred(tt::DotOp dot, scf::ForOp loop,
                            DeferredDots &deferred) {
  if (!onlyAddsToCarried(dot, loop, *program))
    return;
  SmallVector<const Buffer *, 2> buffers;
  const DotPlan &plan = program->dots.at(dot);
  // On AVX2, deferring made dots of f32 5 to 20 % slower.
  if (plan.kind == DotKind::Elements && !options.cpu.gainsFromDeferredDots())
    return;
  for (DotOperand operand : {plan.left, plan.right}) {
    if (operand.value.getParentBlock() != loop.getBody())
      continue;
    if (operand.packed) {
      buffers.push_back(operand.packed);
      continue;
    }
    // A buffer that is passed to another block holds a single tile.
    const Buffer *buffer = program->materialized.lookup(operand.value);
    if (!buffer || isa<BlockArgument>(operand.value) || isPassedOn(buffer))
      return;
    buffers.push_back(buffer);
  }
  deferred.buffers.insert(buffers.begin(), buffers.end());
  deferred.dots.push_back(dot);
}

bool Planner::isPassedOn(const Buffer *buffer) const {
  auto isIt = [&](const auto &entry) { return entry.second == buffer; };
  return llvm::any_of(program->passed, isIt) ||
         llvm::any_of(program->carried, [&](const auto &entry) {
           return entry.second.current == buffer || entry.second.next == buffer;
         });
}

/// Lets the deferred dots prefetch the iterations after those that they
/// multiply. The hardware prefetcher does not detect tiles with few lines per
/// row, and while operands are copied there is no other work to hide the
/// latency.
void Planner::planPrefetches(scf::ForOp loop, DeferredDots &deferred) {
  if (!options.fastPaths.has(FastPath::DotPrefetch))
    return;
  DenseSet<Value> prefetched;
  for (tt::DotOp dot : deferred.dots) {
    const DotPlan &plan = program->dots.at(dot);
    for (const DotOperand &operand : {plan.left, plan.right}) {
      RootReads reads = readsOf({RootKind::Materialize, nullptr, operand.value,
                                 program->materialized.lookup(operand.value)},
                                *program);
      for (const TileRead &read : reads.loads) {
        auto load = read.value.getDefiningOp<tt::LoadOp>();
        const codegen::TileForm *found = forms.of(load.getPtr());
        if (load->getParentOp() != loop || !found || read.map.size() != 2 ||
            !getElementTypeOrSelf(read.value).isIntOrFloat() ||
            !prefetched.insert(read.value).second)
          continue;
        codegen::TileForm form = forms.unwrapped(*found);
        bool hasRows = form.strides[1].constant() == 1;
        bool hasColumns = form.strides[0].constant() == 1;
        auto advance = advanceOf(form.base, loop);
        if (!form.isAffine() || hasRows == hasColumns || !advance ||
            advance->isZero())
          continue;
        form.base = form.base + *advance;
        deferred.prefetches.push_back(
            {dot, read.value, std::move(form), *advance, hasRows ? 0u : 1u});
      }
    }
  }
}

/// Defers dots in loops that do nothing with their sums but add to them.
void Planner::deferDots() {
  if (!options.fastPaths.has(FastPath::DotDeferred))
    return;
  function.walk([&](scf::ForOp loop) {
    DeferredDots deferred;
    for (const Step &step : program->blocks[loop.getBody()].steps)
      if (step.kind == StepKind::Dot)
        addToDeferred(cast<tt::DotOp>(step.op), loop, deferred);
    int64_t bytes = 0;
    for (const Buffer *buffer : deferred.buffers)
      bytes += buffer->bytes();
    if (!bytes)
      return;
    deferred.iterations = options.cpu.deferredBytes / bytes;
    for (tt::DotOp dot : deferred.dots)
      deferred.iterations = std::min(
          deferred.iterations,
          options.cpu.panelBytes / panelBytesOf(dot, program->dots.at(dot)));
    if (std::optional<int64_t> iterations = tripCountOf(loop))
      deferred.iterations = std::min(deferred.iterations, *iterations);
    if (deferred.iterations < 2)
      return;
    for (auto &buffer : program->buffers)
      if (deferred.buffers.contains(buffer.get()))
        buffer->tiles = deferred.iterations;
    planPrefetches(loop, deferred);
    program->deferredDots[loop] = std::move(deferred);
  });
}

} // namespace nereid::cpu
