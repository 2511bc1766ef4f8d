// Candidates.h - everything that a call may be tuned over: variants times
// configurations, and how tuned results name them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_SELECT_CANDIDATES_H
#define NEREID_OPS_SELECT_CANDIDATES_H

#include "select/Select.h"
#include "support/JsonFwd.h"

namespace nereid::ops {

struct Candidate {
  std::string layer; // its label
  /// As tuned results name it: the variant's name, or LAYER/NAME where a higher
  /// layer has one of that name that applies.
  std::string variant;
  /// The same of the configuration: canonical JSON, values by name; {} is the
  /// variant's own settings.
  std::string configuration;
  Wanted wanted;           // what select() is asked for
  bool isDefault = false;  // what select() takes if nothing is asked for
  std::string unsupported; // why it cannot be used; else empty
  std::string source;      // digest of the kernels and the operator's file
};

struct Candidates {
  std::string key, bucket; // as in Plan
  std::vector<InputValues> values;
  std::vector<SelectedTensor> outputs;
  /// The default first. None if the call launches nothing. Configurations that
  /// launch what an earlier candidate does are left out.
  std::vector<Candidate> list;
};

/// Fails as select() does.
Result<Candidates> candidatesOf(const Packs &packs, const TargetFacts &target,
                                std::string_view name, const CallFacts &call,
                                Search search);

/// The candidate that a tuned result names, of the usual or the expanded
/// search; nothing if the packs do not have it for this call.
Result<std::optional<Wanted>>
findCandidate(const Packs &packs, const TargetFacts &target,
              std::string_view name, const CallFacts &call,
              const std::string &variant, const std::string &configuration);

/// The settings of \p configuration as tuned results have them.
std::string settingsText(const Configuration &configuration);

/// {"variant", "constants", "options"}; nothing for an empty text.
Result<std::optional<Wanted>> wantedOfJson(std::string_view text);
Result<Wanted> wantedOfJson(const host::Json &json);
host::Json jsonOf(const Wanted &wanted);

/// As nereid/ops.h describes it.
host::Json jsonOf(const Candidates &candidates);

} // namespace nereid::ops

#endif // NEREID_OPS_SELECT_CANDIDATES_H
