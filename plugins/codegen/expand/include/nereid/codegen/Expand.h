// What no backend has an instruction for, rewritten in terms of what all have.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The rewrites work alike on scalars, on tensors of any shape, and inside the
// regions of reductions, scans and maps. They are branch-free and need no
// tables in memory, so that a vector or a GPU thread runs them as they stand.
//
// They come in three phases, so that a backend may look at calls, products or
// atomic operations in between; each phase runs once, in this order, and
// `nereid-expand --list` prints what it does. An emitter must not contract what
// the element rewrites make: error terms would vanish. Only operations with
// `fastmath<contract>`, which are the kernel's own, may be fused; SPIR-V says
// NoContraction of all others.
//
// Values of an fp8 type keep that type: loads, stores, shapes and selections
// move them as they are, and an emitter holds them as an i8 of the same bits.
// Only their conversions are written out, between arith.bitcast from or to i8.

#ifndef NEREID_CODEGEN_EXPAND_H
#define NEREID_CODEGEN_EXPAND_H

#include "nereid/codegen/AtomicSet.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include "nereid/ttir/Dialect.h"

namespace nereid::codegen {

/// The type to which the operands of a microscaled product are decoded.
enum class ScaledDotType {
  Narrow, ///< bf16, or f16 where an operand is one
  F16,    ///< f16 always; scales beyond its range become infinite or 0
  F32,    ///< f32, exactly
};

/// With ExpandOptions::hasScale: the symbol of a tt.extern_elementwise of x and
/// n, two f32 or f64, and an i1, whose result is x 2^n, rounded once, for an
/// integer n; a NaN in either makes it NaN. Where the i1 is false it is 0, and
/// not computed: underflows take time. It calls nothing.
inline constexpr llvm::StringLiteral kScaleSymbol = "nereid.scale";

/// With ExpandOptions::hasFraction: the symbol of a tt.extern_elementwise of an
/// f32 or f64 whose result is that minus the nearest integer, the even one of
/// two: 0 of infinity, NaN of NaN. It calls nothing.
inline constexpr llvm::StringLiteral kFractionSymbol = "nereid.fraction";

/// With ExpandOptions::hasExponents: the symbols of tt.extern_elementwise of an
/// f32 or f64. The exponent e is that of |x| = 2^e s with s in [1, 2), also for
/// subnormal numbers; -infinity for 0, infinity for infinities. The significand
/// is s, 1 for infinity, 1 or -1 for 0, and NaN for numbers below. Both are NaN
/// for NaN. They call nothing.
inline constexpr llvm::StringLiteral kExponentSymbol = "nereid.exponent";
inline constexpr llvm::StringLiteral kSignificandSymbol = "nereid.significand";

/// With ExpandOptions::hasTables: the symbol of a tt.extern_elementwise of an
/// i32 whose result is an f32 of kTableAttribute, that numbered by the lowest
/// bits.
inline constexpr llvm::StringLiteral kTableSymbol = "nereid.table";
inline constexpr size_t kTableSize = 16;
inline constexpr llvm::StringLiteral kTableAttribute = "nereid.numbers";

/// Does \p symbol, of a tt.extern_elementwise, stand for an instruction?
bool isInstruction(llvm::StringRef symbol);

/// Of an arith.select: its first value is selected rarely.
inline constexpr llvm::StringLiteral kRareAttribute = "nereid.rare";

/// Of an arith.truncf of f32 to bf16: what reads the result takes subnormal
/// numbers for 0, so they need not be rounded. AVX512-BF16's instruction takes
/// them for 0, too.
inline constexpr llvm::StringLiteral kFlushAttribute = "nereid.flush";

/// What a backend supports natively, and what its user allows.
struct ExpandOptions {
  /// The target has a fused multiply-add. Without it math.fma is expanded, and
  /// the functions that use it are slower.
  bool hasFma = true;
  /// The target computes 2^x of f32 to a few units in the last place, with
  /// infinities and NaN: math.exp2 of f32 remains, and math.exp becomes one.
  /// Needs hasFma.
  bool hasExp2 = false;
  /// The target multiplies f32 and f64 by powers of two as the operation of
  /// kScaleSymbol does.
  bool hasScale = false;
  /// The target computes what the operation of kFractionSymbol does.
  bool hasFraction = false;
  /// The target computes what the operations of kExponentSymbol and
  /// kSignificandSymbol do.
  bool hasExponents = false;
  /// The target selects one of kTableSize numbers, f32, in one instruction, as
  /// the operation of kTableSymbol does.
  bool hasTables = false;
  /// Division and square root of f32 round correctly. Without it those that
  /// have to do so (tt.precise_divf, tt.precise_sqrt) are written out; the error
  /// of the target's own must be at most 2.5 and 5 units in the last place.
  bool hasExactDivision = true;
  /// The target converts between f16 and f32.
  bool hasF16Conversions = true;
  /// The target has arithmetic on f16 (bf16).
  bool hasF16Arithmetic = false;
  bool hasBf16Arithmetic = false;
  /// The target has f64 (i64). Without it, kernels with values of the type are
  /// an error, and the rewrites of other types do not use it.
  bool hasF64 = true;
  bool hasI64 = true;
  /// The emitter computes i64 by other integers: kernels may have it, the
  /// rewrites of other types do not use it.
  bool emulatesI64 = false;
  /// The C library's functions can be called.
  bool hasLibm = true;
  /// The kernel's own multiplications and additions may be contracted: they get
  /// `fastmath<contract>`. Operations that the rewrites create never do.
  bool fpFusion = true;
  /// The target cannot branch freely (SPIR-V): `cf` in kernels becomes `scf`.
  bool needsStructuredBranches = false;
  /// Sorts and flips become gathers in one dimension by `range ^ constant`
  /// (exchangeDistanceOf in analysis/IndexMap.h), for which the target has
  /// better code than for reductions over axes of two.
  bool flattensExchanges = false;
  /// Masks that are known to be true for every element are dropped, and so is
  /// what changes addresses only where a mask is false.
  bool foldsKnownMasks = true;
  ScaledDotType scaledDotType = ScaledDotType::Narrow;
  /// With ScaledDotType::F32: whether the target has an instruction for
  /// products of operands of \p factor, f16 or bf16, with these sums and this
  /// depth. The operands of a microscaled product are decoded to that type
  /// where it has all of their values. May be null. It is called while modules
  /// are expanded.
  llvm::function_ref<bool(mlir::Type factor, mlir::RankedTensorType sums,
                          int64_t depth)>
      multiplies = nullptr;
  /// The read-modify-write operations that the target has.
  AtomicSet atomics = AtomicSet::ofCpu();

  /// An f32 may be computed in f64 and i64.
  bool hasWideTypes() const { return hasF64 && hasI64; }
};

/// One rewrite of a module.
struct Rewrite {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  mlir::LogicalResult (*run)(mlir::ModuleOp, const ExpandOptions &);
};

enum class Phase {
  Functions, ///< one function remains, with structured branches if needed
  Tiles,     ///< operations on whole tiles become simpler ones
  Elements,  ///< functions, conversions, narrow types, odd integer operations
};

/// The rewrites of \p phase in the order in which they run.
llvm::ArrayRef<Rewrite> rewritesOf(Phase phase);

/// Runs the rewrites of \p phase; the phases before it must have run. Reports
/// errors on failure.
///
/// After the last phase, an emitter must support of `arith`, `math` and the
/// element-wise `tt`: arithmetic, comparison and selection on integers, f32 and
/// f64; extf and truncf by one step (f16 or bf16 and f32, f32 and f64); sqrt,
/// absf, copysign, floor, ceil, round, roundeven, trunc, absi, ctlz, cttz,
/// ctpop, and fma if there is one; addptr and the casts of pointers; and with
/// hasLibm, tt.extern_elementwise of the C library's lgamma, tgamma, jn and yn
/// of f64; with hasScale, that of kScaleSymbol; with hasFraction, of
/// kFractionSymbol; with hasExponents, of kExponentSymbol and
/// kSignificandSymbol; with hasTables, of kTableSymbol.
///
/// The third phase fails if a kernel calls an external function that is not in
/// libdevice/ExternFunctions.def, or one that the target cannot support.
mlir::LogicalResult expand(Phase phase, mlir::ModuleOp module,
                           const ExpandOptions &options = {});

/// All phases.
mlir::LogicalResult expandForBackend(mlir::ModuleOp module,
                                     const ExpandOptions &options = {});

/// For an atomic operation that the target lacks: the function that computes
/// the stored value from the old value and the operand, for a compare-and-swap
/// loop. The second phase added it to the module. Null if the target has the
/// operation.
tt::FuncOp findAtomicUpdate(tt::AtomicRMWOp op);

/// Inlines all helper functions, noinline ones too: calls of functions on tiles
/// cannot be emitted, and `noinline` is only a hint about code size. Branches
/// of helpers become structured control flow. Recursion is an error.
mlir::LogicalResult inlineCalls(mlir::ModuleOp module);

/// Converts the branches between blocks of all functions, mostly early returns,
/// to `scf`.
mlir::LogicalResult liftBranches(mlir::ModuleOp module);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_EXPAND_H
