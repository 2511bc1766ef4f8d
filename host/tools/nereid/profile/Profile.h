// Profile.h - how much of a measurement's processor time went where.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_PROFILE_PROFILE_H
#define NEREID_TOOL_PROFILE_PROFILE_H

#include "Output.h"
#include "profile/SourceLine.h"

#include <vector>

namespace nereid::tool {

class Profile {
public:
  /// Of a Sampler's addresses, in a process where `kernelImage` is loaded.
  Profile(const std::vector<uintptr_t> &addresses,
          std::string_view kernelImage);

  /// A table with the places of at least one in a hundred samples.
  std::string text() const;
  /// All places: "samples" and "places".
  Json json() const;

private:
  struct Row {
    CodePlace place;
    uint64_t samples;
  };
  std::vector<Row> rows; // the most samples first
  uint64_t total = 0;
  bool hasLines = false;
};

} // namespace nereid::tool

#endif // NEREID_TOOL_PROFILE_PROFILE_H
