// Dots.cpp - where the operands of dots are put aside, in which order, and
// which dots of a loop wait until those of several rounds are there.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/Induction.h"
#include "plan/Planner.h"
#include "plan/DotTypes.h"

using namespace mlir;

namespace nereid::cpu {

// ------------------------------------------------------------ transposed

/// Does `op` exchange the last two dimensions, and no others?
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

/// What `value` is a conversion of.
static Value withoutConversions(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumOperands() != 1)
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// How many more of the loads that `value` is made of have the elements of a
/// column next to each other in memory than those of a row.
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

/// Makes `operand` of a dot a tt.trans of what lies in memory row by row, if
/// it lies there column by column: loads and stores of neighbours are vectors,
/// and to turn a tile in scratch is cheap.
bool Planner::orient(OpOperand &operand, DenseMap<Value, Value> &turned) {
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

void Planner::orientDots() {
  if (!options.fastPaths.has(FastPath::DotTransposed))
    return;
  startRound(); // what is kept in any case is where expressions end
  SmallVector<tt::DotOp> dots;
  function.walk([&](tt::DotOp dot) { dots.push_back(dot); });
  DenseMap<Value, Value> turned;
  for (tt::DotOp dot : dots) {
    bool left = orient(dot.getAMutable(), turned);
    bool right = orient(dot.getBMutable(), turned);
    if (left || right)
      markTransposed(dot, left, right);
  }
}

// ------------------------------------------------------------ one dot

void Planner::planDot(tt::DotOp dot) {
  Buffer *buffer = program->materialized.lookup(dot.getResult());
  flush();
  // The accumulator is computed where the dot adds to it. Whether it is there
  // already is known once loops share buffers; until then it is a copy.
  addRoot({RootKind::Materialize, nullptr, dot.getC(), buffer});
  flush();
  unsigned step = current->steps.size();
  DotPlan &plan = program->dots[dot];
  plan = planProduct(dot, options);
  for (const DotOperand &operand : {plan.left, plan.right})
    readers[operand.value].push_back({block, step, 0, false});
  // Single elements of the left operand are read wherever they lie.
  bool takesElements = plan.kind == DotKind::Elements;
  if (plan.left.isTransposed && !takesElements)
    plan.left.packed = makeBuffer(dot.getA().getType());
  if (plan.right.isTransposed || !takesElements)
    plan.right.packed = makeBuffer(dot.getB().getType());
  stepOf[dot] = step;
  current->steps.push_back({StepKind::Dot, dot, nullptr});
}

// ------------------------------------------------------------ queues

/// Bytes that one round adds to the panel of a dot.
static int64_t panelBytesOf(tt::DotOp dot, const DotPlan &plan) {
  // Tile registers multiply with two tiles at a time.
  int64_t columns = plan.kind == DotKind::Tiles
                        ? 2 * plan.packing.columns
                        : plan.block.lanes * plan.block.vectors;
  auto right = dot.getB().getType();
  return right.getShape()[right.getRank() - 2] * columns *
         right.getElementTypeBitWidth() / 8;
}

/// True when nothing but `dot` uses the sums that `loop` carries for it, and
/// they are updated in place: then they may be behind until the loop ends.
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

/// The rounds of `loop`, if that is known.
static std::optional<int64_t> roundsOf(scf::ForOp loop) {
  auto lower = getConstantIntValue(loop.getLowerBound());
  auto upper = getConstantIntValue(loop.getUpperBound());
  auto step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return std::nullopt;
  return std::max<int64_t>(0, llvm::divideCeilSigned(*upper - *lower, *step));
}

/// Lets `dot` wait, with the buffers that it reads and `loop` writes, unless one
/// of them cannot hold several tiles.
void Planner::addToQueue(tt::DotOp dot, scf::ForOp loop, DotQueue &queue) {
  if (!onlyAddsToCarried(dot, loop, *program))
    return;
  SmallVector<const Buffer *, 2> buffers;
  const DotPlan &plan = program->dots.at(dot);
  // On AVX2 a queue made products of f32 5 to 20 % slower.
  if (plan.kind == DotKind::Elements && !options.cpu.gainsFromQueues())
    return;
  for (DotOperand operand : {plan.left, plan.right}) {
    if (operand.value.getParentBlock() != loop.getBody())
      continue;
    if (operand.packed) {
      buffers.push_back(operand.packed);
      continue;
    }
    // What is passed on has its place in a plan of its own.
    const Buffer *buffer = program->materialized.lookup(operand.value);
    if (!buffer || isa<BlockArgument>(operand.value) || isPassedOn(buffer))
      return;
    buffers.push_back(buffer);
  }
  queue.buffers.insert(buffers.begin(), buffers.end());
  queue.dots.push_back(dot);
}

bool Planner::isPassedOn(const Buffer *buffer) const {
  auto isIt = [&](const auto &entry) { return entry.second == buffer; };
  return llvm::any_of(program->passed, isIt) ||
         llvm::any_of(program->carried, [&](const auto &entry) {
           return entry.second.current == buffer || entry.second.next == buffer;
         });
}

/// Lets the dots of `queue` ask for the rounds that come after those they
/// multiply: tiles of a few lines a row are no stream that the processor
/// notices, and while they are copied there is nothing else to do.
void Planner::readAheadOf(scf::ForOp loop, DotQueue &queue) {
  if (!options.fastPaths.has(FastPath::ReadAhead))
    return;
  DenseSet<Value> asked;
  for (tt::DotOp dot : queue.dots) {
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
            !asked.insert(read.value).second)
          continue;
        codegen::TileForm form = forms.unwrapped(*found);
        bool hasRows = form.strides[1].constant() == 1;
        bool hasColumns = form.strides[0].constant() == 1;
        auto advance = advanceOf(form.base, loop);
        if (!form.isAffine() || hasRows == hasColumns || !advance ||
            advance->isZero())
          continue;
        form.base = form.base + *advance;
        queue.ahead.push_back(
            {dot, read.value, std::move(form), *advance, hasRows ? 0u : 1u});
      }
    }
  }
}

/// Lets dots wait where a loop does nothing with their sums but add to them.
void Planner::queueDots() {
  if (!options.fastPaths.has(FastPath::DotQueue))
    return;
  function.walk([&](scf::ForOp loop) {
    DotQueue queue;
    for (const Step &step : program->blocks[loop.getBody()].steps)
      if (step.kind == StepKind::Dot)
        addToQueue(cast<tt::DotOp>(step.op), loop, queue);
    int64_t bytes = 0;
    for (const Buffer *buffer : queue.buffers)
      bytes += buffer->bytes();
    if (!bytes)
      return;
    queue.rounds = options.cpu.queueBytes / bytes;
    for (tt::DotOp dot : queue.dots)
      queue.rounds = std::min(
          queue.rounds,
          options.cpu.panelBytes / panelBytesOf(dot, program->dots.at(dot)));
    if (std::optional<int64_t> rounds = roundsOf(loop))
      queue.rounds = std::min(queue.rounds, *rounds);
    if (queue.rounds < 2)
      return;
    for (auto &buffer : program->buffers)
      if (queue.buffers.contains(buffer.get()))
        buffer->tiles = queue.rounds;
    readAheadOf(loop, queue);
    program->queues[loop] = std::move(queue);
  });
}

} // namespace nereid::cpu
