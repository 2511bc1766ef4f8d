// Access.h - aliasing: the hazards of two memory accesses of one program.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Results are those of program order: each load and store of a tile happens as
// a whole, and if a store writes several elements to one address, the last in
// row-major order wins. A backend that interleaves two accesses or changes the
// order of elements needs a proof from here, or a run-time check.

#ifndef NEREID_CODEGEN_ANALYSIS_ACCESS_H
#define NEREID_CODEGEN_ANALYSIS_ACCESS_H

#include "analysis/TileForm.h"

namespace nereid::codegen {

/// Can two elements of one pointer tile have the same address?
enum class Aliasing {
  Never,    // different indices, different addresses
  IfClose,  // an affine form: its strides can be checked at run time
  Possibly, // unknown
};

/// Can different elements of the pointer tile `pointers` have the same address?
/// Never is proven: the strides are constants, and in some order of the
/// dimensions each stride exceeds the extent of the dimensions below it.
Aliasing selfAliasingOf(mlir::Value pointers, TileForms &forms);

/// Is it proven that the elements of pointer tiles `a` and `b` share no byte?
/// Both must have the same scalar pointer, constant strides and a constant
/// distance, so that their ranges or, modulo a common divisor of the larger
/// strides, their remainders differ. False: unknown.
bool areDisjoint(mlir::Value a, mlir::Value b, TileForms &forms);

/// Do `a` and `b` have the same address at each index?
bool haveSameAddresses(mlir::Value a, mlir::Value b, TileForms &forms);

/// The hazard when the access `first`, which precedes `second` in program
/// order, is interleaved with it or moved past it. At least one of them is a
/// store.
enum class Hazard {
  None,
  IfRepeated,    // if elements of one access have the same address
  IfAhead,       // if `second` begins above `first`, within its range
  IfOverlapping, // if the ranges of addresses overlap
  Always,        // no condition is known
};

/// How the two accesses are executed.
enum class Interleaving {
  InStep, // index by index through one index space, ascending in each dim;
          // at one index `first` precedes `second`
  None,   // any other way
};

/// The hazard of two pointer tiles. IfRepeated, IfAhead and IfOverlapping are
/// conditions on affine forms, which can be checked at run time.
Hazard hazardOf(mlir::Value first, mlir::Value second,
                Interleaving interleaving, TileForms &forms);

/// The number of elements along dimension `dim`, a power of two, that one
/// access of at most `bytes` can load or store: each group of that many is
/// contiguous, aligned to its size, and has one value of `mask` (null: no
/// mask). Groups start at multiples of their size. Trusts the hints
/// tt.contiguity, tt.divisibility and tt.constancy.
int64_t widestAccess(mlir::Value pointers, mlir::Value mask, unsigned dim,
                     int64_t bytes, TileForms &forms);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_ANALYSIS_ACCESS_H
