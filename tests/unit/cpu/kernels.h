// kernels.h - kernels in LLVM IR, as the generator would write them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_CPU_KERNELS_H
#define NEREID_TESTS_CPU_KERNELS_H

#include <string>

namespace nereid::cpu::test {

/// out[i] = a[i] + b[i] for n floats, 1024 a program. Arguments: a, b, out, n
/// (i32).
std::string addKernel();

/// order[atomic next++] = program. Arguments: order (*i64), next (*i64). With
/// scratch of 4 KiB that each program fills. `neverWaits`: its programs may
/// start in any order.
std::string orderKernel(bool neverWaits = false);

/// out[program] = the first 8 bytes of scratch, which it then overwrites with
/// 7. Arguments: out (*i64).
std::string scratchKernel();

/// Fails in program `which` with "element is negative", prints nothing.
/// Arguments: which (i32).
std::string assertKernel();

/// Prints "program 7" through the text service, as raw text per program.
std::string printKernel();

/// out[i] = fmod(a[i], 3). Arguments: a, out, n (i32): calls libm.
std::string fmodKernel();

/// Adds 1 to *arrived, and waits until it is `programs`. Arguments: arrived
/// (*i64), programs (i64).
std::string meetKernel();

} // namespace nereid::cpu::test

#endif // NEREID_TESTS_CPU_KERNELS_H
