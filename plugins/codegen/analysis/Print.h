// Print.h - forms as text, for tests and dumps.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_ANALYSIS_PRINT_H
#define NEREID_CODEGEN_ANALYSIS_PRINT_H

#include "analysis/MaskIntervals.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/raw_ostream.h"

namespace nereid::codegen {

/// "4 * %n * %m + 16"; "0" if empty.
void print(const Polynomial &polynomial, llvm::raw_ostream &os,
           mlir::AsmState &names);

/// "i0", "i0 >> 2", "0", or "?" for anything else.
void print(IndexSource source, llvm::raw_ostream &os);

/// "%p + (%0 * 1024) + [1, %stride] . i + 2 * %t(i0)".
void print(const TileForm &form, llvm::raw_ostream &os, mlir::AsmState &names);

/// "below a bound, where %3 < %4 by 1 if %3 <= 2147482624".
void print(const IntervalBound &bound, llvm::raw_ostream &os,
           mlir::AsmState &names);

/// The bound, "uniform" or "no interval" for each conjunct of a mask along
/// `axis`.
void printIntervals(mlir::Value mask, unsigned axis, TileForms &forms,
                    llvm::raw_ostream &os, mlir::AsmState &names);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_ANALYSIS_PRINT_H
