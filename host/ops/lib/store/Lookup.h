// Lookup.h - which tuned result to use for a call, and why.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Results are comparable only if one compiler and one device made them by one
// protocol. Such a group has one winner: the fastest, or the default unless the
// fastest is faster by more than the noise. Groups are tried in order: those
// for the key itself, for its bucket, for the nearest key; among these same
// before near; then the nearest; then those of an earlier source; then the
// newest.

#ifndef NEREID_OPS_STORE_LOOKUP_H
#define NEREID_OPS_STORE_LOOKUP_H

#include "store/Record.h"
#include "store/Store.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace nereid::ops {

enum class Match { Exact, Bucket, Nearest };
std::string_view matchName(Match match);

struct Query {
  std::string operatorName;
  std::string key;      ///< canonical
  std::string bucket;   ///< canonical
  std::string variant;  ///< empty: any
  std::string protocol; ///< preferred; may be empty
  CompilerIdentity compiler;
  DeviceIdentity device;
  double reach = 3; ///< the largest distance of a nearest key (Key.h)
  /// Why a result cannot be used although it is the best; empty text if it can.
  /// None: nothing speaks against any.
  std::function<std::string(const TunedResult &)> objection;
};

/// A group that was looked at.
struct Considered {
  Match match;
  Trust trust;
  double distance;
  const TunedResult *result; ///< its winner, or its newest if it has none
  std::string verdict;
};

/// A result that can be compared with the one that was chosen.
struct Comparable {
  const TunedResult *result;
  std::string quarantine; ///< why it is not used; empty otherwise
};

struct Choice {
  const TunedResult *result = nullptr; ///< none: use the heuristics
  Match match = Match::Exact;
  Trust trust = Trust::Same;
  double distance = 0;
  std::vector<Considered> considered; ///< in order, if explained
  uint64_t leftOut = 0;               ///< more that were considered
  std::vector<Comparable> group;      ///< the chosen one's, if explained
};

/// The results that \p sources have for the operator: the store's, then those
/// that come with packs.
Choice lookUp(std::span<const OperatorRows *const> sources, const Query &query,
              bool isExplained);
/// The same with one source.
Choice lookUp(const OperatorRows &rows, const Query &query, bool isExplained);

/// The fastest of \p rows that are ok, or the default (see above); null if none
/// is ok.
const TunedResult *winnerOf(const std::vector<const TunedResult *> &rows);

/// As nereid/tune.h describes it.
nlohmann::ordered_json choiceJson(const Query &query, const Choice &choice);

/// The fields that name what was chosen and how fast it was.
nlohmann::ordered_json resultJson(const TunedResult &result);

} // namespace nereid::ops

#endif // NEREID_OPS_STORE_LOOKUP_H
