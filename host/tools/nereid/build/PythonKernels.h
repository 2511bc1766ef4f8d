// PythonKernels.h - the kernels of a Python file, made by a Python with Triton.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_BUILD_PYTHONKERNELS_H
#define NEREID_TOOL_BUILD_PYTHONKERNELS_H

#include "build/Plan.h"

namespace nereid::tool {

/// Adds the function table of \p path, which \p python runs; empty means
/// NEREID_TRITON_PYTHON, else `python3`. What the file prints goes to stderr.
Expected<void> addPythonFile(BuildPlan &plan, const std::string &path,
                             const std::string &python);

/// A recording of a program: what it launched.
struct Recording {
  std::string list;                                       ///< kernels.json
  std::vector<std::pair<std::string, std::string>> files; ///< name, TTIR
  int code = 0;                                           ///< of the program
};

/// Runs \p words, a program and its arguments, and records its launches. With
/// \p keepsStdout it writes to our stdout, else to stderr.
Expected<Recording> recordProgram(const std::vector<std::string> &words,
                                  const std::string &python, bool keepsStdout);

/// Lets the plugin `triton` compile with \p python too, a path or a name in
/// PATH. Before plugins are loaded.
void compileWithPython(const std::string &python);

} // namespace nereid::tool

#endif // NEREID_TOOL_BUILD_PYTHONKERNELS_H
