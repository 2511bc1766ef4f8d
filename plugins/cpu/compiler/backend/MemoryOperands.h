// MemoryOperands.h - constants as memory operands of instructions.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_MEMORYOPERANDS_H
#define NEREID_CPU_COMPILER_BACKEND_MEMORYOPERANDS_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace nereid::cpu {

/// In blocks that use more floating-point vector constants than registers can
/// hold, as polynomials do, leaves the constants in memory.
///
/// LLVM broadcasts every constant to a register before the loop, and spills and
/// copies when there are too few. An x86 instruction can read one operand from
/// memory at no cost, but only a whole vector with a single use. So each use
/// becomes a separate load from a variable, which, not being constant, is
/// neither folded nor hoisted. Does nothing for machines with more registers or
/// with broadcast memory operands (AVX-512). Run after all other passes.
void useMemoryOperands(llvm::Module &module,
                       const llvm::TargetMachine &machine);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_MEMORYOPERANDS_H
