// Preparation.h - from what was chosen for a call to a plan: kernels are made,
// compiled and loaded, and memory is laid out.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_CALL_PREPARATION_H
#define NEREID_OPS_CALL_PREPARATION_H

#include "call/KernelProvider.h"
#include "select/Select.h"

#include <functional>

namespace nereid::ops {

/// What chooses for a call of an operator; \p wanted is what the call asks for,
/// or null.
using Selector = std::function<Result<Selection>(
    std::string_view op, const CallFacts &call, const Wanted *wanted)>;

/// Where the tensors and attributes of a call are in its CallValues.
struct CallLayout {
  struct Tensors {
    std::string name;
    uint16_t first = 0; // members of a list follow each other
  };
  std::vector<Tensors> inputs, outputs;
  std::vector<std::string> attributes;
};

/// The plan for a call with these facts. \p choose is also asked for `copy`,
/// which makes inputs row major, and outputs not. \p blamed: the tuned result
/// that named the kernels that failed, if one did; may be null.
Result<std::unique_ptr<const CallPlan>>
prepare(KernelProvider &kernels, const Selector &choose, std::string_view op,
        const CallFacts &call, const CallLayout &layout,
        const Wanted *wanted = nullptr,
        std::optional<TunedChoice> *blamed = nullptr);

} // namespace nereid::ops

#endif // NEREID_OPS_CALL_PREPARATION_H
