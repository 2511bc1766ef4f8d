// Exchanges.h - steps of sorting networks as minima and maxima.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_EXCHANGES_H
#define NEREID_CPU_COMPILER_BACKEND_EXCHANGES_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace nereid::cpu {

/// A step of a sort is `(a > b) ^ m ? b : a`, where m tells the lanes of
/// descending order. It becomes `m ? max : min`, each a comparison and a
/// selection that are one instruction of x86: an operation less, and the mask
/// is no longer on the way from step to step. Comparisons that select more than
/// these two values, as in sorts with indices, stay.
///
/// Run last: other passes join the comparisons again.
void useExtremaInExchanges(llvm::Module &module,
                           const llvm::TargetMachine &machine);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_EXCHANGES_H
