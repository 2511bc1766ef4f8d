// Accumulators.cpp - moves reductions of accumulated tiles into loops.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Accumulators.h"

#include "analysis/TileForm.h"
#include "tile/Combine.h"
#include "tile/Ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
/// A tile that `loop` carries as iteration argument `number`. Each iteration
/// only combines it with another, by `update`, and after the loop it is only
/// an operand of `reduce`, which combines elements by the same operation. If
/// there is a `choice`, it keeps the elements where its condition is false.
struct Accumulator {
  scf::ForOp loop;
  unsigned number;
  Operation *update;
  arith::SelectOp choice;
  tt::ReduceOp reduce;

  Value carried() const { return scf::ForOp(loop).getRegionIterArg(number); }
  /// What is combined with it; the result of another accumulator's reduction
  /// until that has moved.
  Value addend() const {
    return update->getOperand(update->getOperand(0) == carried() ? 1 : 0);
  }
};
} // namespace

/// The operation of a combine region that combineOf() recognizes.
static Operation *combinerOf(tt::ReduceOp reduce) {
  return &reduce->getRegion(0).front().front();
}

static std::optional<Accumulator> matchAccumulator(scf::ForOp loop,
                                                   unsigned number) {
  Value carried = loop.getRegionIterArgs()[number];
  Value result = loop.getResult(number);
  Value yielded = loop.getYieldedValues()[number];
  if (!isTile(carried) || !result.hasOneUse() || !yielded.hasOneUse())
    return std::nullopt;
  auto reduce = dyn_cast<tt::ReduceOp>(*result.user_begin());
  if (!reduce || reduce->getNumOperands() != 1 ||
      codegen::combineOf(reduce->getRegion(0)).kind ==
          codegen::CombineKind::Other)
    return std::nullopt;
  auto choice = yielded.getDefiningOp<arith::SelectOp>();
  if (choice && choice.getFalseValue() == carried &&
      isTile(choice.getCondition()))
    yielded = choice.getTrueValue();
  else
    choice = nullptr;
  Operation *update = yielded.getDefiningOp();
  auto ends = [&](Operation *user) { return user == update || user == choice; };
  if (!update || update->getName() != combinerOf(reduce)->getName() ||
      update->getBlock() != loop.getBody() || !yielded.hasOneUse() ||
      !llvm::is_contained(update->getOperands(), carried) ||
      !llvm::all_of(carried.getUsers(), ends) ||
      update->getOperand(0) == update->getOperand(1))
    return std::nullopt;
  return Accumulator{loop, number, update, choice, reduce};
}

/// Is `tile`, from a load, contiguous in memory along another dimension than
/// `axis`? Vectors are along that one.
static bool isAcross(Value tile, unsigned axis) {
  while (Operation *op = tile.getDefiningOp()) {
    if (auto load = dyn_cast<tt::LoadOp>(op)) {
      codegen::TileForms forms;
      const codegen::TileForm *form = forms.of(load.getPtr());
      ArrayRef<int64_t> shape = codegen::tileType(tile).getShape();
      for (unsigned dim = 0; form && dim < shape.size(); ++dim)
        if (dim != axis && shape[dim] > 1 &&
            form->strides[dim].constant() == 1 &&
            !(form->termDims() >> dim & 1))
          return true;
      return false;
    }
    if (!codegen::isElementOp(op) || op->getNumOperands() != 1)
      return false;
    tile = op->getOperand(0);
  }
  return false;
}

/// Combining the lanes of one vector takes about as long as accumulating some
/// vectors in scratch. Along another axis no lanes are combined.
static bool isWorthwhile(const Accumulator &accumulator,
                         const GenerateOptions &options) {
  constexpr int64_t kLeastVectors = 4;
  auto tile = cast<RankedTensorType>(accumulator.addend().getType());
  unsigned axis = tt::ReduceOp(accumulator.reduce).getAxis();
  int64_t extent = tile.getDimSize(axis);
  if (!isInnermost(axis, tile.getShape()) ||
      isAcross(accumulator.addend(), axis))
    return extent > 1;
  unsigned bits = std::max(8u, tt::getElementBitWidth(tile.getElementType()));
  return extent * bits >= kLeastVectors * options.cpu.vectorBits;
}

/// `init`, reduced before the loop.
static Value reduceInit(OpBuilder &builder, const Accumulator &accumulator,
                        Value init) {
  tt::ReduceOp reduce = accumulator.reduce;
  SplatElementsAttr splat;
  if (matchPattern(init, m_Constant(&splat)) &&
      codegen::combineOf(reduce->getRegion(0))
          .isIdempotent(splat.getSplatValue<Attribute>())) {
    auto element = cast<TypedAttr>(splat.getSplatValue<Attribute>());
    Type type = reduce->getResult(0).getType();
    if (auto tile = dyn_cast<RankedTensorType>(type))
      element = DenseElementsAttr::get(tile, Attribute(element));
    return builder.create<arith::ConstantOp>(init.getLoc(), element);
  }
  Operation *copy = builder.clone(*reduce);
  copy->setOperand(0, init);
  return copy->getResult(0);
}

static void reduceInLoop(const Accumulator &accumulator) {
  auto [loop, number, update, choice, reduce] = accumulator;
  Value addend = accumulator.addend();
  OpBuilder builder(loop);
  OpOperand &init = loop.getInitArgsMutable()[number];
  init.set(reduceInit(builder, accumulator, init.get()));

  Type type = reduce->getResult(0).getType();
  BlockArgument carried = loop.getRegionIterArgs()[number];
  carried.setType(type);
  builder.setInsertionPoint(choice ? choice : update);
  if (choice) {
    auto tile = cast<RankedTensorType>(addend.getType());
    Attribute identity = codegen::combineOf(reduce->getRegion(0))
                             .identity(tile.getElementType());
    Value unchanged = builder.create<arith::ConstantOp>(
        choice.getLoc(), DenseElementsAttr::get(tile, identity));
    addend = builder.create<arith::SelectOp>(
        choice.getLoc(), choice.getCondition(), addend, unchanged);
  }
  Operation *partial = builder.clone(*reduce);
  partial->setOperand(0, addend);
  Value operands[] = {partial->getResult(0), partial->getResult(0)};
  operands[update->getOperand(0) == carried ? 0 : 1] = carried;
  // Reductions of one iteration share a nest if nothing uses the result of one
  // before the next.
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  OperationState state(update->getLoc(), update->getName(), operands,
                       ArrayRef<Type>(type), update->getAttrs());
  Operation *sum = builder.create(state);
  if (choice) {
    choice.replaceAllUsesWith(sum->getResult(0));
    choice.erase();
  }
  update->getResult(0).replaceAllUsesWith(sum->getResult(0));
  update->erase();

  Value result = loop.getResult(number);
  result.setType(type);
  reduce->getResult(0).replaceAllUsesWith(result);
  reduce->erase();
}

void reduceInLoops(tt::FuncOp kernel, const GenerateOptions &options) {
  SmallVector<Accumulator> found;
  kernel.walk([&](scf::ForOp loop) {
    for (unsigned number = 0; number < loop.getNumResults(); ++number)
      if (auto accumulator = matchAccumulator(loop, number);
          accumulator && isWorthwhile(*accumulator, options) &&
          (options.reassociate ||
           !codegen::isRounded(accumulator->reduce->getRegion(0))))
        found.push_back(*accumulator);
  });
  for (const Accumulator &accumulator : found)
    reduceInLoop(accumulator);
}

} // namespace nereid::cpu
