// ShortLoops.cpp - loops that run a few times, without a loop.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/ShortLoops.h"

#include "plan/TileProgram.h"
#include "tile/Ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace nereid::cpu {

/// Windows of pools and kernels of convolutions are rarely larger; more
/// operations than these take long to compile.
static constexpr int64_t kMostIterations = 8, kMostUnrolled = 1024;

/// The bounds of `loop` if they are known, and it counts by one.
static std::optional<std::pair<int64_t, int64_t>> boundsOf(scf::ForOp loop) {
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> end = getConstantIntValue(loop.getUpperBound());
  if (!first || !end || getConstantIntValue(loop.getStep()) != 1)
    return std::nullopt;
  return std::pair(*first, *end);
}

/// Does `op` only load or compute elements or scalars, so that one nest may do
/// it for several iterations?
static bool isElementwise(Operation &op) {
  return codegen::isElementOp(&op) || codegen::isShapeOp(&op) ||
         isa<tt::LoadOp, tt::SplatOp, tt::MakeRangeOp>(op) ||
         op.hasTrait<OpTrait::ConstantLike>() ||
         (isa<arith::ArithDialect>(op.getDialect()) && isMemoryEffectFree(&op));
}

static bool isShort(scf::ForOp loop) {
  auto bounds = boundsOf(loop);
  int64_t iterations;
  if (!bounds || llvm::SubOverflow(bounds->second, bounds->first, iterations) ||
      iterations < 1 || iterations > kMostIterations)
    return false;
  auto body = loop.getBody()->without_terminator();
  auto count = std::distance(body.begin(), body.end());
  return iterations * count <= kMostUnrolled &&
         llvm::all_of(body, isElementwise) &&
         llvm::any_of(loop.getRegionIterArgs(),
                      [](Value carried) { return isTile(carried); });
}

static void unroll(scf::ForOp loop) {
  OpBuilder builder(loop);
  SmallVector<Value> carried(loop.getInitArgs());
  auto [first, end] = *boundsOf(loop);
  for (int64_t i = first; i < end; ++i) {
    IRMapping mapping;
    mapping.map(loop.getRegionIterArgs(), carried);
    Value variable = loop.getInductionVar();
    auto number = builder.getIntegerAttr(variable.getType(), i);
    mapping.map(variable,
                builder.create<arith::ConstantOp>(loop.getLoc(), number));
    for (Operation &op : loop.getBody()->without_terminator())
      builder.clone(op, mapping);
    for (auto [value, yielded] : llvm::zip(carried, loop.getYieldedValues()))
      value = mapping.lookupOrDefault(yielded);
  }
  loop.replaceAllUsesWith(carried);
  loop.erase();
}

void unrollShortLoops(tt::FuncOp kernel) {
  // Inner loops first: then what is around them may be short.
  kernel.walk([](scf::ForOp loop) {
    if (isShort(loop))
      unroll(loop);
  });
}

} // namespace nereid::cpu
