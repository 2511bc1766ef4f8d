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

/// What a call uses in place of what its conditions choose.
struct Wanted {
  /// The name of a variant, or LAYER/NAME with the layer's label; empty: the
  /// first that applies.
  std::string variant;
  /// Settings in place of the variant's own.
  std::optional<Configuration> configuration;
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
/// \p wanted: a choice that was made; may be null. \p trials: what was looked
/// at, also if it fails; may be null.
Result<Plan> select(const Packs &packs, const TargetFacts &target,
                    std::string_view name, const CallFacts &call,
                    const Wanted *wanted = nullptr,
                    std::vector<Trial> *trials = nullptr);

/// A variant that a layer has, and what it may be tuned over.
struct VariantSpace {
  std::string layer; // its label
  const Operator *op = nullptr;
  const Variant *variant = nullptr;
  std::string unsupported; // why it does not apply to the call; else empty
  /// Besides its own settings; none if they cannot be listed.
  std::vector<Configuration> configurations;
  std::string problem; // why they cannot be listed; else empty
};

/// The variants of the layers that select() looks at and of those below, in
/// order. Fails as select() does; none if the call launches nothing.
Result<std::vector<VariantSpace>>
spacesOf(const Packs &packs, const TargetFacts &target, std::string_view name,
         const CallFacts &call, Search search);

/// Which values an input has where data is made up: from `low` up to, and
/// without, `high`.
struct InputValues {
  std::string name;
  double low = 0, high = 1;
  bool isSorted = false;
};

/// Those of the inputs for which a layer says so.
Result<std::vector<InputValues>> valuesOf(const Packs &packs,
                                          const TargetFacts &target,
                                          std::string_view name,
                                          const CallFacts &call);

/// Why a layer hides an operator in itself and in those below; null if it does
/// not.
const std::string *disabledBy(const Applied &applied, std::string_view name);

} // namespace nereid::ops

#endif // NEREID_OPS_SELECT_SELECT_H
