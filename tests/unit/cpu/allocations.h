// allocations.h - counts what a process allocates.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_CPU_ALLOCATIONS_H
#define NEREID_TESTS_CPU_ALLOCATIONS_H

#include <cstdint>

namespace nereid::cpu::test {

/// Calls of malloc, calloc, realloc and aligned_alloc so far, from everywhere
/// in the process; `new` comes down to them.
uint64_t allocationCount();

} // namespace nereid::cpu::test

#endif // NEREID_TESTS_CPU_ALLOCATIONS_H
