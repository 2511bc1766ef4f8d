// ShortFloats.h - floats of 16 bits that are moved, not computed with.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_SHORTFLOATS_H
#define NEREID_CPU_COMPILER_BACKEND_SHORTFLOATS_H

namespace llvm {
class Module;
}

namespace nereid::cpu {

/// Loads, stores, selects, shuffles and carries f16 and bf16 as integers, and
/// changes their signs so. Where the machine has no arithmetic on them, LLVM
/// would convert each element to f32 and back to move it, one by one or by a
/// routine that no library has. Run after all other passes, some of which take
/// such casts apart.
void moveShortFloatsAsIntegers(llvm::Module &module);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_SHORTFLOATS_H
