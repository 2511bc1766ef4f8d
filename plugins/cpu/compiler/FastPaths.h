// FastPaths.h - the choices of the code generator that can be switched off.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_FASTPATHS_H
#define NEREID_CPU_COMPILER_FASTPATHS_H

#include "llvm/Support/Error.h"

#include <bitset>

namespace nereid::cpu {

/// A choice that makes code faster. Without any, the slow path of every
/// operation runs, and results must be the same. FastPaths.cpp has the names.
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
  DotTiles,
  DotTransposed,
  DotQueue,
  ReadAhead,
  MaskedLoops,
};
inline constexpr size_t kFastPaths = 14;

/// What the option `fast_paths` calls a path, and what the path does. The table
/// in docs/architecture.md has a row for each.
struct FastPathInfo {
  FastPath path;
  llvm::StringLiteral name;
  llvm::StringLiteral doc;
};
/// Of all of them, in the order of the enumeration.
llvm::ArrayRef<FastPathInfo> fastPathTable();

/// Which fast paths the generator may take.
class FastPaths {
public:
  /// All of them.
  FastPaths() = default;
  /// From option text: "all", "none", or names separated by commas, in which
  /// "-name" after "all" takes one away. An unknown name is an error.
  static llvm::Expected<FastPaths> parse(llvm::StringRef text);

  bool has(FastPath path) const { return !off[size_t(path)]; }

private:
  std::bitset<kFastPaths> off;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_FASTPATHS_H
