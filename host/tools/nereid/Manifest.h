// Manifest.h - a kernel with its grid, arguments and expected outputs in one
// file, in place of a dozen words on the command line.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_MANIFEST_H
#define NEREID_TOOL_MANIFEST_H

#include "Output.h"

#include <string>
#include <vector>

namespace nereid::tool {

/// The file's contents, in the form of the command line.
struct Manifest {
  std::string kernel, grid;
  std::vector<std::string> arguments;    ///< ARG
  std::vector<std::string> expectations; ///< --expect
  std::string bytes, flops;              ///< of a launch; may be empty

  /// Whether \p kernel is one by its name: "softmax.json".
  static bool isNamedBy(const std::string &kernel);
  /// Reads \p path; files that it names are relative to its folder.
  static Expected<Manifest> read(const std::string &path);
};

} // namespace nereid::tool

#endif // NEREID_TOOL_MANIFEST_H
