// FastPaths.h - optimizations of the code generator that can be disabled.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_FASTPATHS_H
#define NEREID_CPU_COMPILER_FASTPATHS_H

#include "llvm/Support/Error.h"

#include <bitset>

namespace nereid::cpu {

/// An optimization. With all disabled, the slow path of every operation runs,
/// and results must be the same. FastPaths.cpp has the names.
enum class FastPath : unsigned {
  Vectorize,
  Fuse,
  RowFusion,
  Recompute,
  MaskIntervals,
  OverlapGuard,
  InPlace,
  DotKernel,
  DotPairs,
  DotIntegers,
  DotTiles,
  DotTransposed,
  DotRows,
  DotPanels,
  DotDeferred,
  DotInPlace,
  DotShared,
  DotPrefetch,
  MaskedLoops,
  Transpose,
  ReduceInLoop,
  StreamingStores,
  Exchange,
  AscendingIndex,
  RowParts,
  WideAtomics,
  ExchangeGroups,
  InterleavedPrograms,
  GridOrder,
  RowPrefetch,
  UnitStrides,
  Neighbours,
  Pieces,
  ReadAhead,
  HeldSums,
  DotStores,
  JointPrograms,
  DotTurns,
  UnitFactors,
  ExclusiveLaunches,
  DisjointAxis,
  SplitIndex,
  ShortBranches,
  Strided,
  RowGroups,
  DotScaled,
  DotSplit,
  ShortLoops,
  ElementLoops,
  SideBySide,
  TurnedLoads,
  AtomicRuns,
};
inline constexpr size_t kFastPaths = 52;

/// The name of a path in the option `fast_paths` and what it does. The table in
/// docs/architecture.md has a row for each.
struct FastPathInfo {
  FastPath path;
  llvm::StringLiteral name;
  llvm::StringLiteral doc;
};
/// All fast paths, in the order of the enumeration.
llvm::ArrayRef<FastPathInfo> fastPathTable();

/// The set of enabled fast paths.
class FastPaths {
public:
  /// All of them.
  FastPaths() = default;
  static FastPaths none() {
    FastPaths paths;
    paths.off.set();
    return paths;
  }
  /// Parses option text: "all", "none", or names separated by commas, where
  /// "-name" after "all" disables one. An unknown name is an error.
  static llvm::Expected<FastPaths> parse(llvm::StringRef text);

  bool has(FastPath path) const { return !off[size_t(path)]; }

private:
  std::bitset<kFastPaths> off;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_FASTPATHS_H
