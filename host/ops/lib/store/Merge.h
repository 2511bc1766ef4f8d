// Merge.h - puts results of several stores together, and compares stores.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_STORE_MERGE_H
#define NEREID_OPS_STORE_MERGE_H

#include "store/Record.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace nereid::ops {

/// What a merge did, or would do.
struct Merge {
  std::vector<TunedResult> changes; ///< to be recorded
  uint64_t added = 0;
  uint64_t faster = 0; ///< replaced by a faster one of the same protocol
  uint64_t kept = 0;   ///< the own one is as fast or faster
  uint64_t equal = 0;
  uint64_t changed = 0;           ///< the newer one has another status
  std::vector<std::string> notes; ///< what the user should know, a line each
  uint64_t notesLeftOut = 0;

  nlohmann::ordered_json json() const;
};

/// What must be recorded in a store with \p own so that it also has
/// \p others. Of two equal results (TunedResult::identity) the faster one
/// remains; if one of them is not ok, the newer one. Results of different
/// protocols are both kept, with a note.
Merge mergeResults(const std::vector<TunedResult> &own,
                   const std::vector<TunedResult> &others);

/// Compares what \p before and \p after say about the same configurations, and
/// whether the winners are the same. Results of different builds of a compiler
/// are compared, of each store the newest. As nereid/tune.h describes it.
nlohmann::ordered_json diffResults(const std::vector<TunedResult> &before,
                                   const std::vector<TunedResult> &after);

} // namespace nereid::ops

#endif // NEREID_OPS_STORE_MERGE_H
