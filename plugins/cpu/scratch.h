// scratch.h - the scratch memory of a thread's programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_SCRATCH_H
#define NEREID_CPU_SCRATCH_H

#include <cstdint>

namespace nereid::cpu {

/// Returns at least `size` bytes, page-aligned and uninitialized, for the
/// calling thread, valid until its next call. Grows on demand, so that a thread
/// that has run a kernel once does not allocate for it again. Null if out of
/// memory. Freed when the thread ends.
void *threadScratch(uint64_t size);

} // namespace nereid::cpu

#endif // NEREID_CPU_SCRATCH_H
