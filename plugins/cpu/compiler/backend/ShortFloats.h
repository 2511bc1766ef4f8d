// ShortFloats.h - 16-bit floats that are only moved, as integers.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_SHORTFLOATS_H
#define NEREID_CPU_COMPILER_BACKEND_SHORTFLOATS_H

namespace llvm {
class Module;
}

namespace nereid::cpu {

/// Makes loads, stores, selects, shuffles, PHIs and sign changes of f16 and
/// bf16 operate on integers. Without arithmetic on these types, LLVM would
/// convert each element to f32 and back to move it, one by one or by a routine
/// that is in no library. Run after all other passes, some of which undo such
/// casts.
void moveShortFloatsAsIntegers(llvm::Module &module);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_SHORTFLOATS_H
