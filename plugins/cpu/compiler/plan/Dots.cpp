// Dots.cpp - the operands of dots: which are transposed, and how they are laid
// out for the multiplication.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/DotTypes.h"
#include "plan/Planner.h"

using namespace mlir;

namespace nereid::cpu {

// ------------------------------------------------------------ transposed

bool swapsLastDims(Operation *op) {
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

/// May elements of `form` along `dim` be neighbours, although it is not affine
/// there, as the pixels of a row are for a convolution? Not where indices come
/// from memory.
bool Planner::mayBeNeighbours(const codegen::TileForm &form, unsigned dim) {
  std::optional<int64_t> stride = form.strides[dim].constant();
  return (stride == 0 || stride == 1) && form.termDims() >> dim & 1 &&
         llvm::all_of(form.terms, [&](const codegen::TileTerm &term) {
           return isIndexFunction(term.tensor);
         });
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
    int known = 0, possible = 0;
    for (auto [dim, target] : llvm::enumerate(read.map)) {
      int count = target.isAlong(last - 1) - target.isAlong(last);
      if (auto stride = forms.strideUnlessWrapped(*form, dim))
        known += stride->constant() == 1 ? count : 0;
      else if (mayBeNeighbours(*form, dim))
        possible += count;
    }
    columns += known ? known : possible;
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
  if (columns < 0 || (columns == 0 && !swapsLastDims(source)))
    return false;
  if (swapsLastDims(value.getDefiningOp()))
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

/// Moves conversions of what is known before a loop, such as the queries of
/// attention, out of it: they are operands of a dot in each iteration.
void Planner::hoistDotOperands() {
  function.walk([](tt::DotOp dot) {
    auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
    for (Value operand : {dot.getA(), dot.getB()}) {
      Operation *op = operand.getDefiningOp();
      if (loop && op && op->getParentOp() == loop && isMemoryEffectFree(op) &&
          op->getNumOperands() == 1 && op->hasTrait<OpTrait::Elementwise>() &&
          loop.isDefinedOutsideOfLoop(op->getOperand(0)))
        op->moveBefore(loop);
    }
  });
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

bool isAccumulation(tt::DotOp dot) {
  auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
  auto sums = dyn_cast<BlockArgument>(dot.getC());
  return loop && sums && sums.getOwner() == loop.getBody() &&
         sums.hasOneUse() && dot->hasOneUse() &&
         loop.getTiedLoopYieldedValue(sums)->get() == dot.getResult();
}

tt::DotOp dotOf(Operation *op) {
  if (!op->hasOneUse())
    return {};
  Operation *user = *op->user_begin();
  if (swapsLastDims(user) && user->hasOneUse())
    user = *user->user_begin();
  auto dot = dyn_cast<tt::DotOp>(user);
  return dot && dot->getBlock() == op->getBlock() ? dot : tt::DotOp();
}

bool computesDotOperand(Operation *op) {
  tt::DotOp dot = dotOf(op);
  return dot && isAccumulation(dot);
}

bool loadsDotOperand(Operation *op) {
  bool isConversion =
      op->hasTrait<OpTrait::Elementwise>() && op->getNumOperands() == 1;
  Operation *source = isConversion ? op->getOperand(0).getDefiningOp() : op;
  return isa_and_nonnull<tt::LoadOp>(source) && dotOf(op);
}

/// Is `dot` all that reads the materialized value of `operand`, an expression?
/// Then its buffer may have any layout.
static bool isOnlyReader(tt::DotOp dot, const DotOperand &operand) {
  Operation *producer = operand.value.getDefiningOp();
  if (!producer || !isTileExpression(producer) || !operand.value.hasOneUse())
    return false;
  Operation *user = *operand.value.user_begin();
  return user == dot || (operand.isTransposed && user->hasOneUse());
}

/// Lays out the left operand, if it is not packed: its tiles of several
/// iterations are joined to longer rows.
void Planner::joinRows(tt::DotOp dot, const DotPlan &plan) {
  unsigned depthDim = codegen::rankOf(dot.getA()) - 1;
  if (!plan.left.packed && isOnlyReader(dot, plan.left))
    program->materialized.lookup(plan.left.value)->joinedDim =
        plan.left.isTransposed ? depthDim - 1 : depthDim;
}

/// The right operand of DotKind::Elements. The nest that computes an operand
/// writes it in the order of its use if nothing else reads it. A right operand
/// that others read, or that is transposed, is packed: panels are contiguous,
/// where rows of a wide tile would compete for a few lines of the L1 cache.
void Planner::layOutRight(tt::DotOp dot, DotPlan &plan) {
  unsigned depthDim = codegen::rankOf(dot.getA()) - 1;
  int64_t columns = dot.getType().getShape().back();
  int64_t panel = plan.packing.columns < columns ? plan.packing.columns : 0;
  Buffer *right = nullptr;
  constexpr int64_t kFewUses = 4;
  int64_t rows = dot.getType().getShape()[depthDim - 1];
  if (!plan.right.isTransposed && isOnlyReader(dot, plan.right))
    right = program->materialized.lookup(plan.right.value);
  else if (plan.right.isTransposed ||
           (panel && rows > kFewUses * plan.block.rows))
    right = plan.right.packed = makeBuffer(dot.getB().getType());
  if (right) {
    right->joinedDim = depthDim - 1;
    right->panel = panel;
  }
}

/// Makes the buffers for the terms of both operands: of the left one, for the
/// rows of two tiles. Returns that of the right one, at whose end a cache line
/// tells whether they are complete.
Buffer *Planner::makeTerms(tt::DotOp dot, DotPlan &plan) {
  Type element = BFloat16Type::get(dot.getContext());
  auto make = [&](int64_t elements) {
    return makeBuffer(RankedTensorType::get({elements}, element));
  };
  auto left = dot.getA().getType().getShape().take_back(2);
  int64_t rows = std::min(left[0], 2 * CpuModel::kTileColumns);
  plan.leftTerms = make(plan.terms * rows * left[1]);
  constexpr int64_t kLine = kScratchAlign / 2;
  return make(plan.terms * dot.getB().getType().getNumElements() + kLine);
}

void Planner::planDot(tt::DotOp dot) {
  Buffer *buffer = program->materialized.lookup(dot.getResult());
  flush();
  DotPlan &plan = program->dots[dot];
  plan = planProduct(dot, options);
  plan.startsAtZero =
      options.fastPaths.has(FastPath::DotKernel) &&
      (matchPattern(dot.getC(), m_PosZeroFloat()) ||
       matchPattern(dot.getC(), m_Zero()));
  // The accumulator is computed into the buffer that the dot adds to. This copy
  // is removed if loops turn out to share the buffer.
  if (!plan.startsAtZero)
    addRoot({RootKind::Materialize, nullptr, dot.getC(), buffer});
  flush();
  unsigned step = current->steps.size();
  // In tile registers, programs are not divided unless operands are split, and
  // blocks have 32 rows. All but the last rows of a matrix need all: of a
  // number that is not known, they took 1.02 to 1.07 times as long on an
  // Emerald Rapids.
  RowLimits limits = rowLimits.lookup(dot);
  if (plan.kind != DotKind::Tiles || plan.terms > 1 ||
      (!limits.first && limits.isCounted && dot.getType().getDimSize(0) > 32)) {
    plan.firstRow = limits.first;
    plan.rows = limits.end;
  }
  for (const DotOperand &operand : {plan.left, plan.right})
    readers[operand.value].push_back({block, step, 0, false});
  if (plan.kind == DotKind::Elements) {
    layOutRight(dot, plan);
  } else {
    if (plan.left.isTransposed)
      plan.left.packed = makeBuffer(dot.getA().getType());
    plan.right.packed = plan.terms > 1 ? makeTerms(dot, plan)
                                       : makeBuffer(dot.getB().getType());
  }
  joinRows(dot, plan);
  stepOf[dot] = step;
  current->steps.push_back({StepKind::Dot, dot, nullptr});
}

} // namespace nereid::cpu
