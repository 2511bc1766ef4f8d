// Describe.h - packs, operators and choices as JSON, and calls from JSON.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_SELECT_DESCRIBE_H
#define NEREID_OPS_SELECT_DESCRIBE_H

#include "select/Select.h"
#include "support/JsonFwd.h"

namespace nereid::ops {

/// The facts of a target; \p properties: a JSON object of its driver, or empty.
/// `device` has them by their names, and as units, shared_memory, type, arch.
Result<TargetFacts> targetFacts(std::string_view type, std::string_view arch,
                                std::string_view compiler,
                                std::string_view properties);

/// What a call has, from the JSON of nereid_ops_explain().
struct RequestedCall {
  CallFacts facts;
  std::optional<Wanted> wanted; // its "configuration"
};
Result<RequestedCall> callOfJson(std::string_view text);

/// The JSON that callOfJson() reads as \p call.
host::Json jsonOfCall(const CallFacts &call);

// The documents of nereid/ops.h.
host::Json reportOf(const Packs &packs);
host::Json listOperators(const Packs &packs,
                         const TargetFacts *target = nullptr);
Result<host::Json> showOperator(const Packs &packs, std::string_view name);
Result<host::Json> explainCall(const Packs &packs, const TargetFacts &target,
                               std::string_view name,
                               const RequestedCall &call);
Result<host::Json> explainCall(const Packs &packs, const TargetFacts &target,
                               std::string_view name, std::string_view call);

} // namespace nereid::ops

#endif // NEREID_OPS_SELECT_DESCRIBE_H
