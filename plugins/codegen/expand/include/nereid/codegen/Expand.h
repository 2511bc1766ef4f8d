// What no backend has an instruction for, rewritten in terms of what all have.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The rewrites work alike on scalars, on tensors of any shape, and inside the
// regions of reductions, scans and maps. They are branch-free and need no
// tables, so that a vector or a GPU thread runs them as they stand.
//
// Values of an fp8 type keep that type: loads, stores, shapes and selections
// move them as they are, and an emitter holds them as an i8 of the same bits.
// Only their conversions are written out, between arith.bitcast from or to i8.

#ifndef NEREID_CODEGEN_EXPAND_H
#define NEREID_CODEGEN_EXPAND_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include "nereid/ttir/Dialect.h"

namespace nereid::codegen {

/// What a backend does by itself, and what its user allows.
struct ExpandOptions {
  /// The target multiplies and adds with one rounding. Without it math.fma is
  /// written out, and the functions built on it are slower.
  bool hasFma = true;
  /// The target converts between f16 and f32.
  bool hasF16Conversions = true;
  /// The target adds, multiplies, divides ... f16 (bf16) itself.
  bool hasF16Arithmetic = false;
  bool hasBf16Arithmetic = false;
  /// The kernel's own multiplications and additions may be contracted: they
  /// get `fastmath<contract>`. What the rewrites make never does.
  bool fpFusion = true;
};

/// Rewrites all functions of \p module: mathematical and external functions,
/// conversions, arithmetic on narrow floating-point types, odd operations on
/// integers.
///
/// What remains for an emitter of `arith`, `math` and the element-wise `tt`:
/// arithmetic, comparison and selection on integers, f32 and f64; extf and
/// truncf by one step (f16 or bf16 and f32, f32 and f64); sqrt, fma, absf,
/// copysign, floor, ceil, round, roundeven, trunc, absi, ctlz, cttz, ctpop;
/// addptr and the casts of pointers; tt.extern_elementwise of the C library's
/// lgamma, tgamma, jn and yn of f64, and without an fma also of that.
///
/// Fails, with errors, if a kernel calls an external function that is not among
/// those of libdevice/ExternFunctions.def.
mlir::LogicalResult expandForBackend(mlir::ModuleOp module,
                                     const ExpandOptions &options = {});

/// The first part of expandForBackend(), for a backend that then looks at
/// products and atomic operations before the rest is written out: microscaled
/// products become conversions and products, maps without branches become
/// operations on tensors, reductions and scans add f16 and bf16 in f32, and
/// additions for findAddition() are made.
mlir::LogicalResult expandTileOperations(mlir::ModuleOp module,
                                         const ExpandOptions &options = {});

/// How to add the elements of \p op, an atomic addition of floats narrower than
/// f32: a function of the old value and the one to add, which
/// expandTileOperations() has put into the module for a loop around
/// compare-and-swap. Null for wider ones, which targets add by themselves.
tt::FuncOp findAddition(tt::AtomicRMWOp op);

/// Puts the bodies of helper functions in the place of their calls, noinline
/// ones too: a call of a function that works on tiles has no other form, and
/// `noinline` is a wish about code size. Branches of helpers become structured
/// control flow on the way. Recursion is an error.
mlir::LogicalResult inlineCalls(mlir::ModuleOp module);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_EXPAND_H
