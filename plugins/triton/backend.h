// backend.h - which Python class compiles: Triton's own, or the one that a file
// beside the plugin names.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TRITON_BACKEND_H
#define NEREID_TRITON_BACKEND_H

#include <string>
#include <vector>

namespace nereid::triton {

struct Backend {
  std::string id;         ///< of the plugin
  std::string deviceType; ///< what it is called; of a class, its target
  std::string name;       ///< "module:Class"; empty: Triton's own
  std::vector<std::string> folders; ///< in front of sys.path
  std::string worker;               ///< the script
  /// What is wrong with the file; empty if nothing is.
  std::string problem;

  /// Triton's own, or that of the file "<folder>/<id>/backend.json" for the
  /// plugin at \p pluginPath.
  static Backend read(const std::string &pluginPath, const std::string &id);

  bool supports(const std::string &target) const {
    return name.empty() ? target == "cuda" || target == "hip"
                        : target == deviceType;
  }
};

} // namespace nereid::triton

#endif // NEREID_TRITON_BACKEND_H
