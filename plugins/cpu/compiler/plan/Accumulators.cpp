// Accumulators.cpp - moves reductions of accumulated tiles into loops.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Accumulators.h"

#include "analysis/TileForm.h"
#include "tile/Combine.h"
#include "tile/Ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
/// A tile that `loop` carries as iteration argument `number`. Each iteration
/// only combines it with another, by the operations `update`, and after the
/// loop it is only an operand of `reduce`, which combines elements in the same
/// way. If there is a `choice`, it keeps the elements where its condition is
/// false.
struct Accumulator {
  scf::ForOp loop;
  unsigned number;
  SmallVector<Operation *, 4> update; // in order
  arith::SelectOp choice;
  tt::ReduceOp reduce;

  Value carried() const { return scf::ForOp(loop).getRegionIterArg(number); }
  Value updated() const { return update.back()->getResult(0); }
  /// What is combined with it; the result of another accumulator's reduction
  /// until that has moved.
  Value addend() const {
    codegen::Combination update = codegen::combinationOf(updated());
    return update.first == carried() ? update.second : update.first;
  }
};
} // namespace

static std::optional<Accumulator> matchAccumulator(scf::ForOp loop,
                                                   unsigned number) {
  Value carried = loop.getRegionIterArgs()[number];
  Value result = loop.getResult(number);
  Value yielded = loop.getYieldedValues()[number];
  if (!isTile(carried) || !result.hasOneUse() || !yielded.hasOneUse())
    return std::nullopt;
  auto reduce = dyn_cast<tt::ReduceOp>(*result.user_begin());
  if (!reduce || reduce->getNumOperands() != 1)
    return std::nullopt;
  auto choice = yielded.getDefiningOp<arith::SelectOp>();
  if (choice && choice.getFalseValue() == carried &&
      isTile(choice.getCondition()))
    yielded = choice.getTrueValue();
  else
    choice = nullptr;
  codegen::Combination update = codegen::combinationOf(yielded);
  if (!update || update.first == update.second ||
      (update.first != carried && update.second != carried) ||
      update.kind != codegen::combineOf(reduce->getRegion(0)).kind ||
      !yielded.hasOneUse())
    return std::nullopt;
  auto isPart = [&](Operation *user) {
    return user == choice || llvm::is_contained(update.ops, user);
  };
  if (!llvm::all_of(carried.getUsers(), isPart))
    return std::nullopt;
  for (Operation *op : update.ops)
    if (op->getBlock() != loop.getBody() ||
        (op != update.ops.back() && !llvm::all_of(op->getUsers(), isPart)))
      return std::nullopt;
  return Accumulator{loop, number, update.ops, choice, reduce};
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

/// Combines `carried`, which is reduced, with the reduced `addend`.
static Value combineReduced(OpBuilder &builder, const Accumulator &accumulator,
                            Value addend) {
  IRMapping mapping;
  mapping.map(accumulator.addend(), addend);
  auto tile = dyn_cast<RankedTensorType>(addend.getType());
  for (Operation *op : accumulator.update) {
    Value result = builder.clone(*op, mapping)->getResult(0);
    Type element = getElementTypeOrSelf(result.getType());
    result.setType(tile ? tile.clone(element) : element);
  }
  return mapping.lookup(accumulator.updated());
}

static void reduceInLoop(const Accumulator &accumulator) {
  auto [loop, number, update, choice, reduce] = accumulator;
  Value addend = accumulator.addend();
  OpBuilder builder(loop);
  OpOperand &init = loop.getInitArgsMutable()[number];
  init.set(reduceInit(builder, accumulator, init.get()));

  Type type = reduce->getResult(0).getType();
  accumulator.carried().setType(type);
  builder.setInsertionPoint(choice ? choice : update.back());
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
  // Reductions of one iteration share a nest if nothing uses the result of one
  // before the next.
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value sum = combineReduced(builder, accumulator, partial->getResult(0));
  Value former = choice ? choice.getResult() : accumulator.updated();
  former.replaceAllUsesWith(sum);
  if (choice)
    choice.erase();
  for (Operation *op : llvm::reverse(update))
    op->erase();

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
