// ExchangePairs.h - sorting networks on two vectors at a time.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_EXCHANGEPAIRS_H
#define NEREID_CPU_COMPILER_BACKEND_EXCHANGEPAIRS_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace nereid::cpu {

/// A step of a sort that exchanges elements within a vector takes a
/// permutation, a minimum and a maximum for each vector, and half of what they
/// compute is not used. Two vectors take two permutations of both instead, one
/// minimum and one maximum: first come the elements of which the smaller stays,
/// then their partners. Which way a lane is sorted is a matter of the
/// permutation. The next step permutes the minimum and the maximum; they get
/// their order back where something else reads them.
///
/// For machines with permutations of two vectors (AVX-512), and before
/// useExtremaInExchanges().
void pairExchanges(llvm::Module &module, const llvm::TargetMachine &machine);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_EXCHANGEPAIRS_H
