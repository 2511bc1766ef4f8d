// RunCase.h - runs one manifest and judges the result.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TEST_KERNELS_RUNCASE_H
#define NEREID_TEST_KERNELS_RUNCASE_H

#include "Manifest.h"

namespace nereid::test {

struct CaseOptions {
  Runtime::Choice target;
  std::vector<nereid_value_t> values; ///< options of the compiler
  bool raw = false;                   ///< the module before any pass
  std::string images; ///< a folder for images, which are then not launched
};

struct CaseTimes {
  double compile = 0, launch = 0; // nanoseconds
};

/// Compiles and launches the kernel of \p manifest once. Everything that is
/// not as it says is an error.
Expected<CaseTimes> runCase(const Manifest &manifest,
                            const CaseOptions &options);

} // namespace nereid::test

#endif // NEREID_TEST_KERNELS_RUNCASE_H
