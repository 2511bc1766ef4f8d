// Select.h - from a call of an operator to the launches that compute it, and
// why these.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_SELECT_SELECT_H
#define NEREID_OPS_SELECT_SELECT_H

#include "pack/Packs.h"
#include "select/Tensor.h"

namespace nereid::ops {

/// What a call does, and where that is written.
struct Plan {
  Selection selection;
  Applied applied;
  const Operator *op = nullptr;
  const Variant *variant = nullptr; // null if there is nothing to launch
  std::string key, bucket;          // canonical JSON, for tuned results
  /// The search space of the variant; null if it has none.
  const TunedOperator *tuned = nullptr;
  Applied tunedBy;
};

/// One layer or variant that was looked at.
struct Trial {
  std::string layer, variant;
  bool isTaken = false;
  std::string reason;
};

/// The plan for a call of \p name. Fails for an operator that is unknown or
/// disabled, for a call that does not fit its schema, and if no variant
/// applies.
/// \p configuration: settings in place of the variant's own. \p trials: what
/// was looked at, also if it fails; may be null.
Result<Plan> select(const Packs &packs, const TargetFacts &target,
                    std::string_view name, const CallFacts &call,
                    const Configuration *configuration = nullptr,
                    std::vector<Trial> *trials = nullptr);

/// Why a layer hides an operator in itself and in those below; null if it does
/// not.
const std::string *disabledBy(const Applied &applied, std::string_view name);

} // namespace nereid::ops

#endif // NEREID_OPS_SELECT_SELECT_H
