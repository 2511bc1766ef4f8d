// scratch.h - the memory that a thread's programs work in.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_SCRATCH_H
#define NEREID_CPU_SCRATCH_H

#include <cstdint>

namespace nereid::cpu {

/// At least `size` bytes, aligned to a page, for the calling thread until its
/// next call; with anything in them. Grows as kernels ask for more, so that a
/// thread that has run a kernel once does not allocate for it again. Null if
/// there is no memory. Freed with the thread.
void *threadScratch(uint64_t size);

} // namespace nereid::cpu

#endif // NEREID_CPU_SCRATCH_H
