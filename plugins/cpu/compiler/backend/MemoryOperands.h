// MemoryOperands.h - constants that instructions take from memory.
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

/// Where a block of floating-point vectors uses more constants than registers
/// can hold, as polynomials do, leaves them in memory.
///
/// LLVM broadcasts every constant into a register before the loop, and spills
/// and copies when there are too few. An instruction of x86 takes one operand
/// from memory at no cost, but only a whole vector that nothing else uses. So
/// each use becomes a load of its own, from a variable: what is not constant is
/// neither folded nor hoisted. Does nothing for machines with more registers or
/// with operands that are broadcast (AVX-512). Run after all other passes.
void useMemoryOperands(llvm::Module &module,
                       const llvm::TargetMachine &machine);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_MEMORYOPERANDS_H
