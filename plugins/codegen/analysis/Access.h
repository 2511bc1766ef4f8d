// Access.h - what two accesses of one program to memory may do to each other.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Program order is the rule: each load and store of a tile happens as a whole,
// in the order of the program, and of the elements that a store writes to one
// address the last in row-major order stays. A backend that interleaves two
// accesses or changes the order of elements needs a proof from here, or a
// check when the program runs.

#ifndef NEREID_CODEGEN_ANALYSIS_ACCESS_H
#define NEREID_CODEGEN_ANALYSIS_ACCESS_H

#include "analysis/TileForm.h"

namespace nereid::codegen {

/// What is known of two elements of one pointer tile.
enum class Aliasing {
  Never,    // different indices, different addresses
  IfClose,  // an affine form whose strides are known when the program runs
  Possibly, // nothing can be said
};

/// May different elements of the pointer tile `pointers` have one address?
/// Never is proven: the strides are constants, and in some order of the
/// dimensions each steps over all that those below it reach.
Aliasing selfAliasingOf(mlir::Value pointers, TileForms &forms);

/// Do no element behind pointer tile `a` and none behind `b` share a byte? True
/// is proven: both have one scalar pointer, constant strides and a constant
/// distance, so that their ranges or, where all strides have a common divisor,
/// their remainders differ. False: unknown.
bool areDisjoint(mlir::Value a, mlir::Value b, TileForms &forms);

/// Have `a` and `b` the same address at each index?
bool haveSameAddresses(mlir::Value a, mlir::Value b, TileForms &forms);

/// What may go wrong when the access `first`, which comes before `second` in
/// the program, is interleaved with it or comes after it. At least one of them
/// is a store.
enum class Hazard {
  None,
  IfRepeated,    // unless the elements of either have addresses of their own
  IfAhead,       // if `second` begins above `first`, within its range
  IfOverlapping, // if the ranges of addresses overlap
  Always,        // as far as can be known
};

/// In which way the two are run.
enum class Interleaving {
  InStep, // index by index through one index space, upwards in each dimension;
          // at one index `first` comes before `second`
  None,   // in any other way
};

/// The hazard of two pointer tiles. IfRepeated, IfAhead and IfOverlapping are
/// conditions on affine forms, which can be checked when the program runs.
Hazard hazardOf(mlir::Value first, mlir::Value second,
                Interleaving interleaving, TileForms &forms);

/// How many neighbours along dimension `dim` one access of at most `bytes` can
/// load or store, a power of two: they are next to each other in memory, each
/// such group is aligned to its size, and `mask` (null: none) is the same for
/// all of a group. Groups start at multiples of their size. The hints
/// tt.contiguity, tt.divisibility and tt.constancy of operations are believed.
int64_t widestAccess(mlir::Value pointers, mlir::Value mask, unsigned dim,
                     int64_t bytes, TileForms &forms);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_ANALYSIS_ACCESS_H
