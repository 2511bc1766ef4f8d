// Avx512.h - what instructions of AVX-512 compute at once, on any number of
// lanes.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_LLVMIR_AVX512_H
#define NEREID_CODEGEN_LLVMIR_AVX512_H

#include "llvm/IR/IRBuilder.h"

namespace nereid::codegen {

/// \p x 2^\p n where \p mask is true, else 0 (kScaleSymbol): f32 or f64, an
/// integer of that type, i1. Needs AVX512F and AVX512VL.
llvm::Value *emitScale(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *n,
                       llvm::Value *mask);

/// \p x, f32 or f64, minus the nearest integer (kFractionSymbol). Needs
/// AVX512DQ and AVX512VL.
llvm::Value *emitFraction(llvm::IRBuilderBase &b, llvm::Value *x);

/// The exponent of \p x, f32 or f64, and what is left (kExponentSymbol,
/// kSignificandSymbol). Need AVX512F and AVX512VL.
llvm::Value *emitExponent(llvm::IRBuilderBase &b, llvm::Value *x);
llvm::Value *emitSignificand(llvm::IRBuilderBase &b, llvm::Value *x);

/// The larger or the smaller one of \p x and \p y, f32 or f64, neither a
/// signalling NaN; the number if one of them is NaN. Needs AVX512DQ and
/// AVX512VL.
llvm::Value *emitExtremum(llvm::IRBuilderBase &b, llvm::Value *x,
                          llvm::Value *y, bool isMaximum);

/// The number of \p table, kTableSize f32, for each of \p index, i32
/// (kTableSymbol). Needs AVX512F.
llvm::Value *emitTable(llvm::IRBuilderBase &b, llvm::Value *index,
                       llvm::Constant *table);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_LLVMIR_AVX512_H
