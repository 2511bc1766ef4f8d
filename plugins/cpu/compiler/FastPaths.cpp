// FastPaths.cpp - the names of the fast paths, and parsing the option
// "fast_paths".
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "FastPaths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace nereid::cpu {

static constexpr FastPathInfo kTable[] = {
    {FastPath::Vectorize, "vectorize",
     "vectors instead of one element at a time"},
    {FastPath::Fuse, "fuse", "several roots in one nest"},
    {FastPath::RowFusion, "row-fusion", "several inner loops over one row"},
    {FastPath::Recompute, "recompute",
     "cheap expressions are evaluated again instead of materialized"},
    {FastPath::MaskIntervals, "mask-intervals", "masks become loop bounds"},
    {FastPath::OverlapGuard, "overlap-guard",
     "loads are moved past stores that do not overlap them"},
    {FastPath::InPlace, "in-place",
     "loops update the tiles that they carry in place"},
    {FastPath::DotKernel, "dot-kernel", "tt.dot with register blocking"},
    {FastPath::DotPairs, "dot-pairs",
     "bf16 by instructions that add two products"},
    {FastPath::DotIntegers, "dot-integers",
     "i8 and i16 by instructions that add several products"},
    {FastPath::DotTiles, "dot-tiles", "bf16 and i8 in tile registers"},
    {FastPath::DotTransposed, "dot-transposed",
     "operands are packed along their columns"},
    {FastPath::DotRows, "dot-rows",
     "rows of sums that no store needs are not multiplied"},
    {FastPath::DotPanels, "dot-panels",
     "right operands in panels as wide as the sums in registers"},
    {FastPath::DotDeferred, "dot-deferred",
     "operands of several K steps are multiplied at once"},
    {FastPath::DotInPlace, "dot-in-place",
     "deferred dots read operands where they are in memory"},
    {FastPath::DotShared, "dot-shared",
     "programs reuse the right operands that the one before has packed"},
    {FastPath::DotPrefetch, "dot-prefetch",
     "operands of the next iterations are prefetched"},
    {FastPath::MaskedLoops, "masked-loops",
     "one masked loop instead of two where the body is large"},
    {FastPath::Transpose, "transpose",
     "blocks are transposed in vector registers"},
    {FastPath::ReduceInLoop, "reduce-in-loop",
     "loops reduce what they accumulate for a reduction"},
    {FastPath::StreamingStores, "streaming-stores",
     "large results bypass the caches"},
    {FastPath::Exchange, "exchange",
     "sorts and flips exchange vectors and shuffle their lanes"},
    {FastPath::AscendingIndex, "ascending-index",
     "reductions do not compare indices that ascend"},
    {FastPath::RowParts, "row-parts",
     "threads without a program share the rows of products"},
    {FastPath::WideAtomics, "wide-atomics",
     "atomic operations on neighbours in memory are one"},
    {FastPath::ExchangeGroups, "exchange-groups",
     "groups of vectors that exchange elements stay in registers"},
    {FastPath::InterleavedPrograms, "interleaved-programs",
     "programs take turns in a loop where their blocks are neighbours"},
    {FastPath::GridOrder, "grid-order",
     "programs run first along an axis on which they share operands, or are "
     "neighbours in memory"},
    {FastPath::RowPrefetch, "row-prefetch",
     "short rows of the next program, or iteration, are prefetched, and short "
     "rows have no loop"},
    {FastPath::UnitStrides, "unit-strides",
     "a form of the kernel for strides that are one in this launch"},
    {FastPath::Neighbours, "neighbours",
     "lanes that turn out to be neighbours in memory are one access"},
    {FastPath::Pieces, "pieces",
     "loops over pieces in which quotients of the index are the same"},
    {FastPath::ReadAhead, "read-ahead",
     "rows are prefetched farther ahead than the processor does itself"},
    {FastPath::HeldSums, "held-sums",
     "atomic additions to the same place are made once for many programs"},
    {FastPath::DotStores, "dot-stores",
     "the last product of a loop stores its sums itself"},
    {FastPath::JointPrograms, "joint-programs",
     "products of few rows of successive programs are computed as one"},
    {FastPath::DotTurns, "dot-turns",
     "programs take turns in a loop whose operands of dots they share"},
    {FastPath::UnitFactors, "unit-factors",
     "rows that are multiplied by one where they are stay as they are"},
    {FastPath::ExclusiveLaunches, "exclusive-launches",
     "atomic operations of one thread need no locks while no other runs any"},
    {FastPath::DisjointAxis, "disjoint-axis",
     "nor do those of several threads whose programs update different memory"},
    {FastPath::SplitIndex, "split-index",
     "tiles whose index is divided have a dimension for each part of it"},
    {FastPath::ShortBranches, "short-branches",
     "both sides of short branches that yield tiles are computed"},
    {FastPath::Strided, "strided",
     "lanes a few elements apart are in vectors of neighbours"},
    {FastPath::RowGroups, "row-groups",
     "programs take no more rows through a loop at once than are prefetched"},
    {FastPath::DotScaled, "dot-scaled",
     "scales the rows of sums in the product that adds to them"},
    {FastPath::DotSplit, "dot-split",
     "splits f16 into sums of bf16, which tile registers multiply"},
    {FastPath::ShortLoops, "short-loops",
     "loops that carry tiles through a few iterations are no loops"},
    {FastPath::ElementLoops, "element-loops",
     "loops that compute elements run inside nests, for a few vectors"},
    {FastPath::SideBySide, "side-by-side",
     "programs that read neighbouring columns are computed together"},
    {FastPath::TurnedLoads, "turned-loads",
     "what products read is loaded along the dimension that is in pieces"},
    {FastPath::AtomicRuns, "atomic-runs",
     "vectors of atomic updates of one address are combined first"},
};

/// Checks that a path's position in the table is its value.
static constexpr bool isInOrder() {
  for (size_t index = 0; index < std::size(kTable); ++index)
    if (size_t(kTable[index].path) != index)
      return false;
  return std::size(kTable) == kFastPaths;
}
static_assert(isInOrder());

llvm::ArrayRef<FastPathInfo> fastPathTable() { return kTable; }

static const FastPathInfo *find(llvm::StringRef name) {
  const FastPathInfo *found = llvm::find_if(
      kTable, [&](const FastPathInfo &info) { return info.name == name; });
  return found != std::end(kTable) ? found : nullptr;
}

static llvm::Error unknown(llvm::StringRef name) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "unknown fast path '" << name
         << "', expected all, none or some of: ";
  llvm::interleaveComma(kTable, stream,
                        [&](const FastPathInfo &info) { stream << info.name; });
  return llvm::createStringError(text);
}

llvm::Expected<FastPaths> FastPaths::parse(llvm::StringRef text) {
  FastPaths out;
  // Unless "all" or one to leave out comes first, only those named are enabled.
  llvm::StringRef first = text.split(',').first;
  bool all = text.empty() || first == "all" || first.starts_with("-");
  if (!all)
    out.off.set();
  if (text.empty() || text == "none")
    return out;
  for (llvm::StringRef item : llvm::split(text, ',')) {
    if (item == "all" && first == "all")
      continue;
    bool away = item.consume_front("-");
    const FastPathInfo *info = find(item);
    if (!info)
      return unknown(item);
    out.off.set(size_t(info->path), away);
  }
  return out;
}

} // namespace nereid::cpu
