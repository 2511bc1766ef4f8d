// Call.h - a call as a schema describes it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_SELECT_CALL_H
#define NEREID_OPS_SELECT_CALL_H

#include "select/Select.h"

namespace nereid::ops {

/// A call that is right but that the operator, or its device, does not support.
Failure unsupported(std::string text);

/// As in "f16, bf16 or f32".
std::string listed(const std::vector<std::string> &words);

/// What \p list has of that name, or null.
const NamedTensors *find(const std::vector<NamedTensors> &list,
                         std::string_view name);
const Value *find(const std::vector<NamedValue> &list, std::string_view name);

/// Are the names, ranks and types of \p call those of \p op's schema? Types
/// that are those of other inputs are not looked at.
Outcome checkCall(const Operator &op, const CallFacts &call);

} // namespace nereid::ops

#endif // NEREID_OPS_SELECT_CALL_H
