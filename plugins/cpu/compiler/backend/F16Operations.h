// F16Operations.h - operations on f16 that LLVM 19 selects badly, in f32.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_F16OPERATIONS_H
#define NEREID_CPU_COMPILER_BACKEND_F16OPERATIONS_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace nereid::cpu {

/// LLVM narrows operations on extended f16 to f16 also for machines without
/// arithmetic of f16. There it selects element by element, and llvm.maximum and
/// llvm.minimum wrongly: a zero and NaN may give the zero. This pass performs
/// comparisons, extrema, roundings to integers and remainders in f32, which is
/// exact.
///
/// With AVX512-FP16, LLVM 19 folds a load that is the first operand of a masked
/// comparison of f16 vectors by exchanging the operands without exchanging the
/// predicate: `x < 2` under a mask becomes `2 < x`. There only comparisons of
/// vectors are performed in f32.
///
/// Run last: other passes narrow the operations again.
void computeF16InF32(llvm::Module &module, const llvm::TargetMachine &machine);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_F16OPERATIONS_H
