// Manifest.h - one exported kernel with its inputs and expected results, as
// README.md describes the file.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TEST_KERNELS_MANIFEST_H
#define NEREID_TEST_KERNELS_MANIFEST_H

#include "ArgumentSpec.h"
#include "Compare.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid::test {

using namespace nereid::tools;

struct ExpectedOutput {
  size_t argument;
  std::optional<Array> expected; ///< none in cases that are only timed
  Tolerance tolerance;
};

struct Manifest {
  std::string name;
  std::string kernel;
  std::string ttir; ///< path of the module
  std::string raw;  ///< path of the module before any pass; may be empty
  Function::Grid grid;
  std::vector<ArgumentValue> values;
  std::vector<ExpectedOutput> outputs;
  std::optional<std::vector<std::string>> expectedStdout; ///< sorted
  std::optional<std::string> expectedFault;

  /// Reads \p path and the arrays that it names.
  static Expected<Manifest> read(const std::string &path);
};

} // namespace nereid::test

#endif // NEREID_TEST_KERNELS_MANIFEST_H
