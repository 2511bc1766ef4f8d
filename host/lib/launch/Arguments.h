// Arguments.h - the layout of a kernel's arguments in the packed block.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_LAUNCH_ARGUMENTS_H
#define NEREID_HOST_LAUNCH_ARGUMENTS_H

#include "abi/Values.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nereid::host {

struct Argument {
  std::string name, type;
  uint32_t offset, size; // bytes
};

struct ArgumentLayout {
  std::vector<Argument> arguments;
  uint64_t size = 0; // of the block

  /// Places arguments, given as names and types, in the standard layout.
  static Result<ArgumentLayout>
  standard(const std::vector<std::pair<std::string, std::string>> &arguments);

  /// Reads the layout that a kernel's metadata gives, or lays its arguments
  /// out in the standard way (nereid/compiler.h, "Metadata"). Metadata that
  /// contradicts itself is refused.
  static Result<ArgumentLayout> read(const Values &metadata);
};

} // namespace nereid::host

#endif // NEREID_HOST_LAUNCH_ARGUMENTS_H
