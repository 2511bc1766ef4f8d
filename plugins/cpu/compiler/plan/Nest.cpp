// Nest.cpp - chooses the vector axis, lanes and unrolling of a nest.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/ElementLoops.h"
#include "plan/PlainAtomics.h"
#include "plan/Planner.h"
#include "plan/Survey.h"
#include "tile/Combine.h"

using namespace mlir;

namespace nereid::cpu {

/// True if a combine region has control flow or effects.
static bool needsScalars(const Nest &nest) {
  return llvm::any_of(nest.inners, [](const Inner &inner) {
    return llvm::any_of(inner.roots, [](const Root &root) {
      return (root.kind == RootKind::Reduce || root.kind == RootKind::Scan) &&
             !isStraightLine(root.op->getRegion(0));
    });
  });
}

/// The axis along which the roots of `nest` must combine one element after the
/// other, in the order of the index; -1 if there is none.
static int orderedAxisOf(const Nest &nest) {
  for (const Inner &inner : nest.inners)
    for (const Root &root : inner.roots) {
      int axis = -1;
      if (root.kind == RootKind::Reduce)
        axis = cast<tt::ReduceOp>(root.op).getAxis();
      else if (root.kind == RootKind::Scan)
        axis = cast<tt::ScanOp>(root.op).getAxis();
      if (axis >= 0 && codegen::isRounded(root.op->getRegion(0)))
        return axis;
    }
  return -1;
}

/// Does `op` update neighbours in memory, which may be done at once?
static bool updatesNeighbours(const Nest &nest, tt::AtomicRMWOp op,
                              const TileProgram &program,
                              codegen::TileForms &forms) {
  if (!canUpdateVectors(op, program))
    return false;
  const codegen::TileForm *form = forms.of(op.getPtr());
  // Rows may be anywhere.
  unsigned last = nest.shape.size() - 1;
  return form && !(form->termDims() >> last & 1) &&
         form->strides[last].constant() == 1;
}

/// Sets how many neighbours in memory a compare-and-swap updates at once, and
/// how many a vector does.
static void setLanesOfAtomic(Nest &nest, tt::AtomicRMWOp op,
                             const TileProgram &program,
                             codegen::TileForms &forms,
                             const GenerateOptions &options) {
  if (!updatesNeighbours(nest, op, program, forms))
    return;
  unsigned bits =
      getElementTypeOrSelf(op.getVal().getType()).getIntOrFloatBitWidth();
  int64_t length = codegen::tileType(op.getPtr()).getShape().back();
  unsigned lanes = CpuModel::kSwapBits / bits;
  if (options.cpu.hasWideSwaps &&
      options.fastPaths.has(FastPath::WideAtomics) && length % lanes == 0)
    nest.lanes = lanes;
  if (mayBePlain(op, options))
    nest.plainLanes = std::min<int64_t>(length, options.cpu.vectorBits / bits);
}

/// Sets what `op` looks at together, although it then handles one element after
/// the other: the bins of a histogram are computed as vectors.
static void setLanesOfSerial(Nest &nest, Operation *op,
                             const TileProgram &program,
                             codegen::TileForms &forms,
                             const GenerateOptions &options) {
  if (auto atomic = dyn_cast<tt::AtomicRMWOp>(op))
    return setLanesOfAtomic(nest, atomic, program, forms, options);
  auto histogram = dyn_cast<tt::HistogramOp>(op);
  if (!histogram)
    return;
  RankedTensorType type = histogram.getSrc().getType();
  unsigned bits = std::max(32u, type.getElementTypeBitWidth());
  nest.lanes =
      std::min<int64_t>(type.getNumElements(), options.cpu.vectorBits / bits);
}

void finishNest(Nest &nest, const GenerateOptions &options,
                const TileProgram &program, codegen::TileForms &forms,
                bool isRowMajor,
                llvm::function_ref<bool(Value)> isIndexFunction) {
  unsigned rank = nest.shape.size();
  nest.vectorAxis = rank - 1;
  const Root &first = nest.inners.front().roots.front();
  if (needsScalars(nest) || !options.fastPaths.has(FastPath::Vectorize))
    return;
  if (first.kind == RootKind::Serial)
    return setLanesOfSerial(nest, first.op, program, forms, options);

  auto surveyed = [&](ArrayRef<Inner> inners) {
    return surveyOf(inners, nest.shape, program, forms, isIndexFunction);
  };
  Survey survey = surveyed(nest.inners);
  auto lanesAlong = [&](unsigned dim) -> int64_t {
    unsigned vectorBits = options.cpu.vectorBits;
    unsigned lanes = std::max(1u, vectorBits / survey.memoryBits[dim]);
    // No vector is wider than four registers.
    lanes = std::min(lanes, std::max(1u, 4 * vectorBits / survey.valueBits));
    // Half a vector of neighbours is faster than a whole one from two places.
    if (survey.run > 1 && survey.run == lanes / 2)
      lanes = survey.run;
    return std::min<int64_t>(lanes, nest.shape[dim]);
  };

  bool rowsFlow = nest.inners.size() > 1;
  int ordered = options.reassociate ? -1 : orderedAxisOf(nest);
  auto rating = [&](unsigned dim) {
    int64_t filled = lanesAlong(dim);
    // Strided accesses are done element by element: a quarter of a vector of
    // contiguous elements is as fast.
    return std::pair(survey.wholeScore[dim] < 0 ? filled : 4 * filled,
                     survey.score[dim]);
  };
  if (!rowsFlow)
    for (unsigned dim = 0; dim < rank; ++dim)
      if (int(dim) != ordered && (!isRowMajor || isInnermost(dim, nest.shape)) &&
          (int(nest.vectorAxis) == ordered ||
           rating(dim) > rating(nest.vectorAxis)))
        nest.vectorAxis = dim;
  if (int(nest.vectorAxis) == ordered)
    return;
  nest.lanes = lanesAlong(nest.vectorAxis);
  if (nest.group) {
    nest.inners.front().unroll = nest.group / nest.lanes;
    return;
  }
  if (nest.elementLoop)
    return setBlockOfLoop(nest, options.cpu);
  if (!isRowMajor && options.fastPaths.has(FastPath::Transpose))
    planTransposition(nest, lanesAlong, survey.memoryBits, program, forms);
  int64_t vectors = nest.shape[nest.vectorAxis] / nest.lanes;
  auto isHeavy = [&](const Survey &part) {
    return part.cost[nest.vectorAxis] > 12 || part.score[nest.vectorAxis] < 0;
  };
  // Several accumulators hide the latency of additions, and two vectors per
  // iteration halve the loop overhead. With a larger body, out-of-order
  // execution overlaps iterations, and more code takes longer to compile. So it
  // is with vectors that are accessed element by element.
  bool hasSums = false;
  for (Inner &inner : nest.inners) {
    bool sums = llvm::any_of(inner.roots, [](const Root &root) {
      return root.kind == RootKind::Reduce;
    });
    Survey part = surveyed(inner);
    int64_t unroll = isHeavy(part) ? 1 : sums ? 4 : 2;
    inner.unroll = std::min(unroll, vectors);
    // Few vectors along columns leave registers for several rows, of which each
    // waits for sums of its own only.
    constexpr int64_t kMostOperations = 64; // in an iteration
    int axis = nest.reduceAxis;
    if (sums && axis != int(nest.vectorAxis) && axis != ordered) {
      int64_t cost = std::max(1u, part.cost[nest.vectorAxis]) * inner.unroll;
      inner.rows = llvm::bit_floor(uint64_t(std::clamp<int64_t>(
          kMostOperations / cost, 1,
          std::min<int64_t>(4 / inner.unroll, nest.shape[axis]))));
    }
    hasSums |= sums;
  }
  // Hardware prefetchers follow a load whose addresses have one stride. In a
  // loop over a short row they have another from a row to the next: a Zen 3
  // read rows of 128 bytes, of 256 each, half as fast, and of 512 bytes a
  // fourth.
  constexpr int64_t kShortRow = 512; // bytes
  bool hasRows = llvm::any_of(llvm::seq(0u, rank), [&](unsigned dim) {
    return dim != nest.vectorAxis && nest.shape[dim] > 1;
  });
  bool isShort =
      nest.shape[nest.vectorAxis] * survey.memoryBits[nest.vectorAxis] <=
      8 * kShortRow;
  nest.unrollsRows = options.fastPaths.has(FastPath::RowPrefetch) && hasRows &&
                     isShort && !hasSums && !isHeavy(survey) &&
                     survey.readsMemory;
  // With a still larger body, the comparison and mask of AVX-512 are 5 % of it;
  // an unmasked loop would double the code, which is 20 % of softmax's compile
  // time.
  constexpr unsigned kCostThatHidesMasks = 20;
  nest.isMasked = survey.cost[nest.vectorAxis] > kCostThatHidesMasks &&
                  options.cpu.hasCheapMasks &&
                  options.fastPaths.has(FastPath::MaskedLoops);
}

} // namespace nereid::cpu
