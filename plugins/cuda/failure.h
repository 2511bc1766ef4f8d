// failure.h - the results of the driver library as errors of the ABI.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CUDA_FAILURE_H
#define NEREID_CUDA_FAILURE_H

#include "api.h"
#include "common/guard.h"

#include <string>

namespace nereid::cuda {

struct Library;

using plugin::Failure;

/// "out of memory (CUDA_ERROR_OUT_OF_MEMORY)"
std::string describe(const Library &library, CUresult result);

/// The status that `result` becomes.
nereid_status_t statusOf(CUresult result);

/// Whether every later call with the same context fails too: a kernel or the
/// device did something that only a new process recovers from.
bool isSticky(CUresult result);

/// Throws unless `result` is a success. `what` was being done: "cannot create a
/// stream". For calls that concern no open device; Device::check for others.
void check(const Library &library, CUresult result, const std::string &what);

} // namespace nereid::cuda

#endif // NEREID_CUDA_FAILURE_H
