// Accumulators.cpp - moves reductions of accumulated tiles into loops.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Accumulators.h"

#include "tile/Combine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
/// A tile that `loop` carries as iteration argument `number`. Each iteration
/// only combines it with another, by `update`, and after the loop it is only
/// an operand of `reduce`, which combines elements by the same operation.
struct Accumulator {
  scf::ForOp loop;
  unsigned number;
  Operation *update;
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
  if (!isTile(carried) || !carried.hasOneUse() || !result.hasOneUse())
    return std::nullopt;
  auto reduce = dyn_cast<tt::ReduceOp>(*result.user_begin());
  if (!reduce || reduce->getNumOperands() != 1 ||
      codegen::combineOf(reduce->getRegion(0)).kind ==
          codegen::CombineKind::Other)
    return std::nullopt;
  Operation *update = *carried.user_begin();
  if (update->getName() != combinerOf(reduce)->getName() ||
      update->getBlock() != loop.getBody() ||
      update->getResult(0) != loop.getYieldedValues()[number] ||
      !update->getResult(0).hasOneUse())
    return std::nullopt;
  return Accumulator{loop, number, update, reduce};
}

/// Combining the lanes of one vector takes about as long as accumulating some
/// vectors in scratch. Along another axis no lanes are combined.
static bool isWorthwhile(const Accumulator &accumulator,
                         const GenerateOptions &options) {
  constexpr int64_t kLeastVectors = 4;
  auto tile = cast<RankedTensorType>(accumulator.addend().getType());
  unsigned axis = tt::ReduceOp(accumulator.reduce).getAxis();
  int64_t extent = tile.getDimSize(axis);
  if (!isInnermost(axis, tile.getShape()))
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
  auto [loop, number, update, reduce] = accumulator;
  Value addend = accumulator.addend();
  OpBuilder builder(loop);
  OpOperand &init = loop.getInitArgsMutable()[number];
  init.set(reduceInit(builder, accumulator, init.get()));

  Type type = reduce->getResult(0).getType();
  BlockArgument carried = loop.getRegionIterArgs()[number];
  carried.setType(type);
  builder.setInsertionPoint(update);
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
