// python.h - finds a Python that has Triton, without importing it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TRITON_PYTHON_H
#define NEREID_TRITON_PYTHON_H

#include <string>
#include <vector>

namespace nereid::triton {

/// What a Python has.
struct Installation {
  std::string python;  ///< its path
  std::string folder;  ///< of the package triton
  std::string version; ///< of Triton
  std::string problem; ///< why it cannot be used; empty if it can
};

/// Starts \p python, which says where its Triton is. [any-thread]
Installation inspectPython(const std::string &python);

/// Equal as long as nothing in the installation changes: names, sizes and times
/// of Triton's compiler and of what it runs. Empty if there is none.
std::string fingerprintOf(const Installation &installation);

/// The same of single files.
std::string fingerprintOf(const std::vector<std::string> &files);

} // namespace nereid::triton

#endif // NEREID_TRITON_PYTHON_H
