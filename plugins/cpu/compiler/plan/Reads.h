// PlanUses.h - what a root of a nest reads: the leaves of its expressions, and
// with which index.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLANUSES_H
#define NEREID_CPU_COMPILER_PLANUSES_H

#include "plan/TileProgram.h"

namespace nereid::cpu {

/// How the index of a value follows from the index of a nest: dimension d of
/// the value is dimension map[d] of the nest, or 0 (kZero), or the upper bits
/// of dimension n (kPart - n), or something else (kOther).
using IndexMap = llvm::SmallVector<int, 4>;
constexpr int kZero = -1;
constexpr int kOther = -2;
constexpr int kPart = -3;

/// The dimension of the nest along which an index grows, or -1.
inline int dimensionOf(int mapped) {
  return mapped <= kPart ? kPart - mapped : mapped >= 0 ? mapped : -1;
}

/// True if dimension d is dimension d, for the first `count` dimensions.
bool isIdentity(llvm::ArrayRef<int> map, unsigned count);

struct TileRead {
  mlir::Value value;
  IndexMap map;
};

/// Everything a root reads.
struct RootReads {
  llvm::SmallVector<TileRead, 4> loads;     // results of tt.load, streamed
  llvm::SmallVector<TileRead, 4> kept;      // values in buffers
  llvm::SmallVector<mlir::Value, 8> scalars;
  llvm::SetVector<mlir::Value> streamed;    // expressions evaluated on the way
};

/// Collects what `root` reads in `program`, as far as it is planned.
RootReads readsOf(const Root &root, const TileProgram &program);

/// Number of elements' worth of arithmetic to evaluate `value` once, down to
/// kept values; loads that gather count more.
unsigned costOf(mlir::Value value, const TileProgram &program,
                codegen::TileForms &forms);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLANUSES_H
