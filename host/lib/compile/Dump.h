// Dump.h - writes the output of each stage into a directory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_COMPILE_DUMP_H
#define NEREID_HOST_COMPILE_DUMP_H

#include "abi/Values.h"

#include <string>
#include <string_view>

namespace nereid::host {

/// <NN>-<stage>.<extension> for each stage, numbered from 01 in the plugin's
/// order; 00-source.<kind> for what went in; metadata.json.
class Dump {
public:
  explicit Dump(std::string directory) : directory(std::move(directory)) {}

  /// Makes the directory and its parents.
  Outcome create() const;
  Outcome writeSource(std::string_view kind, std::string_view bytes) const;
  Outcome writeStage(size_t number, std::string_view stage,
                     std::string_view extension, std::string_view bytes) const;
  Outcome writeMetadata(const Values &metadata) const;

private:
  Outcome write(const std::string &file, std::string_view bytes) const;
  std::string directory;
};

} // namespace nereid::host

#endif // NEREID_HOST_COMPILE_DUMP_H
