// settings.h - what the environment says, read when the plugin is created.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TRITON_SETTINGS_H
#define NEREID_TRITON_SETTINGS_H

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace nereid::triton {

struct Settings {
  /// The only Python to use; empty: the first of `pythons` that has a Triton.
  std::string python;
  /// Every python3 in PATH, in order.
  std::vector<std::string> pythons;
  unsigned workers = 0; ///< at most so many; 0: as many as the machine allows
  uint64_t memory = 0;  ///< bytes of address space of a worker; 0: any
  std::chrono::milliseconds timeLimit{600000}; ///< of one stage
  /// Where facts about an installed Triton are remembered; empty: nowhere.
  std::string cacheDirectory;
  /// "NAME=value" of the variables that change what Triton compiles.
  std::vector<std::string> relevant;

  /// Throws a Failure for a variable that is malformed.
  static Settings read();
};

} // namespace nereid::triton

#endif // NEREID_TRITON_SETTINGS_H
