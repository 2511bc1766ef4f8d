// library.h - the driver library: where it is, and its functions.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CUDA_LIBRARY_H
#define NEREID_CUDA_LIBRARY_H

#include "api.h"

#include <string>

namespace nereid::cuda {

/// Function pointers. Those of later libraries may be null.
struct Library {
#define NEREID_CUDA_MEMBER(name, symbol, version, parameters)                  \
  CUresult(*name) parameters = nullptr;
  NEREID_CUDA_FUNCTIONS(NEREID_CUDA_MEMBER)
  NEREID_CUDA_LATER_FUNCTIONS(NEREID_CUDA_MEMBER)
#undef NEREID_CUDA_MEMBER
  int version = 0; ///< of CUDA, 12040 for 12.4

  /// Opens the library at `path`, looks up the functions and initializes it,
  /// which makes no context. Returns why it cannot be used; empty on success.
  /// It is never closed: it has threads and exit handlers.
  std::string open(const std::string &path);
};

/// "12.4" for 12040.
std::string versionText(int version);

} // namespace nereid::cuda

#endif // NEREID_CUDA_LIBRARY_H
