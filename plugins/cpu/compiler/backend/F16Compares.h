// F16Compares.h - a workaround for how LLVM 19 selects comparisons of f16.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_F16COMPARES_H
#define NEREID_CPU_COMPILER_BACKEND_F16COMPARES_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace nereid::cpu {

/// With AVX512-FP16, LLVM 19 folds a load that is the first operand of a masked
/// comparison of f16 vectors by exchanging the operands without exchanging the
/// predicate: `x < 2` under a mask becomes `2 < x`. This pass compares in f32,
/// which is exact. Run last: other passes narrow the comparison again.
void compareF16InF32(llvm::Module &module, const llvm::TargetMachine &machine);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_F16COMPARES_H
