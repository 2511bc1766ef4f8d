// Pipeline.cpp - loads that run ahead of the products which read them.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "gpu/Pipeline.h"

#include "analysis/Polynomial.h"
#include "analysis/TileForm.h"
#include "tile/Ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::codegen::gpu {

namespace {
/// Operations that are computed twice, at most, for the loads of one loop.
constexpr unsigned kMaxOperations = 512;

/// A load that runs ahead of `dot`, the first product that it feeds.
struct Ahead {
  tt::LoadOp load;
  tt::DotOp dot;
};

class LoopPipeline {
public:
  LoopPipeline(scf::ForOp loop, const PipelineOptions &options)
      : loop(loop), options(options) {}

  unsigned run();

private:
  bool mayReorderLoads();
  tt::DotOp firstProductOf(Value tile);
  bool isKnownAhead(Value value);
  void findKnownArguments();
  void chooseLoads();
  void addFirstLoads(SmallVectorImpl<Value> &inits);
  /// Copies of the operations in the loop that compute `value`, with `mapping`
  /// for what the loop carries.
  Value copy(OpBuilder &builder, Value value, IRMapping &mapping);
  Value copyLoad(OpBuilder &builder, tt::LoadOp load, IRMapping &mapping);
  SmallVector<Value> addNextLoads();

  scf::ForOp loop;
  const PipelineOptions &options;
  SmallVector<Ahead> loads;
  /// Carried scalars whose next value is known ahead.
  llvm::DenseSet<Value> arguments;
  /// Answers of isKnownAhead() about what the loop computes.
  llvm::DenseMap<Value, bool> known;
};
} // namespace

/// False if another thread or program may see, or decide, when a load is done,
/// or if an assertion decides whether it is.
bool LoopPipeline::mayReorderLoads() {
  return !loop->walk([&](Operation *op) {
                TileOpInfo info = infoOf(op);
                auto load = dyn_cast<tt::LoadOp>(op);
                bool isBarrier = isa<mlir::gpu::BarrierOp, ttg::BarrierOp,
                                     tt::GridDependencyWaitOp,
                                     tt::GridDependencyLaunchDependentsOp>(op);
                bool isOrdered = info.kind == TileOpKind::Unknown ||
                                 info.writes || info.isAtomic || isBarrier ||
                                 isa<tt::AssertOp>(op) ||
                                 (load && load.getIsVolatile());
                return isOrdered ? WalkResult::interrupt()
                                 : WalkResult::advance();
              })
              .wasInterrupted();
}

/// The first product of the loop that reads `tile`, through operations on
/// elements and shapes.
tt::DotOp LoopPipeline::firstProductOf(Value tile) {
  tt::DotOp first;
  SmallVector<Value> reached = {tile};
  llvm::DenseSet<Value> seen = {tile};
  while (!reached.empty()) {
    Value value = reached.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (user->getBlock() != loop.getBody())
        continue;
      if (auto dot = dyn_cast<tt::DotOp>(user)) {
        if (use.getOperandNumber() < 2 &&
            (!first || dot->isBeforeInBlock(first)))
          first = dot;
        continue;
      }
      if (infoOf(user).kind != TileOpKind::Expression)
        continue;
      for (Value result : user->getResults())
        if (seen.insert(result).second)
          reached.push_back(result);
    }
  }
  return first;
}

/// True if `value` of the next iteration can be computed in this one: from the
/// induction variable, from scalars that the loop carries, and from what does
/// not change in the loop.
bool LoopPipeline::isKnownAhead(Value value) {
  if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar())
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return arguments.contains(value);
  if (auto found = known.find(value); found != known.end())
    return found->second;
  TileOpKind kind = infoOf(op).kind;
  bool result =
      op->getBlock() == loop.getBody() && op->getNumRegions() == 0 &&
      (kind == TileOpKind::Scalar || kind == TileOpKind::Expression) &&
      isMemoryEffectFree(op) && known.size() < kMaxOperations &&
      llvm::all_of(
          op->getOperands(),
          [&](Value operand) { return isKnownAhead(operand); });
  return known[value] = result;
}

/// All scalars, without those whose next value needs a load or one of those.
void LoopPipeline::findKnownArguments() {
  for (Value argument : loop.getRegionIterArgs())
    if (!tileType(argument))
      arguments.insert(argument);
  for (bool isDone = false; !isDone;) {
    isDone = true;
    known.clear();
    for (BlockArgument argument : loop.getRegionIterArgs())
      if (arguments.contains(argument) &&
          !isKnownAhead(loop.getTiedLoopYieldedValue(argument)->get())) {
        arguments.erase(argument);
        isDone = false;
        break;
      }
  }
}

static unsigned bytesOf(RankedTensorType type) {
  return type.getNumElements() *
         std::max(8u, type.getElementType().getIntOrFloatBitWidth()) / 8;
}

void LoopPipeline::chooseLoads() {
  unsigned bytes = 0;
  for (tt::LoadOp load : loop.getBody()->getOps<tt::LoadOp>()) {
    RankedTensorType type = tileType(load.getResult());
    if (!type || !type.getElementType().isIntOrFloat())
      continue;
    tt::DotOp dot = firstProductOf(load.getResult());
    if (!dot || loop.isDefinedOutsideOfLoop(load.getPtr()) ||
        !llvm::all_of(load->getOperands(),
                      [&](Value operand) { return isKnownAhead(operand); }))
      continue;
    unsigned own = llvm::divideCeil(bytesOf(type), options.threads);
    if (bytes + own > options.bytesPerThread)
      continue;
    bytes += own;
    loads.push_back({load, dot});
  }
}

Value LoopPipeline::copy(OpBuilder &builder, Value value, IRMapping &mapping) {
  if (mapping.contains(value) || loop.isDefinedOutsideOfLoop(value))
    return mapping.lookupOrDefault(value);
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    copy(builder, operand, mapping);
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

Value LoopPipeline::copyLoad(OpBuilder &builder, tt::LoadOp load,
                             IRMapping &mapping) {
  for (Value operand : load->getOperands())
    copy(builder, operand, mapping);
  IRMapping own = mapping;
  return builder.clone(*load, own)->getResult(0);
}

/// Appends the tiles of the first iteration to `inits`; tiles of zeros if there
/// is no iteration.
void LoopPipeline::addFirstLoads(SmallVectorImpl<Value> &inits) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  IRMapping first;
  first.map(loop.getInductionVar(), loop.getLowerBound());
  for (auto [argument, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    first.map(argument, init);
  auto lower = constantOf(loop.getLowerBound()),
       upper = constantOf(loop.getUpperBound());
  if (lower && upper && *lower < *upper) {
    for (Ahead &one : loads)
      inits.push_back(copyLoad(builder, one.load, first));
    return;
  }
  SmallVector<Type> types;
  for (Ahead &one : loads)
    types.push_back(one.load.getType());
  Value runs =
      builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                    loop.getLowerBound(), loop.getUpperBound());
  auto branch = builder.create<scf::IfOp>(loc, types, runs, true);
  OpBuilder inside = branch.getThenBodyBuilder();
  SmallVector<Value> tiles, zeros;
  for (Ahead &one : loads)
    tiles.push_back(copyLoad(inside, one.load, first));
  inside.create<scf::YieldOp>(loc, tiles);
  OpBuilder otherwise = branch.getElseBodyBuilder();
  for (Type type : types)
    zeros.push_back(otherwise.create<arith::ConstantOp>(
        loc, type, cast<TypedAttr>(otherwise.getZeroAttr(type))));
  otherwise.create<scf::YieldOp>(loc, zeros);
  llvm::append_range(inits, branch.getResults());
}

/// Puts the loads of the next iteration in front of the products.
SmallVector<Value> LoopPipeline::addNextLoads() {
  // In the order of the products, so that copies are in front of their users.
  SmallVector<unsigned> order(
      llvm::to_vector(llvm::seq<unsigned>(0, loads.size())));
  llvm::sort(order, [&](unsigned x, unsigned y) {
    return loads[x].dot == loads[y].dot
               ? x < y
               : loads[x].dot->isBeforeInBlock(loads[y].dot);
  });
  OpBuilder builder(loads[order.front()].dot);
  Location loc = loop.getLoc();
  Value iv = loop.getInductionVar();
  Value after = builder.create<arith::AddIOp>(loc, iv, loop.getStep());
  Value goesOn = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                               after, loop.getUpperBound());
  IRMapping now, next;
  now.map(iv, iv);
  next.map(iv, builder.create<arith::SelectOp>(loc, goesOn, after, iv));
  for (Value argument : arguments)
    now.map(argument, argument);
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    if (!arguments.contains(argument))
      continue;
    Value yielded = loop.getTiedLoopYieldedValue(argument)->get();
    next.map(argument, builder.create<arith::SelectOp>(
                           loc, goesOn, copy(builder, yielded, now), argument));
  }
  SmallVector<Value> tiles(loads.size());
  for (unsigned index : order) {
    builder.setInsertionPoint(loads[index].dot);
    tiles[index] = copyLoad(builder, loads[index].load, next);
  }
  return tiles;
}

unsigned LoopPipeline::run() {
  if (!mayReorderLoads())
    return 0;
  findKnownArguments();
  chooseLoads();
  if (loads.empty())
    return 0;
  SmallVector<Value> firsts;
  addFirstLoads(firsts);
  SmallVector<Value> nexts = addNextLoads();
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  auto made = cast<scf::ForOp>(
      loop.replaceWithAdditionalYields(
              rewriter, firsts, /*replaceInitOperandUsesInLoop=*/false,
              [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
                return nexts;
              })
          ->getOperation());
  auto carried = made.getRegionIterArgs().take_back(loads.size());
  for (auto [one, tile] : llvm::zip(loads, carried)) {
    one.load.getResult().replaceAllUsesWith(tile);
    one.load.erase();
  }
  return loads.size();
}

unsigned pipelineLoads(tt::FuncOp kernel, const PipelineOptions &options) {
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  unsigned count = 0;
  for (scf::ForOp loop : loops)
    count += LoopPipeline(loop, options).run();
  return count;
}

} // namespace nereid::codegen::gpu
